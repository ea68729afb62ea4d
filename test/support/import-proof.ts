/** Random configurations of other crawlers and random URLs, and the comparison of both configurations on them. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { convert, findFormat } from '../../import/index.js';
import type { ImportFile } from '../../import/model.js';
import { createOriginal } from '../../import/original/index.js';
import { prove } from '../../src/cli/import-proof.js';
import { file, SITE } from './imported.js';

const HOSTS = [
  'www.example.com',
  'example.com',
  'docs.example.com',
  'a.docs.example.com',
  'example.org',
  'xexample.com',
  'shop.co.uk',
  'www.shop.co.uk',
];
const WORDS = ['docs', 'Docs', 'private', 'a', 'b.html', 'b.HTML', 'x.pdf', 'news', 'old', 'index.php', 'example'];

const url = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    host: fc.constantFrom(...HOSTS),
    port: fc.constantFrom('', '', '', ':8080'),
    path: fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }),
    slash: fc.constantFrom('', '/'),
    query: fc.constantFrom('', '', '?id=1', '?docs', '?q=a&page=2', '?q=http://example.com/'),
  })
  .map(
    ({ scheme, host, port, path, slash, query }) =>
      `${scheme}://${host}${port}/${path.join('/')}${path.length > 0 ? slash : ''}${query}`,
  );
const urls = fc.array(url, { minLength: 20, maxLength: 60 });

export const word = fc.constantFrom(...WORDS);
export const host = fc.constantFrom(...HOSTS);
export const domain = fc.constantFrom(
  'example.com',
  'docs.example.com',
  'www.example.com',
  'example.org',
  'shop.co.uk',
);
export const quote = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Expressions as people write them, found anywhere in a URL. */
export const expression = fc.oneof(
  host.map((name) => `^https?://${quote(name)}/`),
  host.map((name) => `^http://([a-z0-9]*\\.)*${quote(name)}`),
  host.map((name) => `^https?://${name}/`),
  word.map((text) => `/${quote(text)}/`),
  word.map((text) => `${quote(text)}$`),
  fc.constantFrom(
    '[?*!@=]',
    '\\.(pdf|html)$',
    '(?i)\\.(pdf|html)$',
    '.*(/[^/]+)/a/',
    '.',
    '^(file|ftp|mailto):',
    'docs|news',
  ),
);
export const signed = fc.array(
  fc.tuple(fc.constantFrom('+', '-'), expression).map((parts) => parts.join('')),
  { minLength: 1, maxLength: 8 },
);
export const seeds = file('seeds.txt', `${SITE}/\n`);

/** Some of a list of files, in their order. */
export const some = (...files: fc.Arbitrary<ImportFile>[]): fc.Arbitrary<ImportFile[]> =>
  fc.tuple(...files.map((one) => fc.option(one))).map((given) => given.flatMap((one) => one ?? []));

async function* toStream(list: readonly string[]): AsyncGenerator<string> {
  yield* list;
}

let [acceptedCount, rejectedCount] = [0, 0];

export async function compare(format: string, files: readonly ImportFile[], given: readonly string[]): Promise<void> {
  const { xml, copies, report } = convert(format, files);
  const original = createOriginal(findFormat(format), files);
  for (const one of given) original.judge(new URL(one)).accepted ? acceptedCount++ : rejectedCount++;
  const proof = await prove(original, { xml, copies, lines: report.lines, file: 'imported.xml' }, toStream(given));
  expect(proof.differences.filter(({ reported }) => reported === undefined)).toEqual([]);
}

/** Both verdicts occur often enough that the comparison says something. */
export async function checkProperty(
  format: string,
  files: fc.Arbitrary<readonly ImportFile[]>,
  runs = 60,
): Promise<void> {
  [acceptedCount, rejectedCount] = [0, 0];
  await fc.assert(
    fc.asyncProperty(files, urls, (given, list) => compare(format, given, list)),
    { numRuns: runs },
  );
  expect(Math.min(acceptedCount, rejectedCount)).toBeGreaterThan((acceptedCount + rejectedCount) / 200);
}
