/**
 * Answers, on any node, for the whole cluster: each node knows only what it does itself, so it asks the others that
 * crawl. A single node asks nobody.
 */

import type { RobotsOpinion } from '../../domain/explain/facts.js';
import { SOURCES } from '../../domain/frontier/sources.js';
import { type CrawlUrl, getHostKey, toCrawlUrl } from '../../domain/url/crawl-url.js';
import { toPendingEntry } from '../control/explanations.js';
import type { HostNote, HostNotes } from '../control/host-notes.js';
import type { UrlInMemory } from '../control/url-facts.js';
import type { Crawler } from '../crawl/crawler.js';
import type { EngineMetrics } from '../crawl/engine-metrics.js';
import type { RefusedView } from '../crawl/frontier/refused-view.js';
import type { RobotsGate } from '../crawl/hosts/robots-gate.js';
import { describeLimit } from '../crawl/limited-by.js';
import type { RenderedVisits, RenderPatternView } from '../crawl/visit/rendered-visits.js';
import { type CrawlerWork, mergeWork } from '../crawl/work.js';
import type { Delivery } from '../delivery/delivery.js';
import type { SinkView } from '../delivery/sink-view.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, LedgerEntry } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';
import type { Partitions } from '../ports/partitions.js';
import type { CrawlerView } from '../views/crawler-views.js';
import { sumMetrics } from './sum-metrics.js';

type Question =
  | { readonly about: 'work' | 'sinks' | 'counters' | 'pending' }
  | { readonly about: 'refused'; readonly crawler: string }
  | { readonly about: 'url'; readonly crawler: string; readonly url: string }
  | { readonly about: 'host' | 'rendering'; readonly hostKey: string }
  | { readonly about: 'robots'; readonly url: string; readonly agent: string }
  | { readonly about: 'hosts'; readonly crawler: string; readonly after?: string; readonly limit: number };

export type Counters = Pick<EngineMetrics, 'pages' | 'orders'>;

/**
 * Maximum number of entries (reason and host) of refused links that one node reports to another, most frequent first.
 */
const REFUSED_TOLD = 500;
const SAMPLES = 5;

interface WholeServices {
  readonly store: FrontierStore;
  readonly nodes: Nodes;
  readonly delivery: Delivery;
  readonly partitions: Partitions;
  readonly clock: Clock;
  readonly robots: RobotsGate;
  readonly rendered: RenderedVisits;
  readonly notes: HostNotes;
  crawlers(): Crawler[];
}

export class ClusterView {
  constructor(private readonly services: WholeServices) {}

  /** One view for each crawler, in the same order. */
  async viewCrawlers(crawlers: readonly Crawler[]): Promise<CrawlerView[]> {
    const { answers, complete } = await this.askOthers<CrawlerWork[]>({ about: 'work' });
    const works = answers.flatMap(({ said }) => said);
    return Promise.all(
      crawlers.map((crawler) => {
        const others = works.filter(({ name }) => name === crawler.name);
        return this.viewCrawler(crawler, mergeWork(crawler.getWork(), others), complete);
      }),
    );
  }

  async viewSinks(): Promise<SinkView[]> {
    const { answers } = await this.askOthers<SinkView[]>({ about: 'sinks' });
    const elsewhere = answers.flatMap(({ said }) => said);
    return this.services.delivery
      .listViews()
      .map((own) => [own, ...elsewhere.filter(({ name }) => name === own.name)].reduce(mergeSinkViews));
  }

  async listRefusedLinks(crawler: Crawler): Promise<RefusedView[]> {
    const { answers } = await this.askOthers<RefusedView[]>({ about: 'refused', crawler: crawler.name });
    const byKey = new Map<string, RefusedView>();
    for (const view of [...crawler.refused.list(), ...answers.flatMap(({ said }) => said)]) {
      const key = `${view.reason} ${view.hostKey}`;
      const known = byKey.get(key);
      byKey.set(key, known ? mergeRefusedViews(known, view) : view);
    }
    return [...byKey.values()].sort((a, b) => b.count - a.count);
  }

  /** Orders, on any node, that have been decided but not yet answered by a sink. */
  async listPendingOrders(): Promise<LedgerEntry[]> {
    const { answers } = await this.askOthers<LedgerEntry[]>({ about: 'pending' });
    return [...this.listOwnPendingOrders(), ...answers.flatMap(({ said }) => said)];
  }

  async findUrlInMemory(crawler: string, url: string): Promise<UrlInMemory> {
    const { answers } = await this.askOthers<UrlInMemory>({ about: 'url', crawler, url });
    const all = [this.findUrlInOwnMemory(crawler, url), ...answers.map(({ said }) => said)];
    return {
      pending: all.flatMap(({ pending }) => pending),
      refusedLinks: all.flatMap(({ refusedLinks }) => refusedLinks),
    };
  }

  /** By node, since the start of its process; '' stands for this node. */
  async getCounters(): Promise<ReadonlyMap<string, Counters>> {
    const { answers } = await this.askOthers<Counters>({ about: 'counters' });
    return new Map([['', this.getOwnCounters()], ...answers.map(({ from, said }) => [from, said] as const)]);
  }

  /** What the node that owns the host knows about it, if that is another node. */
  async getHostNote(hostKey: string): Promise<HostNote | undefined> {
    const { answers } = await this.askOthers<HostNote[]>({ about: 'host', hostKey });
    return answers.flatMap(({ said }) => said)[0];
  }

  /** What the node that owns the host has learned about its pages, if that is another node. */
  async viewRendering(hostKey: string): Promise<readonly RenderPatternView[]> {
    const { answers } = await this.askOthers<RenderPatternView[]>({ about: 'rendering', hostKey });
    return answers.flatMap(({ said }) => said);
  }

  async listHostNotes(
    crawler: string,
    after: string | undefined,
    limit: number,
  ): Promise<ReadonlyMap<string, HostNote>> {
    const { answers } = await this.askOthers<HostNote[]>({ about: 'hosts', crawler, after, limit });
    return new Map(answers.flatMap(({ said }) => said).map((note) => [note.hostKey, note]));
  }

  /** What robots.txt says about a URL, as known by the node that crawls its host. */
  async getRobotsOpinion(url: CrawlUrl, agent: string): Promise<RobotsOpinion> {
    const { partitions, robots } = this.services;
    if (partitions.owns(getHostKey(url))) return robots.getOpinion(url, agent);
    const { answers } = await this.askOthers<RobotsOpinion[]>({ about: 'robots', url: url.href, agent });
    return answers.flatMap(({ said }) => said)[0] ?? { state: 'unknown', agent };
  }

  /** Answers a question that another node asked. */
  async answerQuestion(text: string): Promise<string> {
    return JSON.stringify(await this.answerLocally(JSON.parse(text) as Question));
  }

  private async answerLocally(question: Question): Promise<unknown> {
    const { crawlers, delivery, notes, partitions, rendered, robots, store } = this.services;
    switch (question.about) {
      case 'work':
        return crawlers().map((crawler) => crawler.getWork());
      case 'sinks':
        return delivery.listViews();
      case 'counters':
        return this.getOwnCounters();
      case 'pending':
        return this.listOwnPendingOrders();
      case 'refused':
        return crawlers()
          .filter(({ name }) => name === question.crawler)
          .flatMap((crawler) => crawler.refused.list().slice(0, REFUSED_TOLD));
      case 'url':
        return this.findUrlInOwnMemory(question.crawler, question.url);
      case 'host':
        return partitions.owns(question.hostKey) ? [notes.get(question.hostKey)] : [];
      case 'rendering':
        return partitions.owns(question.hostKey) ? rendered.listPatterns(question.hostKey) : [];
      case 'robots': {
        const url = toCrawlUrl(question.url);
        return partitions.owns(getHostKey(url)) ? [robots.getOpinion(url, question.agent)] : [];
      }
      case 'hosts': {
        const rows = await store.listHosts(question.crawler, question.after, question.limit);
        return rows.filter(({ hostKey }) => partitions.owns(hostKey)).map(({ hostKey }) => notes.get(hostKey));
      }
    }
  }

  private async askOthers<T>(question: Question): Promise<{ answers: { from: string; said: T }[]; complete: boolean }> {
    const { answers, complete } = await this.services.nodes.ask(JSON.stringify(question));
    return { answers: answers.map(({ from, text }) => ({ from, said: JSON.parse(text) as T })), complete };
  }

  private async viewCrawler(crawler: Crawler, work: CrawlerWork, complete: boolean): Promise<CrawlerView> {
    const { store, partitions, clock } = this.services;
    const counts = await store.countByStatus(crawler.name);
    const { weights } = crawler.context.definition;
    // If another node does the work, it may not yet know what has become due.
    const nothingDue = !partitions.shared || (counts.oldestDueAt ?? Number.POSITIVE_INFINITY) > clock.now();
    const { name, load, picks, hasHosts: _, ...rest } = work;
    return {
      ...rest,
      name,
      state: crawler.state,
      counts,
      sources: SOURCES.map((source, number) => ({
        name: source,
        number,
        weight: weights[source],
        depth: counts.bySource[number] ?? 0,
        picks: picks[number]!,
      })),
      limitedBy: await describeLimit(load, async () => ({
        failing: counts.byStatus.error,
        deletions: await this.countKeptDeletions(crawler.name),
      })),
      nextRequestAt: load.waiting.nextRequestAt,
      idle: work.idle && complete && nothingDue,
    };
  }

  private async countKeptDeletions(crawler: string): Promise<number> {
    const { store } = this.services;
    return (
      (await store.countOrders({ crawler, state: 'held' })) + (await store.countOrders({ crawler, state: 'awaiting' }))
    );
  }

  private getOwnCounters(): Counters {
    const { pages, orders } = sumMetrics(this.services.crawlers(), 0);
    return { pages, orders };
  }

  private findUrlInOwnMemory(name: string, url: string): UrlInMemory {
    const orders = this.services.delivery
      .listPending()
      .filter(({ order }) => order.uri === url && order.crawler === name);
    const crawler = this.services.crawlers().find((one) => one.name === name);
    return { pending: orders.map(toPendingEntry), refusedLinks: crawler?.refused.findSamples(url) ?? [] };
  }

  private listOwnPendingOrders(): LedgerEntry[] {
    return this.services.delivery.listPending().map(toPendingEntry);
  }
}

function mergeSinkViews(one: SinkView, other: SinkView): SinkView {
  const ill = [one, other].find(({ state }) => state === 'unavailable') ?? one;
  return {
    ...ill,
    pending: one.pending + other.pending,
    pendingBytes: one.pendingBytes + other.pendingBytes,
    acknowledged: one.acknowledged + other.acknowledged,
    refused: one.refused + other.refused,
    lastRefusal: one.lastRefusal ?? other.lastRefusal,
    warning: one.warning ?? other.warning,
  };
}

function mergeRefusedViews(one: RefusedView, other: RefusedView): RefusedView {
  const samples = new Map([...one.samples, ...other.samples].map((sample) => [sample.url, sample]));
  return { ...one, count: one.count + other.count, samples: [...samples.values()].slice(0, SAMPLES) };
}
