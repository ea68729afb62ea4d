import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCrawlUrl } from './crawl-url.js';
import { isPlainFragment, resolveFast } from './fast-resolve.js';

const bases = [
  'http://a.example/',
  'https://a.example:8443/b/c/d.html?e=f',
  'http://[::1]/b//c/',
  'http://127.0.0.1:81/b?',
  'https://xn--bcher-kva.example/%2Fa/b;c/d?x/y?z',
];

/** The link as the WHATWG parser resolves it, without fragment. */
function whatwg(link: string, base: string): string | undefined {
  const url = URL.parse(link, base);
  if (!url) return undefined;
  url.hash = '';
  return url.href;
}

/** Either the parser is needed, or the result is the parser's. */
function agrees(link: string, base: string): void {
  const fast = resolveFast(link, toCrawlUrl(base));
  if (fast !== undefined) expect(fast).toBe(whatwg(link, base));
}

const tokens = [
  ...'ab0Z.-_~!$&\'()*+,;=:@%/?\\ \t"<>[]{}|^`é',
  ...[
    '..',
    './',
    '../',
    '//',
    '%2e',
    '%2E',
    '%',
    '0x1',
    '1.2',
    'xn--a',
    'http:',
    'https://',
    'HTTP://',
    'file:',
    'ftp://h',
    'localhost',
  ],
  ...[
    'a.example',
    '127.1',
    '1e3',
    ':80',
    ':443',
    ':8080',
    'u:p@',
    '\u0000',
    '\u00ad',
    '。',
    'javascript:',
    '.well-known',
  ],
];
const hostile = fc.array(fc.constantFrom(...tokens), { maxLength: 7 }).map((parts) => parts.join(''));

const word = fc.stringMatching(/^[A-Za-z0-9_~-]{1,8}(\.html)?$/);
const path = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('/'));
const query = fc.option(fc.stringMatching(/^\?[a-z0-9=&%+./;:@-]{0,12}$/), { nil: '' });
const host = fc
  .stringMatching(/^([a-z0-9]{1,5}(-[a-z0-9]{1,3})?\.){1,3}[a-z]{2,5}$/)
  .filter((name) => !name.includes('xn--'));
const ordinary = fc
  .oneof(
    fc.tuple(path, query),
    fc.tuple(fc.constantFrom('../', '../../', './', '../../../../../', '/', './../'), path, query),
    fc.tuple(fc.constantFrom('http://', 'https://', '//'), host, query),
    fc.tuple(fc.constantFrom('http://', 'https://', '//'), host, fc.constant('/'), path, query),
    fc.tuple(query),
  )
  .map((parts) => parts.join(''));

describe('resolving links without the parser', () => {
  it('returns what the WHATWG parser returns, or leaves the link to it, for any link', () => {
    fc.assert(fc.property(hostile, fc.constantFrom(...bases), agrees), { numRuns: 20_000 });
  });

  it('returns the same for any ASCII text', () => {
    const ascii = fc.string({ unit: 'binary-ascii', maxLength: 10 });
    const fronts = fc.constantFrom('', '/', '//', '?', 'http://', 'https://a.example', '../');
    fc.assert(
      fc.property(fronts, ascii, fc.constantFrom(...bases), (front, link, base) =>
        agrees(front + link.replaceAll('#', ''), base),
      ),
      { numRuns: 10_000 },
    );
  });

  it('returns the same for any host', () => {
    const label = fc.stringMatching(/^[a-z0-9_-]{0,5}$/);
    const hosts = fc.array(fc.oneof(label, fc.constantFrom('xn--', '0x7f', '0', '08', '256', 'com')), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(hosts, (labels) => agrees(`http://${labels.join('.')}/`, 'https://b.example/')),
      { numRuns: 10_000 },
    );
  });

  it('resolves ordinary links itself', () => {
    fc.assert(
      fc.property(ordinary, fc.constantFrom(...bases), (link, base) => {
        expect(resolveFast(link, toCrawlUrl(base))).toBe(whatwg(link, base));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    'a/../b',
    'a/.',
    '..',
    '%2e%2E/b',
    'a:b',
    'mailto:a@b.example',
    'http://A.example/',
    'http://1.2.3.4/',
    'a b',
    'é',
    'a\\b',
    "?a'b",
  ])('leaves %j to the parser', (link) =>
    expect(resolveFast(link, toCrawlUrl('http://a.example/b/c'))).toBeUndefined(),
  );

  it('recognizes fragments that the parser would not rewrite', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 6 }), (fragment) => {
        if (isPlainFragment(fragment)) expect(new URL(`http://a.example/#${fragment}`).hash.slice(1)).toBe(fragment);
      }),
      { numRuns: 3_000 },
    );
    expect(isPlainFragment('section-2.1')).toBe(true);
    expect(isPlainFragment('a b')).toBe(false);
  });
});
