import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryDefinition, arbitraryRules, arbitraryUrl } from '../../../test/support/arbitrary-policy.js';
import {
  atom,
  candidate,
  crawlerDefinition,
  placeAt,
  rootDefinition,
  ruleDefinition,
} from '../../../test/support/crawler-definition.js';
import { codes, messages, rulesOf, server } from '../../../test/support/linted.js';
import type { CrawlerDefinition } from '../crawl/definition.js';
import type { MatchExpression } from '../crawl/policy-definition.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import { compilePolicy } from './crawl-policy.js';
import { parseCrawlSpace } from './crawl-space-file.js';
import { areDisjoint, covers, findContradiction, toClauses } from './lint/clauses.js';
import { LINT_CODES } from './lint/codes.js';
import { lint, lintInSteps } from './linter.js';
import { compileExpression } from './matching/expression.js';
import { Subject } from './matching/subject.js';

const place = placeAt(1);

const plain = { litteral: true };
const host = (value: string) => atom('host', 'exact', value, plain);
const path = (value: string) => atom('path', 'prefix', value, plain);
const ext = (value: string) => atom('path', 'suffix', value, plain);
const domain = (value: string): MatchExpression => ({ type: 'domain', value, norm: 'norm', place });
const and = (...children: MatchExpression[]): MatchExpression => ({ type: 'and', children, place });
const or = (...children: MatchExpression[]): MatchExpression => ({ type: 'or', children, place });
const ACCEPT = { accept: true };
const IGNORE = { accept: false, index: false, follow: false };

test('a sound configuration has no warnings', () => {
  const rules = rulesOf([domain('foo.com'), ACCEPT], [and(domain('foo.com'), ext('.gif')), IGNORE]);
  expect(
    codes({ rules, defaultAccept: false, roots: [rootDefinition('http://www.foo.com/', { site: true })] }),
  ).toEqual([]);
});

test('of one kind of warning, a crawler gets the first hundred and the number of the others', () => {
  const listed = (count: number) =>
    messages({ rules: rulesOf(...Array.from({ length: count }, (_, i) => [path(`x${i}`), ACCEPT] as const)) });
  expect(listed(100)).toHaveLength(100);
  expect(listed(100).at(-1)).not.toContain('more like this');
  expect(listed(103)).toHaveLength(100);
  expect(listed(103).at(-1)).toMatch(/"x99" must begin with .* \(and 3 more like this\)$/);
});

test('thousands of rules are compared with interruptions, in which the server can answer others', () => {
  const rules = rulesOf(...Array.from({ length: 999 }, (_, i) => [path(`/${i}/`), ACCEPT] as const));
  expect([...lintInSteps(server([crawlerDefinition({ rules })]))].length).toBe(19);
});

describe('rules that never match', () => {
  test.each([
    [path('cgi-bin'), 'path "cgi-bin" must begin with /'],
    [path('/x?y'), 'path "/x?y" contains a question mark'],
    [atom('query', 'exact', '?q=1', plain), 'query "?q=1" must be written without its ?'],
    [host('a.com:8080'), 'host "a.com:8080" contains a port'],
    [host('http://a.com/'), 'host "http://a.com/" contains a slash'],
    [atom('scheme', 'exact', 'ftp'), 'scheme "ftp" is not one of http, https'],
    [atom('url', 'prefix', 'www.a.com/', plain), 'must begin with http:// or https://'],
    [and(host('a.com'), host('b.com')), 'no URL has both host a.com and host b.com'],
    [
      and(domain('a.com'), atom('url', 'prefix', 'http://b.com/', plain)),
      'no URL has both host domain a.com and host b.com',
    ],
    [and(path('/x/'), path('/y/')), 'no URL has both path prefix /x/ and path prefix /y/'],
  ])('%j', (match, reason) => {
    const [message] = messages({ rules: rulesOf([match, ACCEPT]) });
    expect(message).toContain('rule 1 cannot match any URL: ');
    expect(message).toContain(reason);
  });

  test('are reported only when no alternative can match', () => {
    expect(codes({ rules: rulesOf([or(path('x/'), path('/x/')), ACCEPT]) })).toEqual([]);
    expect(codes({ rules: rulesOf([or(path('x/'), path('y/')), ACCEPT]) })).toEqual(['1 rule-never-matches']);
  });
});

describe('rules that are always overridden', () => {
  test.each([
    [host('www.foo.com'), domain('foo.com')],
    [atom('url', 'prefix', 'http://www.foo.com/x/', plain), host('www.foo.com')],
    [path('/x/y/'), path('/x/')],
    [atom('path', 'exact', '/X/y', { ...plain, norm: 'none' }), path('/x/')],
    [and(host('a.com'), ext('.gif')), ext('.gif')],
    [host('a.com'), or(host('b.com'), host('a.com'))],
    [atom('path', 'inside', '[0-9]+'), atom('path', 'inside', '[0-9]+')],
    [host('a.com'), atom('url', 'inside', '.*')],
  ])('%j by %j', (small, big) => {
    expect(codes({ rules: rulesOf([small, { index: true }], [big, { index: false }]) })).toEqual(['1 rule-overridden']);
    expect(codes({ rules: rulesOf([small, { index: true, source: 's' }], [big, { index: false }]) })).toEqual([]);
  });

  test.each([
    [domain('foo.com'), host('www.foo.com')],
    [path('/x/'), path('/x/y/')],
    [path('/x/'), atom('path', 'prefix', '/X/', { ...plain, norm: 'none' })],
    [or(host('a.com'), host('b.com')), host('a.com')],
  ])('but %j is not by %j', (small, big) => {
    expect(codes({ rules: rulesOf([small, { index: true }], [big, { index: false }]) })).toEqual([]);
  });
});

describe('Ignore undone by a later Accept', () => {
  test('is reported where both match', () => {
    const rules = rulesOf([ext('.gif'), IGNORE], [domain('foo.com'), ACCEPT]);
    expect(codes({ rules })).toEqual(['1 ignore-undone']);
    expect(codes({ rules: rulesOf([domain('foo.com'), ACCEPT], [ext('.gif'), IGNORE]) })).toEqual([]);
  });

  test('is not reported where no URL matches both', () => {
    expect(codes({ rules: rulesOf([domain('bar.com'), IGNORE], [domain('foo.com'), ACCEPT]) })).toEqual([]);
    expect(codes({ rules: rulesOf([path('/private/'), IGNORE], [path('/public/'), ACCEPT]) })).toEqual([]);
  });
});

describe('NoIndex and NoFollow undone by a later rule', () => {
  const pair = (before: MatchExpression, after: MatchExpression) =>
    codes({ rules: rulesOf([before, { index: false, follow: true }], [after, { index: true, accept: true }]) });

  test('is reported where both match', () => {
    expect(pair(path('/talk/'), domain('foo.com'))).toEqual(['1 grant-undone']);
    expect(pair(and(domain('foo.com'), path('/talk/')), domain('foo.com'))).toEqual(['1 grant-undone']);
    const follow = rulesOf([path('/talk/'), { follow: false }], [domain('foo.com'), { follow: true }]);
    expect(messages({ rules: follow })).toEqual([expect.stringContaining('NoFollow')]);
  });

  test('is not reported where no URL matches both, nor for an exception to the rule', () => {
    expect(pair(domain('bar.com'), domain('foo.com'))).toEqual([]);
    expect(pair(domain('foo.com'), and(domain('foo.com'), path('/talk/')))).toEqual([]);
    expect(pair(atom('path', 'exact', '/a'), atom('path', 'suffix', '/$'))).toEqual([]);
  });

  test('is not reported where a third rule sets it again', () => {
    const rules = rulesOf([path('/talk/'), { index: false }], [domain('foo.com'), { index: true }]);
    const again = ruleDefinition(3, path('/talk/'), { index: false, follow: false });
    expect(codes({ rules: [...rules, again] })).toEqual(['1 rule-overridden']);
  });
});

test('anchors decide whether a text begins or ends the field', () => {
  expect(codes({ rules: rulesOf([atom('path', 'exact', '/a'), IGNORE], [path('/$'), ACCEPT]) })).toEqual([]);
  const undone = rulesOf([atom('path', 'exact', '/a'), IGNORE], [atom('path', 'prefix', '/$'), ACCEPT]);
  expect(codes({ rules: undone })).toEqual([]);
  const same = rulesOf([atom('path', 'exact', '/'), { index: true }], [atom('path', 'prefix', '/$'), { index: false }]);
  expect(codes({ rules: same })).toEqual(['1 rule-overridden']);
});

test('index or follow without an accept is reported', () => {
  const rules = rulesOf([domain('foo.com'), { index: true }]);
  expect(codes({ rules, defaultAccept: false })).toEqual(['1 nothing-accepted']);
  expect(codes({ rules, defaultAccept: true })).toEqual([]);
  expect(codes({ rules: rulesOf([domain('foo.com'), { accept: true, index: false, follow: false }]) })).toEqual([
    '1 fetched-for-nothing',
  ]);
});

test('a rule of one group that matches a root of another group is reported', () => {
  const rules = [ruleDefinition(1, domain('foo.com'), ACCEPT)].map((rule) => ({ ...rule, group: 'foo' }));
  const root = (url: string, group: string) => rootDefinition(url, { group });
  expect(codes({ rules, roots: [root('http://foo.com/', 'foo'), root('http://bar.foo.com/', 'bar')] })).toEqual([
    '1 group-crossing',
  ]);
  expect(codes({ rules, roots: [root('http://foo.com/', 'foo'), root('http://bar.com/', 'bar')] })).toEqual([]);
});

describe('prefixes without an end slash', () => {
  test('are reported where they are written', () => {
    const roots = [rootDefinition('http://foo.com/bar', { site: true, place: placeAt(7) })];
    expect(codes({ roots: [...roots, rootDefinition('http://foo.com/barn/', { place })] })).toContain('7 open-prefix');
  });

  test.each([
    [{ rules: rulesOf([atom('url', 'prefix', 'http://www\\.foo\\.com'), ACCEPT]) }, 'http://www.foo.com.example.net/'],
    [{ rules: rulesOf([path('/docs'), ACCEPT], [path('/docs-old/'), IGNORE]) }, '/docs-old/'],
    [
      { rules: rulesOf([path('/docs'), ACCEPT]), roots: [rootDefinition('http://foo.com/docs2/a', { place })] },
      '/docs2/a',
    ],
    [
      {
        roots: [
          rootDefinition('http://foo.com/bar', { site: true, place }),
          rootDefinition('http://foo.com/barn/', { place }),
        ],
      },
      'http://foo.com/barn/',
    ],
    [
      {
        servers: {
          followOutside: true,
          deleteNoServer: true,
          defaults: {},
          place,
          records: [{ url: 'http://www', place, parameters: {} }],
        },
      },
      'http://www.example.net/',
    ],
    [
      {
        crawlSpace: {
          file: 'crawl.rules',
          rules: parseCrawlSpace('forbid prefix http://a.com/x\nallow prefix http://a.com/xy/', 'crawl.rules').rules,
        },
      },
      'http://a.com/xy/',
    ],
  ] satisfies [Partial<CrawlerDefinition>, string][])('%j also covers %s', (parts, sibling) => {
    expect(messages(parts)).toContainEqual(expect.stringContaining(`also covers ${sibling}`));
  });

  test.each([
    [{ rules: rulesOf([path('/watch'), ACCEPT]) }],
    [{ roots: [rootDefinition('http://foo.com/bar', { site: true, place })] }],
    [
      {
        rules: rulesOf([path('/docs'), ACCEPT], [path('/docs/old/'), IGNORE]),
        roots: [rootDefinition('http://foo.com/docs?a', { place })],
      },
    ],
  ] satisfies [Partial<CrawlerDefinition>][])(
    'are not reported if nothing is known beside their folder: %j',
    (parts) => {
      expect(messages(parts).filter((message) => message.includes('also covers'))).toEqual([]);
    },
  );

  test('are not reported for files, queries and whole folders', () => {
    const rules = rulesOf(
      [path('/docs/'), ACCEPT],
      [path('/x/index.html'), ACCEPT],
      [atom('url', 'prefix', 'http://foo.com/x?id=', plain), ACCEPT],
    );
    expect(codes({ rules, roots: [rootDefinition('http://foo.com', { site: true })] })).toEqual([]);
  });
});

test('a root that the policy rejects is reported', () => {
  const roots = [
    rootDefinition('http://foo.com/', { place: placeAt(4) }),
    rootDefinition('mailto:x', { place: placeAt(5) }),
  ];
  expect(codes({ roots, defaultAccept: false })).toEqual(['5 root-rejected', '4 root-rejected']);
  expect(messages({ roots: roots.slice(0, 1), defaultAccept: false })[0]).toMatch(
    /^root http:\/\/foo.com\/ is rejected \(not-accepted\): .* Add a rule with Accept/,
  );
});

describe('what the linter says of rules is true', () => {
  test('covering, excluding and contradicting expressions', () => {
    fc.assert(
      fc.property(arbitraryRules, fc.array(arbitraryUrl, { minLength: 5 }), (rules, urls) => {
        const reported = rules.map(({ match }) => {
          const { matches } = compileExpression(match, []);
          return { clauses: toClauses(match), found: urls.map((url) => matches(new Subject(toCrawlUrl(url)))) };
        });
        for (const a of reported) {
          if (findContradiction(a.clauses)) expect(a.found).not.toContain(true);
          for (const b of reported) {
            if (covers(a.clauses, b.clauses))
              expect(a.found.map((found, i) => found || !b.found[i])).not.toContain(false);
            if (areDisjoint(a.clauses, b.clauses))
              expect(a.found.map((found, i) => found && b.found[i])).not.toContain(true);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test('a condition without effect can be left out', () => {
    fc.assert(
      fc.property(arbitraryDefinition, arbitraryUrl, (crawler, url) => {
        const [first] = crawler.conditions?.rules ?? [];
        if (!first || !crawler.conditions || first.kind === 'must-have' || first.kind === 'may-not-have') return;
        const reported = lint(server([{ ...crawler, conditions: { ...crawler.conditions, rules: [first] } }])).some(
          ({ message }) => message.includes('never applies'),
        );
        if (!reported || first.children.length > 0) return;
        const without = { ...crawler, conditions: { ...crawler.conditions, rules: crawler.conditions.rules.slice(1) } };
        expect(compilePolicy(without, undefined).judge(candidate(url))).toEqual(
          compilePolicy(crawler, undefined).judge(candidate(url)),
        );
      }),
      { numRuns: 200 },
    );
  });
});

test('every warning has a code of the table', () => {
  fc.assert(
    fc.property(arbitraryDefinition, (crawler) => {
      for (const { code, severity } of lint(server([crawler]))) {
        expect(LINT_CODES).toHaveProperty([code]);
        expect(severity).toBe('warning');
      }
    }),
    { numRuns: 100 },
  );
});

describe('a default beside access rules', () => {
  const rules = [{ prefix: 'http://a.example/hr/', allow: ['hr'], deny: [] }];

  test.each([
    ['is reported', { default: ['everyone'], rules }, ['1 default-beside-rules']],
    ['is sound if it is empty', { default: [], rules }, []],
    ['is sound without rules', { default: ['everyone'], rules: [] }, []],
  ])('%s', (_, acl, expected) => {
    const roots = [rootDefinition('http://a.example/', { site: true })];
    expect(codes({ acl, roots, rules: [], defaultAccept: true })).toEqual(expected);
  });
});
