import { assignSource } from '../../domain/frontier/sources.js';
import type { Candidate, RootContext, Verdict } from '../../domain/policy/verdict.js';
import { type CrawlUrl, hostKey } from '../../domain/url/crawl-url.js';
import { urlKey } from '../../domain/url/url-key.js';
import type { DiscoveredLink, RefusedLink } from '../ports/page-task.js';
import type { CrawlContext } from './crawl-context.js';

/**
 * Judges the links of one page and remembers which ones were already handed over: most links of a page were on the page
 * before, and a known URL needs neither a verdict nor a place in a message. Memory is bounded by two generations: when
 * the younger is full it becomes the older, so a link costs at most one needless hand-over per generation.
 */
export class LinkJudge {
  private young = new Set<string>();
  private old = new Set<string>();

  constructor(private readonly generationSize = 100_000) {}

  /** These URLs are not stored any more. */
  forget(urls: readonly string[]): void {
    for (const url of urls) {
      this.young.delete(url);
      this.old.delete(url);
    }
  }

  isHandedOver(href: string): boolean {
    return this.young.has(href) || this.old.has(href);
  }

  handedOver(href: string): void {
    if (this.young.size >= this.generationSize) {
      this.old = this.young;
      this.young = new Set();
    }
    this.young.add(href);
  }
}

export interface PageOrigin {
  readonly url: CrawlUrl;
  readonly root: RootContext | undefined;
  readonly hops: number;
  /** Metas that the links of this page inherit. */
  readonly inheritedMetas: DiscoveredLink['inheritedMetas'];
}

/** Collects what becomes of the links of one page, each URL once. */
export class LinkCollector {
  readonly links: DiscoveredLink[] = [];
  readonly refused: RefusedLink[] = [];
  private readonly seen = new Set<string>();

  constructor(
    private readonly context: CrawlContext,
    private readonly judge: LinkJudge,
    private readonly page: PageOrigin,
  ) {}

  add(raw: string, base: string, arrival: DiscoveredLink['arrival'] = 'link', lastModified?: string): void {
    if (this.seen.has(raw)) return;
    this.seen.add(raw);
    const url = this.context.canonicalize(raw, base);
    if (url) this.addUrl(url, arrival, lastModified);
  }

  /** The reason why the URL is refused, or undefined when it was taken or is already known. */
  addUrl(url: CrawlUrl, arrival: DiscoveredLink['arrival'], lastModified?: string): string | undefined {
    if (arrival === 'link' && (url.href === this.page.url.href || this.judge.isHandedOver(url.href))) return undefined;
    const verdict = this.context.policy.judge(this.candidate(url, arrival));
    if (!verdict.accepted) {
      this.refuse(url, verdict.reason, verdict.record);
      return verdict.reason;
    }
    this.judge.handedOver(url.href);
    this.links.push(this.discovered(url, arrival, verdict, lastModified));
    return undefined;
  }

  refuse(url: CrawlUrl, reason: string, record = false): void {
    this.refused.push({ url: url.href, hostKey: hostKey(url), reason, record });
  }

  private candidate(url: CrawlUrl, arrival: DiscoveredLink['arrival']): Candidate {
    const hops = arrival === 'redirect' ? this.page.hops : this.page.hops + 1;
    return { url, arrival, from: this.page.url, root: this.page.root, hops };
  }

  private discovered(
    url: CrawlUrl,
    arrival: DiscoveredLink['arrival'],
    verdict: Verdict,
    lastModified?: string,
  ): DiscoveredLink {
    return {
      url: url.href,
      key: urlKey(url.href),
      hostKey: hostKey(url),
      source: assignSource(arrival, verdict.effects, verdict.effects.priorityShift),
      arrival,
      inheritedMetas: this.page.inheritedMetas,
      lastModified,
    };
  }
}
