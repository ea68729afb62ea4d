/** One running backfill; see backfills.ts. */
import { isRefused, ORDER_REFUSED } from '../../domain/crawl/commands.js';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import { UNKNOWN_STAMP, type UrlState } from '../../domain/crawl/url-state.js';
import { type BackfillProgress, chooseBackfillSource, parseBackfill } from '../../domain/push/backfill.js';
import { after, before, minutes, seconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { UrlFilter } from '../ports/frontier-store.js';
import type { Ports } from '../ports/ports.js';
import { SinkUnavailable } from '../ports/sink.js';
import { IdSet } from '../support/id-set.js';

/** Number of documents sent to the sink at the same time. */
const PAGE_SIZE = 100;
/**
 * Maximum number of visits that are due at once. They have low priority: they never overtake a regular refresh that was
 * due earlier, and they delay only a few that become due later.
 */
const MAX_WAITING = 100;
const POLL_INTERVAL = seconds(1);
/**
 * Visits that make no progress for this long (their hosts are resting, the crawler is paused) do not hold up the
 * others.
 */
const STALL_TIMEOUT = minutes(10);
const RETRY_DELAY = seconds(10);
/** A visit this shortly before or after the sink was added may have been delivered under the previous configuration. */
const OVERLAP = minutes(10);

export interface RunServices extends Pick<Ports, 'store' | 'clock' | 'log'> {
  findSink(name: string): SinkDefinition | undefined;
}

/** Pages whose document was refused and that no sink has. */
export const REFUSED_PAGES = { reason: ORDER_REFUSED, indexed: false } as const;

const mustBeVisited = (state: UrlState): boolean => state.stamp === UNKNOWN_STAMP || isRefused(state);

/** Another node has been asked to begin again, or has dropped the backfill. */
class Replaced extends Error {}

export class BackfillRun {
  private progress!: BackfillProgress;
  /** URLs handled since this process started. */
  private seenIds = new IdSet();

  constructor(
    private readonly services: RunServices,
    private readonly job: { crawler: Crawler; sink: string; setting: string; signal: AbortSignal },
  ) {}

  async execute(): Promise<void> {
    try {
      await this.sendAll();
    } catch (error) {
      if (!(error instanceof Replaced)) throw error;
      this.seenIds = new IdSet();
      await this.execute();
    }
  }

  private async sendAll(): Promise<void> {
    const { crawler, sink, setting, signal } = this.job;
    const { store, log, clock } = this.services;
    const text = await store.getSetting(setting);
    if (text === undefined) return;
    this.progress = parseBackfill(text);
    const { total } = this.progress;
    const from = this.chooseSource();
    log.info(`sending all ${total} indexed documents to sink ${sink}`, {
      crawler: crawler.name,
      sink,
      total,
      from: from ?? 'visits',
    });
    await this.save({ from });
    if (this.progress.pass === 'all') {
      await this.sendMatching({ crawler: crawler.name, indexed: true });
      if (signal.aborted) return;
      await this.save({ pass: 'refused', cursor: 0 });
    }
    if (this.progress.pass === 'refused') {
      if (this.progress.why !== 'access') await this.sendMatching({ ...REFUSED_PAGES, crawler: crawler.name });
      if (signal.aborted) return;
      await this.save({ pass: 'recent', cursor: 0 });
    }
    const { startedAt } = this.progress;
    const timeRange = { visitedSince: before(startedAt, OVERLAP), visitedBefore: after(startedAt, OVERLAP) };
    await this.sendMatching({ crawler: crawler.name, indexed: true, ...timeRange });
    await this.sendPostponed();
    await this.waitForVisits(0);
    if (signal.aborted) return;
    await this.save({ state: 'done', endedAt: clock.now(), waiting: [], message: undefined });
    log.info('a sink has received everything that is indexed', {
      crawler: crawler.name,
      sink,
      sent: this.progress.sent,
    });
  }

  private chooseSource(): string | undefined {
    const { crawler, sink } = this.job;
    if (this.progress.why === 'access') return sink;
    const target = this.services.findSink(sink);
    const crawlerSinks = crawler.context.definition.pushTo.flatMap((name) => this.services.findSink(name) ?? []);
    return target && chooseBackfillSource(target, crawlerSinks)?.name;
  }

  private async sendMatching(filter: UrlFilter): Promise<void> {
    const { signal } = this.job;
    while (!signal.aborted) {
      const states = await this.services.store.list(filter, this.progress.cursor, PAGE_SIZE);
      if (states.length === 0) return;
      const isRecent = this.progress.pass === 'recent';
      const inFlightIds = await this.sendBatch(isRecent ? states.filter(({ id }) => !this.seenIds.has(id)) : states);
      if (signal.aborted) return;
      await this.recordSent(states, inFlightIds);
      await this.waitForVisits(MAX_WAITING);
    }
  }

  /**
   * Sends what was in flight, once it no longer is: until then it may be delivered under a configuration that does not
   * know the sink. Its order may be waiting for another sink that is down.
   */
  private async sendPostponed(): Promise<void> {
    const { signal } = this.job;
    while (!signal.aborted && this.progress.postponed.length > 0) {
      const { postponed, waiting } = this.progress;
      const inFlightIds: number[] = [];
      for (let start = 0; start < postponed.length; start += PAGE_SIZE) {
        const states = await this.services.store.get(postponed.slice(start, start + PAGE_SIZE));
        inFlightIds.push(...(await this.sendBatch(states)));
      }
      const waitingIds = await this.filterWaiting([...waiting, ...postponed]);
      if (inFlightIds.length < postponed.length || waitingIds.length < waiting.length)
        await this.save({ postponed: inFlightIds, waiting: waitingIds });
      else await this.services.clock.sleep(POLL_INTERVAL, signal);
    }
  }

  /**
   * Retries as often as necessary; waits while the source is down. Returns the ids of URLs that are in flight, which
   * are not sent.
   */
  private async sendBatch(states: readonly UrlState[]): Promise<number[]> {
    const { signal, crawler, sink } = this.job;
    while (!signal.aborted) {
      try {
        const { from } = this.progress;
        const areDecided = await Promise.all(
          states.map((state) => crawler.decide(state, { do: 'send-to', sink, from })),
        );
        if (this.progress.message !== undefined) await this.save({ message: undefined });
        return states.flatMap(({ id }, index) => (areDecided[index] ? [] : [id]));
      } catch (error) {
        if (!(error instanceof SinkUnavailable)) throw error;
        await this.save({ message: error.message });
        await this.services.clock.sleep(RETRY_DELAY, signal);
      }
    }
    return [];
  }

  private async recordSent(states: readonly UrlState[], inFlightIds: readonly number[]): Promise<void> {
    const visitCounts = new Map(states.map(({ id, visits }) => [id, visits]));
    const currentStates = await this.services.store.get(states.map(({ id }) => id));
    const visitedStates = currentStates.filter(
      (state) => mustBeVisited(state) || state.visits !== visitCounts.get(state.id),
    );
    const waitingIds = visitedStates.filter((state) => this.isWaiting(state)).map(({ id }) => id);
    const { done, sent, pass, waiting, postponed } = this.progress;
    if (pass !== 'recent') for (const { id } of states) this.seenIds.add(id);
    const unsentIds = new Set([...visitedStates.map(({ id }) => id), ...inFlightIds]);
    const counts = pass !== 'recent' && {
      done: done + states.length,
      sent: sent + currentStates.filter(({ id }) => !unsentIds.has(id)).length,
    };
    await this.save({
      ...counts,
      cursor: states.at(-1)!.id,
      waiting: [...waiting, ...waitingIds],
      postponed: [...postponed, ...inFlightIds],
    });
  }

  /** Waits until at most this many visits are waiting. */
  private async waitForVisits(max: number): Promise<void> {
    const { clock } = this.services;
    const { signal } = this.job;
    let stallDeadline = after(clock.now(), STALL_TIMEOUT);
    while (!signal.aborted && this.progress.waiting.length > max && clock.now() < stallDeadline) {
      const waitingIds = await this.filterWaiting(this.progress.waiting);
      if (waitingIds.length < this.progress.waiting.length) {
        stallDeadline = after(clock.now(), STALL_TIMEOUT);
        await this.save({ waiting: waitingIds });
      } else await clock.sleep(POLL_INTERVAL, signal);
    }
  }

  private async filterWaiting(ids: readonly number[]): Promise<number[]> {
    const states = await this.services.store.get(ids);
    return states.filter((state) => this.isWaiting(state)).map(({ id }) => id);
  }

  private isWaiting(state: UrlState): boolean {
    return mustBeVisited(state) && state.dueAt <= this.services.clock.now();
  }

  private async save(changes: Partial<BackfillProgress>): Promise<void> {
    const { setting, signal } = this.job;
    const { store } = this.services;
    this.progress = { ...this.progress, ...changes };
    const stored = await store.getSetting(setting);
    if (signal.aborted) return;
    if (stored === undefined || parseBackfill(stored).startedAt !== this.progress.startedAt) throw new Replaced();
    await store.putSetting(setting, JSON.stringify(this.progress));
  }
}
