import type { UrlState } from '../../src/domain/crawl/url-state.js';
import { instant, milliseconds } from '../../src/domain/time/units.js';
import { getHostKey, toCrawlUrl } from '../../src/domain/url/crawl-url.js';
import { computeUrlKey } from '../../src/domain/url/url-key.js';
import type { FrontierStore, LedgerEntry, NewUrl, Visit } from '../../src/engine/ports/frontier-store.js';

/** A link as the engine hands it to the store; key and host follow from the URL. */
export function newUrl(url: string, particulars: Partial<NewUrl> = {}): NewUrl {
  return {
    crawler: 'docs',
    url,
    key: computeUrlKey(url),
    hostKey: getHostKey(toCrawlUrl(url)),
    source: 3,
    status: 'waiting',
    reason: 'accepted',
    hops: 1,
    redirects: 0,
    discoveredVia: 'link',
    dueAt: instant(1_000),
    ...particulars,
  };
}

export function visit(at: number, particulars: Partial<Visit> = {}): Visit {
  return {
    at: instant(at),
    status: 200,
    outcome: 'document',
    duration: milliseconds(25),
    bytes: 4_000,
    changed: true,
    ...particulars,
  };
}

export function order(id: number, particulars: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id,
    crawler: 'docs',
    uri: 'http://a.example/',
    hostKey: 'a.example',
    kind: 'add',
    reason: 'accepted',
    decidedAt: instant(id * 10),
    state: 'acknowledged',
    attempts: 1,
    ...particulars,
  };
}

/** Stores the URLs and returns their states. */
export async function discovered(store: FrontierStore, ...urls: NewUrl[]): Promise<UrlState[]> {
  const states = await store.discover(urls);
  if (states.length !== urls.length) throw new Error('a sample URL was known already');
  return states;
}
