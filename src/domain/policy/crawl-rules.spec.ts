/** Sentences in quotes are from the reference system: CloudView, "Crawl Rules" and "Crawl Rule Actions". */
import { describe, expect, test } from 'vitest';
import {
  atom,
  candidate,
  crawlerDefinition,
  placeAt,
  rootDefinition,
  ruleDefinition,
} from '../../../test/support/crawler-definition.js';
import type { CrawlerDefinition } from '../crawl/definition.js';
import type { MatchExpression, RuleActions } from '../crawl/policy-definition.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import { compilePolicy } from './crawl-policy.js';
import { PolicyError } from './layer.js';
import { createRootContext } from './site-mode.js';

const place = placeAt(1);
const domain = (value: string): MatchExpression => ({ type: 'domain', value, norm: 'norm', place });
const path = (value: string): MatchExpression => atom('path', 'prefix', value);
const ext = (value: string): MatchExpression => atom('path', 'suffix', value);
const and = (...children: MatchExpression[]): MatchExpression => ({ type: 'and', children, place });
const or = (...children: MatchExpression[]): MatchExpression => ({ type: 'or', children, place });
const not = (child: MatchExpression): MatchExpression => ({ type: 'not', child, place });
const pathLength = (minimum?: number, maximum?: number): MatchExpression => ({
  type: 'length',
  field: 'path',
  minimum,
  maximum,
  place,
});

const matches = (match: MatchExpression, url: string): boolean =>
  compilePolicy(
    crawlerDefinition({ defaultAccept: false, rules: [ruleDefinition(1, match, { accept: true })] }),
    undefined,
  ).judge(candidate(url)).accepted;

const ANY = path('/');

function judge(
  actions: readonly Partial<RuleActions>[],
  parts: Partial<CrawlerDefinition> = {},
  url = 'http://a.com/',
) {
  const rules = actions.map((action, i) => ruleDefinition(i + 1, ANY, action));
  return compilePolicy(crawlerDefinition({ ...parts, rules }), undefined).judge(candidate(url));
}

test('the verdict on an accepted URL names the rule that accepts it', () => {
  expect(judge([{ accept: true }]).detail).toMatch(/^rule 1 /);
  expect(judge([]).detail).toBe('accepted by default');
});

describe('matching', () => {
  test.each([
    [domain('foo.com'), 'http://foo.com/', true],
    [domain('foo.com'), 'http://bar.foo.com', true],
    [domain('foo.com'), 'http://barfoo.com', false],
    [path('/cgi-bin'), 'http://a.com/cgi-bin/x', true],
    [path('/cgi-bin'), 'http://a.com/x/cgi-bin', false],
    [ext('.gif'), 'http://a.com/x.gif', true],
    [ext('.gif'), 'http://a.com/x.gif?y', true],
    [ext('\\.gif'), 'http://a.com/xgif', false],
    [atom('host', 'exact', 'www.wikipedia.org'), 'http://www.wikipedia.org/', true],
    [atom('host', 'exact', 'www.wikipedia.org'), 'http://www.wikipedia.org.evil/', false],
    [atom('url', 'exact', 'http://en.wikipedia.org/wiki'), 'http://en.wikipedia.org/wiki', true],
    [atom('url', 'exact', 'http://en.wikipedia.org/wiki'), 'http://en.wikipedia.org/wiki/x', false],
    [atom('scheme', 'exact', 'http'), 'http://a.com/', true],
    [atom('scheme', 'exact', 'http'), 'https://a.com/', false],
    [atom('query', 'exact', 'q=foo'), 'http://a.com/?q=foo', true],
    [atom('query', 'exact', 'q=foo'), 'http://a.com/?q=foo&x', false],
    [atom('query', 'inside', 'q=foo'), 'http://a.com/?x&q=foo&y', true],
    [atom('path', 'prefix', '/watch', { norm: 'none' }), 'http://a.com/watch?v=1', true],
    [atom('path', 'inside', '/20[0-9]{2}/'), 'http://a.com/x/2019/y', true],
    [atom('path', 'prefix', '/a|/b'), 'http://a.com/b', true],
    [atom('path', 'exact', '/a|/b'), 'http://a.com/ab', false],
  ] satisfies [MatchExpression, string, boolean][])(
    "CloudView's documented examples: %j, %s: %s",
    (match, url, expected) => {
      expect(matches(match, url)).toBe(expected);
    },
  );

  test('"Performs Boolean matching for the nested rules defined"', () => {
    const match = and(domain('a.com'), or(path('/x'), path('/y')), not(ext('\\.gif')));
    expect(matches(match, 'http://www.a.com/y/1.html')).toBe(true);
    expect(matches(match, 'http://www.a.com/y/1.gif')).toBe(false);
    expect(matches(match, 'http://www.a.com/z')).toBe(false);
    expect(matches(match, 'http://b.com/x')).toBe(false);
  });

  test.each([
    [30, undefined, 29, false],
    [30, undefined, 30, true],
    [undefined, 10, 10, true],
    [undefined, 10, 11, false],
    [11, 12, 11, true],
    [11, 12, 12, true],
    [11, 12, 13, false],
  ])(
    '"Length … matches the length of a part of the URL against an integer range": [%s:%s] and %d: %s',
    (minimum, maximum, length, expected) => {
      expect(matches(pathLength(minimum, maximum), `http://a.com/${'x'.repeat(length - 1)}`)).toBe(expected);
    },
  );

  describe('litteral inverts what a backslash means', () => {
    test.each([
      ['/a.b', '/a.b', true],
      ['/a.b', '/axb', false],
      ['/a\\.b', '/axb', true],
      ['/a\\.\\*z', '/a-anything-z', true],
      ['/a(1)[2]', '/a(1)[2]', true],
      ['/a\\[0-9\\]\\+z', '/a123z', true],
      ['/a\\(b\\|c\\)d', '/acd', true],
      ['/a?b', '/ab', false],
    ])('%s and %s: %s', (value, urlPath, expected) => {
      expect(matches(atom('path', 'exact', value, { litteral: true }), `http://a.com${urlPath}`)).toBe(expected);
    });
  });

  describe('norm', () => {
    test.each([
      ['none', '/News', '/news', false],
      ['none', '/News', '/News', true],
      ['lower', '/News', '/nEWS', true],
      ['lower', '/caf\u00e9', '/CAF%C3%A9', true],
      ['lower', '/cafe', '/caf%C3%A9', false],
      ['norm', '/cafe', '/CAF%C3%89', true],
      ['norm', '/Caf\u00e9', '/cafe', true],
      ['norm', '/caf\u00e9[0-9]', '/cafe7', true],
      ['none', '/caf\u00e9', '/caf%C3%A9', true],
    ] as const)('%s: pattern %s and path %s: %s', (norm, value, urlPath, expected) => {
      expect(matches(atom('path', 'exact', value, { norm }), `http://a.com${urlPath}`)).toBe(expected);
    });

    test('a host name with accents is compared in its punycode form', () => {
      expect(matches(domain('b\u00fccher.example'), 'http://www.xn--bcher-kva.example/')).toBe(true);
      expect(matches(atom('host', 'exact', 'b\u00fccher\\.example'), 'http://xn--bcher-kva.example/')).toBe(true);
    });
  });

  test('rules on the fragment see the fragment of the link', () => {
    const rules = [ruleDefinition(1, atom('fragment', 'prefix', '!'), { accept: false })];
    const policy = compilePolicy(crawlerDefinition({ rules }), undefined);
    expect(policy.judge({ ...candidate('http://a.com/'), url: toCrawlUrl('http://a.com/', '!page') }).accepted).toBe(
      false,
    );
    expect(policy.judge(candidate('http://a.com/')).accepted).toBe(true);
  });
});

describe('actions', () => {
  test.each([
    ['Index and follow', { index: true, follow: true, accept: true }, [true, true]],
    ['Index and don’t follow', { index: true, follow: false, accept: true }, [true, false]],
    ['Follow but don’t index', { index: false, follow: true, accept: true }, [false, true]],
    ['Index', { index: true, accept: true }, [true, false]],
    ['Follow', { follow: true, accept: true }, [false, true]],
  ])('"%s"', (_name, actions, [index, follow]) => {
    const off = { defaultAccept: false, defaultIndex: false, defaultFollow: false };
    expect(judge([actions], off)).toMatchObject({ accepted: true, effects: { index, follow } });
  });

  test('"Don’t index" and "Don’t follow" take one aspect away', () => {
    expect(judge([{ index: false }]).effects).toMatchObject({ index: false, follow: true });
    expect(judge([{ follow: false }]).effects).toMatchObject({ index: true, follow: false });
  });

  test('"Ignore" rejects, with the place of its rule', () => {
    expect(judge([{}, { index: false, follow: false, accept: false }])).toMatchObject({
      accepted: false,
      reason: 'rule-ignored',
      layer: 'crawl-rules',
      place: { file: 'rules.xml', line: 2 },
      detail: 'rule 2 (group "default") ignores URLs with path prefix "/"',
    });
  });

  test('a later rule overrides an earlier one aspect by aspect', () => {
    expect(
      judge([{ accept: false }, { accept: true, index: false }, { index: true, source: 's' }]).effects,
    ).toMatchObject({ index: true, source: 's' });
    expect(judge([{ accept: true }, { accept: false }]).accepted).toBe(false);
    expect(judge([{ source: 'a', priorityShift: -2 }, { priorityShift: 1 }]).effects).toMatchObject({
      source: 'a',
      priorityShift: 1,
    });
  });

  test('aspects that no rule sets follow the defaults', () => {
    expect(judge([], { defaultAccept: false })).toMatchObject({ accepted: false, reason: 'not-accepted' });
    expect(judge([], { defaultIndex: false, defaultFollow: false }).effects).toMatchObject({
      index: false,
      follow: false,
    });
  });

  test('metas of all matching rules add up', () => {
    const meta = (name: string) => ({ name, value: 'v', scope: 'document' as const });
    expect(judge([{ metas: [meta('a')] }, { metas: [meta('b')] }]).effects.metas).toEqual([meta('a'), meta('b')]);
  });

  test('links of a root are followed by defaultFollowRoots, unless a rule says not to', () => {
    const url = toCrawlUrl('http://a.com/');
    const root = createRootContext(rootDefinition(url.href, { priority: -1 }), url);
    const follow = (discoveredVia: 'root' | 'stored' | 'link', parts: Partial<CrawlerDefinition>) =>
      compilePolicy(crawlerDefinition({ defaultFollow: false, ...parts }), undefined).judge(
        candidate(url.href, { discoveredVia, root, hops: 0 }),
      ).effects.follow;
    expect(follow('root', {})).toBe(true);
    expect(follow('stored', {})).toBe(true);
    expect(follow('link', {})).toBe(false);
    expect(follow('root', { defaultFollowRoots: false })).toBe(false);
    expect(follow('root', { rules: [ruleDefinition(1, ANY, { follow: false })] })).toBe(false);
  });

  test("a root's own priority is added to the shift of the rules", () => {
    const url = toCrawlUrl('http://a.com/');
    const root = createRootContext(rootDefinition(url.href, { priority: -1 }), url);
    const policy = compilePolicy(
      crawlerDefinition({ rules: [ruleDefinition(1, ANY, { priorityShift: 2 })] }),
      undefined,
    );
    expect(policy.judge(candidate(url.href, { discoveredVia: 'root', root, hops: 0 })).effects.priorityShift).toBe(1);
    expect(policy.judge(candidate('http://a.com/x', { root })).effects.priorityShift).toBe(2);
  });
});

describe('a rule that does not compile', () => {
  test('is reported with its place, together with all others', () => {
    const bad = (value: string, line: number) =>
      ruleDefinition(line, atom('path', 'inside', value, { place: placeAt(line) }), { accept: true });
    const rules = [
      bad('(', 3),
      bad('/fine/', 4),
      bad('(a)\\1', 5),
      bad('x(?=y)', 6),
      bad('a)|(b', 7),
      bad('x'.repeat(5000), 8),
    ];
    const compile = () => compilePolicy(crawlerDefinition({ rules }), undefined);
    expect(compile).toThrow(PolicyError);
    try {
      compile();
    } catch (error) {
      const { problems } = error as PolicyError;
      expect(problems.map((problem) => problem.place.line)).toEqual([3, 5, 6, 7, 8]);
      expect(problems[1]?.message).toContain('back-references do not run in linear time');
      expect(problems[2]?.message).toContain('look-around');
    }
  });
});
