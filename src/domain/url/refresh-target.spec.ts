import { describe, expect, it } from 'vitest';
import { refreshTarget } from './refresh-target.js';

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
  ])('%j: %s', (content, target) => expect(refreshTarget(content)).toBe(target));

  it.each(['5', '5;', '0; url=', 'url=/a', '-1; url=/a', '5x url=/a', ''])('%j: nowhere', (content) => {
    expect(refreshTarget(content)).toBeUndefined();
  });
});
