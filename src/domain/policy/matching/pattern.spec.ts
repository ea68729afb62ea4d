import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { analyzePattern, literalToRegex } from './pattern.js';

describe('patternShape', () => {
  test.each([
    ['www\\.foo\\.com', [['www.foo.com']]],
    ['/(?:draft|old)-9[0-9]*/', [['/draft-9', '/old-9'], ['/']]],
    ['https?://a', [['https://a', 'http://a']]],
    ['ab+cd', [['bcd'], ['ab']]],
    ['ab*cde', [['cde'], ['a']]],
    ['^/news/$', [['/news/']]],
    ['abc|de', [['abc', 'de']]],
    ['abc|[0-9]', []],
    ['(?i)abc', []],
    ['a{0,3}b', [['b']]],
    ['(abc){2}x', [['abcx'], ['abc']]],
    ['[^/]*', []],
  ])('%s must contain %j', (source, expected) => {
    expect(analyzePattern(source).requiredTexts).toEqual(expected);
  });

  test('distinguishes plain characters and dots from everything else', () => {
    expect(analyzePattern('a\\.b').template).toEqual(['a', '.', 'b']);
    expect(analyzePattern('a.b').template).toEqual(['a', undefined, 'b']);
    for (const source of ['a+', 'a|b', '(a)', '^a', 'a$', '\\d', 'a{2}', 'a?']) {
      expect(analyzePattern(source).template).toBeUndefined();
    }
  });

  test('never requires a text that a match may lack', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'a',
        'b',
        '\\.',
        '.',
        '[ab]',
        '[^a]',
        '\\d',
        '^',
        '$',
        '\\b',
        '(?:',
        '(',
        ')',
        '|',
        '*',
        '+',
        '?',
        '{2}',
        '{0,1}',
        '{1,}',
        '\\[',
        '(?i)',
        ']',
      ),
    );
    const patterns = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const texts = fc.array(fc.constantFrom('a', 'b', '.', '[', '1'), { maxLength: 8 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(patterns, texts, (source, text) => {
        const regex = compiles(source);
        if (!regex?.test(text)) return;
        for (const set of analyzePattern(source).requiredTexts)
          expect(set.some((wanted) => text.includes(wanted))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

function compiles(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source);
  } catch {
    return undefined;
  }
}

describe('regexOfLitteral', () => {
  test('makes special characters literal, and escaped ones operators', () => {
    expect(literalToRegex('a.b\\.\\*(c)')).toBe('a\\.b.*\\(c\\)');
    expect(literalToRegex('\\d\\\\x\\')).toBe('\\d\\\\x\\');
  });
});
