import { expect, test } from 'vitest';
import { atom, crawlerDefinition, placeAt, ruleDefinition } from '../../../../test/support/crawler-definition.js';
import type { MatchExpression } from '../../crawl/policy-definition.js';
import { runAtOnce } from '../../steps.js';
import { lintOperators } from './lint-operators.js';

const messages = (match: MatchExpression): string[] =>
  runAtOnce(lintOperators(crawlerDefinition({ rules: [ruleDefinition(1, match, { accept: true })] }))).map(
    ({ message }) => message,
  );

test.each([
  [atom('path', 'suffix', '.gif'), 'a dot in ".gif" matches any one character; write "\\.gif", or add litteral="true"'],
  [atom('host', 'exact', 'www.wikipedia.org'), 'write "www\\.wikipedia\\.org"'],
  [atom('host', 'suffix', '(www|ftp).foo.com'), 'write "(www|ftp)\\.foo\\.com"'],
  [
    atom('url', 'exact', 'http://h\\.com/x?b=1'),
    'the question mark in "http://h\\.com/x?b=1" makes the character before it optional and does not match a question mark; write "http://h\\.com/x\\?b=1"',
  ],
])('%j is reported with what was probably meant', (match, reported) => {
  expect(messages({ type: 'not', child: match, place: placeAt(1) })).toEqual([expect.stringContaining(reported)]);
});

test.each([
  atom('path', 'suffix', '\\.gif'),
  atom('path', 'suffix', '.gif', { litteral: true }),
  atom('path', 'prefix', '/a.*b.+c.?d'),
  atom('path', 'inside', '[.a]x(?:.|-)'),
  atom('path', 'prefix', '/wiki/User(_talk)?:'),
  atom('url', 'inside', 'https?://'),
  atom('url', 'inside', '[?&]id=1'),
  atom('query', 'exact', 'a.b'),
])('%j is not reported', (match) => {
  expect(messages(match)).toEqual([]);
});

test('a long expression is shown with its first 200 characters', () => {
  const rest = 'x'.repeat(200);
  expect(messages(atom('path', 'prefix', `/.gif${rest}`))).toEqual([
    `rule 1: a dot in "/.gif${'x'.repeat(195)}" matches any one character; write "/\\.gif${'x'.repeat(194)}", or add litteral="true"`,
  ]);
});

test('expressions of conditions are checked too, wildcards are not', () => {
  const condition = (type: 'regex' | 'wildcard', line: number) => ({
    kind: 'may-not-have' as const,
    test: { type, field: 'path' as const, value: '.gif', caseSensitive: false },
    log: false,
    options: {},
    children: [],
    place: placeAt(line),
  });
  const conditions = {
    defaultAllow: 'allow' as const,
    options: {},
    rules: [{ ...condition('wildcard', 2), children: [condition('regex', 3)] }],
    place: placeAt(1),
  };
  const problems = runAtOnce(lintOperators(crawlerDefinition({ conditions })));
  expect(problems.map(({ code, place }) => [code, place.line])).toEqual([['operator-in-pattern', 3]]);
  // A condition is literal by its type; it has no such attribute.
  expect(problems[0]!.message).toContain('write "\\.gif"');
  expect(problems[0]!.message).not.toContain('litteral');
});

test('a long list of patterns draws four warnings, the last of which counts the rest', () => {
  const rules = Array.from({ length: 20 }, (_, index) =>
    ruleDefinition(index + 1, atom('host', 'exact', `www${index}.example`, { place: placeAt(index + 1) }), {
      accept: true,
    }),
  );
  const reported = runAtOnce(lintOperators(crawlerDefinition({ rules }))).map(({ message }) => message);
  expect(reported).toHaveLength(4);
  expect(reported[0]).not.toContain('more patterns');
  expect(reported[3]).toContain('rule 4: a dot in "www3.example" matches any one character');
  expect(reported[3]).toContain('(and in 16 more patterns of this crawler)');
});
