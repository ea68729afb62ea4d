import { randomBytes } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The former default name of every server; servers that have pushed under it keep it. */
const FORMER_NAME = 'crawlway';

/**
 * A connector name specific to this database: two servers that push to one index without naming a connector must not share their
 * documents. A migration runs once, however many servers open the database together.
 */
export class ConnectorName0009 implements MigrationInterface {
  readonly name = 'ConnectorName0000000000009';

  async up(runner: QueryRunner): Promise<void> {
    const known = (await runner.query('SELECT 1 FROM url LIMIT 1')) as unknown[];
    const value = known.length > 0 ? FORMER_NAME : `${FORMER_NAME}-${randomBytes(3).toString('hex')}`;
    await runner.manager.createQueryBuilder().insert().into('setting').values({ name: 'connector', value }).execute();
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM setting WHERE name = 'connector'");
  }
}
