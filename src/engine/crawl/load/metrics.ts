import type { HoldCause } from '../../../domain/crawl/change-guard.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { RenderReport } from '../../../domain/render/report.js';
import { type Duration, milliseconds } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { QuotaView } from './quotas.js';

/** Counters since the start of the process, for Prometheus. */
export interface EngineMetrics {
  readonly pages: readonly { readonly crawler: string; readonly outcome: string; readonly count: number }[];
  /** Only for crawlers that render. */
  readonly rendering: readonly {
    readonly crawler: string;
    /** Numbers of pages by outcome: `rendered` or a `render-…` code. */
    readonly pages: Readonly<Record<string, number>>;
    readonly seconds: number;
    /** Requests by rendered pages that were not carried out, by reason. */
    readonly refused: Readonly<Record<string, number>>;
  }[];
  /** Numbers of pages that have no content without their scripts. */
  readonly needRendering: readonly { readonly crawler: string; readonly count: number }[];
  /** Numbers of pages whose main content has less than half of their text outside links. */
  readonly mostlyCut: readonly { readonly crawler: string; readonly count: number }[];
  /** Numbers of documents whose text could not be extracted, by reason code. */
  readonly unread: readonly { readonly crawler: string; readonly reason: Reason; readonly count: number }[];
  readonly bytes: readonly { readonly crawler: string; readonly count: number }[];
  readonly links: readonly { readonly crawler: string; readonly discovered: number; readonly refused: number }[];
  readonly orders: readonly {
    readonly crawler: string;
    readonly kind: string;
    readonly state: string;
    readonly count: number;
  }[];
  /** Mean over the crawler's latest refresh visits; no entry before the first. */
  readonly visitPrices: readonly { readonly crawler: string; readonly price: Duration }[];
  readonly fetchSeconds: {
    readonly sum: number;
    readonly count: number;
    readonly buckets: readonly (readonly [le: number, count: number])[];
  };
  /** Everything that is withheld, changes included. */
  readonly heldDeletions: number;
  readonly heldChanges: readonly { readonly cause: HoldCause; readonly count: number }[];
  readonly quotas: readonly QuotaView[];
  /** Size of the database. */
  readonly databaseBytes: number;
  /** Commands between nodes that were set aside after too many failures. */
  readonly commandsSetAside: number;
  readonly activeFetches: number;
  /** Number of visits that have begun and are not yet settled in the store. */
  readonly visitsInFlight: number;
}

export type CrawlerMetrics = Omit<
  EngineMetrics,
  'heldDeletions' | 'heldChanges' | 'quotas' | 'commandsSetAside' | 'databaseBytes'
>;

const SECONDS = 60;

/** Events per second over the last minute. */
export class Rate {
  private readonly counts = new Float64Array(SECONDS);
  private second = 0;
  private readonly startedAt: number;

  constructor(private readonly clock: Clock) {
    this.startedAt = clock.now();
    this.second = Math.floor(this.startedAt / 1000);
  }

  add(n = 1): void {
    this.advance();
    this.counts[this.second % SECONDS]! += n;
  }

  perSecond(): number {
    this.advance();
    const age = Math.max(1, Math.min(SECONDS, (this.clock.now() - this.startedAt) / 1000));
    return this.counts.reduce((sum, n) => sum + n, 0) / age;
  }

  private advance(): void {
    const now = Math.floor(this.clock.now() / 1000);
    const steps = Math.min(SECONDS, Math.max(0, now - this.second));
    for (let i = 1; i <= steps; i++) this.counts[(this.second + i) % SECONDS] = 0;
    if (steps > 0) this.second = now;
  }
}

/** Upper limits of the histogram's buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Number of refresh visits over which prices are averaged. */
const PRICE_WINDOW = 100;

/** Counters of one crawler since the start of the process. */
export class Tally {
  readonly pages: Rate;
  readonly errors: Rate;
  readonly orders: Rate;
  private readonly outcomes = new Map<string, number>();
  private readonly unread = new Map<Reason, number>();
  /** Numbers of pages sent to a browser for rendering, by outcome. */
  private readonly renderings = new Map<string, number>();
  private renderSeconds = 0;
  private readonly refusedRequests = new Map<string, number>();
  private readonly orderStates = new Map<string, number>();
  private readonly buckets = BUCKETS.map(() => 0);
  private fetchSum = 0;
  private fetchCount = 0;
  private visitPrice: Duration | undefined;
  visits = 0;
  bytes = 0;
  /** Number of pages that have no content without their scripts. */
  needRendering = 0;
  /** Number of pages whose main content has less than half of their text outside links. */
  mostlyCut = 0;
  discovered = 0;
  refused = 0;

  constructor(clock: Clock) {
    this.pages = new Rate(clock);
    this.errors = new Rate(clock);
    this.orders = new Rate(clock);
  }

  countVisit(outcome: string, failed: boolean, durationMs: number, bytes: number): void {
    this.visits++;
    this.pages.add();
    if (failed) this.errors.add();
    this.bytes += bytes;
    increment(this.outcomes, outcome);
    const seconds = durationMs / 1000;
    this.fetchSum += seconds;
    this.fetchCount++;
    for (let i = BUCKETS.length - 1; i >= 0 && seconds <= BUCKETS[i]!; i--) this.buckets[i]!++;
  }

  /** Counts a document whose text could not be extracted. */
  countUnread(reason: Reason): void {
    increment(this.unread, reason);
  }

  countRendering({ failure, refused, time }: RenderReport): void {
    increment(this.renderings, failure ?? 'rendered');
    this.renderSeconds += time / 1000;
    for (const [reason, count] of Object.entries(refused))
      this.refusedRequests.set(reason, (this.refusedRequests.get(reason) ?? 0) + count);
  }

  recordPrice(price: Duration): void {
    const previous = this.visitPrice ?? price;
    this.visitPrice = milliseconds(previous + (price - previous) / PRICE_WINDOW);
  }

  countOrder(kind: string, state: string): void {
    this.orders.add();
    increment(this.orderStates, `${kind} ${state}`);
  }

  getMetrics(crawler: string): Omit<CrawlerMetrics, 'activeFetches' | 'visitsInFlight'> {
    return {
      pages: [...this.outcomes].map(([outcome, count]) => ({ crawler, outcome, count })),
      unread: [...this.unread].map(([reason, count]) => ({ crawler, reason, count })),
      needRendering: [{ crawler, count: this.needRendering }],
      mostlyCut: [{ crawler, count: this.mostlyCut }],
      rendering:
        this.renderings.size === 0
          ? []
          : [
              {
                crawler,
                pages: Object.fromEntries(this.renderings),
                seconds: this.renderSeconds,
                refused: Object.fromEntries(this.refusedRequests),
              },
            ],
      bytes: [{ crawler, count: this.bytes }],
      links: [{ crawler, discovered: this.discovered, refused: this.refused }],
      orders: [...this.orderStates].map(([key, count]) => {
        const [kind, state] = key.split(' ') as [string, string];
        return { crawler, kind, state, count };
      }),
      visitPrices: this.visitPrice === undefined ? [] : [{ crawler, price: this.visitPrice }],
      fetchSeconds: {
        sum: this.fetchSum,
        count: this.fetchCount,
        buckets: BUCKETS.map((le, i) => [le, this.buckets[i]!] as const),
      },
    };
  }
}

function increment<K>(map: Map<K, number>, key: K): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

/** The counters of all crawlers: kept apart where they are counted per crawler, otherwise added up. */
export function mergeMetrics(all: readonly CrawlerMetrics[]): CrawlerMetrics {
  const fetchSeconds = all.map((metrics) => metrics.fetchSeconds);
  return {
    pages: all.flatMap((metrics) => metrics.pages),
    unread: all.flatMap((metrics) => metrics.unread),
    rendering: all.flatMap((metrics) => metrics.rendering),
    needRendering: all.flatMap((metrics) => metrics.needRendering),
    mostlyCut: all.flatMap((metrics) => metrics.mostlyCut),
    bytes: all.flatMap((metrics) => metrics.bytes),
    links: all.flatMap((metrics) => metrics.links),
    orders: all.flatMap((metrics) => metrics.orders),
    visitPrices: all.flatMap((metrics) => metrics.visitPrices),
    fetchSeconds: {
      sum: fetchSeconds.reduce((sum, histogram) => sum + histogram.sum, 0),
      count: fetchSeconds.reduce((sum, histogram) => sum + histogram.count, 0),
      buckets: (fetchSeconds[0]?.buckets ?? []).map(([le], i) => [
        le,
        fetchSeconds.reduce((sum, histogram) => sum + histogram.buckets[i]![1], 0),
      ]),
    },
    activeFetches: all.reduce((sum, metrics) => sum + metrics.activeFetches, 0),
    visitsInFlight: all.reduce((sum, metrics) => sum + metrics.visitsInFlight, 0),
  };
}
