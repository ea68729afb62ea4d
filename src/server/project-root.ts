import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of Crawlway's own package.json, found both from the sources and from the compiled files. */
export const PROJECT_ROOT = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  const manifest = join(folder, 'package.json');
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'crawlway') return folder;
  const parent = dirname(folder);
  if (parent === folder)
    throw new Error(`no package.json of crawlway in ${import.meta.dirname} or in a folder above it`);
  return findRoot(parent);
}
