import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { days, hours, instant } from '../time/units.js';
import {
  computeClaimedVisitTime,
  computeTruthProbability,
  contradictsVisit,
  isBelieved,
  isWorthVisitingNow,
  parseClaimedChange,
  UNTRIED,
  updateCredibility,
} from './claimed-changes.js';

const at = (text: string) => instant(Date.parse(text));
const NOW = at('2026-06-15T12:00:00Z');

describe('the time of a change in a sitemap', () => {
  it.each([
    ['2026-06-15T10:20:30Z', '2026-06-15T10:20:30Z', '2026-06-15T10:20:30Z'],
    ['2026-06-15T10:20+02:00', '2026-06-15T08:20:00Z', '2026-06-15T08:20:00Z'],
    ['2026-06-14 10:20:30.5-0330', '2026-06-14T13:50:30.500Z', '2026-06-14T13:50:30.500Z'],
    [' 2026-06-15 ', '2026-06-15T00:00:00Z', '2026-06-16T00:00:00Z'],
    ['2025-12', '2025-12-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2026', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ])('%j is from %s to %s', (written, from, to) => {
    expect(parseClaimedChange(written, NOW)).toEqual({ from: at(from), to: at(to) });
  });

  it.each([
    ['2026-06-15T10', undefined],
    ['2026-06-15T24:00Z', '2026-06-16T00:00:00Z'],
    ['2026-06-15T25:00Z', undefined],
    ['2026-06-14T10:60Z', undefined],
    ['2026-06-00', undefined],
    ['2026-06-32', undefined],
    ['2026-00', undefined],
    ['2026-06-15T12:10Z', '2026-06-15T12:10:00Z'],
    ['2026-06-15T12:10:01Z', undefined],
    ['2026-06-15T14:05+0200', '2026-06-15T12:05:00Z'],
    ['2026-06-14T10:00', '2026-06-14T10:00:00Z'],
    ['x2026', undefined],
    ['20266', undefined],
  ])('%j begins at %s: up to ten minutes ahead of our clock', (written, from) => {
    const late = at('2026-06-16T00:00:00Z');
    const now = written.includes('T24') ? late : NOW;
    expect(parseClaimedChange(written, now)?.from).toBe(from === undefined ? undefined : at(from));
  });

  it('of a month or a year alone is any time in it', () => {
    const range = (written: string) =>
      Object.values(parseClaimedChange(written, NOW)!).map((time) => new Date(time).toISOString().slice(0, 10));
    expect(range('2026-02')).toEqual(['2026-02-01', '2026-03-01']);
    expect(range('2026-01-31')).toEqual(['2026-01-31', '2026-02-01']);
    expect(range('2024')).toEqual(['2024-01-01', '2025-01-01']);
  });

  it.each(['', 'yesterday', '2026-13-01', '2026-06-16', '2026-06-15T13:00:00Z', '15.06.2026', '0', '2026-6-1'])(
    '%j is not a time',
    (written) => expect(parseClaimedChange(written, NOW)).toBeUndefined(),
  );

  it('is a time or nothing, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d\-:TZ+. ]{0,30}$/)), (written) => {
        const claim = parseClaimedChange(written, NOW);
        if (claim) expect(claim.to).toBeGreaterThanOrEqual(claim.from);
      }),
    );
  });

  it('contradicts an earlier visit; a date without a time does so only when the day is over', () => {
    const day = parseClaimedChange('2026-06-15', NOW)!;
    expect(contradictsVisit(day, at('2026-06-14T23:00:00Z'), NOW)).toBe(true);
    expect(contradictsVisit(day, at('2026-06-15T08:00:00Z'), NOW)).toBe(false);
    expect(contradictsVisit(day, at('2026-06-15T08:00:00Z'), at('2026-06-16T01:00:00Z'))).toBe(true);
    expect(contradictsVisit(day, at('2026-06-16T00:30:00Z'), at('2026-06-16T01:00:00Z'))).toBe(false);
  });
});

describe('the credibility of a source of claimed changes', () => {
  const credibility = (outcomes: readonly boolean[]) => outcomes.reduce(updateCredibility, UNTRIED);

  it('is lost after ten false claims, and returns with true ones', () => {
    const lied = Array.from({ length: 10 }, () => false);
    expect(isBelieved(credibility(lied.slice(0, 5)))).toBe(true);
    expect(isBelieved(credibility(lied))).toBe(false);
    expect(isBelieved(credibility([...lied, true, true]))).toBe(true);
  });

  it.each([1, 30, 1_000])('is lost after ten false claims in a row though %i claims before were true', (times) => {
    const honest = Array.from({ length: times }, () => true);
    const lies = (count: number) => Array.from({ length: count }, () => false);
    expect(isBelieved(credibility([...honest, ...lies(10)]))).toBe(false);
    expect(isBelieved(credibility([...honest, true, ...lies(8), true, ...lies(8)]))).toBe(true);
    expect(isBelieved(credibility([...honest, ...lies(500), true]))).toBe(false);
    expect(isBelieved(credibility([...honest, ...lies(10), true]))).toBe(true);
  });

  it('forgets old claims', () => {
    const many = Array.from({ length: 1_000 }, () => true);
    expect(computeTruthProbability(credibility([...many, ...Array.from({ length: 100 }, () => false)]))).toBeLessThan(
      0.5,
    );
  });

  it('brings a visit forward: to now, to some time before its own, or not at all', () => {
    const due = instant(NOW + 1_000);
    expect(computeClaimedVisitTime(due, UNTRIED, NOW)).toBe(NOW);
    expect(computeClaimedVisitTime(due, { confirmed: 1, refuted: 6 }, NOW)).toBeGreaterThan(NOW);
    expect(computeClaimedVisitTime(due, { confirmed: 1, refuted: 6 }, NOW)).toBeLessThan(due);
    expect(computeClaimedVisitTime(instant(NOW - 5), UNTRIED, NOW)).toBe(NOW);
  });

  it('justifies an immediate visit to a page that changes rarely, not to one that will have changed again by its next visit', () => {
    expect(isWorthVisitingNow(days(30), hours(1), hours(12))).toBe(true);
    expect(isWorthVisitingNow(days(1), hours(1), hours(4))).toBe(true);
    expect(isWorthVisitingNow(hours(2), hours(12), days(2))).toBe(false);
    expect(isWorthVisitingNow(days(30), hours(0), hours(12))).toBe(true);
  });
});

describe('a claim', () => {
  it('is true with the probability of Laplace, and is believed from one in ten on', () => {
    expect(computeTruthProbability(UNTRIED)).toBe(1 / 2);
    expect(computeTruthProbability({ confirmed: 3, refuted: 1 })).toBe(4 / 6);
    expect(isBelieved({ confirmed: 0, refuted: 8 })).toBe(true);
    expect(isBelieved({ confirmed: 0, refuted: 9 })).toBe(false);
  });

  it('counts less once a hundred others were checked', () => {
    const confirm = (count: number) => {
      let credibility = UNTRIED;
      for (let i = 0; i < count; i++) credibility = updateCredibility(credibility, true);
      return credibility;
    };
    expect(confirm(100)).toEqual({ confirmed: 100, refuted: 0 });
    expect(confirm(101)).toEqual({ confirmed: 50.5, refuted: 0 });
    const refuted = updateCredibility({ confirmed: 60, refuted: 40 }, false);
    expect(refuted).toEqual({ confirmed: 30, refuted: 20.5, refutedInARow: 1 });
  });

  it('brings a visit forward by as much as it is believed', () => {
    const due = instant(NOW + hours(10));
    const visit = (confirmed: number, refuted: number) =>
      computeClaimedVisitTime(due, { confirmed, refuted }, NOW) - NOW;
    expect(visit(0, 0)).toBe(0);
    expect(visit(0, 2)).toBe(hours(5));
    expect(visit(5, 0)).toBe(0);
    expect(computeClaimedVisitTime(instant(NOW - hours(1)), { confirmed: 0, refuted: 8 }, NOW)).toBe(NOW);
  });

  /** The expected harmonic number of a Poisson variable with mean x, summed by its definition. */
  function meanHarmonic(x: number): number {
    let [probability, harmonic, mean] = [Math.exp(-x), 0, 0];
    for (let n = 1; n < 400; n++) {
      probability *= x / n;
      harmonic += 1 / n;
      mean += probability * harmonic;
    }
    return mean;
  }

  it.each([0.5, 1, 3, 10, 19, 25, 60])(
    'is worth a visit if its copy costs twice the average of the planned interval: %s changes',
    (changes) => {
      const interval = days(1);
      const worth = (age: number) => isWorthVisitingNow(interval, days(age), days(changes));
      const staleness = (age: number) => meanHarmonic(age) / (1 - Math.exp(-age));
      for (const age of [0.01, 0.2, 0.7, 1, 2, 5, 9, 15, 30, 90, 200])
        expect(worth(age), `${age}`).toBe(staleness(age) >= 2 * meanHarmonic(changes));
      expect(worth(0)).toBe(2 * meanHarmonic(changes) <= 1);
    },
  );
});
