/** The same scenarios as on SQLite: what a crawl does does not depend on the database. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

process.env['CRAWLWAY_TEST_DATABASE'] = 'postgres';

for (const file of readdirSync(join(import.meta.dirname, '../scenarios')))
  if (file.endsWith('.spec.ts')) await import(`../scenarios/${file.slice(0, -'.ts'.length)}.ts`);
