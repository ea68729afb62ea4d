import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  getHostKey,
  getOrigin,
  getSearch,
  hasUserInfo,
  isHashRoute,
  stripQuery,
  stripUserInfo,
  toCrawlUrl,
} from './crawl-url.js';

const piece = fc.string({ unit: fc.constantFrom(...'ab1-._~:@/?=&;%!$()*+, []{}|\\^éß漢🙂'), maxLength: 12 });
const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.constantFrom('localhost', 'bücher.example', 'a_b.example', 'EXAMPLE.org.'),
);
/** URLs as the WHATWG parser serializes them, without user info and fragment. */
const hrefs = fc
  .record({
    scheme: fc.constantFrom('http', 'https', 'ftp', 'foo'),
    host,
    port: fc.constantFrom('', ':80', ':443', ':8080', ':1'),
    path: fc.option(piece),
    query: fc.option(piece),
  })
  .map(({ scheme, host, port, path, query }) => {
    const tail = (path === null ? '' : `/${path.replaceAll(/[?#]/g, '')}`) + (query === null ? '' : `?${query}`);
    return URL.parse(`${scheme}://${host}${port}${tail}`);
  })
  .filter((url): url is URL => url !== null);

describe('the parts of a canonical URL', () => {
  it('are those of the WHATWG URL', () => {
    fc.assert(
      fc.property(hrefs, (url) => {
        const { href, scheme, host, port, path, query } = toCrawlUrl(url.href);
        expect({ href, scheme: `${scheme}:`, host, port, path }).toEqual({
          href: url.href,
          scheme: url.protocol,
          host: url.hostname,
          port: url.port,
          path: url.pathname,
        });
        expect(query === '' ? '' : `?${query}`).toBe(url.search);
      }),
      { numRuns: 1000 },
    );
  });

  it('add up to the URL again', () => {
    fc.assert(
      fc.property(hrefs, (url) => {
        const parts = toCrawlUrl(url.href);
        const tail = parts.query === '' ? '' : `?${parts.query}`;
        expect(`${getOrigin(parts)}${parts.path}${tail}`).toBe(
          url.search === '' ? url.href.replace(/\?$/, '') : url.href,
        );
      }),
    );
  });

  it('carry the fragment that the link had', () => {
    expect(toCrawlUrl('https://a.example/', 'top').fragment).toBe('top');
    expect(toCrawlUrl('https://a.example/').fragment).toBe('');
  });

  it.each([
    ['http://a.example/x', 'a.example', 'http://a.example'],
    ['https://a.example/x', 'a.example', 'https://a.example'],
    ['https://a.example:8443/x', 'a.example:8443', 'https://a.example:8443'],
    ['http://[::1]:81/', '[::1]:81', 'http://[::1]:81'],
    ['http://[::1]/', '[::1]', 'http://[::1]'],
  ])('%s belongs to the web server %s and the origin %s', (href, server, expectedOrigin) => {
    expect(getHostKey(toCrawlUrl(href))).toBe(server);
    expect(getOrigin(toCrawlUrl(href))).toBe(expectedOrigin);
  });

  it.each([
    ['https://a.example/x?y=1#z', 'https://a.example/x'],
    ['https://a.example/x#z?y', 'https://a.example/x'],
    ['https://a.example/x', 'https://a.example/x'],
  ])('%s without its query is %s', (href, expected) => expect(stripQuery(href)).toBe(expected));
});

describe('a URL that is shown', () => {
  it.each([
    ['http://anna:secret@a.example/x@y', 'http://a.example/x@y'],
    ['http://anna@a.example', 'http://a.example'],
    ['HTTPS:\\\\anna:p@ss@a.example\\x', 'HTTPS:\\\\a.example\\x'],
    ['http:anna:secret@a.example/', 'http:a.example/'],
    ['http://a.example/?mail=a@b.example', 'http://a.example/?mail=a@b.example'],
    ['http://a.example#@', 'http://a.example#@'],
    [' \tweb+x1.y-z://anna@a.example', ' \tweb+x1.y-z://a.example'],
    ['mailto:anna@a.example', 'mailto:anna@a.example'],
    ['socks5:anna:secret@a.example', 'socks5:a.example'],
    ['1http://anna@a.example', '1http://anna@a.example'],
    ['see http://anna@a.example', 'see http://anna@a.example'],
    ['mail anna@a.example', 'mail anna@a.example'],
  ])('%s has no user info: %s', (raw, shown) => {
    expect(stripUserInfo(raw)).toBe(shown);
    expect(hasUserInfo(raw)).toBe(raw !== shown);
    expect(hasUserInfo(shown)).toBe(false);
  });
});

it.each([
  ['/orders', true],
  ['/o', true],
  ['!/orders', true],
  ['!/o', true],
  ['/', false],
  ['!/', false],
  ['!', false],
  ['', false],
  ['top', false],
  ['!top', false],
  ['a/b', false],
])('a fragment %j is a route: %s', (fragment, expected) => {
  expect(isHashRoute(fragment)).toBe(expected);
});

it.each([
  ['https://a.example/?a=1', '?a=1'],
  ['https://a.example/?', '?'],
  ['https://a.example/', ''],
])('%s has the search %j', (href, search) => expect(getSearch(toCrawlUrl(href))).toBe(search));
