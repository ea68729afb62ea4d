/** Texts that come over the network or in an upload, read by their parsers: no error but those that they name, and what they promise of the result. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalizeHeaders } from '../../src/adapters/http/exchange.js';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import { CookieSessions } from '../../src/adapters/sessions/cookie-sessions.js';
import type { Problem } from '../../src/domain/crawl/place.js';
import { compileCrawlSpace } from '../../src/domain/policy/crawl-space.js';
import { parseCrawlSpace } from '../../src/domain/policy/crawl-space-file.js';
import { Subject } from '../../src/domain/policy/matching/subject.js';
import { isAllowedByRobots, parseRobots } from '../../src/domain/robots/robots-txt.js';
import { createCanonicalizer, DEFAULT_CANONICALIZATION, resolveAsWritten } from '../../src/domain/url/canonicalize.js';
import { hasUserInfo, toCrawlUrl } from '../../src/domain/url/crawl-url.js';
import { iterateUrlListEntries } from '../../src/domain/url/url-list.js';
import { parseFileName, parseLinkHeader } from '../../src/engine/page/header-parameters.js';
import { anyText } from '../support/any-text.js';

const SETTINGS = { numRuns: 500, seed: 20_261_122 };
const MOST_COOKIE_CHARACTERS = 250 * 4_096;

const text = (...known: string[]) =>
  fc.array(fc.oneof(fc.constantFrom(...known), anyText(5)), { maxLength: 30 }).map((parts) => parts.join(''));

const SPACE = ['allow', 'forbid', ' ', '\n', '\r', 'domain', 'address', 'prefix', '*', 'a.example', '10.0.0.0/8'];
const SPACE_MORE = ['::1', '10.1.2.3 255.255.0.0', 'http://a/', '#', '\uFEFF', ':80', '%2e', '\uFFFD', '/999'];

it('crawl.rules: every rule that is read compiles, every problem has a place in the file', () => {
  fc.assert(
    fc.property(text(...SPACE, ...SPACE_MORE), fc.constantFrom('local', 'global'), (written, kind) => {
      const lines = written.split(/\r\n|\n|\r/).length;
      const { rules, problems } = parseCrawlSpace(written, 'crawl.rules', kind);
      for (const { place, message } of problems) {
        expect(place.line).toBeLessThanOrEqual(lines);
        expect(place.column).toBeGreaterThan(0);
        expect(message).not.toBe('');
      }
      const later: Problem[] = [];
      const space = compileCrawlSpace(rules, later);
      if (later.length === 0) space(new Subject(toCrawlUrl('http://a.example/x?y')), '10.1.2.3');
    }),
    { ...SETTINGS, numRuns: 100 },
  );
});

it('a list of URLs: an entry is the text of one line of the list', () => {
  const list = text('http://a/', '\n', '\r\n', '\\', '\\\n', ' ', '#', ' #', '\t', '%', '@');
  fc.assert(
    fc.property(list, (written) => {
      const entries = [...iterateUrlListEntries(written)];
      const lines = written.split('\n').length;
      for (const { line, text: entry } of entries) {
        expect(line).toBeLessThanOrEqual(lines);
        expect(entry.trim()).toBe(entry);
        expect(entry).not.toMatch(/^$|\n/);
      }
    }),
    SETTINGS,
  );
});

it('the URL of a link or redirect: canonicalization is idempotent and removes user info', () => {
  const canonicalize = createCanonicalizer(DEFAULT_CANONICALIZATION);
  const address = text(
    'http:',
    'https:',
    '/',
    '\\',
    '@',
    ':',
    '[::1]',
    '%',
    '%2e',
    '..',
    '?',
    '#',
    'a.b',
    '.',
    '0x7f.1',
  );
  fc.assert(
    fc.property(address, (written) => {
      const url = canonicalize(written, 'http://base.example/x/y?z');
      if (!url) return;
      expect(canonicalize(url.href)?.href).toBe(url.href);
      expect(hasUserInfo(url.href)).toBe(false);
      expect(url.host).not.toBe('');
      expect(url.scheme).toBe(
        new URL(resolveAsWritten(written, 'http://base.example/x/y?z') ?? url.href).protocol.slice(0, -1),
      );
    }),
    SETTINGS,
  );
});

it('cookies: a session stays within its limits and sends no line feeds', async () => {
  const cookies = text(
    'a=b',
    ';',
    'Domain=',
    '.example',
    'Path=/',
    '\n',
    'Max-Age=',
    '-1',
    '9e9',
    '__Host-',
    'Secure',
    '=',
  );
  const urls = fc.constantFrom('http://a.example/', 'https://a.example/x', 'http://[::1]:8/', 'http://127.0.0.1/');
  await fc.assert(
    fc.asyncProperty(urls, fc.array(cookies, { maxLength: 3 }), async (url, answers) => {
      const session = new CookieSessions().open('k');
      for (const answer of answers) await session.storeCookies(url, answer);
      const sent = session.getCookies(url) ?? '';
      expect(sent.length).toBeLessThanOrEqual(MOST_COOKIE_CHARACTERS);
      expect(sent).not.toMatch(/[\r\n\0]/);
    }),
    SETTINGS,
  );
});

it('header fields: each value is one string; links and file names stay within their limits', () => {
  const value = text(
    '<',
    '>',
    ';',
    'rel="next"',
    ',',
    '"',
    '\\',
    "utf-8''",
    'filename*=',
    'filename=',
    '%2f',
    '/',
    '\x80',
  );
  const name = fc.constantFrom('link', 'location', 'content-type', 'content-disposition', 'etag', '__proto__', 'x');
  const field = fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));
  fc.assert(
    fc.property(fc.dictionary(name, field), (received) => {
      const headers = normalizeHeaders(received);
      for (const one of Object.values(headers)) expect(typeof one).toBe('string');
      for (const { href } of parseLinkHeader(headers['link'] ?? '')) expect(href.length).toBeLessThanOrEqual(2_048);
      const file = parseFileName(headers['content-disposition']);
      expect(file ?? 'f').not.toMatch(/[/\\\x00-\x1f]/);
      expect((file ?? 'f').length).toBeGreaterThan(0);
    }),
    SETTINGS,
  );
});

it('a sitemap: the number of entries and the length of each URL are bounded', () => {
  const reader = createPageReader();
  const pieces = [
    '<urlset>',
    '<sitemapindex>',
    '<rss>',
    '<feed>',
    '<url>',
    '<loc>',
    '</loc>',
    '</url>',
    '<link href="',
  ];
  const more = [
    '<item>',
    '<guid>',
    '<lastmod>',
    '2026-01-01',
    'http://a/',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '&amp;',
    '&#0;',
  ];
  fc.assert(
    fc.property(
      text(...pieces, ...more),
      fc.constantFrom('text/xml', 'text/plain; charset=utf-16', ''),
      (xml, type) => {
        const content = reader.readSitemap(Buffer.from(xml), type, 3);
        expect(content?.entries.length ?? 0).toBeLessThanOrEqual(3);
        for (const { url } of content?.entries ?? []) expect(url.length).toBeLessThanOrEqual(8_192);
      },
    ),
    SETTINGS,
  );
});

it('robots.txt: any bytes result in rules or none, and always in a decision', () => {
  const robots = text(
    'User-agent:',
    'Disallow:',
    'Allow:',
    '*',
    '$',
    '\n',
    '\r',
    'Sitemap:',
    '#',
    '/',
    '%',
    'Crawl-delay:',
    '9e9',
  );
  fc.assert(
    fc.property(robots, fc.webPath(), (written, path) => {
      const parsed = parseRobots(Buffer.from(written));
      expect(typeof isAllowedByRobots(parsed, 'crawlway', path)).toBe('boolean');
    }),
    SETTINGS,
  );
});
