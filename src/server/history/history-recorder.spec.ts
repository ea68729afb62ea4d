import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { instant, seconds } from '../../domain/time/units.js';
import { CrawlTotals, readHistory, writeHistory } from './history-recorder.js';

const POINT = {
  at: instant(1),
  length: seconds(15),
  pages: 1,
  errors: 0,
  orders: 1,
  indexed: 1,
  errorsByCode: {},
  byStatus: { indexed: 1 },
};
const TRACKS = { hour: [POINT], day: [POINT], week: [POINT, POINT], quarter: [POINT] };

it('the history is read as it was written', async () => {
  const path = join(temporaryDirectory(), 'data', 'history.json');
  await writeHistory(path, { docs: TRACKS });
  expect(await readHistory(path)).toEqual({ docs: TRACKS });
});

it.each([
  '',
  '{',
  '[]',
  'null',
  '{"version":3,"crawlers":{"docs":{"hour":[],"day":[],"week":[],"quarter":[]}}}',
  '{"version":2,"crawlers":{"docs":{"hour":[],"day":[],"week":[]}}}',
  '{"version":2,"crawlers":{"docs":null}}',
  '{"version":2}',
  '{"version":2,"crawlers":{"docs":{"hour":[],"day":[],"week":[{"at":"x"}],"quarter":[]}}}',
])('a damaged history is started anew: %s', async (text) => {
  const path = join(temporaryDirectory(), 'history.json');
  writeFileSync(path, text);
  expect(await readHistory(path)).toEqual({});
});

it('a missing history is empty', async () => {
  expect(await readHistory(join(temporaryDirectory(), 'none.json'))).toEqual({});
});

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
