import { describe, expect, it } from 'vitest';
import { hours, instant, seconds } from '../../domain/time/units.js';
import { RateHistory, type Reading } from './rate-history.js';

const START = instant(Date.UTC(2026, 0, 1));

function reading(at: number, documents: number, missing: number, orders = 0): Reading {
  const byStatus = {
    waiting: 0,
    indexed: documents,
    error: missing,
  } as Reading['crawlers'][number]['counts']['byStatus'];
  const counts = { indexed: documents, byStatus };
  return {
    at: instant(START + at),
    crawlers: [{ name: 'docs', counts }],
    metrics: {
      pages: [
        { crawler: 'docs', outcome: 'document', count: documents },
        { crawler: 'docs', outcome: 'http-404', count: missing },
        { crawler: 'other', outcome: 'document', count: 1000 },
      ],
      orders: [
        { crawler: 'docs', kind: 'add', state: 'acknowledged', count: orders },
        { crawler: 'docs', kind: 'add', state: 'refused', count: 7 },
      ],
    },
  };
}

describe('the history of rates', () => {
  it('has what was counted since the previous reading', () => {
    const history = new RateHistory(START);
    history.add(reading(seconds(15), 10, 1, 4));
    history.add(reading(seconds(30), 25, 1, 14));
    expect(history.listPoints('docs', 'hour')).toMatchObject([
      {
        at: START + 15_000,
        length: 15_000,
        pages: 11,
        errors: 1,
        orders: 4,
        indexed: 10,
        errorsByCode: { 'http-404': 1 },
        byStatus: { indexed: 10, error: 1 },
      },
      { pages: 15, errors: 0, orders: 10, indexed: 25, errorsByCode: {} },
    ]);
  });

  it('sums the readings of an hour into one point of the week', () => {
    const history = new RateHistory(START);
    for (let n = 1; n <= 241; n++) history.add(reading(n * seconds(15), n, n));
    const [first, second] = history.listPoints('docs', 'week');
    expect(first).toMatchObject({ length: 239 * 15_000, pages: 478, errors: 239, indexed: 239 });
    expect(second).toMatchObject({ pages: 4, errorsByCode: { 'http-404': 2 } });
  });

  it('thins out old readings', () => {
    const history = new RateHistory(START);
    for (let n = 1; n <= 4 * 60 * 8; n++) history.add(reading(n * seconds(15), n, 0));
    const lengths = (range: 'day' | 'week' | 'quarter') => history.listPoints('docs', range).map(({ pages }) => pages);
    expect(lengths('day').slice(0, 3)).toEqual([19, 20, 20]);
    expect(lengths('week').slice(0, 3)).toEqual([239, 240, 240]);
    expect(lengths('quarter')).toEqual([6 * 240 - 1, 2 * 240 + 1]);
  });

  it('stays bounded, whatever the uptime', () => {
    const history = new RateHistory(START);
    for (let n = 1; n <= 2_400; n++) history.add(reading(n * hours(1), n, 0));
    const kept = history.toStored()['docs']!;
    expect(Object.values(kept).map(({ length }) => length)).toEqual([240, 288, 168, 364]);
  });

  it('forgets a crawler that was removed', () => {
    const history = new RateHistory(START);
    history.add(reading(seconds(15), 1, 0));
    history.add({ ...reading(seconds(30), 1, 0), crawlers: [] });
    expect(history.listPoints('docs', 'hour')).toEqual([]);
    expect(history.toStored()).toEqual({});
  });

  it('continues with the hours of an earlier process', () => {
    const before = new RateHistory(START);
    before.add(reading(seconds(15), 3, 0));
    const after = new RateHistory(instant(START + hours(2)));
    after.restore(before.toStored());
    after.add(reading(hours(2) + seconds(15), 5, 0));
    for (const range of ['hour', 'day', 'week'] as const)
      expect(after.listPoints('docs', range).map(({ pages }) => pages)).toEqual([3, 5]);
    expect(after.listPoints('docs', 'quarter').map(({ pages }) => pages)).toEqual([8]);
  });
});
