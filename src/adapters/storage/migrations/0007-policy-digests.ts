import { createHash } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The policy by which the stored URLs were judged is now stored as a SHA-256 digest, because its text contained
 * passwords, including the values of `${NAME}` references.
 */
export class PolicyDigests0007 implements MigrationInterface {
  readonly name = 'PolicyDigests0000000000007';

  async up(runner: QueryRunner): Promise<void> {
    for (const { name, value } of await this.readPolicies(runner)) {
      const digest = createHash('sha256').update(value).digest('hex');
      await runner.manager.createQueryBuilder().update('setting').set({ value: digest }).where({ name }).execute();
    }
  }

  /** A digest cannot be reversed; an older version treats it as a different policy and judges the stored URLs again. */
  async down(): Promise<void> {}

  private async readPolicies(runner: QueryRunner): Promise<{ name: string; value: string }[]> {
    const conditions = ['policy', 'reading', 'refresh'].map((kind) => `name LIKE '${kind}/%'`);
    return runner.query(`SELECT name, value FROM setting WHERE (${conditions.join(' OR ')}) AND value LIKE '{%'`);
  }
}
