import { describe, expect, test } from 'vitest';
import { placeAt } from '../../../../test/support/crawler-definition.js';
import type { Problem } from '../../crawl/place.js';
import type { MatchExpression } from '../../crawl/policy-definition.js';
import { toCrawlUrl } from '../../url/crawl-url.js';
import { formatExpression } from '../crawl-rules.js';
import { compileExpression, normalizeDomain } from './expression.js';
import { mapTexts, requireAll, requireOneOf, requireText, toIndexForm } from './necessary.js';
import { Subject } from './subject.js';

const place = placeAt(3);
const atom = (parts: Partial<Extract<MatchExpression, { type: 'atom' }>>): MatchExpression =>
  ({
    type: 'atom',
    field: 'host',
    kind: 'exact',
    norm: 'lower',
    value: 'a.example',
    litteral: true,
    place,
    ...parts,
  }) as MatchExpression;
const domain = (value: string): MatchExpression => ({ type: 'domain', value, norm: 'norm', place });
const length = (minimum?: number, maximum?: number): MatchExpression =>
  ({ type: 'length', field: 'path', minimum, maximum, place }) as MatchExpression;
const and = (...children: MatchExpression[]): MatchExpression => ({ type: 'and', children, place });
const or = (...children: MatchExpression[]): MatchExpression => ({ type: 'or', children, place });
const not = (child: MatchExpression): MatchExpression => ({ type: 'not', child, place });

const matches = (expression: MatchExpression, url: string, problems: Problem[] = []) =>
  compileExpression(expression, problems).matches(new Subject(toCrawlUrl(url)));

describe('an expression matches', () => {
  const [yes, no] = [domain('a.example'), domain('b.example')];

  test.each([
    ['all of its parts', and(yes, yes), true],
    ['not all of its parts', and(yes, no), false],
    ['its only part', and(no), false],
    ['any of its parts', or(no, yes), true],
    ['none of its parts', or(no, no), false],
    ['unless its part does', not(yes), false],
    ['if its part does not', not(no), true],
    ['the domain of a subdomain', domain('.example'), true],
    ['a domain with a leading dot', domain('.A.Example.'), true],
    ['no domain that only ends alike', domain('.ample'), false],
    ['a shortest length', length(5), true],
    ['no shorter one', length(6), false],
    ['a longest length', length(undefined, 5), true],
    ['no longer one', length(undefined, 4), false],
    ['any length', length(), true],
  ])('%s', (_, expression, expected) => expect(matches(expression, 'http://a.example/abcd')).toBe(expected));

  test('what any of many parts matches, whatever their kind', () => {
    const hosts = Array.from({ length: 100 }, (_, i) => atom({ value: `h${i}.example` }));
    const many = or(...hosts, domain('many.example'), length(40), atom({ field: 'fragment', value: 'top' }));
    const urls = [
      'http://h99.example/',
      'http://h100.example/',
      'http://a.many.example/',
      `http://a.example/${'x'.repeat(40)}`,
    ];
    expect(urls.map((url) => matches(many, url))).toEqual([true, false, true, true]);
    expect(matches(not(many), 'http://h7.example/')).toBe(false);
  });

  test('nothing if its pattern cannot be used, and reports where it is', () => {
    const problems: Problem[] = [];
    const broken = (value: string) => atom({ field: 'path', kind: 'inside', litteral: false, value });
    expect(matches(broken('(?=x)'), 'http://a.example/x', problems)).toBe(false);
    expect(matches(broken('(a)\\1'), 'http://a.example/aa', problems)).toBe(false);
    expect(matches(broken(`[${'y'.repeat(300)}`), 'http://a.example/y', problems)).toBe(false);
    expect(problems).toMatchObject(Array(3).fill({ severity: 'error', code: 'bad-pattern', place }));
    expect(problems.map(({ message }) => message.includes('linear time'))).toEqual([true, true, false]);
    expect(problems[2]!.message).toMatch(/^pattern "\[y{199}" is not a usable regular expression: missing closing \]/);
  });

  test.each([
    ['.A.Example.', 'a.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['..a', '.a'],
  ])('the domain %s as %s', (written, expected) => expect(normalizeDomain(written)).toBe(expected));
});

describe('what every match contains', () => {
  const required = (expression: MatchExpression) => compileExpression(expression, []).requiredTexts;

  test.each([
    ['a domain', domain('A.example'), [['a.example']]],
    ['one part', and(domain('a')), [['a']]],
    ['all parts', and(domain('a'), domain('b')), [['a'], ['b']]],
    ['one of the parts', or(domain('a'), domain('b')), [['a', 'b']]],
    ['nothing known of one part', or(domain('a'), not(domain('b'))), []],
    ['nothing of a negation', not(domain('a')), []],
    ['nothing of a length', length(1), []],
    ['a text', atom({ field: 'path', kind: 'inside', value: '/News' }), [['/news']]],
    ['nothing of a fragment', atom({ field: 'fragment', kind: 'inside', value: 'news' }), []],
  ])('%s', (_, expression, expected) => expect(required(expression)).toEqual(expected));

  test('the longest texts of each alternative are used, and without alternatives nothing is known', () => {
    expect(requireOneOf([[['a'], ['bcd', 'ef'], ['gh']], [['x']]])).toEqual([['bcd', 'ef', 'x']]);
    expect(requireOneOf([])).toEqual([]);
    expect(requireOneOf([[['a']], []])).toEqual([]);
    expect(requireAll([[['a']], [], [['b'], ['c']]])).toEqual([['a'], ['b'], ['c']]);
    expect([requireText(''), requireText('a')]).toEqual([[], [['a']]]);
    expect(mapTexts([['a', 'b'], ['c']], (text) => text + text)).toEqual([['aa', 'bb'], ['cc']]);
  });

  test.each([
    ['/News', '/news'],
    ['/b%C3%BCcher/x', 'cher/x'],
    ['abcdef%C3%BC/x', 'abcdef'],
    ['ab%20c', 'ab%20c'],
    ['abc%', 'abc'],
    ['abc%C', 'abc'],
    ['abc%2', 'abc'],
    ['%e4%b8%ad', ''],
  ])('%j is looked up as %j, without letters that may be encoded', (text, expected) =>
    expect(toIndexForm([[text]])).toEqual([[expected]]),
  );
});

test.each([
  [and(domain('a'), or(domain('b'), not(domain('c')))), 'domain a and (domain b or (not domain c))'],
  [not(and(domain('a'), domain('b'))), 'not (domain a and domain b)'],
  [not(not(domain('a'))), 'not (not domain a)'],
  [length(), 'path length 0 to any'],
  [length(3, 9), 'path length 3 to 9'],
  [atom({}), 'host exact "a.example"'],
  [atom({ value: 'x'.repeat(300) }), `host exact "${'x'.repeat(200)}"`],
])('%# is described as %s', (expression, text) => expect(formatExpression(expression)).toBe(text));

describe('letters beyond ASCII in a host', () => {
  const regex = { kind: 'inside', litteral: false } as const;

  test.each([
    ['an anchored expression', { ...regex, value: '^bücher\\.' }, true],
    ['an expression with a class', { ...regex, value: '^b[äü]cher\\.' }, true],
    ['an expression in capitals', { ...regex, value: '^BÜCHER\\.' }, true],
    ['an expression in decomposed form', { ...regex, value: '^bu\u0308cher\\.' }, true],
    ['an expression without accents', { ...regex, norm: 'norm', value: '^bücher\\.' }, true],
    ['a part of a label', { kind: 'inside', value: 'üch' }, true],
    ['the beginning', { kind: 'prefix', value: 'büch' }, true],
    ['the end', { kind: 'suffix', value: 'ücher.example' }, true],
    ['another end', { kind: 'suffix', value: 'ucher.example' }, false],
    ['an expression for another name', { ...regex, value: '^müller\\.' }, false],
    ['a URL', { ...regex, field: 'url', value: '^http://bücher\\..*/größe$' }, true],
    ['a URL with case', { ...regex, field: 'url', norm: 'none', value: '^http://bücher\\..*/größe$' }, true],
    ['the beginning of a URL', { kind: 'prefix', field: 'url', value: 'http://büch' }, true],
    ['a path that names another host', { ...regex, field: 'url', value: '^http://müller\\..*bücher' }, false],
  ] as const)('are matched by %s', (_, parts, expected) => {
    const problems: Problem[] = [];
    expect(matches(atom(parts), 'http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe', problems)).toBe(expected);
    expect(problems).toEqual([]);
  });
});

test.each([
  ['(', 'missing closing ): `(`'],
  [
    '(?=x)',
    'invalid or unsupported Perl syntax: `(?=` (look-around and back-references do not run in linear time: write it as several rules)',
  ],
])('a pattern that cannot be used is reported with the reason: %s', (value, reason) => {
  const problems: Problem[] = [];
  compileExpression(atom({ field: 'path', kind: 'inside', norm: 'none', value, litteral: false }), problems);
  const message = `pattern "${value}" is not a usable regular expression: ${reason}`;
  expect(problems).toEqual([{ severity: 'error', code: 'bad-pattern', message, place }]);
});

test.each([
  ['host', '^WWW\\.a\\.', 'http://www.a.example/'],
  ['host', 'ÜCHER', 'http://bücher.example/'],
  ['scheme', 'HTTPS?', 'http://a.example/'],
] as const)('capital letters match where there is no case: %s %s', (field, value, url) => {
  const inside = { field, kind: 'inside', norm: 'none', litteral: false, value } as const;
  expect(matches(atom(inside), url)).toBe(true);
  expect(matches(atom({ ...inside, field: 'path', value: 'A' }), 'http://a.example/a')).toBe(false);
});

test('capital letters beyond ASCII in an expression on hosts match, also where case counts, since hosts have none', () => {
  for (const norm of ['none', 'lower'] as const) {
    const host = atom({ kind: 'inside', norm, value: '^Übung\\.', litteral: false });
    expect(matches(host, 'http://übung.example/')).toBe(true);
    expect(matches(host, 'http://ubung.example/')).toBe(false);
  }
});
