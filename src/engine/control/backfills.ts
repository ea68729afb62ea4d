/**
 * Sends everything that is indexed to a sink that was added to a crawler, in the background and in the order of the
 * store: copied from another sink if one can return documents, otherwise fetched by unconditional visits. Progress is
 * stored, so a backfill continues after a restart.
 */

import { createHash } from 'node:crypto';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import {
  type BackfillProgress,
  canRestoreItself,
  chooseBackfillSource,
  createBackfill,
  parseBackfill,
} from '../../domain/push/backfill.js';
import { SINK_TYPES } from '../../domain/push/sink-types.js';
import type { Secret } from '../../domain/secret.js';
import { after, before, minutes, seconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import { UNKNOWN_STAMP } from '../crawl/outcome/in-doubt-deliveries.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, UrlFilter } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';
import type { Nodes } from '../ports/nodes.js';
import type { Partitions } from '../ports/partitions.js';
import { SinkUnavailable } from '../ports/sink.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import { IdSet } from '../support/id-set.js';
import { retryUntilDone } from '../support/persistently.js';
import { type BackfillView } from '../views/delivery-views.js';

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

interface BackfillServices {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly partitions: Partitions;
  readonly nodes: Nodes;
  crawlers(): readonly Crawler[];
  findSink(name: string): SinkDefinition | undefined;
}

const PROGRESS_PREFIX = 'backfill/';
const getProgressSettingName = (crawler: string, sink: string): string => `${PROGRESS_PREFIX}${crawler}/${sink}`;

export class Backfills {
  private readonly runs = new Map<string, AbortController>();

  constructor(private readonly services: BackfillServices) {}

  /** Begins a backfill for each sink that is new to the crawler, and resumes unfinished ones. */
  async startOrResume(crawler: Crawler): Promise<void> {
    const { store, partitions } = this.services;
    if (!partitions.isLeader) return;
    const setting = `destinations/${crawler.name}`;
    const text = await store.getSetting(setting);
    const current = this.digestDestinations(crawler);
    if (text !== undefined) {
      const previous = JSON.parse(text) as Readonly<Record<string, string>>;
      for (const sink of Object.keys(current))
        if (previous[sink] !== current[sink]) await this.start(crawler, sink, 'added');
      for (const sink of Object.keys(previous)) if (current[sink] === undefined) await this.drop(crawler.name, sink);
    }
    if (text !== JSON.stringify(current)) await store.putSetting(setting, JSON.stringify(current));
    for (const sink of crawler.context.definition.pushTo) await this.resume(crawler, sink);
  }

  /**
   * Sends everything to the sink again, on request.
   * @throws NotFound, Unacceptable
   */
  async pushAgain(sink: string, crawlerName?: string): Promise<BackfillView[]> {
    if (!this.services.findSink(sink)) throw new NotFound(`there is no sink ${JSON.stringify(sink)}`);
    const pushingCrawlers = this.services.crawlers().filter(({ context }) => context.definition.pushTo.includes(sink));
    const crawlers =
      crawlerName === undefined ? pushingCrawlers : pushingCrawlers.filter(({ name }) => name === crawlerName);
    if (crawlers.length === 0)
      throw new Unacceptable(
        crawlerName === undefined
          ? `no crawler pushes to the sink ${sink}`
          : `the crawler ${crawlerName} does not push to the sink ${sink}`,
      );
    for (const crawler of crawlers) {
      await this.start(crawler, sink, 'asked');
      if (this.services.partitions.isLeader) await this.resume(crawler, sink);
    }
    await this.services.nodes.notifyControlChanged();
    return (await this.list()).filter(
      (view) => view.sink === sink && crawlers.some(({ name }) => name === view.crawler),
    );
  }

  /**
   * To be called when the rules that decide who may see the documents have changed: documents that the sinks can return
   * are sent back to them with updated principals. Resolves to false if a sink cannot return them or is still being
   * filled; then every page has to be visited.
   */
  async sendChangedAccess(crawler: Crawler): Promise<boolean> {
    const sinks = crawler.context.definition.pushTo.flatMap((name) => this.services.findSink(name) ?? []);
    const texts = sinks.map(({ name }) => this.services.store.getSetting(getProgressSettingName(crawler.name, name)));
    const isFilled = (text: string | undefined): boolean => {
      const progress = text === undefined ? undefined : parseBackfill(text);
      return progress === undefined || progress.state === 'done' || progress.why === 'access';
    };
    if (!sinks.every(canRestoreItself) || !(await Promise.all(texts)).every(isFilled)) return false;
    for (const { name } of sinks) await this.start(crawler, name, 'access');
    return true;
  }

  async list(): Promise<BackfillView[]> {
    const settings = await this.services.store.listSettings(PROGRESS_PREFIX);
    return [...settings].map(([setting, text]) => {
      const [crawler = '', sink = ''] = setting.slice(PROGRESS_PREFIX.length).split('/');
      const { cursor: _cursor, pass: _pass, waiting, ...progress } = parseBackfill(text);
      return { crawler, sink, ...progress, waitingVisits: waiting.length };
    });
  }

  stop(crawler: string): void {
    for (const [key, run] of this.runs) if (key.startsWith(`${PROGRESS_PREFIX}${crawler}/`)) run.abort();
  }

  stopAll(): void {
    for (const run of this.runs.values()) run.abort();
  }

  private async start(crawler: Crawler, sink: string, reason: BackfillProgress['why']): Promise<void> {
    const { store, clock } = this.services;
    const setting = getProgressSettingName(crawler.name, sink);
    this.runs.get(setting)?.abort();
    this.runs.delete(setting);
    const total = await store.count({ crawler: crawler.name, indexed: true });
    if (total === 0 && reason !== 'asked') return;
    await store.putSetting(setting, JSON.stringify(createBackfill(reason, total, clock.now())));
  }

  private async drop(crawler: string, sink: string): Promise<void> {
    const setting = getProgressSettingName(crawler, sink);
    this.runs.get(setting)?.abort();
    this.runs.delete(setting);
    await this.services.store.putSetting(setting, undefined);
  }

  private async resume(crawler: Crawler, sink: string): Promise<void> {
    const setting = getProgressSettingName(crawler.name, sink);
    if (this.runs.get(setting)?.signal.aborted === false) return;
    const text = await this.services.store.getSetting(setting);
    if (text === undefined || parseBackfill(text).state === 'done') return;
    const controller = new AbortController();
    this.runs.set(setting, controller);
    const run = new BackfillRun(this.services, { crawler, sink, setting, signal: controller.signal });
    const name = `sending the indexed documents of ${crawler.name} to ${sink}`;
    retryUntilDone(name, () => run.execute(), this.services, controller.signal)
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        this.services.log.error(`${name} failed and will continue after a restart`, { error: String(error) });
      })
      .finally(() => {
        if (this.runs.get(setting) === controller) this.runs.delete(setting);
      });
  }

  /**
   * Computes a digest of each sink's destination. If the destination changes under the same name, the sink has to be
   * filled again.
   */
  private digestDestinations(crawler: Crawler): Record<string, string> {
    return Object.fromEntries(
      crawler.context.definition.pushTo.flatMap((name) => {
        const sink = this.services.findSink(name);
        return sink ? [[name, digestDestination(sink)]] : [];
      }),
    );
  }
}

/** One running backfill. */
class BackfillRun {
  private progress!: BackfillProgress;
  /** URLs handled since this process started. */
  private readonly seenIds = new IdSet();

  constructor(
    private readonly services: BackfillServices,
    private readonly job: { crawler: Crawler; sink: string; setting: string; signal: AbortSignal },
  ) {}

  async execute(): Promise<void> {
    const { crawler, sink, setting, signal } = this.job;
    const { store, log, clock } = this.services;
    const text = await store.getSetting(setting);
    if (text === undefined) return;
    this.progress = parseBackfill(text);
    const { total } = this.progress;
    const from = this.chooseSource();
    log.info('sending everything that is indexed to a sink', {
      crawler: crawler.name,
      sink,
      total,
      from: from ?? 'visits',
    });
    await this.save({ from });
    if (this.progress.pass === 'all') {
      await this.sendMatching({ crawler: crawler.name, indexed: true });
      if (signal.aborted) return;
      await this.save({ pass: 'recent', cursor: 0 });
    }
    const { startedAt } = this.progress;
    const timeRange = { visitedSince: before(startedAt, OVERLAP), visitedBefore: after(startedAt, OVERLAP) };
    await this.sendMatching({ crawler: crawler.name, indexed: true, ...timeRange });
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
      await this.sendBatch(isRecent ? states.filter(({ id }) => !this.seenIds.has(id)) : states);
      if (signal.aborted) return;
      await this.recordSent(states);
      await this.waitForVisits(MAX_WAITING);
    }
  }

  /** Retries as often as necessary; waits while the source is down. */
  private async sendBatch(states: readonly UrlState[]): Promise<void> {
    const { signal } = this.job;
    while (!signal.aborted) {
      try {
        await Promise.all(states.map((state) => this.send(state)));
        if (this.progress.message !== undefined) await this.save({ message: undefined });
        return;
      } catch (error) {
        if (!(error instanceof SinkUnavailable)) throw error;
        await this.save({ message: error.message });
        await this.services.clock.sleep(RETRY_DELAY, signal);
      }
    }
  }

  private async send(state: UrlState): Promise<void> {
    const { crawler, sink, signal } = this.job;
    const { from } = this.progress;
    // A URL in flight may still be delivered under a configuration that does not know the sink.
    while (!signal.aborted && !(await crawler.decide(state, { do: 'send-to', sink, from })))
      await this.services.clock.sleep(POLL_INTERVAL, signal);
  }

  private async recordSent(states: readonly UrlState[]): Promise<void> {
    const visitCounts = new Map(states.map(({ id, visits }) => [id, visits]));
    const currentStates = await this.services.store.get(states.map(({ id }) => id));
    const visitedStates = currentStates.filter(
      ({ id, stamp, visits }) => stamp === UNKNOWN_STAMP || visits !== visitCounts.get(id),
    );
    const waitingIds = visitedStates.filter((state) => this.isWaiting(state)).map(({ id }) => id);
    const { done, sent, pass } = this.progress;
    if (pass === 'all') for (const { id } of states) this.seenIds.add(id);
    const counts = pass === 'all' && {
      done: done + states.length,
      sent: sent + currentStates.length - visitedStates.length,
    };
    await this.save({ ...counts, cursor: states.at(-1)!.id, waiting: [...this.progress.waiting, ...waitingIds] });
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

  private isWaiting({ stamp, dueAt }: UrlState): boolean {
    return stamp === UNKNOWN_STAMP && dueAt <= this.services.clock.now();
  }

  private async save(changes: Partial<BackfillProgress>): Promise<void> {
    this.progress = { ...this.progress, ...changes };
    if (!this.job.signal.aborted) await this.services.store.putSetting(this.job.setting, JSON.stringify(this.progress));
  }
}

/**
 * Computes a digest of a sink's destination. It leaves out whatever may change while the destination stays the same:
 * credentials, limits, certificates, and a file's folder, which may be moved with all its files.
 */
function digestDestination({ type, url, options }: SinkDefinition): string {
  if (SINK_TYPES[type].address === 'file') return computeDigest([type, url.slice(url.lastIndexOf('/') + 1)]);
  const parsedUrl = URL.parse(url);
  if (parsedUrl) parsedUrl.username = parsedUrl.password = '';
  const { index, table, connector, topic }: Partial<Record<string, string | Secret>> = { ...options };
  return computeDigest([type, parsedUrl?.href ?? url, index, table, connector, topic]);
}

const computeDigest = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex');
