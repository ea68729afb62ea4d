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
    ['abc', [['abc']]],
    ['a.c', [['a'], ['c']]],
    ['a|b', [['a', 'b']]],
    ['ab|cd', [['ab', 'cd']]],
    ['(?:ab|cd)e', [['abe', 'cde']]],
    ['x(a|b)y', [['xay', 'xby']]],
    ['ab+c', [['ab'], ['bc']]],
    ['ab*c', [['a'], ['c']]],
    ['ab?c', [['abc', 'ac']]],
    ['ab{2}c', [['ab'], ['bc']]],
    ['ab{0,3}c', [['a'], ['c']]],
    ['ab{2,}c', [['ab'], ['bc']]],
    ['a{', []],
    ['^abc$', [['abc']]],
    ['\\babc\\B', [['abc']]],
    ['\\Aabc\\z', [['abc']]],
    ['a\\.b', [['a.b']]],
    ['a\\db', [['a'], ['b']]],
    ['a\\Qb', []],
    ['a\\pLb', []],
    ['a\\x41', []],
    ['[abc]d', [['d']]],
    ['[^]a]b', [['b']]],
    ['[a', []],
    ['a[\\]]b', [['a'], ['b']]],
    ['(a', []],
    ['a)', []],
    ['(?i)a', []],
    ['(?:a(?:b(?:c)))', [['abc']]],
    ['a(b|)c', [['abc', 'ac']]],
    ['(ab)+c', [['abc'], ['ab']]],
    ['(ab)*c', [['c']]],
    ['(ab)?c', [['abc', 'c']]],
    [
      '(?:a|b|c|d)(?:a|b|c|d)x',
      [
        [
          'aax',
          'abx',
          'acx',
          'adx',
          'bax',
          'bbx',
          'bcx',
          'bdx',
          'cax',
          'cbx',
          'ccx',
          'cdx',
          'dax',
          'dbx',
          'dcx',
          'ddx',
        ],
      ],
    ],
    ['(?:a|b|c|d)(?:a|b|c|d|e)x', [['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd'], ['x']]],
    ['a.*b', [['a'], ['b']]],
    ['a.+?b', [['a'], ['b']]],
    ['', []],
    ['.', []],
    ['a||b', [['a', '', 'b']]],
    ['(?:abc|x)(?:y|zzz).+', [['abcy', 'abczzz', 'xy', 'xzzz']]],
    ['a*', []],
    ['a}', []],
    ['\\', []],
    ['ab\\wcd', [['ab'], ['cd']]],
    ['a\\-b', [['a-b']]],
    ['x{1}y', [['xy'], ['x']]],
    ['x{01,2}y', [['xy'], ['x']]],
    ['(((((((((((((((((((((a)))))))))))))))))))))', []],
    ['((((((((((((((((((((a))))))))))))))))))))', [['a']]],
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
