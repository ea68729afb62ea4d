import { expect, test } from 'vitest';
import {
  atom,
  crawlerDefinition,
  placeAt,
  rootDefinition,
  ruleDefinition,
} from '../../../../test/support/crawler-definition.js';
import type { CrawlerDefinition, RootDefinition } from '../../crawl/definition.js';
import type { MatchExpression, RuleActions } from '../../crawl/policy-definition.js';
import { runAtOnce } from '../../steps.js';
import { lintSites } from './lint-sites.js';

const WWW = 'http://www.foo.com/';
const site = (url: string, parts: Partial<RootDefinition> = { siteByDefault: true }): RootDefinition =>
  rootDefinition(url, { site: true, ...parts });
const domain = (value: string): MatchExpression => ({ type: 'domain', value, norm: 'norm', place: placeAt(1) });
const host = (value: string): MatchExpression => atom('host', 'exact', value);
const codes = (roots: readonly RootDefinition[], parts: Partial<CrawlerDefinition>): string[] =>
  runAtOnce(lintSites(crawlerDefinition({ defaultAccept: false, roots, ...parts }))).map(({ code }) => code);
const accepting = (match: MatchExpression, actions: Partial<RuleActions> = {}) => ({
  rules: [ruleDefinition(1, match, { accept: true, index: true, follow: true, ...actions })],
});

test('rules and server records that no root can reach are reported', () => {
  expect(codes([site(WWW)], accepting(host('www.bar.com')))).toEqual(['outside-sites']);
  expect(codes([site(WWW, {})], accepting(host('www.bar.com')))).toEqual(['outside-sites']);
  expect(codes([site(WWW)], accepting(domain('foo.com')))).toEqual(['outside-sites']);
  expect(codes([site(WWW, {})], accepting(domain('foo.com')))).toEqual([]);
  expect(codes([site(WWW), rootDefinition('http://a/')], accepting(host('www.bar.com')))).toEqual([]);
  expect(codes([site(WWW)], accepting(host('www.foo.com')))).toEqual([]);
  const records = ['http://www.foo.com/news/', 'http://', 'http://web/'].map((url, i) => ({
    url,
    place: placeAt(i),
    parameters: {},
  }));
  const servers = { followOutside: false, deleteNoServer: true, records, defaults: {}, place: placeAt(1) };
  expect(codes([site(WWW)], { servers })).toEqual(['outside-sites']);
  const outside = { ...servers, records: records.slice(0, 1), followOutside: true };
  expect(codes([site(WWW)], { servers: outside })).toEqual(['outside-sites']);
  expect(codes([rootDefinition(WWW)], { servers: outside })).toEqual([]);
});

test('a rule that used to narrow a site is reported, one that changes something is not', () => {
  const manual = atom('url', 'prefix', 'http://www.foo.com/manual/', { litteral: true });
  expect(codes([site(WWW)], accepting(manual))).toEqual(['accept-without-effect']);
  expect(codes([site(WWW)], accepting(manual, { index: false }))).toEqual([]);
  expect(codes([site(WWW)], accepting(host('www.foo.com')))).toEqual([]);
});

test('a site of a single page is reported', () => {
  expect(codes([site('http://www.foo.com/docs/index.html')], {})).toEqual(['outside-sites']);
  expect(codes([site('http://www.foo.com/docs/')], {})).toEqual([]);
});
