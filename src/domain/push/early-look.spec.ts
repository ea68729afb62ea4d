import { describe, expect, it } from 'vitest';
import { hours, instant, after as later, milliseconds } from '../time/units.js';
import { concludeLook, decideNextLookStep, EarlyLook, LOOK_VALIDITY, needsEarlyLook } from './early-look.js';

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

describe('the pages of an early look', () => {
  const START = instant(1_000_000);
  const EXPIRY = later(START, LOOK_VALIDITY);
  const BEFORE_EXPIRY = instant(EXPIRY - 1);

  /** A look at a page that has vanished, with the results of the visits that it requested. */
  function look(...codes: ('http-404' | 'http-5xx' | undefined)[]): EarlyLook {
    const created = new EarlyLook(limits, 150, START);
    created.addVanished(1, START);
    for (const i of codes.keys()) created.noteRequested(100 + i);
    for (const [i, code] of codes.entries()) expect(created.recordResult(100 + i, code)).toBe(true);
    return created;
  }

  function endedLook(): EarlyLook {
    const ended = look(undefined, undefined, undefined);
    expect(ended.takeStep(START)).toBe(0);
    return ended;
  }

  it('are visited until the results decide', () => {
    const open = look('http-404', undefined, undefined);
    expect([open.takeStep(START), open.verdict]).toEqual([7, undefined]);
    expect(endedLook().verdict).toBe('clear');
  });

  it('do not count if they fail in another way', () => {
    expect(look('http-5xx', 'http-5xx', 'http-5xx').takeStep(START)).toBe(3);
  });

  it('are chosen by one caller at a time, and only once all results have arrived', () => {
    const open = look();
    expect([open.beginChoosing(), open.beginChoosing()]).toEqual([true, false]);
    open.noteRequested(7);
    expect(open.needsStep).toBe(false);
    open.recordResult(7, undefined);
    expect(open.needsStep).toBe(true);
    open.stopChoosing();
    expect(open.beginChoosing()).toBe(true);
  });

  it('count once, and not when the look has ended', () => {
    const open = look(undefined);
    expect(open.recordResult(100, undefined)).toBe(false);
    open.noteRequested(200);
    open.end(START);
    expect([open.recordResult(200, undefined), open.needsStep, open.beginChoosing()]).toEqual([false, false, false]);
  });

  it('are never more than thirty', () => {
    const open = look(...Array.from({ length: 10 }, () => undefined), 'http-404' as const);
    for (let id = 300; id < 312; id++) open.noteRequested(id);
    expect(open.takeStep(START)).toBe(7);
    expect([...open.knownIds]).toHaveLength(24);
  });

  it('end it without a result when its time is over', () => {
    const open = look();
    open.endIfOverdue(EXPIRY);
    expect(open.verdict).toBeUndefined();
    open.endIfOverdue(later(START, hours(1)));
    expect(open.verdict).toBe('clear');
  });

  it('share its verdict until it expires, but for five later ones only if it found nothing', () => {
    const ended = endedLook();
    expect([1, 100].map((id) => ended.addVanished(id, BEFORE_EXPIRY))).toEqual([true, true]);
    expect([2, 3, 4, 5, 6, 7].map((id) => ended.addVanished(id, START))).toEqual([true, true, true, true, true, false]);
    expect([1, 100, 8].map((id) => endedLook().addVanished(id, EXPIRY))).toEqual([false, false, false]);
    const held = look(...Array.from({ length: 10 }, () => 'http-404' as const));
    held.takeStep(START);
    expect(held.verdict).toBe('hold');
    for (let id = 2; id < 20; id++) expect(held.addVanished(id, later(START, milliseconds(1)))).toBe(true);
  });
});
