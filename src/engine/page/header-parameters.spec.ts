import { describe, expect, it } from 'vitest';
import { parseFileName, parseLinkHeader } from './header-parameters.js';

/** Each link as its target, then its parameters. */
const parse = (header: string) =>
  parseLinkHeader(header).map(({ href, parameters }) => [href, Object.fromEntries(parameters)]);

describe('a Link header', () => {
  it.each([
    ['<a>', [['a', {}]]],
    ['<a>; rel=next', [['a', { rel: 'next' }]]],
    ['<a>;REL = "next"', [['a', { rel: 'next' }]]],
    ['<a>; rel=next; rel=prev', [['a', { rel: 'next' }]]],
    ['<a>; rel="x y"; title="a \\"b\\" \\\\ c"', [['a', { rel: 'x y', title: 'a "b" \\ c' }]]],
    ["<a>; title='x'; other='y", [['a', { title: 'x', other: "'y" }]]],
    ['<a>; crossorigin; rel=next', [['a', { crossorigin: '', rel: 'next' }]]],
    ['<a>; =x; rel=next', [['a', { rel: 'next' }]]],
    ['<a>; rel= next ', [['a', { rel: 'next' }]]],
    ['<a>;\trel\t=\tnext\t;\tx=y', [['a', { rel: 'next', x: 'y' }]]],
    ['<a>; rel="open', [['a', { rel: 'open' }]]],
    ['<a>; rel="ends\\', [['a', { rel: 'ends' }]]],
    [
      '<a,b>; rel="x,y", <c>; rel=z',
      [
        ['a,b', { rel: 'x,y' }],
        ['c', { rel: 'z' }],
      ],
    ],
    [
      '<a>\n<b>; rel=x',
      [
        ['a', {}],
        ['b', { rel: 'x' }],
      ],
    ],
    [
      '<a>; rel=x\n<b>',
      [
        ['a', { rel: 'x' }],
        ['b', {}],
      ],
    ],
    [' , ,<a>', [['a', {}]]],
    ['nonsense, <a>', [['a', {}]]],
    [
      '<a> nonsense; rel=x, <b>',
      [
        ['a', {}],
        ['b', {}],
      ],
    ],
    ['<>, <a>', [['a', {}]]],
    ['<a, <b>; rel=x, <c>', [['c', {}]]],
    ['<a', []],
    ['', []],
  ])('%j', (header, expected) => expect(parse(header)).toEqual(expected));

  it('has targets of up to 2,048 characters', () => {
    expect(parse(`<${'x'.repeat(2_048)}>`)).toHaveLength(1);
    expect(parse(`<${'x'.repeat(2_049)}>, <a>`)).toEqual([['a', {}]]);
  });
});

describe('the file name of a document', () => {
  it.each([
    ['attachment; filename=report.pdf', 'report.pdf'],
    ['attachment; filename="annual report.pdf"', 'annual report.pdf'],
    ['inline; FileName="a.pdf"', 'a.pdf'],
    ['attachment; filename="C:\\\\docs\\\\a.pdf"', 'a.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="/a\\\\b/c.pdf"', 'c.pdf'],
    ['attachment; filename=" a\u0000\u001f\u007f.pdf "', 'a.pdf'],
    ["attachment; filename*=UTF-8''%e2%82%ac.pdf", '€.pdf'],
    ["attachment; filename*=utf-8'en'a%20b.pdf; filename=x.pdf", 'a b.pdf'],
    ["attachment; filename*=ISO-8859-1''%E9%e8.pdf", 'éè.pdf'],
    ["attachment; filename*=iso-8859-1''100%.pdf", '100%.pdf'],
    ["attachment; filename*=UTF-8''%zz; filename=x.pdf", 'x.pdf'],
    ["attachment; filename*=KOI8-R''a.pdf; filename=x.pdf", 'x.pdf'],
    ["attachment; filename*=xUTF-8''a.pdf; filename=x.pdf", 'x.pdf'],
    ['attachment; filename*=a.pdf; filename=x.pdf', 'x.pdf'],
    ["attachment; filename*=UTF-8''..; filename=x.pdf", 'x.pdf'],
    ['attachment; filename="."', undefined],
    ['attachment; filename=".."', undefined],
    ['attachment; filename="a/"', undefined],
    ['attachment; filename="\ud800.pdf"', undefined],
    ['attachment', undefined],
    [undefined, undefined],
  ])('%j is %s', (header, expected) => expect(parseFileName(header)).toBe(expected));

  it('has at most 255 characters, and a header of at most 4,096 is read', () => {
    expect(parseFileName(`a; filename=${'x'.repeat(300)}`)).toHaveLength(255);
    expect(parseFileName('a; filename=x.pdf'.padEnd(4_096))).toBe('x.pdf');
    expect(parseFileName('a; filename=x.pdf'.padEnd(4_097))).toBeUndefined();
  });
});
