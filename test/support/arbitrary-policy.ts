/** Arbitrary definitions and URLs from small alphabets, so that rules and URLs meet often. */
import fc from 'fast-check';
import type { CrawlerDefinition } from '../../src/domain/crawl/definition.js';
import type {
  ConditionRule,
  CrawlSpaceRule,
  MatchExpression,
  ServerRecord,
} from '../../src/domain/crawl/policy-definition.js';
import { createRootContext } from '../../src/domain/policy/site-mode.js';
import type { Candidate } from '../../src/domain/policy/verdict.js';
import { seconds } from '../../src/domain/time/units.js';
import { toCrawlUrl } from '../../src/domain/url/crawl-url.js';
import { candidate, crawlerDefinition, placeAt, rootDefinition, ruleDefinition } from './crawler-definition.js';

const place = placeAt(1);
const host = fc.constantFrom('a.com', 'www.a.com', 'b.org', '10.0.0.1');
const path = fc
  .array(fc.constantFrom('/', 'x', 'y', '.gif', '%C3%A9', 'News'), { maxLength: 6 })
  .map((parts) => `/${parts.join('')}`);
export const arbitraryUrl = fc
  .tuple(fc.constantFrom('http', 'https', 'ftp'), host, path, fc.constantFrom('', '?q=1'))
  .map(([scheme, name, rest, query]) => `${scheme}://${name}${rest}${query}`);

const atoms: fc.Arbitrary<MatchExpression> = fc.record({
  type: fc.constant('atom' as const),
  field: fc.constantFrom('url', 'host', 'path', 'query', 'scheme'),
  kind: fc.constantFrom('exact', 'prefix', 'suffix', 'inside'),
  norm: fc.constantFrom('none', 'lower', 'norm'),
  value: fc.constantFrom(
    'a.com',
    'www',
    'http',
    '/x',
    '.gif',
    '/News',
    'é',
    '(x|y)+',
    '[xy]',
    'x?y',
    '/$',
    '^/x',
    '\\.gif$',
    '/n',
    'q=1',
    'http://a.com/',
  ),
  litteral: fc.boolean(),
  place: fc.constant(place),
});
const { expression } = fc.letrec<{ expression: MatchExpression }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small' },
    atoms,
    host.map((value) => ({ type: 'domain' as const, value, norm: 'norm' as const, place })),
    fc.record({
      type: fc.constantFrom('and' as const, 'or' as const),
      children: fc.array(tie('expression'), { minLength: 1, maxLength: 3 }),
      place: fc.constant(place),
    }),
    tie('expression').map((child) => ({ type: 'not' as const, child, place })),
    fc.nat(9).map((minimum) => ({ type: 'length' as const, field: 'path' as const, minimum, place })),
  ),
}));
const maybe = fc.option(fc.boolean(), { nil: undefined });
const actions = fc.record({
  accept: maybe,
  index: maybe,
  follow: maybe,
  priorityShift: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
});
export const arbitraryRules = fc
  .array(fc.tuple(expression, actions), { maxLength: 12 })
  .map((list) => list.map(([match, does], i) => ruleDefinition(i + 1, match, does)));

const spaceRules: fc.Arbitrary<CrawlSpaceRule[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('domain' as const),
      target: fc.constantFrom('a.com', '*.a.com', '*'),
      verdict: fc.constantFrom('allow', 'forbid'),
      place: fc.constant(place),
    }),
    fc.record({
      kind: fc.constant('prefix' as const),
      target: fc.constantFrom('http://a.com/x', '*News'),
      verdict: fc.constantFrom('allow', 'forbid'),
      place: fc.constant(place),
    }),
    fc.record({
      kind: fc.constant('address' as const),
      target: fc.constant('10.0.0.0/8'),
      verdict: fc.constantFrom('allow', 'forbid'),
      place: fc.constant(place),
    }),
  ),
  { maxLength: 4 },
);

const records: fc.Arbitrary<ServerRecord[]> = fc.uniqueArray(
  fc.record({
    url: fc
      .tuple(fc.constantFrom('http', 'https'), host, fc.constantFrom('/', '/x', '/x/', '/News'))
      .map(([scheme, name, rest]) => `${scheme}://${name}${rest}`),
    place: fc.constant(place),
    parameters: fc.record({
      period: fc.nat(100).map(seconds),
      index: maybe,
      follow: maybe,
      maxHops: fc.constantFrom(undefined, 1, 5),
    }),
  }),
  { selector: (record) => record.url, maxLength: 8 },
);

const { conditionRule } = fc.letrec<{ conditionRule: ConditionRule }>((tie) => ({
  conditionRule: fc.record({
    kind: fc.constantFrom('apply-for', 'apply-except-for', 'may-not-have', 'must-have'),
    test: fc
      .record({
        type: fc.constantFrom('wildcard', 'regex', 'wildcard-set'),
        field: fc.constantFrom('url', 'path', 'host'),
        value: fc.constantFrom('*x*', 'a.com', '.*x', 'http'),
        caseSensitive: fc.boolean(),
      })
      .map((made) => (made.type === 'regex' ? { ...made, value: `${made.value.replace(/^\*/, '')}.*` } : made)),
    log: fc.boolean(),
    options: fc.record(
      { maxHops: fc.constantFrom(1, 5), defaultAllow: fc.constantFrom('allow', 'disallow', 'disallow-log') },
      { requiredKeys: [] },
    ),
    children: fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('conditionRule'), { maxLength: 2 })),
    place: fc.constant(place),
  }) as fc.Arbitrary<ConditionRule>,
}));

export const arbitraryDefinition: fc.Arbitrary<CrawlerDefinition> = fc
  .record({
    rules: arbitraryRules,
    space: fc.option(spaceRules),
    servers: fc.option(fc.record({ records, followOutside: fc.boolean(), deleteNoServer: fc.boolean() })),
    conditions: fc.option(
      fc.oneof(fc.array(conditionRule, { maxLength: 3 }), fc.array(conditionRule, { minLength: 20, maxLength: 24 })),
    ),
    defaultAccept: fc.boolean(),
    followOffsite: fc.boolean(),
  })
  .map(({ space, servers, conditions, followOffsite, ...parts }) =>
    crawlerDefinition({
      ...parts,
      linkRules: {
        ...crawlerDefinition().linkRules,
        followOffsite,
        followQueryStrings: followOffsite,
        ignoreLinksTo: ['gif'],
      },
      crawlSpace: space ? { file: 'crawl.rules', rules: space } : undefined,
      servers: servers ? { ...servers, defaults: {}, place } : undefined,
      conditions: conditions ? { defaultAllow: 'allow', options: {}, rules: conditions, place } : undefined,
    }),
  );

const rootUrl = toCrawlUrl('http://a.com/x/');
export const arbitraryCandidate: fc.Arbitrary<Candidate> = fc
  .record({
    url: arbitraryUrl,
    discoveredVia: fc.constantFrom('root', 'link', 'redirect', 'sitemap', 'stored'),
    hops: fc.nat(3),
    root: fc.constantFrom(
      undefined,
      createRootContext(rootDefinition(rootUrl.href, { site: true }), rootUrl),
      createRootContext(rootDefinition(rootUrl.href, { entireSite: true, followLinks: false }), rootUrl),
    ),
    address: fc.constantFrom(undefined, '10.1.1.1', '192.0.2.1'),
  })
  .map(({ url: text, ...parts }) => candidate(text, parts));
