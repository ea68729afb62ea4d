/**
 * Answers questions about the whole cluster on any node. Each node knows only its own work, so it asks the other
 * crawling nodes; a single node has none to ask.
 */
import type { RobotsOpinion } from '../../domain/explain/facts.js';
import { SOURCES } from '../../domain/frontier/sources.js';
import { seconds } from '../../domain/time/units.js';
import { type CrawlUrl, getHostKey, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { HostNote, HostNotes } from '../control/host-notes.js';
import type { UrlInMemory } from '../control/url-facts.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { RefusedView } from '../crawl/frontier/refused-links.js';
import type { RobotsGate } from '../crawl/hosts/robots-gate.js';
import { type CrawlerWork, mergeWork } from '../crawl/load/crawler-work.js';
import { findLimit } from '../crawl/load/limited-by.js';
import type { EngineMetrics } from '../crawl/load/metrics.js';
import { mergeMetrics } from '../crawl/load/metrics.js';
import type { Logins, LoginView } from '../crawl/logins/logins.js';
import { askOwner, createLoginCommand } from '../crawl/outcome/owner-commands.js';
import type { RenderedVisits, RenderPatternView } from '../crawl/visit/rendered-visits.js';
import type { Delivery, InFlightOrder } from '../delivery/delivery.js';
import type { SinkView } from '../delivery/sink-view.js';
import type { LedgerEntry } from '../ports/frontier-store.js';
import type { Ports } from '../ports/ports.js';
import type { CrawlerView } from '../views/crawler-views.js';

type Question =
  | { readonly about: 'work' | 'sinks' | 'counters' | 'pending' | 'logins' }
  | { readonly about: 'refused'; readonly crawler: string }
  | { readonly about: 'url'; readonly crawler: string; readonly url: string }
  | { readonly about: 'host' | 'rendering'; readonly hostKey: string }
  | { readonly about: 'robots'; readonly url: string; readonly agent: string }
  | { readonly about: 'hosts'; readonly crawler: string; readonly after?: string; readonly limit: number };

export type Counters = Pick<EngineMetrics, 'pages' | 'orders'>;

/**
 * Maximum number of entries (reason and host) of refused links that one node reports to another, most frequent first.
 */
const MAX_REPORTED_REFUSALS = 500;
const MAX_SAMPLES = 5;
/** A login in a browser may take 90 s, and a host with a long pause a little more. */
const LOGIN_TIMEOUT = seconds(120);

interface ClusterViewServices extends Pick<Ports, 'store' | 'nodes' | 'partitions' | 'clock'> {
  readonly delivery: Delivery;
  readonly robots: RobotsGate;
  readonly rendered: RenderedVisits;
  readonly logins: Pick<Logins, 'list' | 'listOwned' | 'getHostKey' | 'test'>;
  readonly notes: HostNotes;
  readonly crawlers: Pick<Crawlers, 'find' | 'list'>;
}

export class ClusterView {
  constructor(private readonly services: ClusterViewServices) {}

  /** One view for each crawler, in the same order. */
  async viewCrawlers(crawlers: readonly Crawler[]): Promise<CrawlerView[]> {
    const { answers, complete } = await this.askOthers<CrawlerWork[]>({ about: 'work' });
    const works = answers.flatMap(({ value }) => value);
    return Promise.all(
      crawlers.map((crawler) => {
        const others = works.filter(({ name }) => name === crawler.name);
        return this.viewCrawler(crawler, mergeWork(crawler.getWork(), others), complete);
      }),
    );
  }

  async viewSinks(): Promise<SinkView[]> {
    const { answers } = await this.askOthers<SinkView[]>({ about: 'sinks' });
    const remoteViews = answers.flatMap(({ value }) => value);
    return this.services.delivery
      .listViews()
      .map((ownView) => [ownView, ...remoteViews.filter(({ name }) => name === ownView.name)].reduce(mergeSinkViews));
  }

  /** Each login as the node that owns its host sees it. */
  async viewLogins(): Promise<LoginView[]> {
    const { logins } = this.services;
    const { answers } = await this.askOthers<LoginView[]>({ about: 'logins' });
    const known = [...logins.listOwned(), ...answers.flatMap(({ value }) => value)];
    return logins.list().map((view) => known.find(({ name }) => name === view.name) ?? view);
  }

  /**
   * Tests a login on the node that owns its host, because that node will use it.
   * @throws NotFound, Unacceptable
   */
  async testLogin(name: string): Promise<LoginView> {
    const { logins, partitions } = this.services;
    const hostKey = logins.getHostKey(name);
    if (partitions.owns(hostKey)) return logins.test(name);
    const createFor = (answer: string) => createLoginCommand(hostKey, name, answer);
    return askOwner(this.services, createFor, `testing the login ${name}`, LOGIN_TIMEOUT);
  }

  async listRefusedLinks(crawler: Crawler): Promise<RefusedView[]> {
    const { answers } = await this.askOthers<RefusedView[]>({ about: 'refused', crawler: crawler.name });
    const byKey = new Map<string, RefusedView>();
    for (const view of [...crawler.refused.list(), ...answers.flatMap(({ value }) => value)]) {
      const key = `${view.reason} ${view.hostKey}`;
      const existing = byKey.get(key);
      byKey.set(key, existing ? mergeRefusedViews(existing, view) : view);
    }
    return [...byKey.values()].sort((a, b) => b.count - a.count);
  }

  /** Orders, on any node, that have been decided but not yet answered by a sink. */
  async listPendingOrders(): Promise<LedgerEntry[]> {
    const { answers } = await this.askOthers<LedgerEntry[]>({ about: 'pending' });
    return [...this.listOwnPendingOrders(), ...answers.flatMap(({ value }) => value)];
  }

  async findUrlInMemory(crawler: string, url: string): Promise<UrlInMemory> {
    const { answers } = await this.askOthers<UrlInMemory>({ about: 'url', crawler, url });
    const all = [this.findUrlInOwnMemory(crawler, url), ...answers.map(({ value }) => value)];
    return {
      pending: all.flatMap(({ pending }) => pending),
      refusedLinks: all.flatMap(({ refusedLinks }) => refusedLinks),
    };
  }

  /** Counters by node, since the start of its process; the key '' is this node. */
  async getCounters(): Promise<ReadonlyMap<string, Counters>> {
    const { answers } = await this.askOthers<Counters>({ about: 'counters' });
    return new Map([['', this.getOwnCounters()], ...answers.map(({ from, value }) => [from, value] as const)]);
  }

  /** Asks the node that owns the host what it knows about the host; undefined if this node owns it. */
  async getHostNote(hostKey: string): Promise<HostNote | undefined> {
    const { answers } = await this.askOthers<HostNote[]>({ about: 'host', hostKey });
    return answers.flatMap(({ value }) => value)[0];
  }

  /** Asks the node that owns the host what it has learned about the host's pages; empty if this node owns it. */
  async viewRendering(hostKey: string): Promise<readonly RenderPatternView[]> {
    const { answers } = await this.askOthers<RenderPatternView[]>({ about: 'rendering', hostKey });
    return answers.flatMap(({ value }) => value);
  }

  async listHostNotes(
    crawler: string,
    after: string | undefined,
    limit: number,
  ): Promise<ReadonlyMap<string, HostNote>> {
    const { answers } = await this.askOthers<HostNote[]>({ about: 'hosts', crawler, after, limit });
    return new Map(answers.flatMap(({ value }) => value).map((note) => [note.hostKey, note]));
  }

  /** Returns what robots.txt says about a URL, as known by the node that crawls its host. */
  async getRobotsOpinion(url: CrawlUrl, agent: string): Promise<RobotsOpinion> {
    const { partitions, robots } = this.services;
    if (partitions.owns(getHostKey(url))) return robots.getOpinion(url, agent);
    const { answers } = await this.askOthers<RobotsOpinion[]>({ about: 'robots', url: url.href, agent });
    return answers.flatMap(({ value }) => value)[0] ?? { state: 'unknown', agent };
  }

  /** Answers a question that another node asked. */
  async answerQuestion(text: string): Promise<string> {
    return JSON.stringify(await this.answerLocally(JSON.parse(text) as Question));
  }

  private async answerLocally(question: Question): Promise<unknown> {
    const { crawlers, delivery, logins, notes, partitions, rendered, robots, store } = this.services;
    switch (question.about) {
      case 'work':
        return crawlers.list().map((crawler) => crawler.getWork());
      case 'sinks':
        return delivery.listViews();
      case 'counters':
        return this.getOwnCounters();
      case 'logins':
        return logins.listOwned();
      case 'pending':
        return this.listOwnPendingOrders();
      case 'refused':
        return crawlers.find(question.crawler)?.refused.list().slice(0, MAX_REPORTED_REFUSALS) ?? [];
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

  private async askOthers<T>(
    question: Question,
  ): Promise<{ answers: { from: string; value: T }[]; complete: boolean }> {
    const { answers, complete } = await this.services.nodes.ask(JSON.stringify(question));
    return { answers: answers.map(({ from, text }) => ({ from, value: JSON.parse(text) as T })), complete };
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
      sources: SOURCES.map((source, index) => ({
        name: source,
        number: index,
        weight: weights[source],
        depth: counts.bySource[index] ?? 0,
        picks: picks[index]!,
      })),
      limitedBy: await findLimit(load, async () => ({
        failing: counts.byStatus.error,
        withheldDeletions: await this.countWithheldDeletions(crawler.name),
      })),
      nextRequestAt: load.waiting.nextRequestAt,
      idle: work.idle && complete && nothingDue,
    };
  }

  private async countWithheldDeletions(crawler: string): Promise<number> {
    const { store } = this.services;
    return (
      (await store.countOrders({ crawler, state: 'held' })) + (await store.countOrders({ crawler, state: 'awaiting' }))
    );
  }

  private getOwnCounters(): Counters {
    const { pages, orders } = mergeMetrics(this.services.crawlers.list().map((crawler) => crawler.getMetrics()));
    return { pages, orders };
  }

  private findUrlInOwnMemory(name: string, url: string): UrlInMemory {
    const orders = this.services.delivery
      .listPending()
      .filter(({ order }) => order.uri === url && order.crawler === name);
    const crawler = this.services.crawlers.find(name);
    return { pending: orders.map(toPendingEntry), refusedLinks: crawler?.refused.findSamples(url) ?? [] };
  }

  private listOwnPendingOrders(): LedgerEntry[] {
    return this.services.delivery.listPending().map(toPendingEntry);
  }
}

function mergeSinkViews(a: SinkView, b: SinkView): SinkView {
  const base = [a, b].find(({ state }) => state === 'unavailable') ?? a;
  return {
    ...base,
    pending: a.pending + b.pending,
    pendingBytes: a.pendingBytes + b.pendingBytes,
    acknowledged: a.acknowledged + b.acknowledged,
    refused: a.refused + b.refused,
    lastRefusal: a.lastRefusal ?? b.lastRefusal,
    warning: a.warning ?? b.warning,
  };
}

function mergeRefusedViews(a: RefusedView, b: RefusedView): RefusedView {
  const samples = new Map([...a.samples, ...b.samples].map((sample) => [sample.url, sample]));
  return { ...a, count: a.count + b.count, samples: [...samples.values()].slice(0, MAX_SAMPLES) };
}

function toPendingEntry({ order, refusal: answer }: InFlightOrder): LedgerEntry {
  const { id, crawler, uri, hostKey: host, kind, reason, decidedAt } = order;
  return { id, crawler, uri, hostKey: host, kind, reason, decidedAt, state: 'pending', attempts: 0, answer };
}
