import { expect, it } from 'vitest';
import type { PushDocument } from './order.js';
import { createPartIds, createPartUri, findPartChanges, parsePartUri } from './parts.js';

const part = (id: string, stamp: string): PushDocument =>
  ({ uri: createPartUri('http://a.example/', id), stamp }) as unknown as PushDocument;

it('gives every part of a page its own fragment', () => {
  expect(createPartIds(['a', undefined, 'a', ' b c ', 'a-2', 'x'.repeat(300)])).toEqual([
    'a',
    'part-2',
    'a-2',
    'b%20c',
    'a-2-2',
    'part-6',
  ]);
});

it('derives the page of a part from its fragment', () => {
  expect(parsePartUri('http://a.example/#b%20c')).toEqual({ page: 'http://a.example/', id: 'b%20c' });
  expect(parsePartUri('http://a.example/')).toBeUndefined();
});

it('adds new and changed parts, all of them when the state of the sinks is unknown, and deletes those that have gone', () => {
  const before = [
    { id: 'a', stamp: '1' },
    { id: 'b', stamp: '1' },
    { id: 'c', stamp: '1', held: true },
    { id: 'd', stamp: '1' },
  ] as const;
  const parts = [part('a', '1'), part('b', '2'), part('c', '1'), part('e', '1')];
  const { partsToPush: pushed, goneParts: gone, returnedParts: back } = findPartChanges(before, parts, true);
  expect(pushed.map(({ uri }) => parsePartUri(uri)!.id)).toEqual(['b', 'e']);
  expect(gone.map(({ id }) => id)).toEqual(['d']);
  expect(back.map(({ id }) => id)).toEqual(['c']);
  expect(findPartChanges(before, parts, false).partsToPush).toHaveLength(4);
});
