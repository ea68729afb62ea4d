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
