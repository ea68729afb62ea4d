/**
 * Sends everything that is indexed to a sink that was added to a crawler, in the background and in the order of the
 * store: copied from another sink if one can return documents, otherwise fetched by unconditional visits. Progress is
 * stored, so a backfill continues after a restart.
 */
import { createHash } from 'node:crypto';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import { type BackfillProgress, canRestoreItself, createBackfill, parseBackfill } from '../../domain/push/backfill.js';
import { getSinkOptions, SINK_TYPES } from '../../domain/push/sink-types.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { Ports } from '../ports/ports.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import { retryUntilDone } from '../support/persistently.js';
import { type BackfillView } from '../views/delivery-views.js';
import { BackfillRun, REFUSED_PAGES, type RunServices } from './backfill-run.js';

interface BackfillServices extends Pick<Ports, 'partitions' | 'nodes'>, RunServices {
  readonly crawlers: Pick<Crawlers, 'list'>;
}

const PROGRESS_PREFIX = 'backfill/';
/** For each crawler that has run, the setting with this prefix says where its documents are. */
export const DESTINATIONS_PREFIX = 'destinations/';
const getProgressSettingName = (crawler: string, sink: string): string => `${PROGRESS_PREFIX}${crawler}/${sink}`;

export class Backfills {
  private readonly runs = new Map<string, AbortController>();

  constructor(private readonly services: BackfillServices) {}

  /** Begins a backfill for each sink that is new to the crawler, and resumes unfinished ones. */
  async startOrResume(crawler: Crawler): Promise<void> {
    const { store, partitions } = this.services;
    if (!partitions.isLeader) return;
    const setting = DESTINATIONS_PREFIX + crawler.name;
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
    const pushingCrawlers = this.services.crawlers
      .list()
      .filter(({ context }) => context.definition.pushTo.includes(sink));
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

  /** To be called when what the sink writes to no longer holds what was sent to it. */
  async refill(sink: string): Promise<void> {
    for (const crawler of this.services.crawlers.list()) {
      if (!crawler.context.definition.pushTo.includes(sink)) continue;
      await this.start(crawler, sink, 'replaced');
      await this.resume(crawler, sink);
    }
  }

  async list(): Promise<BackfillView[]> {
    const settings = await this.services.store.listSettings(PROGRESS_PREFIX);
    return [...settings].map(([setting, text]) => {
      const [crawler = '', sink = ''] = setting.slice(PROGRESS_PREFIX.length).split('/');
      const { cursor: _cursor, pass: _pass, waiting, postponed, ...progress } = parseBackfill(text);
      return { crawler, sink, ...progress, waitingVisits: waiting.length + postponed.length };
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
    const indexedCount = await store.count({ crawler: crawler.name, indexed: true });
    const refusedCount = reason === 'access' ? 0 : await store.count({ ...REFUSED_PAGES, crawler: crawler.name });
    const total = indexedCount + refusedCount;
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

/**
 * Computes a digest of a sink's destination. It leaves out whatever may change while the destination stays the same:
 * credentials, limits, certificates, and a file's folder, which may be moved with all its files.
 */
export function digestDestination({ type, url, options }: SinkDefinition): string {
  if (SINK_TYPES[type].address === 'file') return computeDigest([type, url.slice(url.lastIndexOf('/') + 1)]);
  const parsedUrl = URL.parse(url);
  if (parsedUrl) parsedUrl.username = parsedUrl.password = '';
  const table = getSinkOptions(type);
  const values = Object.entries(options).filter(([name]) => table[name]?.destination);
  return computeDigest([type, parsedUrl?.href ?? url, Object.fromEntries(values.sort())]);
}

const computeDigest = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex');
