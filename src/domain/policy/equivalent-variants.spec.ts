/** RFC 3986, 6.2.2 and 6.2.3: however a URL and a rule are written, the verdict is that of the URL that they mean. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atom,
  crawlerDefinition,
  placeAt,
  rootDefinition,
  ruleDefinition,
} from '../../../test/support/crawler-definition.js';
import type { CrawlerDefinition } from '../crawl/definition.js';
import { createCanonicalizer, DEFAULT_CANONICALIZATION } from '../url/canonicalize.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import { compilePolicy } from './crawl-policy.js';
import { createRootContext } from './site-mode.js';

const canonicalize = createCanonicalizer(DEFAULT_CANONICALIZATION);
const keepsDots = createCanonicalizer([]);

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

/** One way to write a URL: the numbers determine how each part of it is written. */
interface Variant {
  readonly port: boolean;
  readonly dot: boolean;
  readonly upperHost: boolean;
  readonly encoded: readonly number[];
}

const parts: fc.Arbitrary<Parts> = fc.record({
  scheme: fc.constantFrom('http', 'https'),
  host: fc.constantFrom('h1', 'h2.example', 'bücher.example', '10.0.0.7'),
  port: fc.constantFrom('', '8080'),
  path: fc.constantFrom('/', '/secret/', '/private', '/~user/a-b_c.html', '/é/ü', '/a%2Fb/c%20d/', '/caf%E9/x'),
});

const variants: fc.Arbitrary<Variant> = fc.record({
  port: fc.boolean(),
  dot: fc.boolean(),
  upperHost: fc.boolean(),
  encoded: fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
});

function written({ scheme, host, port, path }: Parts, variant: Variant): string {
  const isName = !/^[\d.]+$/.test(host);
  const name = (variant.upperHost ? host.toUpperCase() : host) + (variant.dot && isName ? '.' : '');
  const shownPort = port || (variant.port ? { http: '80', https: '443' }[scheme] : '');
  return `${scheme}://${name}${shownPort ? `:${shownPort}` : ''}${writtenPath(path, variant)}`;
}

/** 0: as is; 1 and 2: encoded, in lower or upper case; other numbers leave it unchanged. */
function writtenPath(path: string, { encoded }: Variant): string {
  return path.replace(/%[0-9A-F]{2}|[^%]/gu, (char, at: number) => {
    const how = encoded[at % encoded.length] ?? 0;
    if (char === '/' || how === 0 || how > 2) return char.startsWith('%') && how === 1 ? char.toLowerCase() : char;
    const bytes = char.startsWith('%')
      ? char
      : [...new TextEncoder().encode(char)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    return how === 1 ? bytes.toLowerCase() : bytes.toUpperCase();
  });
}

const place = placeAt(1);
const forbidden = { verdict: 'forbid', place } as const;
const servers = { followOutside: false, deleteNoServer: true, defaults: {}, place };
const conditions = { defaultAllow: 'allow', options: {}, place } as const;
const condition = (field: 'url' | 'path', value: string, caseSensitive: boolean) => ({
  kind: 'may-not-have' as const,
  test: { type: 'wildcard' as const, field, value, caseSensitive },
  log: false,
  options: {},
  children: [],
  place,
});
const ignore = { accept: false };
const literal = { litteral: true } as const;

/** A rule for each layer, written with a variant of a URL. */
const RULES: Readonly<Record<string, (url: string, path: string, host: string) => Partial<CrawlerDefinition>>> = {
  'crawl space, prefix': (target) => ({
    crawlSpace: { file: 'crawl.rules', rules: [{ ...forbidden, kind: 'prefix', target }] },
  }),
  'crawl space, wildcard': (target) => ({
    crawlSpace: { file: 'crawl.rules', rules: [{ ...forbidden, kind: 'prefix', target: `${target}*` }] },
  }),
  'crawl space, domain': (_url, _path, target) => ({
    crawlSpace: { file: 'crawl.rules', rules: [{ ...forbidden, kind: 'domain', target }] },
  }),
  'server records': (url) => ({ servers: { ...servers, records: [{ url, place, parameters: {} }] } }),
  'conditions, wildcard': (url) => ({ conditions: { ...conditions, rules: [condition('url', `${url}*`, true)] } }),
  'conditions, any case': (_, path) => ({ conditions: { ...conditions, rules: [condition('path', path, false)] } }),
  'rules, prefix': (url) => ({
    rules: [ruleDefinition(1, atom('url', 'prefix', url, { ...literal, norm: 'none' }), ignore)],
  }),
  'rules, exact': (url) => ({
    rules: [ruleDefinition(1, atom('url', 'exact', url, { ...literal, norm: 'lower' }), ignore)],
  }),
  'rules, unescaped dots': (url) => ({ rules: [ruleDefinition(1, atom('url', 'exact', url), ignore)] }),
  'rules, expression': (_, path) => ({
    rules: [ruleDefinition(1, atom('path', 'exact', `(?:${path})`, { norm: 'none' }), ignore)],
  }),
  'rules, path': (_, path) => ({ rules: [ruleDefinition(1, atom('path', 'prefix', path, literal), ignore)] }),
  'rules, host': (_url, _path, host) => ({ rules: [ruleDefinition(1, atom('host', 'exact', host, literal), ignore)] }),
  'rules, domain': (_url, _path, value) => ({
    rules: [ruleDefinition(1, { type: 'domain', value, norm: 'norm', place }, ignore)],
  }),
};

describe('no equivalent variant of a URL gets another verdict', () => {
  it.each(Object.entries(RULES))('%s', (_, rule) => {
    fc.assert(
      fc.property(parts, parts, variants, variants, (ruled, asked, inRule, inUrl) => {
        const name = (variant: Variant) => crawlUrlName(written({ ...ruled, path: '/' }, variant));
        const policy = (variant: Variant) =>
          compilePolicy(
            crawlerDefinition(rule(written(ruled, variant), writtenPath(ruled.path, variant), name(variant))),
            undefined,
          );
        const verdict = (variant: Variant, url: string, canonical = canonicalize) =>
          policy(variant).judge({ url: canonical(url)!, discoveredVia: 'link', hops: 1 }).reason;
        const expected = verdict(PLAIN, written(asked, PLAIN));
        expect(verdict(inRule, written(asked, inUrl))).toBe(expected);
        expect(verdict(inRule, written(asked, inUrl), keepsDots)).toBe(expected);
        expect(verdict(PLAIN, written(ruled, inUrl))).toBe(verdict(inRule, written(ruled, PLAIN)));
      }),
      { numRuns: 80 },
    );
  });

  it('site mode', () => {
    const policy = compilePolicy(crawlerDefinition(), undefined);
    fc.assert(
      fc.property(parts, parts, variants, variants, (ruled, asked, inRoot, inUrl) => {
        const verdict = (variant: Variant, url: string) => {
          const root = rootDefinition(written(ruled, variant), { site: true });
          const context = createRootContext(root, canonicalize(root.url)!);
          return policy.judge({ url: canonicalize(url)!, discoveredVia: 'link', hops: 1, root: context }).reason;
        };
        expect(verdict(inRoot, written(asked, inUrl))).toBe(verdict(PLAIN, written(asked, PLAIN)));
      }),
      { numRuns: 80 },
    );
  });

  it('a rule applies to the exact URL that it was written with', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(RULES)), parts, variants, variants, (key, ruled, inRule, inUrl) => {
        const host = crawlUrlName(written({ ...ruled, path: '/' }, inRule));
        const made = RULES[key]!(written(ruled, inRule), writtenPath(ruled.path, inRule), host);
        const verdict = compilePolicy(crawlerDefinition(made), undefined).judge({
          url: canonicalize(written(ruled, inUrl))!,
          discoveredVia: 'link',
          hops: 1,
        });
        expect(verdict.accepted).toBe(key === 'server records');
      }),
      { numRuns: 400 },
    );
  });
});

it("URLs stored by an earlier version are judged in today's canonical form", () => {
  const crawlSpace = {
    file: 'crawl.rules',
    rules: [{ ...forbidden, kind: 'prefix' as const, target: 'http://h1/~u/' }],
  };
  const policy = compilePolicy(crawlerDefinition({ crawlSpace }), undefined);
  const stored = (href: string) => policy.judge({ url: toCrawlUrl(href), discoveredVia: 'stored', hops: 1 }).accepted;
  expect(['http://h1/%7eu/', 'http://h1./~u/', 'http://h1/~v/'].map(stored)).toEqual([false, false, true]);
});

it.each([
  ['/été/', '/%C3%89T%C3%89/'],
  ['/%C3%89t%c3%a9/', '/été/'],
])('norm="lower" takes %s for %s', (value, path) => {
  const rules = [ruleDefinition(1, atom('path', 'exact', value, { ...literal, norm: 'lower' }), ignore)];
  const url = canonicalize(`http://h1${path}`)!;
  expect(
    compilePolicy(crawlerDefinition({ rules }), undefined).judge({ url, discoveredVia: 'link', hops: 1 }).reason,
  ).toBe('rule-ignored');
});

const PLAIN: Variant = { port: false, dot: false, upperHost: false, encoded: [0] };
const crawlUrlName = (url: string): string => toCrawlUrl(url).host;
