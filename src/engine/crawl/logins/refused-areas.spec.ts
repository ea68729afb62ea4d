import { expect, it } from 'vitest';
import { RefusedAreas } from './refused-areas.js';

const BOARD = 'Basic realm="board"';

it('after three refusals, a realm is closed in all folders where it was seen', () => {
  const areas = new RefusedAreas();
  areas.note('https://a.test/x/1?q', BOARD);
  areas.note('https://a.test/y/2', `Negotiate, ${BOARD}`);
  expect(areas.isClosed('https://a.test/x/1')).toBe(false);
  areas.note('https://a.test/x/3', BOARD);
  for (const open of ['https://a.test/', 'https://a.test/z/1', 'https://b.test/x/1'])
    expect(areas.isClosed(open)).toBe(false);
  for (const closed of ['https://a.test/x/9?r', 'https://a.test/y/']) expect(areas.isClosed(closed)).toBe(true);
  areas.clear();
  expect(areas.isClosed('https://a.test/x/9')).toBe(false);
});

it('without a realm, refusals are counted by folder', () => {
  const areas = new RefusedAreas();
  for (const page of ['1', '2', '3']) areas.note(`https://a.test/x/${page}`, undefined);
  expect(areas.isClosed('https://a.test/x/4')).toBe(true);
  expect(areas.isClosed('https://a.test/4')).toBe(false);
});
