/**
 * What each crawler did in the last hour, day, week and thirteen weeks, in bounded space: the longer the period, the
 * coarser its points. It is derived from the engine's counters: each point has what was counted since the previous
 * reading.
 */
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import { between, type Duration, hours, type Instant, minutes, seconds } from '../../domain/time/units.js';
import type { EngineMetrics } from '../../engine/crawl/load/metrics.js';
import type { CrawlerCounts } from '../../engine/ports/frontier-store.js';
import type { CrawlerView } from '../../engine/views/crawler-views.js';

export const READ_INTERVAL: Duration = seconds(15);
const POINTS_PER_QUARTER = 13 * 7 * 4;

/** Interval that one point covers, and number of points that are kept. */
const TRACKS = {
  hour: { interval: READ_INTERVAL, maxPoints: 240 },
  day: { interval: minutes(5), maxPoints: 288 },
  week: { interval: hours(1), maxPoints: 168 },
  quarter: { interval: hours(6), maxPoints: POINTS_PER_QUARTER },
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
    const currentNames = new Set(reading.crawlers.map(({ name }) => name));
    for (const name of this.tracks.keys()) if (!currentNames.has(name)) this.tracks.delete(name);
    for (const { name, counts } of reading.crawlers) {
      const totals = toTotals(name, reading);
      const previousTotals = this.totals.get(name) ?? { at: this.startedAt, pages: 0, orders: 0, errorsByCode: {} };
      this.totals.set(name, totals);
      if (totals.at > previousTotals.at) this.append(name, createPoint(previousTotals, totals, counts));
    }
  }

  /** The data that is kept across restarts. */
  toStored(): Readonly<Record<string, Tracks>> {
    return Object.fromEntries(this.tracks);
  }

  restore(storedTracks: Readonly<Record<string, Tracks>>): void {
    for (const [name, tracks] of Object.entries(storedTracks))
      this.tracks.set(
        name,
        createTracks((range) => tracks[range].slice(-TRACKS[range].maxPoints)),
      );
  }

  private append(name: string, point: HistoryPoint): void {
    const tracks = this.tracks.get(name) ?? createTracks(() => []);
    this.tracks.set(name, tracks);
    for (const range of RANGES) {
      const { interval, maxPoints } = TRACKS[range];
      const track = tracks[range];
      const lastPoint = track.at(-1);
      const isSamePeriod =
        range !== 'hour' && lastPoint && computePeriod(lastPoint, interval) === computePeriod(point, interval);
      if (isSamePeriod) track[track.length - 1] = mergePoints(lastPoint, point);
      else track.push(point);
      track.splice(0, track.length - maxPoints);
    }
  }
}

const createTracks = (createTrack: (range: Range) => HistoryPoint[]): OpenTracks =>
  Object.fromEntries(RANGES.map((range) => [range, createTrack(range)])) as OpenTracks;

const computePeriod = ({ at }: HistoryPoint, interval: Duration): number => Math.floor(at / interval);

function toTotals(crawler: string, { at, metrics }: Reading): Totals {
  const visits = metrics.pages.filter((row) => row.crawler === crawler);
  const failedVisits = visits.filter(({ outcome }) => outcome in ERROR_CODES);
  const acknowledgedOrders = metrics.orders.filter((row) => row.crawler === crawler && row.state === 'acknowledged');
  return {
    at,
    pages: sumCounts(visits),
    orders: sumCounts(acknowledgedOrders),
    errorsByCode: Object.fromEntries(failedVisits.map(({ outcome, count }) => [outcome, count])),
  };
}

const sumCounts = (rows: readonly { readonly count: number }[]): number =>
  rows.reduce((sum, { count }) => sum + count, 0);

function createPoint(previousTotals: Totals, currentTotals: Totals, { indexed, byStatus }: Counts): HistoryPoint {
  const increases = Object.entries(currentTotals.errorsByCode).flatMap(([code, count]) => {
    const increase = count - (previousTotals.errorsByCode[code] ?? 0);
    return increase > 0 ? [[code, increase] as const] : [];
  });
  return {
    at: currentTotals.at,
    length: between(previousTotals.at, currentTotals.at),
    pages: currentTotals.pages - previousTotals.pages,
    orders: currentTotals.orders - previousTotals.orders,
    errors: increases.reduce((sum, [, increase]) => sum + increase, 0),
    errorsByCode: Object.fromEntries(increases),
    indexed,
    byStatus: Object.fromEntries(Object.entries(byStatus).filter(([, count]) => count > 0)),
  };
}

function mergePoints(lastPoint: HistoryPoint, point: HistoryPoint): HistoryPoint {
  const codes = new Set([...Object.keys(lastPoint.errorsByCode), ...Object.keys(point.errorsByCode)]);
  return {
    at: point.at,
    length: (lastPoint.length + point.length) as Duration,
    pages: lastPoint.pages + point.pages,
    orders: lastPoint.orders + point.orders,
    errors: lastPoint.errors + point.errors,
    errorsByCode: Object.fromEntries(
      [...codes].map((code) => [code, (lastPoint.errorsByCode[code] ?? 0) + (point.errorsByCode[code] ?? 0)]),
    ),
    indexed: point.indexed,
    byStatus: point.byStatus,
  };
}
