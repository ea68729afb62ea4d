import { expect, it } from 'vitest';
import { RefusedAreas } from './refused-areas.js';

const BOARD = 'Basic realm="board"';

it('after three refusals, a realm is closed in all folders where it was seen', () => {
  const areas = new RefusedAreas();
  areas.note('https://a.test/x/1?q', BOARD, false);
  areas.note('https://a.test/y/2', `Negotiate, ${BOARD}`, false);
  expect(areas.isClosed('https://a.test/x/1', false)).toBe(false);
  areas.note('https://a.test/x/3', BOARD, false);
  for (const open of ['https://a.test/', 'https://a.test/z/1', 'https://b.test/x/1'])
    expect(areas.isClosed(open, false)).toBe(false);
  for (const closed of ['https://a.test/x/9?r', 'https://a.test/y/']) expect(areas.isClosed(closed, false)).toBe(true);
  areas.clear();
  expect(areas.isClosed('https://a.test/x/9', false)).toBe(false);
});

it('without a realm, refusals are counted by folder', () => {
  const areas = new RefusedAreas();
  for (const page of ['1', '2', '3']) areas.note(`https://a.test/x/${page}`, undefined, false);
  expect(areas.isClosed('https://a.test/x/4', false)).toBe(true);
  expect(areas.isClosed('https://a.test/4', false)).toBe(false);
});

it('the indexed pages of a closed folder are requested until one of them is refused, too', () => {
  const areas = new RefusedAreas();
  for (const page of ['1', '2', '3']) areas.note(`https://a.test/x/${page}`, BOARD, true);
  expect(areas.isClosed('https://a.test/x/4', false)).toBe(true);
  expect(areas.isClosed('https://a.test/x/4', true)).toBe(false);
  areas.note('https://a.test/x/5', BOARD, true);
  expect(areas.isClosed('https://a.test/x/4', true)).toBe(true);
});
