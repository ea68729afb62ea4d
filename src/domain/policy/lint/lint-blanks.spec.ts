import { expect, test } from 'vitest';
import { crawlerDefinition, placeAt, ruleDefinition } from '../../../../test/support/crawler-definition.js';
import type { ConditionRule } from '../../crawl/policy-definition.js';
import { runAtOnce } from '../../steps.js';
import { lintBlanks } from './lint-blanks.js';

const mayNotHave = (line: number, type: 'wildcard' | 'wildcard-set', pattern: string): ConditionRule => ({
  kind: 'may-not-have',
  test: { type, field: 'url', value: pattern, caseSensitive: false },
  log: false,
  options: {},
  children: [],
  place: placeAt(line),
});

test('a blank inside the pattern of a rule or condition is reported, except in a wildcard set', () => {
  const inside = { type: 'atom', field: 'url', kind: 'inside', norm: 'norm', value: 'a |b', litteral: false } as const;
  const match = { type: 'not', child: { ...inside, place: placeAt(3) }, place: placeAt(1) } as const;
  const rules = [mayNotHave(4, 'wildcard', '*.gif *.jpg'), mayNotHave(5, 'wildcard-set', '*.gif\n*.jpg')];
  const conditions = { defaultAllow: 'allow', options: {}, rules, place: placeAt(1) } as const;
  const reported = runAtOnce(
    lintBlanks(crawlerDefinition({ rules: [ruleDefinition(1, match, { accept: false })], conditions })),
  );
  expect(reported.map(({ code, place }) => `${place.line} ${code}`)).toEqual([
    '3 rule-never-matches',
    '4 condition-unreachable',
  ]);
});
