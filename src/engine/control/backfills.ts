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
const PAGE = 100;
/**
 * The visits have low priority: they never overtake a regular refresh that was due earlier, and they delay only a few
 * that become due later.
 */
const MOST_WAITING = 100;
const LOOK_AGAIN = seconds(1);
/**
 * Visits that make no progress for this long (their hosts are resting, the crawler is paused) do not hold up the
 * others.
 */
const PATIENCE = minutes(10);
const RETRY = seconds(10);
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

const PROGRESS = 'backfill/';
const progressSettingName = (crawler: string, sink: string): string => `${PROGRESS}${crawler}/${sink}`;

export class Backfills {
  private readonly runs = new Map<string, AbortController>();

  constructor(private readonly services: BackfillServices) {}

  /** Begins a backfill for each sink that is new to the crawler, and resumes unfinished ones. */
  async startOrResume(crawler: Crawler): Promise<void> {
    const { store, partitions } = this.services;
    if (!partitions.leads) return;
    const setting = `destinations/${crawler.name}`;
    const text = await store.getSetting(setting);
    const present = this.digestDestinations(crawler);
    if (text !== undefined) {
      const known = JSON.parse(text) as Readonly<Record<string, string>>;
      for (const sink of Object.keys(present))
        if (known[sink] !== present[sink]) await this.start(crawler, sink, 'added');
      for (const sink of Object.keys(known)) if (present[sink] === undefined) await this.drop(crawler.name, sink);
    }
    if (text !== JSON.stringify(present)) await store.putSetting(setting, JSON.stringify(present));
    for (const sink of crawler.context.definition.pushTo) await this.resume(crawler, sink);
  }

  /**
   * Sends everything to the sink again, on request.
   * @throws NotFound, Unacceptable
   */
  async pushAgain(sink: string, crawlerName?: string): Promise<BackfillView[]> {
    if (!this.services.findSink(sink)) throw new NotFound(`there is no sink ${JSON.stringify(sink)}`);
    const all = this.services.crawlers().filter(({ context }) => context.definition.pushTo.includes(sink));
    const crawlers = crawlerName === undefined ? all : all.filter(({ name }) => name === crawlerName);
    if (crawlers.length === 0)
      throw new Unacceptable(
        `no crawler ${crawlerName === undefined ? '' : `${crawlerName} `}pushes to the sink ${sink}`,
      );
    for (const crawler of crawlers) {
      await this.start(crawler, sink, 'asked');
      if (this.services.partitions.leads) await this.resume(crawler, sink);
    }
    await this.services.nodes.notifyControlChanged();
    return (await this.list()).filter(
      (view) => view.sink === sink && crawlers.some(({ name }) => name === view.crawler),
    );
  }

  /**
   * To be called when the rules that decide who may see the documents have changed: documents that the sinks can return
   * are sent back to them with updated principals. False if a sink cannot return them or is still being filled; then
   * every page has to be visited.
   */
  async sendChangedAccess(crawler: Crawler): Promise<boolean> {
    const sinks = crawler.context.definition.pushTo.flatMap((name) => this.services.findSink(name) ?? []);
    const texts = sinks.map(({ name }) => this.services.store.getSetting(progressSettingName(crawler.name, name)));
    const isFilled = (text: string | undefined): boolean => {
      const progress = text === undefined ? undefined : parseBackfill(text);
      return progress === undefined || progress.state === 'done' || progress.why === 'access';
    };
    if (!sinks.every(canRestoreItself) || !(await Promise.all(texts)).every(isFilled)) return false;
    for (const { name } of sinks) await this.start(crawler, name, 'access');
    return true;
  }

  async list(): Promise<BackfillView[]> {
    const settings = await this.services.store.listSettings(PROGRESS);
    return [...settings].map(([setting, text]) => {
      const [crawler = '', sink = ''] = setting.slice(PROGRESS.length).split('/');
      const { cursor: _cursor, pass: _pass, waiting, ...progress } = parseBackfill(text);
      return { crawler, sink, ...progress, waitingVisits: waiting.length };
    });
  }

  stop(crawler: string): void {
    for (const [key, run] of this.runs) if (key.startsWith(`${PROGRESS}${crawler}/`)) run.abort();
  }

  stopAll(): void {
    for (const run of this.runs.values()) run.abort();
  }

  private async start(crawler: Crawler, sink: string, why: BackfillProgress['why']): Promise<void> {
    const { store, clock } = this.services;
    const setting = progressSettingName(crawler.name, sink);
    this.runs.get(setting)?.abort();
    this.runs.delete(setting);
    const total = await store.count({ crawler: crawler.name, indexed: true });
    if (total === 0 && why !== 'asked') return;
    await store.putSetting(setting, JSON.stringify(createBackfill(why, total, clock.now())));
  }

  private async drop(crawler: string, sink: string): Promise<void> {
    const setting = progressSettingName(crawler, sink);
    this.runs.get(setting)?.abort();
    this.runs.delete(setting);
    await this.services.store.putSetting(setting, undefined);
  }

  private async resume(crawler: Crawler, sink: string): Promise<void> {
    const setting = progressSettingName(crawler.name, sink);
    if (this.runs.get(setting)?.signal.aborted === false) return;
    const text = await this.services.store.getSetting(setting);
    if (text === undefined || parseBackfill(text).state === 'done') return;
    const stop = new AbortController();
    this.runs.set(setting, stop);
    const run = new BackfillRun(this.services, { crawler, sink, setting, signal: stop.signal });
    const name = `sending what ${crawler.name} has indexed to ${sink}`;
    retryUntilDone(name, () => run.execute(), this.services, stop.signal)
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        this.services.log.error(`${name} failed; it will continue after a restart`, { error: String(error) });
      })
      .finally(() => {
        if (this.runs.get(setting) === stop) this.runs.delete(setting);
      });
  }

  /**
   * A digest of each sink's destination. If the destination changes under the same name, the sink has to be filled
   * again.
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
  private readonly seen = new IdSet();

  constructor(
    private readonly services: BackfillServices,
    private readonly run: { crawler: Crawler; sink: string; setting: string; signal: AbortSignal },
  ) {}

  async execute(): Promise<void> {
    const { crawler, sink, setting, signal } = this.run;
    const { store, log, clock } = this.services;
    const text = await store.getSetting(setting);
    if (text === undefined) return;
    this.progress = parseBackfill(text);
    const { total } = this.progress;
    const from = this.chooseSource();
    log.info('a sink is being sent everything that is indexed', {
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
    const time = { visitedSince: before(startedAt, OVERLAP), visitedBefore: after(startedAt, OVERLAP) };
    await this.sendMatching({ crawler: crawler.name, indexed: true, ...time });
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
    const { crawler, sink } = this.run;
    if (this.progress.why === 'access') return sink;
    const target = this.services.findSink(sink);
    const others = crawler.context.definition.pushTo.flatMap((name) => this.services.findSink(name) ?? []);
    return target && chooseBackfillSource(target, others)?.name;
  }

  private async sendMatching(filter: UrlFilter): Promise<void> {
    const { signal } = this.run;
    while (!signal.aborted) {
      const states = await this.services.store.list(filter, this.progress.cursor, PAGE);
      if (states.length === 0) return;
      const isRecent = this.progress.pass === 'recent';
      await this.sendPage(isRecent ? states.filter(({ id }) => !this.seen.has(id)) : states);
      if (signal.aborted) return;
      await this.recordSent(states);
      await this.waitForVisits(MOST_WAITING);
    }
  }

  /** Retries as often as necessary; waits while the source is down. */
  private async sendPage(states: readonly UrlState[]): Promise<void> {
    const { signal } = this.run;
    while (!signal.aborted) {
      try {
        await Promise.all(states.map((state) => this.send(state)));
        if (this.progress.message !== undefined) await this.save({ message: undefined });
        return;
      } catch (error) {
        if (!(error instanceof SinkUnavailable)) throw error;
        await this.save({ message: error.message });
        await this.services.clock.sleep(RETRY, signal);
      }
    }
  }

  private async send(state: UrlState): Promise<void> {
    const { crawler, sink, signal } = this.run;
    const { from } = this.progress;
    // A URL in flight may still be delivered under a configuration that does not know the sink.
    while (!signal.aborted && !(await crawler.decide(state, { do: 'send-to', sink, from })))
      await this.services.clock.sleep(LOOK_AGAIN, signal);
  }

  private async recordSent(states: readonly UrlState[]): Promise<void> {
    const before = new Map(states.map(({ id, visits }) => [id, visits]));
    const after = await this.services.store.get(states.map(({ id }) => id));
    const visited = after.filter(({ id, stamp, visits }) => stamp === UNKNOWN_STAMP || visits !== before.get(id));
    const waiting = visited.filter((state) => this.isWaiting(state)).map(({ id }) => id);
    const { done, sent, pass } = this.progress;
    if (pass === 'all') for (const { id } of states) this.seen.add(id);
    const counts = pass === 'all' && { done: done + states.length, sent: sent + after.length - visited.length };
    await this.save({ ...counts, cursor: states.at(-1)!.id, waiting: [...this.progress.waiting, ...waiting] });
  }

  /** Waits until at most this many visits are waiting. */
  private async waitForVisits(most: number): Promise<void> {
    const { clock } = this.services;
    const { signal } = this.run;
    let patientUntil = after(clock.now(), PATIENCE);
    while (!signal.aborted && this.progress.waiting.length > most && clock.now() < patientUntil) {
      const waiting = await this.filterWaiting(this.progress.waiting);
      if (waiting.length < this.progress.waiting.length) {
        patientUntil = after(clock.now(), PATIENCE);
        await this.save({ waiting });
      } else await clock.sleep(LOOK_AGAIN, signal);
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
    if (!this.run.signal.aborted) await this.services.store.putSetting(this.run.setting, JSON.stringify(this.progress));
  }
}

/**
 * Leaves out whatever may change while the destination stays the same: credentials, limits, certificates, and a file's
 * folder, which may be moved with all its files.
 */
function digestDestination({ type, url, options }: SinkDefinition): string {
  if (SINK_TYPES[type].address === 'file') return computeDigest([type, url.slice(url.lastIndexOf('/') + 1)]);
  const address = URL.parse(url);
  if (address) address.username = address.password = '';
  const { index, table, connector, topic }: Partial<Record<string, string | Secret>> = { ...options };
  return computeDigest([type, address?.href ?? url, index, table, connector, topic]);
}

const computeDigest = (place: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(place)).digest('hex');
