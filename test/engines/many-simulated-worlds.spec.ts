/** The simulated worlds of `npm test`, and many more of each kind. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

process.env['CRAWLWAY_TEST_WORLDS'] = 'many';

for (const file of readdirSync(join(import.meta.dirname, '../simulation')))
  if (file.endsWith('.spec.ts')) await import(`../simulation/${file.slice(0, -'.ts'.length)}.ts`);
