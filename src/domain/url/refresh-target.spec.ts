import { describe, expect, it } from 'vitest';
import { parseRefresh } from './refresh-target.js';

describe('a refresh leads to', () => {
  it.each([
    ['0; url=/a', '/a'],
    ['5;URL = /a', '/a'],
    ['0,/a', '/a'],
    ['0 /a', '/a'],
    [' 1.5 ; url="/a b" rest', '/a b'],
    ["0; url='/a", '/a'],
    ['.5; /a', '/a'],
    ['0; urlaub.html', 'urlaub.html'],
  ])('%j: %s', (content, target) => expect(parseRefresh(content)?.target).toBe(target));

  it.each(['5', '5;', '0; url=', 'url=/a', '-1; url=/a', '5x url=/a', ''])('%j: nowhere', (content) => {
    expect(parseRefresh(content)).toBeUndefined();
  });

  it.each([
    ['0; url=/a', 0],
    [' 10;url=/a', 10],
    ['1.9; /a', 1],
    ['.5; /a', 0],
  ])('%j: after %i s', (content, delay) => expect(parseRefresh(content)?.delay).toBe(delay));
});
