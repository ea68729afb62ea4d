/**
 * Checks the path to which a `file` or `warc` sink writes, because users who may change the configuration must not be
 * able to write arbitrary files on the machine.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';

const EXTENSIONS = { file: ['.jsonl', '.ndjson', '.json'], warc: ['.warc', '.warc.gz'] } as const;

export function resolveFileSinkPath(
  configuredPath: string,
  folder: string,
  type: string = 'file',
): { readonly path: string } | { readonly refusal: string } {
  const base = resolve(folder);
  const path = resolve(base, configuredPath);
  const extensions = type === 'warc' ? EXTENSIONS.warc : EXTENSIONS.file;
  if (!extensions.some((extension) => basename(path).toLowerCase().endsWith(extension)))
    return { refusal: `specify a file that ends in ${extensions.join(', ')}` };
  if (isBelow(path, base) && isBelow(resolveRealPath(path), resolveRealPath(base))) return { path };
  return { refusal: `specify a file in or below the folder for file sinks, which CRAWLWAY_FILE_SINKS sets` };
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Resolves symbolic links in the part of the path that exists. */
function resolveRealPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : resolve(resolveRealPath(parent), path.slice(parent.length).replace(/^[/\\]+/, ''));
}
