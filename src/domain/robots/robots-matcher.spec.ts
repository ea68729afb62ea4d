import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizePath, normalizePattern } from './path-form.js';
import type { RobotsRule } from './robots-matcher.js';
import { RobotsMatcher } from './robots-matcher.js';

const rules = (...patterns: readonly string[]): RobotsRule[] =>
  patterns.map((text, index) => ({ allow: text.startsWith('+'), pattern: text.slice(1), line: index + 1 }));

const find = (patterns: readonly string[], path: string): string | undefined => {
  const rule = new RobotsMatcher(rules(...patterns)).findRule(path);
  return rule && `${rule.allow ? '+' : '-'}${rule.pattern}`;
};

/** RFC 9309, 2.2.2 and 2.2.3, word for word: every rule is tried, the longest wins, and of equals the one that allows. */
function searchByTheRfc(all: readonly RobotsRule[]): (path: string) => RobotsRule | undefined {
  const inOrder = all
    .map((rule) => ({ rule, expression: toExpression(rule.pattern) }))
    .sort((a, b) => b.rule.pattern.length - a.rule.pattern.length || Number(b.rule.allow) - Number(a.rule.allow));
  return (path) => inOrder.find(({ expression }) => expression.test(path))?.rule;
}

function toExpression(pattern: string): RegExp {
  const isAnchored = pattern.endsWith('$');
  const text = (isAnchored ? pattern.slice(0, -1) : pattern).replaceAll('.', '\\.').replaceAll('*', '.*');
  return new RegExp(`^${text}${isAnchored ? '$' : ''}`);
}

describe('the rule that decides', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 5 });
  const pattern = fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.boolean())
    .map(([pieces, anchored, allow]) => `${allow ? '+' : '-'}/${pieces.join('*')}${anchored ? '$' : ''}`);
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 }).map((text) => `/${text}`);

  it('is that of the RFC, for a few rules and for many', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 60, size: 'max' }),
        fc.array(path, { minLength: 1, maxLength: 20 }),
        (patterns, paths) => {
          const all = rules(...patterns);
          const matcher = new RobotsMatcher(all);
          const search = searchByTheRfc(all);
          for (const one of paths) {
            const expected = search(one);
            const found = matcher.findRule(one);
            expect(found && [found.pattern, found.allow], one).toEqual(expected && [expected.pattern, expected.allow]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    [['-/a', '+/a'], '/a/b', '+/a'],
    [['-/a$', '+/a'], '/a', '-/a$'],
    [['-/a$', '+/a'], '/a/', '+/a'],
    [['-/*.pdf$'], '/x/y.pdf', '-/*.pdf$'],
    [['-/*.pdf$'], '/x/y.pdf?z', undefined],
    [['-/a*c', '+/ab'], '/abc', '-/a*c'],
    [['-/ab*ba$'], '/aba', undefined],
    [['-/ab*ba$'], '/abba', '-/ab*ba$'],
    [[], '/a', undefined],
  ])('of %j for %s is %s', (patterns, path, expected) => expect(find(patterns, path)).toBe(expected));
});

describe('paths and patterns are compared in one form', () => {
  it.each([
    ['', '/'],
    ['/a b', '/a%20b'],
    ['/é', '/%C3%A9'],
    ['/%c3%a9', '/%C3%A9'],
    ['/%61%7e%2d%5f%2E', '/a~-_.'],
    ['/a%2fb', '/a%2Fb'],
    ['/a%3ab', '/a%3Ab'],
    ['/a?b%2fc%3ad', '/a?b/c:d'],
    ['/a%3fb%2fc', '/a%3Fb%2Fc'],
    ['/?', '/?'],
    ['/a*b$', '/a%2Ab%24'],
    ['/<"\\^`{|}>', '/%3C%22%5C%5E%60%7B%7C%7D%3E'],
    ["/!#&'()+,;=@[]", "/!#&'()+,;=@[]"],
    ['/%zz', '/%zz'],
  ])('the path %j is %s', (path, expected) => expect(normalizePath(path)).toBe(expected));

  it.each([
    ['/a*', '/a*'],
    ['/a**b***', '/a*b*'],
    ['/a$', '/a$'],
    ['/a$b', '/a%24b'],
    ['/a$$', '/a%24$'],
    ['/%2a%24', '/%2A%24'],
    ['/\u00c3\u00a9', '/%C3%A9'],
    ['/a?b%2f', '/a?b/'],
  ])('the pattern %j is %s', (pattern, expected) => expect(normalizePattern(pattern)).toBe(expected));
});
