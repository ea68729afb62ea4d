/**
 * Handles URLs that a site or its hub reports as changed (IndexNow, WebSub): known ones are visited now, new ones enter
 * the frontier if the policy accepts them, both in the user source.
 */

import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Teller } from '../../domain/explain/visit-detail.js';
import { toImmediateQueuePlace, USER } from '../../domain/frontier/sources.js';
import { findLikelyRoot } from '../../domain/policy/site-mode.js';
import { getHostKey, toCrawlUrl } from '../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../domain/url/url-key.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Discovery } from '../crawl/frontier/discovery.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, NewUrl } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';

const PAGE = 1_000;

export interface ToldServices {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly discovery: Discovery;
  readonly nodes: Nodes;
}

export class ToldUrls {
  constructor(private readonly services: ToldServices) {}

  /** The crawlers that have a root or a URL on the host. */
  async findCrawlers(key: string, crawlers: readonly Crawler[]): Promise<Crawler[]> {
    const known: Crawler[] = [];
    for (const crawler of crawlers) {
      const isRoot = [...crawler.context.roots.values()].some(({ url }) => getHostKey(url) === key);
      if (isRoot || (await this.services.store.count({ crawler: crawler.name, hostKey: key })) > 0) known.push(crawler);
    }
    return known;
  }

  /** Returns how many URLs the crawler accepts; each is due now. */
  async accept(crawler: Crawler, urls: readonly string[], teller: 'indexnow'): Promise<number> {
    let taken = 0;
    for (let start = 0; start < urls.length; start += PAGE)
      taken += await this.acceptBatch(crawler, urls.slice(start, start + PAGE), teller);
    this.services.nodes.notifyAllDue();
    return taken;
  }

  private async acceptBatch(crawler: Crawler, written: readonly string[], teller: 'indexnow'): Promise<number> {
    const fresh = this.toAcceptedUrls(crawler, written, teller);
    if (fresh.length === 0) return 0;
    const keys = BigInt64Array.from(fresh.map(({ key }) => key));
    const known = await this.services.store.findByKeys(crawler.name, fresh[0]!.hostKey, keys);
    const names = new Set(known.filter(({ status }) => status !== 'removed').map(({ url }) => url));
    const added = await this.services.discovery.discover(fresh.filter(({ url }) => !names.has(url)));
    return (
      added.length +
      (await this.visitNow(
        crawler,
        known.filter(({ url }) => names.has(url)),
        teller,
      ))
    );
  }

  /** Makes a URL due now if it is stored. */
  async revisit(crawler: Crawler, url: string, teller: Teller): Promise<void> {
    const known = await this.services.store.find(crawler.name, url);
    if (!known || known.status === 'removed') return;
    await this.visitNow(crawler, [known], teller);
    this.services.nodes.notifyAllDue();
  }

  /** The URLs that the policy accepts when they are judged as if found through a link. */
  private toAcceptedUrls(crawler: Crawler, written: readonly string[], teller: 'indexnow'): NewUrl[] {
    const { context } = crawler;
    const now = this.services.clock.now();
    const urls = new Map<string, NewUrl>();
    for (const one of written) {
      const url = context.canonicalize(one);
      if (!url || urls.has(url.href)) continue;
      const root = findLikelyRoot(context.roots.values(), url);
      if (!context.policy.judge({ url, discoveredVia: 'link', root, hops: 1 }).accepted) continue;
      urls.set(url.href, {
        crawler: crawler.name,
        url: url.href,
        key: computeUrlKey(url.href),
        hostKey: getHostKey(url),
        source: USER,
        status: 'waiting',
        reason: 'submitted',
        hops: 1,
        redirects: 0,
        discoveredVia: teller,
        root: root?.url.href,
        dueAt: now,
      });
    }
    return [...urls.values()];
  }

  private async visitNow(crawler: Crawler, known: readonly UrlState[], teller: Teller): Promise<number> {
    const now = this.services.clock.now();
    // URLs that the policy excludes, or that are left to another crawler, are not queued.
    const queued = known.filter(({ source }) => source !== undefined);
    if (queued.length === 0) return 0;
    const wanted = queued.map((state) => ({ ...state, ...toImmediateQueuePlace(state, now) }));
    await this.services.store.settle(wanted.map(({ id, source, dueAt }) => ({ id, changes: { source, dueAt } })));
    crawler.noteReported(wanted, teller);
    crawler.admit(wanted);
    return wanted.length;
  }
}

export const toHostKey = (url: string): string => getHostKey(toCrawlUrl(url));
