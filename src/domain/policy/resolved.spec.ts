import { expect, test } from 'vitest';
import {
  atom,
  candidate,
  crawlerDefinition,
  placeAt,
  rootDefinition,
  ruleDefinition,
} from '../../../test/support/crawler-definition.js';
import type { ConditionRule, UrlOptions } from '../crawl/policy-definition.js';
import { Secret } from '../secret.js';
import { hours, seconds } from '../time/units.js';
import { compilePolicy } from './crawl-policy.js';
import { parseCrawlSpace } from './crawl-space-file.js';
import { createMatchedView } from './matched-view.js';
import { createResolvedView, resolveUrl } from './resolved.js';

const applyFor = (value: string, options: UrlOptions, children: ConditionRule[] = []): ConditionRule => ({
  kind: 'apply-for',
  test: { type: 'wildcard', field: 'url', value, caseSensitive: false },
  log: false,
  options,
  children,
  place: placeAt(8),
});

const crawler = crawlerDefinition({
  name: 'docs',
  roots: [rootDefinition('http://a.com/', { site: true })],
  crawlSpace: { file: 'crawl.rules', rules: parseCrawlSpace('forbid domain b.com', 'crawl.rules').rules },
  servers: {
    followOutside: true,
    deleteNoServer: true,
    records: [
      { url: 'http://a.com/', place: placeAt(3), parameters: { period: hours(1) } },
      {
        url: 'http://a.com/news/',
        place: placeAt(4),
        parameters: { maxHops: 3, authentication: new Secret('me:s3cret') },
      },
    ],
    defaults: {},
    place: placeAt(2),
  },
  conditions: {
    defaultAllow: 'allow',
    options: { throttle: seconds(1) },
    rules: [
      applyFor('http://a.com/*', { throttle: seconds(5) }, [applyFor('*/news/*', { maxHops: 9 })]),
      applyFor('http://b.com/*', { throttle: seconds(7) }),
    ],
    place: placeAt(7),
  },
  rules: [
    ruleDefinition(
      1,
      { type: 'domain', value: 'a.com', norm: 'norm', place: placeAt(1) },
      { accept: true, index: true },
    ),
    ruleDefinition(2, { type: 'not', child: atom('path', 'suffix', '.gif'), place: placeAt(1) }, { priorityShift: 1 }),
    ruleDefinition(3, atom('host', 'exact', 'c.com'), { accept: false }),
  ],
});

test('shows the whole configuration in the order of evaluation', () => {
  expect(
    createResolvedView(crawler, { file: 'global.rules', rules: [] }).map(
      ({ layer, depth, text, effect }) => `${layer} ${'  '.repeat(depth)}${text}${effect ? ` → ${effect}` : ''}`,
    ),
  ).toEqual([
    'link-rules protocol is http or https',
    'link-rules address length is at most 2048 characters',
    'link-rules at most 32 path segments',
    'link-rules no path segment appears more than 4 times',
    'site-mode below root http://a.com/: URLs of its site',
    'crawl-space forbid domain b.com',
    'crawl-space else allow',
    'crawl-space for excluded hosts, global: else forbid',
    'server-records server record http://a.com/news/ → maxHops=3, credentials for http://a.com',
    'server-records server record http://a.com/ → period=3600 s',
    'server-records the empty server record',
    'conditions global options → defaultAllow=allow, throttle=1 s',
    'conditions conditions apply for: url matches wildcard "http://a.com/*" → throttle=5 s',
    'conditions   conditions apply for: url matches wildcard "*/news/*" → maxHops=9',
    'conditions conditions apply for: url matches wildcard "http://b.com/*" → throttle=7 s',
    'crawl-rules defaults → accept=yes, index=yes, follow=yes',
    'crawl-rules rule 1 (group "default"): domain a.com → accept=yes, index=yes',
    'crawl-rules rule 2 (group "default"): not path suffix ".gif" → priority shift 1',
    'crawl-rules rule 3 (group "default"): host exact "c.com" → accept=no',
  ]);
});

test('shows for one URL which rules matched, and the final options with the rule that set each', () => {
  const judged = candidate('http://a.com/news/x.html');
  const { verdict, steps, options } = resolveUrl(crawler, undefined, judged);
  expect(verdict).toEqual(compilePolicy(crawler, undefined).judge(judged));
  const reported = steps.filter(({ layer }) => layer === 'conditions' || layer === 'crawl-rules');
  expect(reported.map(({ test: what, outcome }) => `${what}: ${outcome}`)).toEqual([
    'conditions apply for: url matches wildcard "http://a.com/*": set',
    '· conditions apply for: url matches wildcard "*/news/*": set',
    'conditions apply for: url matches wildcard "http://b.com/*": no match',
    'default-allow is allow: accept',
    'rule 1 (group "default"): domain a.com: accept',
    'rule 2 (group "default"): not path suffix ".gif": set',
    'defaults for what no rule sets: follow: set',
    'rule 3 (group "default"): host exact "c.com": no match',
  ]);
  expect(options.map(({ name, value, setBy }) => `${name}=${value} by ${setBy}`)).toEqual([
    'throttle=5 s by conditions apply for: url matches wildcard "http://a.com/*"',
    'obeyRobots=yes by crawler docs',
    'nearDuplicateDetector=yes by crawler docs',
    'refreshMinimumAge=3600 s by crawler docs',
    'refreshMaximumAge=604800 s by crawler docs',
    'maxHops=3 by server record http://a.com/news/',
    'credentials=(hidden) by server record http://a.com/news/',
    'defaultAllow=allow by global options',
  ]);
});

test('shows for one URL the whole view, with matches', () => {
  const view = createMatchedView(crawler, { file: 'global.rules', rules: [] }, candidate('http://a.com/news/x.html'));
  const said = view.flatMap(({ layer, text, matched }) =>
    matched === undefined ? [] : [`${layer} ${text}: ${matched}`],
  );
  expect(said).toEqual([
    'site-mode below root http://a.com/: URLs of its site: false',
    'crawl-space forbid domain b.com: false',
    'server-records server record http://a.com/news/: true',
    'server-records server record http://a.com/: false',
    'server-records the empty server record: false',
    'conditions conditions apply for: url matches wildcard "http://a.com/*": true',
    'conditions conditions apply for: url matches wildcard "*/news/*": true',
    'conditions conditions apply for: url matches wildcard "http://b.com/*": false',
    'crawl-rules rule 1 (group "default"): domain a.com: true',
    'crawl-rules rule 2 (group "default"): not path suffix ".gif": true',
    'crawl-rules rule 3 (group "default"): host exact "c.com": false',
  ]);
});

test('shows no match for what is nested in a condition that does not apply', () => {
  const nested = applyFor('http://c.com/*', {}, [applyFor('*/news/*', { maxHops: 9 })]);
  const view = createMatchedView(
    { ...crawler, conditions: { ...crawler.conditions!, rules: [nested] } },
    undefined,
    candidate('http://a.com/news/'),
  );
  expect(view.flatMap(({ layer, matched }) => (layer === 'conditions' ? [matched] : [])).slice(-2)).toEqual([
    false,
    undefined,
  ]);
});

test('lists ten thousand roots, server records and rules, and says how many there are besides', () => {
  const many = (length: number): number[] => Array.from({ length }, (_, i) => i);
  const long = crawlerDefinition({
    roots: many(10_002).map((i) => rootDefinition(`http://h${i}.com/`, { site: true })),
    servers: {
      ...crawler.servers!,
      records: many(10_004).map((i) => ({ url: `http://h${i}.com/`, place: placeAt(i), parameters: {} })),
    },
    rules: many(10_003).map((i) => ruleDefinition(i, atom('host', 'prefix', 'h1.com'), { accept: true })),
  });
  const matched = createMatchedView(long, undefined, candidate('http://h1.com/'));
  const lastOf = (layer: string) => matched.findLast((entry) => entry.layer === layer);
  expect(lastOf('site-mode')).toMatchObject({ text: expect.stringMatching(/^2 more roots,/), matched: undefined });
  const moreRecords = { text: expect.stringMatching(/^5 more server records,/), matched: undefined };
  expect(lastOf('server-records'), 'with the empty one').toMatchObject(moreRecords);
  expect(lastOf('crawl-rules')).toMatchObject({ text: expect.stringMatching(/^3 more rules,/), matched: undefined });
});
