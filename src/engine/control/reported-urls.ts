/**
 * Handles URLs that a site or its hub reports as changed (IndexNow, WebSub): known URLs are visited now, and new ones
 * enter the frontier if the policy accepts them, both in the user source.
 */
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { NotificationProtocol } from '../../domain/explain/visit-detail.js';
import { toImmediateQueuePlace, USER } from '../../domain/frontier/sources.js';
import { getHostKey, toCrawlUrl } from '../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../domain/url/url-key.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Discovery } from '../crawl/frontier/discovery.js';
import { createLikelyLink } from '../page/crawl-context.js';
import type { NewUrl } from '../ports/frontier-store.js';
import type { Ports } from '../ports/ports.js';

const BATCH_SIZE = 1_000;

export interface ReportedUrlsServices extends Pick<Ports, 'store' | 'clock' | 'nodes'> {
  readonly discovery: Discovery;
}

export class ReportedUrls {
  constructor(private readonly services: ReportedUrlsServices) {}

  /** The crawlers that have a root or a URL on the host. */
  async findCrawlers(key: string, crawlers: readonly Crawler[]): Promise<Crawler[]> {
    const matching: Crawler[] = [];
    for (const crawler of crawlers) {
      const isRoot = [...crawler.context.roots.values()].some(({ url }) => getHostKey(url) === key);
      if (isRoot || (await this.services.store.count({ crawler: crawler.name, hostKey: key })) > 0)
        matching.push(crawler);
    }
    return matching;
  }

  /** Returns how many URLs the crawler accepts; each is due now. */
  async accept(crawler: Crawler, urls: readonly string[], protocol: 'indexnow'): Promise<number> {
    let accepted = 0;
    for (let start = 0; start < urls.length; start += BATCH_SIZE)
      accepted += await this.acceptBatch(crawler, urls.slice(start, start + BATCH_SIZE), protocol);
    this.services.nodes.notifyAllDue();
    return accepted;
  }

  private async acceptBatch(crawler: Crawler, rawUrls: readonly string[], protocol: 'indexnow'): Promise<number> {
    const newUrls = this.toAcceptedUrls(crawler, rawUrls, protocol);
    if (newUrls.length === 0) return 0;
    const keys = BigInt64Array.from(newUrls.map(({ key }) => key));
    const knownStates = await this.services.store.findByKeys(crawler.name, newUrls[0]!.hostKey, keys);
    const knownUrls = new Set(knownStates.filter(({ status }) => status !== 'removed').map(({ url }) => url));
    const addedStates = await this.services.discovery.discover(newUrls.filter(({ url }) => !knownUrls.has(url)));
    return (
      addedStates.length +
      (await this.visitNow(
        crawler,
        knownStates.filter(({ url }) => knownUrls.has(url)),
        protocol,
      ))
    );
  }

  /** Makes a URL due now if it is stored. */
  async revisit(crawler: Crawler, url: string, protocol: NotificationProtocol): Promise<void> {
    const state = await this.services.store.find(crawler.name, url);
    if (!state || state.status === 'removed') return;
    await this.visitNow(crawler, [state], protocol);
    this.services.nodes.notifyAllDue();
  }

  /** Selects the URLs that the policy accepts when they are judged as if found through a link. */
  private toAcceptedUrls(crawler: Crawler, rawUrls: readonly string[], protocol: 'indexnow'): NewUrl[] {
    const { context } = crawler;
    const now = this.services.clock.now();
    const urls = new Map<string, NewUrl>();
    for (const rawUrl of rawUrls) {
      const url = context.canonicalize(rawUrl);
      if (!url || urls.has(url.href)) continue;
      const link = createLikelyLink(context, url);
      if (!context.policy.judge(link).accepted) continue;
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
        discoveredVia: protocol,
        root: link.root?.url.href,
        dueAt: now,
      });
    }
    return [...urls.values()];
  }

  private async visitNow(
    crawler: Crawler,
    knownStates: readonly UrlState[],
    protocol: NotificationProtocol,
  ): Promise<number> {
    const now = this.services.clock.now();
    // URLs that the policy excludes, or that are left to another crawler, are not queued.
    const queuedStates = knownStates.filter(({ source }) => source !== undefined);
    if (queuedStates.length === 0) return 0;
    const dueStates = queuedStates.map((state) => ({ ...state, ...toImmediateQueuePlace(state, now) }));
    crawler.noteRequested(dueStates.map(({ id }) => id));
    await this.services.store.settle(dueStates.map(({ id, source, dueAt }) => ({ id, changes: { source, dueAt } })));
    crawler.noteReported(dueStates, protocol);
    crawler.admit(dueStates);
    return dueStates.length;
  }
}

export const toHostKey = (url: string): string => getHostKey(toCrawlUrl(url));
