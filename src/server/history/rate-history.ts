/**
 * What each crawler did in the last hour, day, week and thirteen weeks, in bounded space: the longer the period, the
 * coarser its points. It is derived from the engine's counters: each point has what was counted since the previous
 * reading.
 */
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import { between, type Duration, hours, type Instant, minutes, seconds } from '../../domain/time/units.js';
import type { EngineMetrics } from '../../engine/crawl/engine-metrics.js';
import type { CrawlerCounts } from '../../engine/ports/frontier-store.js';
import type { CrawlerView } from '../../engine/views/crawler-views.js';

export const READ_EVERY: Duration = seconds(15);
const POINTS_OF_A_QUARTER = 13 * 7 * 4;

/** Interval that one point covers, and number of points that are kept. */
const TRACKS = {
  hour: { every: READ_EVERY, points: 240 },
  day: { every: minutes(5), points: 288 },
  week: { every: hours(1), points: 168 },
  quarter: { every: hours(6), points: POINTS_OF_A_QUARTER },
} as const;

export type Range = keyof typeof TRACKS;

export const RANGES = Object.keys(TRACKS) as readonly Range[];

export interface HistoryPoint {
  /** End of the interval that the point covers. */
  readonly at: Instant;
  readonly length: Duration;
  readonly pages: number;
  readonly errors: number;
  readonly orders: number;
  /** Documents in the index at the end of the interval. */
  readonly indexed: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
  /** Stored URLs by status at the end of the interval; statuses without URLs are left out. */
  readonly byStatus: Readonly<Record<string, number>>;
}

type Counts = Pick<CrawlerCounts, 'indexed' | 'byStatus'>;

export interface Reading {
  readonly at: Instant;
  readonly metrics: Pick<EngineMetrics, 'pages' | 'orders'>;
  readonly crawlers: readonly (Pick<CrawlerView, 'name'> & { readonly counts: Counts })[];
}

interface Totals {
  readonly at: Instant;
  readonly pages: number;
  readonly orders: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
}

export type Tracks = Readonly<Record<Range, readonly HistoryPoint[]>>;

type OpenTracks = Record<Range, HistoryPoint[]>;

export class RateHistory {
  private readonly tracks = new Map<string, OpenTracks>();
  private readonly totals = new Map<string, Totals>();

  /** @param startedAt when the engine's counters were zero. */
  constructor(private readonly startedAt: Instant) {}

  listPoints(crawler: string, range: Range): readonly HistoryPoint[] {
    return this.tracks.get(crawler)?.[range] ?? [];
  }

  add(reading: Reading): void {
    const present = new Set(reading.crawlers.map(({ name }) => name));
    for (const name of this.tracks.keys()) if (!present.has(name)) this.tracks.delete(name);
    for (const { name, counts } of reading.crawlers) {
      const totals = toTotals(name, reading);
      const before = this.totals.get(name) ?? { at: this.startedAt, pages: 0, orders: 0, errorsByCode: {} };
      this.totals.set(name, totals);
      if (totals.at > before.at) this.append(name, createPoint(before, totals, counts));
    }
  }

  /** The data that is kept across restarts. */
  toStored(): Readonly<Record<string, Tracks>> {
    return Object.fromEntries(this.tracks);
  }

  restore(kept: Readonly<Record<string, Tracks>>): void {
    for (const [name, tracks] of Object.entries(kept))
      this.tracks.set(
        name,
        createTracks((range) => tracks[range].slice(-TRACKS[range].points)),
      );
  }

  private append(name: string, point: HistoryPoint): void {
    const tracks = this.tracks.get(name) ?? createTracks(() => []);
    this.tracks.set(name, tracks);
    for (const range of RANGES) {
      const { every, points } = TRACKS[range];
      const track = tracks[range];
      const open = track.at(-1);
      const goesOn = range !== 'hour' && open && computePeriod(open, every) === computePeriod(point, every);
      if (goesOn) track[track.length - 1] = mergePoints(open, point);
      else track.push(point);
      track.splice(0, track.length - points);
    }
  }
}

const createTracks = (points: (range: Range) => HistoryPoint[]): OpenTracks =>
  Object.fromEntries(RANGES.map((range) => [range, points(range)])) as OpenTracks;

const computePeriod = ({ at }: HistoryPoint, every: Duration): number => Math.floor(at / every);

function toTotals(crawler: string, { at, metrics }: Reading): Totals {
  const visits = metrics.pages.filter((one) => one.crawler === crawler);
  const failed = visits.filter(({ outcome }) => outcome in ERROR_CODES);
  const acknowledged = metrics.orders.filter((one) => one.crawler === crawler && one.state === 'acknowledged');
  return {
    at,
    pages: sumCounts(visits),
    orders: sumCounts(acknowledged),
    errorsByCode: Object.fromEntries(failed.map(({ outcome, count }) => [outcome, count])),
  };
}

const sumCounts = (rows: readonly { readonly count: number }[]): number =>
  rows.reduce((sum, { count }) => sum + count, 0);

function createPoint(before: Totals, after: Totals, { indexed, byStatus }: Counts): HistoryPoint {
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
    byStatus: Object.fromEntries(Object.entries(byStatus).filter(([, urls]) => urls > 0)),
  };
}

function mergePoints(open: HistoryPoint, point: HistoryPoint): HistoryPoint {
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
    byStatus: point.byStatus,
  };
}
