import { describe, expect, test } from 'vitest';
import { atom, crawlerDefinition, placeAt, rootDefinition } from '../../../test/support/crawler-definition.js';
import { codes, messages, rulesOf, server } from '../../../test/support/linted.js';
import type { ConditionRule, MatchExpression } from '../crawl/policy-definition.js';
import { type Duration, seconds } from '../time/units.js';
import { parseCrawlSpace } from './crawl-space-file.js';
import { lint } from './linter.js';

const place = placeAt(1);

const plain = { litteral: true };
const ext = (value: string) => atom('path', 'suffix', value, plain);
const domain = (value: string): MatchExpression => ({ type: 'domain', value, norm: 'norm', place });
const and = (...children: MatchExpression[]): MatchExpression => ({ type: 'and', children, place });
const ACCEPT = { accept: true };
const IGNORE = { accept: false, index: false, follow: false };

test('a sound configuration has no warnings', () => {
  const rules = rulesOf([domain('foo.com'), ACCEPT], [and(domain('foo.com'), ext('.gif')), IGNORE]);
  expect(
    codes({ rules, defaultAccept: false, roots: [rootDefinition('http://www.foo.com/', { site: true })] }),
  ).toEqual([]);
});

describe('unreachable conditions', () => {
  const condition = (
    line: number,
    kind: ConditionRule['kind'],
    value: string,
    children: ConditionRule[] = [],
  ): ConditionRule => ({
    kind,
    test: { type: 'wildcard', field: 'url', value, caseSensitive: false },
    log: false,
    options: {},
    children,
    place: placeAt(line),
  });
  const of = (...rules: ConditionRule[]) => codes({ conditions: { defaultAllow: 'allow', options: {}, rules, place } });

  test.each([
    ['http://p:99999/*', 'url', 'has the port 99999'],
    ['www.a.com/*', 'url', 'must begin with http:// or https://'],
    ['docs/*', 'path', 'must begin with /'],
    ['a.com:8080', 'host', 'contains a port'],
    ['.a.com', 'host', 'begins with a dot'],
  ] as const)('%s in %s can match nothing', (value, field, reported) => {
    const rule = { ...condition(1, 'must-have', value), test: { ...condition(1, 'must-have', value).test, field } };
    const conditions = { defaultAllow: 'allow' as const, options: {}, rules: [rule], place };
    expect(messages({ conditions })).toEqual([expect.stringContaining(reported)]);
    expect(messages({ conditions })[0]).toContain('filters every URL');
  });

  test.each([
    [
      'another host inside a host',
      condition(1, 'apply-for', 'http://a.com/*', [condition(2, 'may-not-have', 'http://b.com/*')]),
    ],
    [
      'what is excepted',
      condition(1, 'apply-except-for', 'http://a.com/*', [condition(2, 'apply-for', 'http://a.com/x/*')]),
    ],
    [
      'except for the host that it is inside',
      condition(1, 'apply-for', 'http://a.com/*', [condition(2, 'apply-except-for', 'http://a.com/*')]),
    ],
    ['must have what all have', condition(1, 'apply-for', 'http://a.com/*', [condition(2, 'must-have', 'http://*')])],
  ])('%s', (_name, rule) => {
    expect(of(rule)).toEqual(['2 condition-unreachable']);
  });

  test('conditions behind or inside a filter, and a filter of everything', () => {
    expect(of(condition(1, 'may-not-have', '*.gif'), condition(2, 'apply-for', 'http://a.com/*.gif'))).toEqual([
      '2 condition-unreachable',
    ]);
    expect(of(condition(1, 'may-not-have', '*.gif', [condition(2, 'apply-for', '*')]))).toEqual([
      '1 condition-unreachable',
    ]);
    for (const kind of ['may-not-have', 'must-have', 'apply-except-for'] as const)
      expect(of(condition(1, kind, '*'))).toEqual(['1 condition-unreachable']);
    expect(of({ ...condition(1, 'must-have', '*x*'), options: { throttle: seconds(1) } })).toEqual([
      '1 condition-unreachable',
    ]);
  });

  test('default-allow is never set to allow', () => {
    const conditions = (rules: ConditionRule[]) =>
      codes({ conditions: { defaultAllow: 'disallow', options: {}, rules, place: placeAt(9) } });
    expect(conditions([])).toEqual(['9 condition-unreachable']);
    expect(
      conditions([
        condition(1, 'apply-for', 'http://a.com/*', [
          { ...condition(2, 'apply-for', '*x*'), options: { defaultAllow: 'allow' } },
        ]),
      ]),
    ).toEqual([]);
  });

  test('reachable conditions are not reported', () => {
    expect(
      of(
        condition(1, 'apply-for', 'http://a.com/*', [
          condition(2, 'may-not-have', '*.gif'),
          condition(3, 'apply-except-for', '*/x/*'),
        ]),
        condition(4, 'must-have', 'http*'),
      ),
    ).toEqual([]);
  });
});

describe('crawl spaces', () => {
  const space = (text: string, file = 'crawl.rules') => ({ file, rules: parseCrawlSpace(text, file).rules });

  test.each([
    ['forbid domain .dot.com', 'begins with a dot'],
    ['forbid domain a.com:99999', 'the highest is 65535'],
    ['forbid prefix http://a.com/#frag', 'has a fragment'],
    ['forbid prefix http:///x/', 'has no host'],
  ])('%s can match nothing', (text, reported) => {
    expect(messages({ crawlSpace: space(text) })).toEqual([expect.stringContaining(reported)]);
  });

  test.each(['forbid domain trail.com.', 'forbid prefix http://*.a.com/x/', 'forbid prefix https://a.com:443/'])(
    '%s can match something',
    (text) => {
      expect(messages({ crawlSpace: space(text) })).toEqual([]);
    },
  );

  test('a rule behind one that matches the same URLs', () => {
    expect(codes({ crawlSpace: space('forbid domain *\nallow domain a.com') })).toEqual(['2 space-rule-unreachable']);
    // Such a rule decides over the domain rule: it is the reason for a deletion.
    expect(codes({ crawlSpace: space('forbid domain a.com\nforbid prefix http://a.com/p/') })).toEqual([]);
    expect(codes({ crawlSpace: space('allow domain a.com\nforbid prefix http://a.com/p/') })).toEqual([
      '2 space-rule-unreachable',
    ]);
    expect(codes({ crawlSpace: space('allow domain *.a.com\nforbid domain www.a.com\nforbid domain a.com') })).toEqual([
      '2 space-rule-unreachable',
    ]);
    expect(codes({ crawlSpace: space('forbid prefix http://a.com/x/\nallow prefix http://a.com/x/y/') })).toEqual([
      '2 space-rule-unreachable',
    ]);
    expect(codes({ crawlSpace: space('forbid prefix http://a.com/x/\nallow domain a.com\nforbid domain *') })).toEqual(
      [],
    );
  });

  const check = (a: string, b: string, global: string) =>
    lint(
      server(
        [
          crawlerDefinition({ name: 'a', crawlSpace: space(a) }),
          crawlerDefinition({ name: 'b', crawlSpace: space(b) }),
        ],
        { globalCrawlSpace: space(global, 'global.rules') },
      ),
    ).map(({ code, message }) => `${code} ${message}`);

  test('a host in two crawl spaces', () => {
    const [first, ...more] = check(
      'allow domain x.com\nforbid domain *',
      'allow domain *.com\nforbid domain *',
      'allow domain x.com',
    );
    expect(first).toContain('host-in-two-spaces x.com is in the crawl spaces of a and b');
    expect(more).toEqual([]);
  });

  test('a host that the global crawl space allows and no local one takes', () => {
    const [first, ...more] = check(
      'allow domain x.com\nforbid domain *',
      'forbid domain *',
      'allow domain x.com\nallow domain y.com',
    );
    expect(first).toContain('host-in-no-space global.rules allows y.com, but no local crawl space accepts it');
    expect(more).toEqual([]);
  });

  test('consistent crawl spaces are not reported', () => {
    expect(
      check(
        'forbid domain x.com\nallow domain *.com\nforbid domain *',
        'allow domain x.com\nforbid domain *',
        'allow domain *.com\nallow domain x.com',
      ),
    ).toEqual([expect.stringContaining('space-rule-unreachable')]);
    expect(
      check(
        'forbid domain x.com\nallow domain *.com\nforbid domain *',
        'allow domain x.com\nforbid domain *',
        'allow domain *.com',
      ),
    ).toEqual([]);
  });
});

test('server records that are written twice', () => {
  const record = (url: string, line: number) => ({ url, place: placeAt(line), parameters: {} });
  const servers = {
    followOutside: false,
    deleteNoServer: true,
    defaults: {},
    place,
    records: [record('http://www/', 1), record('HTTP://WWW:80/', 2), record('http://web/', 3)],
  };
  expect(codes({ servers })).toEqual(['1 server-duplicate']);
});

test('a period shorter than the one second that it is raised to', () => {
  const servers = { followOutside: false, deleteNoServer: true, defaults: {}, place };
  const record = (line: number, period: Duration) => ({
    url: `http://h${line}/`,
    place: placeAt(line),
    parameters: { period },
  });
  const records = [record(1, seconds(0)), record(2, seconds(1)), record(3, seconds(2))];
  expect(codes({ servers: { ...servers, records } })).toEqual(['1 period-too-short']);
});

test.each([
  ['http://*.x/', 'asterisk in its host'],
  ['http://host:99999/', 'port 99999'],
  ['http://host/#frag', 'has a fragment'],
  ['www/', 'must begin with http:// or https://'],
  ['ftp://host/', 'must begin with http:// or https://'],
  ['http://.host/', 'begins with a dot'],
])('the server record %s is for no URL', (url, reported) => {
  const servers = { followOutside: false, deleteNoServer: true, defaults: {}, place };
  const of = (one: string) =>
    lint(server([crawlerDefinition({ servers: { ...servers, records: [{ url: one, place, parameters: {} }] } })]));
  expect(of(url)).toMatchObject([{ code: 'server-never-matches', message: expect.stringContaining(reported) }]);
  for (const sound of ['', 'http://', 'http://host:8080/', 'http://[::1]:8080/x?q']) {
    expect(of(sound).filter(({ code }) => code === 'server-never-matches')).toEqual([]);
  }
});
