import { expect, it } from 'vitest';
import { CrawlTotals } from './crawl-totals.js';

const counters = (documents: number) => ({
  pages: [{ crawler: 'docs', outcome: 'document', count: documents }],
  orders: [{ crawler: 'docs', kind: 'add', state: 'acknowledged', count: documents }],
});

it('totals of servers that join, leave and restart never decrease', () => {
  const totals = new CrawlTotals();
  const of = (servers: Record<string, number>): number => {
    const { pages, orders } = totals.add(
      new Map(Object.entries(servers).map(([name, count]) => [name, counters(count)])),
    );
    expect(orders[0]!.count).toBe(pages[0]!.count);
    return pages[0]!.count;
  };
  expect(of({ '': 3, old: 1_000 })).toBe(3);
  expect(of({ '': 4, old: 1_010 })).toBe(14);
  expect(of({ '': 5 })).toBe(15);
  expect(of({ '': 5, fresh: 0 })).toBe(15);
  expect(of({ '': 6, fresh: 7, old: 1_012 })).toBe(25);
});
