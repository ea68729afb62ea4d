import { expect, it } from 'vitest';
import { parseCharset } from '../parsers/charset.js';
import { normalizeHeaders } from './exchange.js';

it.each([
  [['text/plain', 'text/html'], 'text/html'],
  [['text/html', 'nonsense'], 'text/html'],
  [['text/html;charset=gbk', 'text/html'], 'text/html;charset=gbk'],
  [['text/html;charset=gbk', 'text/html;x=1'], 'text/html;x=1;charset=gbk'],
  [['text/html;charset=gbk', 'text/plain'], 'text/plain'],
  [['text/html;charset=gbk', '*/*'], 'text/html;charset=gbk'],
  [['nonsense', ''], 'nonsense'],
])('the last valid one of several Content-Type fields counts: %j', (values, expected) =>
  expect(normalizeHeaders({ 'content-type': values })).toEqual({ 'content-type': expected }),
);

it.each([
  ['text/html;charset=" gbk"', 'gbk'],
  ['text/html;charset="\\g\\b\\k"', 'gbk'],
  ['text/html; charset = gbk', 'gbk'],
  ["text/html;charset='gbk'", 'gbk'],
  ['text/html;charset=gbk;x', 'gbk'],
  ['text/html;charset="gbk', 'gbk'],
  ['text/html', undefined],
])('the charset of %s is %s', (header, charset) => expect(parseCharset(header)).toBe(charset));
