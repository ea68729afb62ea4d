/**
 * Crawlers that the configuration no longer names while URLs of them are stored: one was renamed or removed. Nothing
 * happens to their documents until a person decides what becomes of them.
 */
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import { createFormerCrawler, type DocumentDecision } from '../../domain/crawl/former-crawler.js';
import { type Instant, seconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import { type CrawlContext, compileContexts } from '../page/crawl-context.js';
import type { Ports } from '../ports/ports.js';
import { createUnknownNameError, Unacceptable } from '../support/api-errors.js';
import { retryUntilDone } from '../support/persistently.js';
import type { FormerCrawlerView } from '../views/crawler-views.js';
import { DESTINATIONS_PREFIX } from './backfills.js';
import { Handover, type HandoverServices } from './handover.js';
import type { Maintenance } from './maintenance.js';

const PREFIX = 'former-crawler/';
const RETRY_DELAY = seconds(1);

interface FormerServices extends Pick<Ports, 'log' | 'partitions'>, HandoverServices {
  readonly crawlers: Crawlers;
  readonly maintenance: Pick<Maintenance, 'clear' | 'resume'>;
  readonly createCrawler: (context: CrawlContext) => Crawler;
}

/** What is stored about a former crawler. */
interface FormerRecord {
  readonly since: Instant;
  readonly decision?: DocumentDecision;
}

export class FormerCrawlers {
  private readonly runs = new Map<string, AbortController>();

  private readonly handover: Handover;

  constructor(private readonly services: FormerServices) {
    this.handover = new Handover(services);
  }

  /** To be called when a configuration has come into force: finds the crawlers that it does not name. */
  async update(definition: ServerDefinition): Promise<void> {
    const { store, crawlers, partitions } = this.services;
    const configured = new Set(definition.crawlers.map(({ name }) => name));
    for (const [setting, text] of await store.listSettings(DESTINATIONS_PREFIX)) {
      const name = setting.slice(DESTINATIONS_PREFIX.length);
      if (configured.has(name)) await this.forget(name);
      else if ((await this.countUrls(name)).urls > 0) await this.admit(name, Object.keys(JSON.parse(text)), definition);
      else {
        crawlers.removeFormer(name);
        if (!partitions.isLeader) continue;
        await this.forget(name);
        await store.putSetting(setting, undefined);
      }
    }
  }

  async list(): Promise<FormerCrawlerView[]> {
    const views: FormerCrawlerView[] = [];
    for (const [setting, text] of await this.services.store.listSettings(PREFIX)) {
      const name = setting.slice(PREFIX.length);
      const former = this.services.crawlers.findFormer(name);
      const counts = await this.countUrls(name);
      if (former && counts.urls > 0)
        views.push({ name, ...counts, sinks: former.context.definition.pushTo, ...(JSON.parse(text) as FormerRecord) });
    }
    return views;
  }

  /**
   * Decides what becomes of the documents of a former crawler. They are deleted or handed over in the background, also
   * after a restart; documents that are kept can be deleted or handed over later.
   * @throws NotFound, Unacceptable
   */
  async decide(name: string, decision: DocumentDecision): Promise<FormerCrawlerView> {
    const view = (await this.list()).find((candidate) => candidate.name === name);
    if (!view) throw createUnknownNameError('former crawler', name, []);
    if (decision.documents === 'hand-over') await this.requireRecipient(name, view.sinks, decision.to);
    this.stop(name);
    await this.save(name, { since: view.since, decision });
    this.carryOut(name, decision);
    await this.services.nodes.notifyControlChanged();
    return { ...view, decision };
  }

  /**
   * Checks a decision about a crawler that is still in the configuration. A new crawler may receive its documents.
   * @throws NotFound, Unacceptable
   */
  async requirePossible(name: string, decision: DocumentDecision, newName?: string): Promise<void> {
    const { pushTo } = this.services.crawlers.get(name).context.definition;
    if (decision.documents !== 'hand-over') return;
    if (decision.to === newName) await this.requireNothingHeld(name);
    else if (decision.to === name) throw new Unacceptable(`${name} cannot receive its own documents`);
    else await this.requireRecipient(name, pushTo, decision.to);
  }

  /** Ends the work in progress, which continues after the next start. */
  stopAll(): void {
    for (const name of this.runs.keys()) this.stop(name);
  }

  private async requireRecipient(name: string, sinks: readonly string[], to: string): Promise<void> {
    const { pushTo } = this.services.crawlers.get(to).context.definition;
    if (pushTo.length !== sinks.length || !pushTo.every((sink) => sinks.includes(sink)))
      throw new Unacceptable(
        `the crawler ${to} pushes to ${pushTo.join(', ')}, but the documents of ${name} are in ${sinks.join(', ') || 'no sink of this configuration'}: they can be deleted or kept`,
      );
    await this.requireNothingHeld(name);
  }

  private async requireNothingHeld(crawler: string): Promise<void> {
    const { store } = this.services;
    const held =
      (await store.countOrders({ crawler, state: 'held' })) + (await store.countOrders({ crawler, state: 'awaiting' }));
    if (held > 0)
      throw new Unacceptable(
        `${held} changes of ${crawler} are held: release or drop them before its documents are handed over`,
      );
  }

  private async admit(name: string, sinks: readonly string[], definition: ServerDefinition): Promise<void> {
    const { crawlers, createCrawler, partitions, maintenance, log } = this.services;
    const pushTo = sinks.filter((sink) => definition.sinks.some((configured) => configured.name === sink));
    const crawler = createFormerCrawler(name, definition.fetchers[0]!.name, pushTo);
    const context = compileContexts({ ...definition, crawlers: [crawler] }).get(name)!;
    const existing = crawlers.findFormer(name);
    if (existing) existing.configure(context);
    else crawlers.addFormer(createCrawler(context));
    if (!partitions.isLeader) return;
    const record = await this.read(name);
    if (!record) {
      await this.save(name, { since: this.services.clock.now() });
      const facts = { crawler: name, ...(await this.countUrls(name)), sinks: pushTo };
      log.warn(
        'a crawler is no longer in the configuration; its documents stay in the index until you decide what becomes of them: crawlway crawler remove NAME --documents delete, keep or hand-over=OTHER',
        facts,
      );
    } else if (record.decision) this.carryOut(name, record.decision);
    else await maintenance.resume(crawlers.getStored(name));
  }

  private carryOut(name: string, decision: DocumentDecision): void {
    const { crawlers, clock, log } = this.services;
    if (decision.documents === 'keep' || this.runs.has(name)) return;
    const recipient = decision.documents === 'hand-over' ? decision.to : undefined;
    const controller = new AbortController();
    const { signal } = controller;
    this.runs.set(name, controller);
    const work = async (): Promise<void> => {
      const former = crawlers.findFormer(name);
      // What was being visited when the crawler left the configuration is settled first.
      while (former && former.visitsInFlight > 0 && !signal.aborted) await clock.sleep(RETRY_DELAY, signal);
      if (!former || signal.aborted) return;
      if (recipient === undefined) await this.services.maintenance.clear(name, {});
      else await this.handover.run(former, crawlers.get(recipient), signal);
    };
    const task = recipient === undefined ? 'deleting' : 'handing over';
    retryUntilDone(`${task} the documents of ${name}`, work, this.services, signal)
      .catch((error: unknown) =>
        log.error(`${task} the documents of a former crawler failed and will continue after a restart`, {
          crawler: name,
          error: String(error),
        }),
      )
      .finally(() => {
        if (this.runs.get(name) === controller) this.runs.delete(name);
      });
  }

  private stop(name: string): void {
    this.runs.get(name)?.abort();
    this.runs.delete(name);
  }

  private async forget(name: string): Promise<void> {
    this.stop(name);
    if (this.services.partitions.isLeader && (await this.read(name)))
      await this.services.store.putSetting(PREFIX + name, undefined);
  }

  private async read(name: string): Promise<FormerRecord | undefined> {
    const text = await this.services.store.getSetting(PREFIX + name);
    return text === undefined ? undefined : (JSON.parse(text) as FormerRecord);
  }

  private save(name: string, record: FormerRecord): Promise<void> {
    return this.services.store.putSetting(PREFIX + name, JSON.stringify(record));
  }

  private async countUrls(name: string): Promise<{ readonly urls: number; readonly indexed: number }> {
    const { byStatus, indexed } = await this.services.store.countByStatus(name);
    return { urls: Object.values(byStatus).reduce((sum, count) => sum + count, 0), indexed };
  }
}
