/** The same scenarios as on SQLite, those that follow the texts of the systems that Crawlway learned from. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

process.env['CRAWLWAY_TEST_DATABASE'] = 'postgres';

for (const file of readdirSync(join(import.meta.dirname, '../scenarios/seeds')))
  await import(`../scenarios/seeds/${file.slice(0, -'.ts'.length)}.ts`);
