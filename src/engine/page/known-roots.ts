import { isOnSite } from '../../domain/policy/site-mode.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import { type CrawlUrl, toCrawlUrl } from '../../domain/url/crawl-url.js';

/** A crawler's roots by canonical URL: configured ones, and submitted ones as they arrive. */
export class KnownRoots extends Map<string, RootContext> {
  /** An index by host: there may be as many roots as URLs on their sites, and each URL may look one up. */
  #byHost: Map<string, RootContext[]> | undefined;

  override set(url: string, root: RootContext): this {
    this.#byHost = undefined;
    return super.set(url, root);
  }

  override delete(url: string): boolean {
    this.#byHost = undefined;
    return super.delete(url);
  }

  /** The first root in site mode whose site contains the URL. */
  findBySite(url: CrawlUrl): RootContext | undefined {
    this.#byHost ??= groupByHost(this.values());
    return this.#byHost.get(url.host)?.find((root) => isOnSite(root, url));
  }
}

function groupByHost(roots: Iterable<RootContext>): Map<string, RootContext[]> {
  const byHost = new Map<string, RootContext[]>();
  for (const root of roots) {
    const hosts = root.site ? root.sitePrefixes.map((prefix) => toCrawlUrl(prefix).host) : [root.url.host];
    for (const host of new Set(hosts)) {
      const group = byHost.get(host);
      if (group) group.push(root);
      else byHost.set(host, [root]);
    }
  }
  return byHost;
}
