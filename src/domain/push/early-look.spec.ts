import { describe, expect, it } from 'vitest';
import { concludeLook, decideNextLookStep, needsEarlyLook } from './early-look.js';

const limits = { maxDeletions: 50, maxShare: 0.1 };
const found = (looked: number, gone: number, documents = 150, vanished = 1) => ({ looked, gone, vanished, documents });

describe('an early look', () => {
  it('is for hosts that could exceed the limits', () => {
    expect([50, 51].map((documents) => needsEarlyLook(documents, limits))).toEqual([false, true]);
  });

  it.each([
    ['begins with three pages', found(0, 0), { visit: 3 }],
    ['ends when none of them is gone', found(3, 0), 'clear'],
    ['goes on when one is', found(3, 1), { visit: 7 }],
    ['goes on when all are: three are few', found(3, 3), { visit: 7 }],
    ['holds when most of ten are gone', found(10, 8), 'hold'],
    ['goes on when it is not clear', found(10, 3), { visit: 20 }],
    ['holds when thirty say that the limits would be passed', found(30, 15, 150), 'hold'],
    ['clears when they would not', found(30, 9, 150), 'clear'],
    ['clears a section of a large site', found(30, 2, 10_000), 'clear'],
    ['fills a stage that could not be visited whole', found(2, 0), { visit: 1 }],
  ] as const)('%s', (_, findings, step) => expect(decideNextLookStep(findings, limits)).toEqual(step));

  it('decides with the results it has when no more pages can be visited', () => {
    expect(concludeLook(found(0, 0), limits)).toBe('clear');
    expect(concludeLook(found(2, 2), limits)).toBe('hold');
  });
});
