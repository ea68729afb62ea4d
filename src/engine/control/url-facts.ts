import { isRedirecting } from '../../domain/crawl/redirects.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { RefusedSample, RobotsOpinion, UrlFacts } from '../../domain/explain/facts.js';
import { parseRelatedUrl } from '../../domain/explain/visit-detail.js';
import { isStart } from '../../domain/policy/site-mode.js';
import type { Verdict } from '../../domain/policy/verdict.js';
import { instant } from '../../domain/time/units.js';
import { type CrawlUrl, getHostKey } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import { countProgress, getPageMoveSetting, type PageMove } from '../crawl/evidence/page-moves.js';
import type { Hosts } from '../crawl/hosts/hosts.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, LedgerEntry, Visit } from '../ports/frontier-store.js';
import type { OwedOrder } from '../ports/owed-orders.js';

const MAX_VISITS = 50;
const MAX_ORDERS = 50;

/** The facts about a URL that a node has not written to the store. */
export interface UrlInMemory {
  /** Orders that have been decided but not yet answered by every sink. */
  readonly pending: readonly LedgerEntry[];
  readonly refusedLinks: readonly RefusedSample[];
}

interface FactsServices {
  readonly store: Pick<
    FrontierStore,
    'find' | 'listVisits' | 'listOrders' | 'loadHosts' | 'findOwed' | 'getSetting' | 'count'
  >;
  readonly hosts: Pick<Hosts, 'peek'>;
  readonly clock: Clock;
  /** Gathered from all nodes. */
  readonly findInMemory: (crawler: string, url: string) => Promise<UrlInMemory>;
}

interface UrlQuery {
  readonly url: CrawlUrl;
  readonly state: UrlState | undefined;
  readonly verdict: Verdict;
  readonly link: UrlFacts['link'];
  readonly robots: RobotsOpinion;
}

/** The facts about a URL, with the engine's own records of visits and orders. */
export interface StoredFacts extends UrlFacts {
  readonly visits: readonly Visit[];
  readonly orders: readonly LedgerEntry[];
  readonly refusedLinks: readonly RefusedSample[];
  /** Orders still owed to sinks that have not received what is indexed. */
  readonly owedOrders: readonly OwedOrder[];
}

/** Gathers what is known about a URL, from the store and from what is in flight. */
export class UrlFactsReader {
  constructor(private readonly services: FactsServices) {}

  async read(crawler: Crawler, { url, state, ...query }: UrlQuery): Promise<StoredFacts> {
    const { store, clock } = this.services;
    const [visits, storedOrders, { pending, refusedLinks }, host, owedOrders] = await Promise.all([
      state ? store.listVisits(state.id, MAX_VISITS) : [],
      store.listOrders({ crawler: crawler.name, uri: url.href }, undefined, MAX_ORDERS),
      this.services.findInMemory(crawler.name, url.href),
      this.readHost(crawler, getHostKey(url)),
      store.findOwed(crawler.name, getHostKey(url), url.href),
    ]);
    return {
      ...query,
      state,
      visits,
      orders: [...pending, ...storedOrders.filter(({ id }) => !pending.some((order) => order.id === id))],
      refusedLinks,
      owedOrders,
      refused: refusedLinks[0],
      related: state && (await this.findRelated(crawler, state, visits)),
      move: state && (await this.findMove(state)),
      crawler: crawler.state,
      ...(crawler.usedUp ? { usedUp: crawler.usedUp } : {}),
      isStart: isStart(crawler.context.roots.get(url.href)),
      host,
      now: clock.now(),
    };
  }

  /** If another node crawls the host, its latest findings may be missing. */
  private async readHost(crawler: Crawler, key: string): Promise<UrlFacts['host']> {
    const { hosts, store, clock } = this.services;
    const closedUntil = crawler.findReopeningTime(key, clock.now());
    const closure = closedUntil === undefined ? {} : { closedUntil };
    const host = hosts.peek(key);
    if (host?.loaded) return { paused: host.paused, backOffUntil: host.politeness.backOffUntil, ...closure };
    const [{ paused, backOffUntil } = { paused: false, backOffUntil: instant(0) }] = await store.loadHosts([key]);
    return { paused, backOffUntil, ...closure };
  }

  private async findMove(state: UrlState): Promise<UrlFacts['move']> {
    const { store } = this.services;
    const { crawler, hostKey, url, reason } = state;
    if (!isRedirecting(state) && reason !== 'redirect-target-gone') return undefined;
    const text = await store.getSetting(getPageMoveSetting(crawler, hostKey));
    const move = text === undefined ? undefined : (JSON.parse(text) as PageMove);
    if (!move || !url.startsWith(move.from)) return undefined;
    const { done, total } = await countProgress(store, crawler, hostKey, move);
    return { from: move.from, to: move.to, done, total };
  }

  private async findRelated(
    crawler: Crawler,
    { status }: UrlState,
    visits: readonly Visit[],
  ): Promise<UrlFacts['related']> {
    const outcome = status === 'redirected' ? 'redirect' : 'document';
    const found = parseRelatedUrl(visits.find((visit) => visit.outcome === outcome)?.detail);
    return found && { ...found, state: await this.services.store.find(crawler.name, found.url) };
  }
}
