import { randomBytes } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The former default name of every server; databases that already contain URLs keep it. */
const FORMER_NAME = 'crawlway';

/**
 * Stores a connector name specific to this database: two servers that push to one index without naming a connector must
 * not share their documents. A migration runs only once, however many servers open the database at the same time.
 */
export class ConnectorName0009 implements MigrationInterface {
  readonly name = 'ConnectorName0000000000009';

  async up(runner: QueryRunner): Promise<void> {
    const existingUrls = (await runner.query('SELECT 1 FROM url LIMIT 1')) as unknown[];
    const value = existingUrls.length > 0 ? FORMER_NAME : `${FORMER_NAME}-${randomBytes(3).toString('hex')}`;
    await runner.manager.createQueryBuilder().insert().into('setting').values({ name: 'connector', value }).execute();
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM setting WHERE name = 'connector'");
  }
}
