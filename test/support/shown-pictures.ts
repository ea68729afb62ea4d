import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the file names of the pictures that the README or a page of the documentation shows. */
export function findShownPictures(docs: string): ReadonlySet<string> {
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const texts = [join(docs, '..', 'README.md'), ...pages.map((name) => join(docs, name))].map((file) =>
    readFileSync(file, 'utf8'),
  );
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(/\bscreenshots\/([\w.-]+)/g), ([, name]) => name!)));
}
