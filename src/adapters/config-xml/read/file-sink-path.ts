/**
 * Checks where a `file` sink may write: a person who may change the configuration must not be able to write arbitrary
 * files on the machine.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';

const ENDINGS = { file: ['.jsonl', '.ndjson', '.json'], warc: ['.warc', '.warc.gz'] } as const;

export function resolveFileSinkPath(
  written: string,
  folder: string,
  type: string = 'file',
): { readonly path: string } | { readonly refusal: string } {
  const base = resolve(folder);
  const path = resolve(base, written);
  const endings = type === 'warc' ? ENDINGS.warc : ENDINGS.file;
  if (!endings.some((ending) => basename(path).toLowerCase().endsWith(ending)))
    return { refusal: `specify a file that ends in ${endings.join(', ')}` };
  if (isBelow(path, base) && isBelow(resolveRealPath(path), resolveRealPath(base))) return { path };
  return { refusal: `specify a file below the folder for file sinks, which CRAWLWAY_FILE_SINKS sets` };
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** With symbolic links resolved in the part of the path that exists. */
function resolveRealPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : resolve(resolveRealPath(parent), path.slice(parent.length).replace(/^[/\\]+/, ''));
}
