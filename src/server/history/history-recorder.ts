import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { EngineMetrics } from '../../engine/crawl/load/metrics.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import type { ServerOptions } from '../options.js';
import { CLOCK, ENGINE, LOG, OPTIONS } from '../tokens.js';
import { type HistoryPoint, RANGES, type Range, RateHistory, READ_INTERVAL, type Tracks } from './rate-history.js';

/** Number of readings between two writes of the file (five minutes). */
const READINGS_PER_WRITE = 20;

/** Reads the engine's counters every few seconds while the server is running. */
@Injectable()
export class HistoryRecorder implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly shutdown = new AbortController();
  private history: RateHistory | undefined;
  private recording: Promise<void> = Promise.resolve();

  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPTIONS) private readonly options: ServerOptions,
    @Inject(LOG) private readonly log: Log,
  ) {}

  listPoints(crawler: string, range: Range): readonly HistoryPoint[] {
    return this.history?.listPoints(crawler, range) ?? [];
  }

  async onApplicationBootstrap(): Promise<void> {
    this.history = new RateHistory(this.clock.now());
    this.history.restore(await readHistory(this.getFilePath()));
    this.recording = this.record(this.history);
  }

  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.recording;
  }

  private async record(history: RateHistory): Promise<void> {
    const totals = new CrawlTotals();
    for (let readingCount = 1; !this.shutdown.signal.aborted; readingCount++) {
      await this.clock.sleep(READ_INTERVAL, this.shutdown.signal);
      // Before the engine is open, there are no crawlers, and a reading without crawlers would drop all histories.
      if (!this.engine.isOpen) continue;
      try {
        const [counters, crawlers] = await Promise.all([this.engine.getCounters(), this.engine.listCrawlers()]);
        history.add({ at: this.clock.now(), metrics: totals.add(counters), crawlers });
        if (readingCount % READINGS_PER_WRITE === 0 || this.shutdown.signal.aborted)
          await writeHistory(this.getFilePath(), history.toStored());
      } catch (error) {
        this.log.warn('reading the counters failed, which leaves a gap in the rate history', { error });
      }
    }
  }

  private getFilePath(): string {
    return join(this.options.dataDirectory, 'history.json');
  }
}

type Counters = Pick<EngineMetrics, 'pages' | 'orders'>;
type Row = { readonly count: number };

/**
 * Merges the counters of all servers into totals that only grow, although servers come and go and each begins at zero.
 * A server that was already running is counted from when it is first seen; this server ('') from its start.
 */
export class CrawlTotals {
  private readonly pages = new GrowingTotals<Counters['pages'][number]>(
    ({ crawler, outcome }) => `${crawler} ${outcome}`,
  );
  private readonly orders = new GrowingTotals<Counters['orders'][number]>(
    ({ crawler, kind, state }) => `${crawler} ${kind} ${state}`,
  );

  add(counters: ReadonlyMap<string, Counters>): Counters {
    for (const [server, { pages, orders }] of counters) {
      this.pages.add(server, pages);
      this.orders.add(server, orders);
    }
    return { pages: this.pages.rows, orders: this.orders.rows };
  }
}

class GrowingTotals<T extends Row> {
  private readonly sums = new Map<string, T>();
  private readonly lastCounts = new Map<string, Map<string, number>>([['', new Map()]]);

  constructor(private readonly getKey: (row: T) => string) {}

  get rows(): T[] {
    return [...this.sums.values()];
  }

  add(server: string, rows: readonly T[]): void {
    const previousCounts = this.lastCounts.get(server);
    this.lastCounts.set(server, new Map(rows.map((row) => [this.getKey(row), row.count])));
    if (!previousCounts) return;
    for (const row of rows) {
      const key = this.getKey(row);
      const increase = row.count - (previousCounts.get(key) ?? 0);
      this.sums.set(key, { ...row, count: (this.sums.get(key)?.count ?? 0) + increase });
    }
  }
}

/**
 * Stores chart data in one small file in the data directory. Charts are a convenience of this server, not part of the
 * crawl's state, so a missing or damaged file is simply replaced by a new one.
 */
type StoredTracks = Readonly<Record<string, Tracks>>;

const VERSION = 2;
const MAX_BYTES = 50_000_000;

export async function readHistory(path: string): Promise<StoredTracks> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return {};
    const { version, crawlers } = JSON.parse(await readFile(path, 'utf8'));
    if (version !== VERSION) return {};
    return Object.fromEntries(Object.entries(crawlers as object).filter((entry) => areTracks(entry[1])));
  } catch {
    return {};
  }
}

export async function writeHistory(path: string, crawlers: StoredTracks): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify({ version: VERSION, crawlers }));
  await rename(`${path}.new`, path);
}

const areTracks = (tracks: Partial<Tracks> | null): tracks is Tracks =>
  tracks !== null && RANGES.every((range) => isTrack(tracks[range]));

const isTrack = (points: unknown): points is HistoryPoint[] => Array.isArray(points) && points.every(isPoint);

const isPoint = (point: Partial<HistoryPoint> | null): boolean =>
  [point?.at, point?.length, point?.pages, point?.errors, point?.orders, point?.indexed].every(Number.isFinite) &&
  [point?.errorsByCode, point?.byStatus].every((counts) => typeof counts === 'object' && counts !== null);
