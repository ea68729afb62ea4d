/**
 * What each crawler did in the last hour (a point every 15 seconds) and in the last week (a point an hour), in bounded space.
 * It is made from the engine's counters: each point tells what was counted since the reading before it.
 */
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import { between, type Duration, hours, type Instant, seconds } from '../../domain/time/units.js';
import type { CrawlerView, EngineMetrics } from '../../engine/engine-api.js';

export const READ_EVERY: Duration = seconds(15);
const HOUR: Duration = hours(1);
const POINTS = { hour: HOUR / READ_EVERY, week: 7 * 24 };

export type Range = keyof typeof POINTS;

export interface HistoryPoint {
  /** End of the time that the point speaks of. */
  readonly at: Instant;
  readonly length: Duration;
  readonly pages: number;
  readonly errors: number;
  readonly orders: number;
  /** Documents in the index at the end. */
  readonly indexed: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
}

export interface Reading {
  readonly at: Instant;
  readonly metrics: Pick<EngineMetrics, 'pages' | 'orders'>;
  readonly crawlers: readonly Pick<CrawlerView, 'name' | 'counts'>[];
}

interface Totals {
  readonly at: Instant;
  readonly pages: number;
  readonly orders: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
}

type Tracks = Record<Range, HistoryPoint[]>;

export class RateHistory {
  private readonly tracks = new Map<string, Tracks>();
  private readonly totals = new Map<string, Totals>();

  /** @param startedAt when the engine's counters were zero. */
  constructor(private readonly startedAt: Instant) {}

  points(crawler: string, range: Range): readonly HistoryPoint[] {
    return this.tracks.get(crawler)?.[range] ?? [];
  }

  add(reading: Reading): void {
    const present = new Set(reading.crawlers.map(({ name }) => name));
    for (const name of this.tracks.keys()) if (!present.has(name)) this.tracks.delete(name);
    for (const { name, counts } of reading.crawlers) {
      const totals = totalsOf(name, reading);
      const before = this.totals.get(name) ?? { at: this.startedAt, pages: 0, orders: 0, errorsByCode: {} };
      this.totals.set(name, totals);
      if (totals.at > before.at) this.append(name, pointBetween(before, totals, counts.indexed));
    }
  }

  /** The hours, which outlive the process. */
  kept(): Readonly<Record<string, readonly HistoryPoint[]>> {
    return Object.fromEntries([...this.tracks].map(([name, { week }]) => [name, week]));
  }

  restore(kept: Readonly<Record<string, readonly HistoryPoint[]>>): void {
    for (const [name, week] of Object.entries(kept))
      this.tracks.set(name, { hour: [], week: week.slice(-POINTS.week) });
  }

  private append(name: string, point: HistoryPoint): void {
    const tracks = this.tracks.get(name) ?? { hour: [], week: [] };
    this.tracks.set(name, tracks);
    tracks.hour.push(point);
    const open = tracks.week.at(-1);
    if (open && hourOf(open) === hourOf(point)) tracks.week[tracks.week.length - 1] = sum(open, point);
    else tracks.week.push(point);
    for (const range of ['hour', 'week'] as const) tracks[range].splice(0, tracks[range].length - POINTS[range]);
  }
}

const hourOf = ({ at }: HistoryPoint): number => Math.floor(at / HOUR);

function totalsOf(crawler: string, { at, metrics }: Reading): Totals {
  const visits = metrics.pages.filter((one) => one.crawler === crawler);
  const failed = visits.filter(({ outcome }) => outcome in ERROR_CODES);
  const acknowledged = metrics.orders.filter((one) => one.crawler === crawler && one.state === 'acknowledged');
  return {
    at,
    pages: total(visits),
    orders: total(acknowledged),
    errorsByCode: Object.fromEntries(failed.map(({ outcome, count }) => [outcome, count])),
  };
}

const total = (rows: readonly { readonly count: number }[]): number => rows.reduce((sum, { count }) => sum + count, 0);

function pointBetween(before: Totals, after: Totals, indexed: number): HistoryPoint {
  const grown = Object.entries(after.errorsByCode).flatMap(([code, count]) => {
    const more = count - (before.errorsByCode[code] ?? 0);
    return more > 0 ? [[code, more] as const] : [];
  });
  return {
    at: after.at,
    length: between(before.at, after.at),
    pages: after.pages - before.pages,
    orders: after.orders - before.orders,
    errors: grown.reduce((sum, [, more]) => sum + more, 0),
    errorsByCode: Object.fromEntries(grown),
    indexed,
  };
}

function sum(open: HistoryPoint, point: HistoryPoint): HistoryPoint {
  const codes = new Set([...Object.keys(open.errorsByCode), ...Object.keys(point.errorsByCode)]);
  return {
    at: point.at,
    length: (open.length + point.length) as Duration,
    pages: open.pages + point.pages,
    orders: open.orders + point.orders,
    errors: open.errors + point.errors,
    errorsByCode: Object.fromEntries(
      [...codes].map((code) => [code, (open.errorsByCode[code] ?? 0) + (point.errorsByCode[code] ?? 0)]),
    ),
    indexed: point.indexed,
  };
}
