/** Sentences in quotes are from the reference system: Vivisimo Velocity, "Recursive Conditions". */
import { describe, expect, test } from 'vitest';
import { candidate, crawlerDefinition, placeAt, rootDefinition } from '../../../test/support/crawler-definition.js';
import type { RootDefinition } from '../crawl/definition.js';
import type { ConditionRule, ConditionsDefinition, ConditionTest, UrlOptions } from '../crawl/policy-definition.js';
import { Secret } from '../secret.js';
import { seconds } from '../time/units.js';
import { compilePolicy } from './crawl-policy.js';
import type { Candidate } from './verdict.js';

interface Parts extends Partial<Omit<ConditionRule, 'kind' | 'test'>> {
  readonly test?: Partial<ConditionTest>;
}

const rule = (kind: ConditionRule['kind'], value: string, { test, ...parts }: Parts = {}): ConditionRule => ({
  kind,
  log: false,
  options: {},
  children: [],
  place: placeAt(7),
  ...parts,
  test: { type: 'wildcard', field: 'url', caseSensitive: false, value, ...test },
});

const throttle = (s: number): UrlOptions => ({ throttle: seconds(s) });

function judge(
  rules: readonly ConditionRule[],
  url: string,
  parts: Partial<ConditionsDefinition> = {},
  from: Partial<Candidate> = {},
  roots: readonly RootDefinition[] = [],
) {
  const conditions = { defaultAllow: 'allow' as const, options: {}, place: placeAt(1), ...parts, rules };
  return compilePolicy(crawlerDefinition({ conditions, roots }), undefined).judge(candidate(url, from));
}

const optionsOf = (rules: readonly ConditionRule[], url: string, parts: Partial<ConditionsDefinition> = {}) =>
  judge(rules, url, parts).effects.options;

test('secrets among the global options are sent to the servers of the roots alone', () => {
  const headers = { Accept: 'text/html', Authorization: new Secret('Bearer t') };
  const headersAt = (url: string) =>
    judge([], url, { options: { headers } }, {}, [rootDefinition('https://a.com/')]).effects.options.headers;
  expect(headersAt('https://a.com/x')).toEqual(headers);
  for (const url of ['https://b.com/', 'http://a.com/', 'https://a.com:8443/'])
    expect(headersAt(url)).toEqual({ Accept: 'text/html' });
});

test('at a URL with a server record, secrets are for the server that is asked, and the smaller limit applies', () => {
  const parameters = { alias: 'https://b.com/', maxHops: 5 };
  const records = [{ url: 'https://a.com/mirrored/', place: placeAt(1), parameters }];
  const servers = { records, defaults: {}, followOutside: true, deleteNoServer: true, place: placeAt(1) };
  const headers = { Authorization: new Secret('Bearer t') };
  const optionsAt = (url: string, maxHops: number) => {
    const conditions = { defaultAllow: 'allow', options: { headers, maxHops }, rules: [], place: placeAt(1) } as const;
    const definition = crawlerDefinition({ conditions, servers, roots: [rootDefinition('https://a.com/')] });
    return compilePolicy(definition, undefined).judge(candidate(url)).effects.options;
  };
  expect(optionsAt('https://a.com/x', 9)).toEqual({ defaultAllow: 'allow', headers, maxHops: 9 });
  expect(optionsAt('https://a.com/mirrored/x', 9)).toEqual({ defaultAllow: 'allow', headers: {}, maxHops: 5 });
  expect(optionsAt('https://a.com/mirrored/x', 4)).toEqual({ defaultAllow: 'allow', headers: {}, maxHops: 4 });
});

test('a sitemap that robots.txt names is requested with its options although it is filtered', () => {
  const rules = [rule('must-have', 'http://a.com/docs/*'), rule('apply-for', '*', { options: throttle(9) })];
  const { accepted, effects } = judge(rules, 'http://a.com/map.xml', {}, { isNamedSitemap: true });
  expect({ accepted, ...effects }).toMatchObject({ accepted: true, index: false, options: throttle(9) });
});

describe('recursive conditions', () => {
  test('"All global options are assigned"', () => {
    expect(optionsOf([], 'http://a.com/', { options: throttle(1) })).toEqual({
      defaultAllow: 'allow',
      throttle: seconds(1),
    });
  });

  test('"Conditions apply for … matched … all options are assigned. Processing continues for each of the rules contained therein"', () => {
    const inner = rule('apply-for', '*/news/*', { options: { maxSize: 10 } });
    const outer = rule('apply-for', 'http://a.com/*', { options: throttle(9), children: [inner] });
    expect(optionsOf([outer], 'http://a.com/news/x')).toMatchObject({ throttle: seconds(9), maxSize: 10 });
    expect(optionsOf([outer], 'http://a.com/x').maxSize).toBeUndefined();
  });

  test('"If it is not matched, none of the rules contained within this rule will be evaluated"', () => {
    const outer = rule('apply-for', 'http://a.com/*', { children: [rule('may-not-have', '*news*')] });
    expect(judge([outer], 'http://a.com/news').accepted).toBe(false);
    expect(judge([outer], 'http://b.com/news').accepted).toBe(true);
  });

  test('an explanation lists what was not evaluated, with all that it contains', () => {
    const inner = rule('apply-for', '*/x/*', { children: [rule('must-have', '*y*')] });
    const rules = [rule('apply-for', 'http://a.com/*', { children: [inner] }), rule('may-not-have', '*news*')];
    const conditions = { defaultAllow: 'allow' as const, options: {}, place: placeAt(1), rules };
    const policy = compilePolicy(crawlerDefinition({ conditions }), undefined);
    const { trace } = policy.explain(candidate('http://b.com/news'));
    const steps = trace.filter(({ layer }) => layer === 'conditions');
    expect(steps.map(({ outcome, reason = '' }) => `${outcome} ${reason}`.trim())).toEqual([
      'no match',
      'not evaluated',
      'not evaluated',
      'reject condition-filtered',
      'reject condition-filtered',
    ]);
  });

  test('"Conditions apply except for … not matched … all options are assigned"; matched: children are not evaluated', () => {
    const outer = rule('apply-except-for', 'http://a.com/*', {
      options: throttle(9),
      children: [rule('may-not-have', '*news*')],
    });
    expect(judge([outer], 'http://a.com/news')).toMatchObject({ accepted: true });
    expect(optionsOf([outer], 'http://a.com/news').throttle).toBeUndefined();
    expect(optionsOf([outer], 'http://b.com/').throttle).toBe(seconds(9));
    expect(judge([outer], 'http://b.com/news').accepted).toBe(false);
  });

  test('"URLs may not have … matched … marked as filtered"', () => {
    const verdict = judge([rule('may-not-have', '*.gif')], 'http://a.com/x.gif');
    expect(verdict).toMatchObject({ accepted: false, reason: 'condition-filtered', place: placeAt(7), record: false });
    expect(verdict.detail).toBe('filtered: URLs may not have: url matches wildcard "*.gif"');
    expect(judge([rule('may-not-have', '*.gif')], 'http://a.com/x.html').accepted).toBe(true);
  });

  test('"URLs must have … not matched … marked as filtered"', () => {
    expect(judge([rule('must-have', 'http://a.com/*')], 'http://b.com/').reason).toBe('condition-filtered');
    expect(judge([rule('must-have', 'http://a.com/*')], 'http://a.com/').accepted).toBe(true);
  });

  test('"If one or more of the rules that filtered the URL enabled the Log … flag, it will be logged": a later one counts', () => {
    const rules = [rule('may-not-have', '*x*'), rule('may-not-have', '*y*', { log: true })];
    expect(judge(rules, 'http://a.com/xy')).toMatchObject({ accepted: false, record: true });
    expect(judge(rules.toReversed(), 'http://a.com/xy')).toMatchObject({ accepted: false, record: true });
    expect(judge(rules, 'http://a.com/x')).toMatchObject({ accepted: false, record: false });
    expect(
      judge(
        [rule('must-have', '*x*'), rule('apply-for', '*', { children: [rule('must-have', '*z*', { log: true })] })],
        'http://a.com/',
      ).record,
    ).toBe(true);
  });

  test('being filtered is final: default-allow of a later rule does not undo it', () => {
    const rules = [rule('may-not-have', '*x*'), rule('apply-for', '*', { options: { defaultAllow: 'allow' } })];
    expect(judge(rules, 'http://a.com/x').reason).toBe('condition-filtered');
  });

  test.each([
    ['allow', true, false],
    ['disallow', false, false],
    ['disallow-log', false, true],
  ] as const)('"the default-allow option determines the disposition": %s', (defaultAllow, accepted, record) => {
    expect(judge([], 'http://a.com/', { defaultAllow })).toMatchObject({ accepted, record });
    const rules = [rule('apply-for', 'http://a.com/*', { options: { defaultAllow } })];
    expect(judge(rules, 'http://a.com/')).toMatchObject({ accepted, record });
    expect(judge(rules, 'http://b.com/').accepted).toBe(true);
  });

  test('"when an option is set multiple times, the last setting takes precedence"', () => {
    const rules = [
      rule('apply-for', '*', { options: throttle(1), children: [rule('apply-for', '*', { options: throttle(2) })] }),
      rule('apply-for', '*/last/*', { options: throttle(3) }),
    ];
    expect(optionsOf(rules, 'http://a.com/', { options: throttle(0) }).throttle).toBe(seconds(2));
    expect(optionsOf(rules, 'http://a.com/last/x').throttle).toBe(seconds(3));
  });

  test('each request header is an option of its own', () => {
    const rules = [
      rule('apply-for', '*', { options: { headers: { Accept: 'a', 'X-One': '1' } } }),
      rule('apply-for', '*', { options: { headers: { Accept: 'b' } } }),
    ];
    expect(optionsOf(rules, 'http://a.com/').headers).toEqual({ Accept: 'b', 'X-One': '1' });
  });

  test('long lists give the same verdicts as short ones', () => {
    const many = Array.from({ length: 40 }, (_, i) => [
      rule('apply-for', `*/s${i}/*`, { options: throttle(i + 1) }),
      rule(i % 2 === 0 ? 'may-not-have' : 'apply-except-for', `*.x${i}`, { options: { maxSize: i } }),
    ]).flat();
    expect(optionsOf(many, 'http://a.com/S7/s9/y')).toMatchObject({ throttle: seconds(10), maxSize: 39 });
    expect(judge(many, 'http://a.com/y.x4').reason).toBe('condition-filtered');
    expect(optionsOf(many, 'http://a.com/y.x39').maxSize).toBe(37);
  });

  test('of several rules that filter a URL, the first is named, and each may ask for a record', () => {
    const rules = [
      rule('may-not-have', '*.gif', { place: placeAt(1) }),
      rule('apply-for', '*', { children: [rule('must-have', 'http://b.com/*', { place: placeAt(2), log: true })] }),
      rule('may-not-have', '*/x*', { place: placeAt(3) }),
    ];
    expect(judge(rules, 'http://a.com/x.gif')).toMatchObject({ place: placeAt(1), record: true });
    expect(judge(rules, 'http://a.com/x.png')).toMatchObject({ place: placeAt(2), record: true });
    expect(judge(rules, 'http://b.com/x.png')).toMatchObject({ place: placeAt(3), record: false });
  });

  test('max-hops refuses URLs that are further from the root', () => {
    const rules = [rule('apply-for', 'http://a.com/*', { options: { maxHops: 2 } })];
    expect(judge(rules, 'http://a.com/', {}, { hops: 3 }).reason).toBe('condition-max-hops');
    expect(judge(rules, 'http://a.com/', {}, { hops: 2 }).accepted).toBe(true);
  });

  describe('tests', () => {
    const matches = (test: Partial<ConditionTest>, value: string, url: string) =>
      !judge([rule('may-not-have', value, { test })], url).accepted;

    test('a wildcard must match the whole part; * stands for any run, ? for one character', () => {
      expect(matches({ field: 'host' }, '*.a.com', 'http://www.a.com/')).toBe(true);
      expect(matches({ field: 'host' }, 'a.com', 'http://www.a.com/')).toBe(false);
      expect(matches({ field: 'path' }, '/v?/*', 'http://a.com/v2/x')).toBe(true);
      expect(matches({ field: 'path' }, '/v?/*', 'http://a.com/v10/x')).toBe(false);
    });

    test('a wildcard set is several wildcards, one a line; any of them matches', () => {
      const set = { type: 'wildcard-set' } as const;
      expect(matches(set, '*.gif\n\n  *.png\n', 'http://a.com/x.png')).toBe(true);
      expect(matches(set, '*.gif\n*.png', 'http://a.com/x.jpg')).toBe(false);
    });

    test('a regular expression is found anywhere in the part', () => {
      const regex = { type: 'regex', field: 'path' } as const;
      expect(matches(regex, '/20[0-9]{2}/', 'http://a.com/x/2019/y')).toBe(true);
      expect(matches(regex, '^/20[0-9]{2}/', 'http://a.com/x/2019/y')).toBe(false);
    });

    test('matching is case-sensitive only when asked for', () => {
      expect(matches({}, '*/News/*', 'http://a.com/news/x')).toBe(true);
      expect(matches({ caseSensitive: true }, '*/News/*', 'http://a.com/news/x')).toBe(false);
      expect(matches({ caseSensitive: true, type: 'regex' }, '/News/', 'http://a.com/News/x')).toBe(true);
      for (const type of ['regex', 'wildcard'] as const)
        expect(
          matches(
            { caseSensitive: true, type, field: 'host' },
            type === 'regex' ? '.*Docs.*' : 'Docs*',
            'http://docs.a.com/',
          ),
        ).toBe(true);
    });
  });
});
