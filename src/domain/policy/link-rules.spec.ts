/** Sentences in quotes are from the reference system: Fluid Dynamics Search Engine, "Following Links with Crawler: Link Detection". */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candidate, crawlerDefinition, rootDefinition } from '../../../test/support/crawler-definition.js';
import type { TrapDefinition } from '../crawl/definition.js';
import type { LinkRulesDefinition } from '../crawl/policy-definition.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import { compilePolicy } from './crawl-policy.js';
import { createRootContext } from './site-mode.js';
import type { Candidate } from './verdict.js';

const { linkRules, traps } = crawlerDefinition();
const FDSE: Partial<LinkRulesDefinition> = { protocols: ['http'], maxUrlLength: 128, followQueryStrings: false };

const judge = (rules: Partial<LinkRulesDefinition>, judged: Candidate, trap: Partial<TrapDefinition> = {}) =>
  compilePolicy(
    crawlerDefinition({ linkRules: { ...linkRules, ...rules }, traps: { ...traps, ...trap } }),
    undefined,
  ).judge(judged);

const reason = (rules: Partial<LinkRulesDefinition>, url: string, parts: Partial<Candidate> = {}) =>
  judge(rules, candidate(url, parts)).reason;

describe('link rules', () => {
  test.each(['https://a.com/', 'ftp://a.com/', 'gopher://a.com/'])(
    '"Links beginning with https://, ftp://, gopher:// or any other protocol will be ignored": %s',
    (url) => {
      expect(reason(FDSE, url)).toBe('protocol-not-allowed');
      expect(reason(FDSE, 'http://a.com/')).toBe('accepted');
    },
  );

  test('https is accepted unless the fdse dialect is configured', () => {
    expect(reason({}, 'https://a.com/')).toBe('accepted');
    expect(reason({}, 'ftp://a.com/')).toBe('protocol-not-allowed');
  });

  test('"if a web address is too long, the crawler will ignore it … 128 by default"', () => {
    const address = (length: number) => `http://a.com/${'x'.repeat(length - 13)}`;
    expect(reason(FDSE, address(128))).toBe('accepted');
    const verdict = judge(FDSE, candidate(address(129)));
    expect(verdict).toMatchObject({
      accepted: false,
      layer: 'link-rules',
      reason: 'url-too-long',
      detail: 'the URL has 129 characters, but only 128 are allowed',
      place: linkRules.place,
    });
  });

  test('"by default, the crawler will ignore links of the form file.pl?test"', () => {
    expect(reason(FDSE, 'http://a.com/file.pl?test')).toBe('query-string');
    expect(reason(FDSE, 'http://a.com/file.pl')).toBe('accepted');
    expect(reason({ ...FDSE, followQueryStrings: true }, 'http://a.com/file.pl?test')).toBe('accepted');
  });

  test('"The crawler will skip links if the file extension is suspected of representing non-text data"', () => {
    const rules = { ignoreLinksTo: ['gif', 'log'] };
    expect(reason(rules, 'http://a.com/logo.GIF')).toBe('extension-ignored');
    expect(reason(rules, 'http://a.com/today.log?x=1')).toBe('extension-ignored');
    expect(reason(rules, 'http://a.com/v1.gif/page')).toBe('accepted');
    expect(reason(rules, 'http://a.com/gif')).toBe('accepted');
    expect(reason(rules, 'http://a.com/page.html?logo.gif')).toBe('accepted');
  });

  test('"The offsite links rule only limits the links to the same hostname"', () => {
    const from = toCrawlUrl('http://a.com/dir/page.html');
    expect(reason({ followOffsite: false }, 'http://b.com/', { from })).toBe('offsite');
    expect(reason({ followOffsite: false }, 'http://www.a.com/', { from })).toBe('offsite');
    expect(reason({ followOffsite: false }, 'http://a.com/elsewhere', { from })).toBe('accepted');
    expect(reason({ followOffsite: true }, 'http://b.com/', { from })).toBe('accepted');
  });

  test('a submitted root is exempt from all but the protocol rule', () => {
    const rules = { ...FDSE, ignoreLinksTo: ['html'] };
    const long = `http://a.com/${'x/'.repeat(100)}index.html?q`;
    expect(reason(rules, long, { discoveredVia: 'root', from: undefined, hops: 0 })).toBe('accepted');
    expect(reason(rules, 'https://a.com/', { discoveredVia: 'root', from: undefined, hops: 0 })).toBe(
      'protocol-not-allowed',
    );
  });

  test('a stored URL is judged again without its referrer, a stored root like a root', () => {
    const stored = { discoveredVia: 'stored', from: undefined } as const;
    expect(reason({ followOffsite: false }, 'http://b.com/', stored)).toBe('accepted');
    expect(reason({ followQueryStrings: false }, 'http://b.com/?q', stored)).toBe('query-string');
    const url = toCrawlUrl('http://b.com/?q');
    const root = createRootContext(rootDefinition(url.href), url);
    expect(reason({ followQueryStrings: false }, url.href, { ...stored, root, hops: 0 })).toBe('accepted');
  });

  test('a root that redirects to its other host name is not offsite', () => {
    const from = toCrawlUrl('http://a.com/');
    expect(reason({ followOffsite: false }, 'http://www.a.com/', { from, discoveredVia: 'redirect', hops: 0 })).toBe(
      'accepted',
    );
    expect(reason({ followOffsite: false }, 'http://www.a.com/', { from, discoveredVia: 'redirect', hops: 1 })).toBe(
      'offsite',
    );
  });

  test('paths that repeat segments are traps', () => {
    expect(judge({}, candidate('http://a.com/1/2/3/4'), { maxPathDepth: 3 }).reason).toBe('trap-path-depth');
    expect(judge({}, candidate('http://a.com/1/2/3/'), { maxPathDepth: 3 }).reason).toBe('accepted');
    const loop = candidate('http://a.com/x/y/x/y/x/y');
    expect(judge({}, loop, { maxRepeatedSegments: 2 }).detail).toBe(
      'the path segment "x" appears 3 times, but at most 2 are allowed',
    );
    expect(judge({}, loop, { maxRepeatedSegments: 3 }).reason).toBe('accepted');
  });

  test('a repeated segment counts wherever it is and whatever is beside it', () => {
    const segment = fc.string({ unit: fc.constantFrom('a', 'b', 'h'), maxLength: 9 });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (segments, limit) => {
        const { url } = candidate(`http://a.com/${segments.join('/')}`);
        const most = Math.max(0, ...segments.filter(Boolean).map((one) => segments.filter((it) => it === one).length));
        expect(judge({}, { ...candidate('http://a.com/'), url }, { maxRepeatedSegments: limit }).reason).toBe(
          most > limit ? 'trap-repeated-segments' : 'accepted',
        );
      }),
    );
  });
});
