import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { EngineApi } from '../../engine/engine-api.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import type { ServerOptions } from '../options.js';
import { CLOCK, ENGINE, LOG, OPTIONS } from '../tokens.js';
import { CrawlTotals } from './crawl-totals.js';
import { readHistory, writeHistory } from './history-file.js';
import { type HistoryPoint, type Range, RateHistory, READ_INTERVAL } from './rate-history.js';

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
