import { expect, it } from 'vitest';
import { Turns } from './browser-process.js';

const takeAll = (turns: Turns<string>): string[] => {
  const taken: string[] = [];
  for (let item = turns.shift(); item !== undefined; item = turns.shift()) taken.push(item);
  return taken;
};

it('serves customers in turn, and the items of each in their order', () => {
  const turns = new Turns<string>();
  for (const item of ['a1', 'a2', 'a3', 'a4']) turns.push('a', item);
  turns.push('b', 'b1');
  turns.push('b', 'b2');
  expect(takeAll(turns)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
});

it('lets a newcomer wait for one item of each other', () => {
  const turns = new Turns<string>();
  for (const item of ['a1', 'a2', 'a3']) turns.push('a', item);
  expect(turns.shift()).toBe('a1');
  turns.push('b', 'b1');
  expect(takeAll(turns)).toEqual(['a2', 'b1', 'a3']);
});
