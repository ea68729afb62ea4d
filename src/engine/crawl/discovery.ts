/**
 * Takes links into the frontier, in batches: what is known keeps its state, what is new is stored and offered to its
 * crawler. Bounds what one host can bring in, because endless calendars and session ids look like new pages for ever.
 */
import type { TrapDefinition } from '../../domain/crawl/definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { FrontierStore, NewUrl } from '../ports/frontier-store.js';
import { Batcher } from '../support/batcher.js';

const LINKS_PER_CALL = 5_000;
const HOSTS_REMEMBERED = 20_000;
const PATHS_REMEMBERED = 50_000;

export interface DiscoveryTarget {
  readonly traps: TrapDefinition;
  admitted(states: readonly UrlState[]): void;
  refused(url: NewUrl, reason: string): void;
}

export class Discovery {
  private readonly batcher: Batcher<NewUrl[], UrlState[]>;
  private readonly hostSizes = new Map<string, number>();
  private readonly queryVariants = new Map<string, number>();

  constructor(
    private readonly store: Pick<FrontierStore, 'discover' | 'count'>,
    private readonly target: (crawler: string) => DiscoveryTarget | undefined,
  ) {
    this.batcher = new Batcher((lists) => this.call(lists), LINKS_PER_CALL);
  }

  /** Resolves when the links are stored; gives back those that were new. */
  async discover(urls: NewUrl[]): Promise<UrlState[]> {
    return urls.length === 0 ? [] : this.batcher.add(urls);
  }

  private async call(lists: NewUrl[][]): Promise<UrlState[][]> {
    const all = lists.flat();
    const taken: NewUrl[] = [];
    for (const url of all) if (await this.fits(url)) taken.push(url);
    const inserted = taken.length > 0 ? await this.store.discover(taken) : [];
    const byCrawler = new Map<string, UrlState[]>();
    for (const state of inserted) {
      this.count(state);
      const list = byCrawler.get(state.crawler);
      if (list) list.push(state);
      else byCrawler.set(state.crawler, [state]);
    }
    for (const [crawler, states] of byCrawler) this.target(crawler)?.admitted(states);
    return lists.map((list) =>
      inserted.length === 0
        ? []
        : inserted.filter((state) => list.some((url) => url.url === state.url && url.crawler === state.crawler)),
    );
  }

  private async fits(url: NewUrl): Promise<boolean> {
    const target = this.target(url.crawler);
    if (!target) return false;
    const { traps } = target;
    const size = await this.hostSize(url);
    const variants = this.queryVariants.get(pathOf(url)) ?? 0;
    const reason =
      size >= traps.maxUrlsPerHost
        ? 'trap-host-size'
        : variants >= traps.maxQueryVariants
          ? 'trap-query-variants'
          : undefined;
    if (reason !== undefined) target.refused(url, reason);
    return reason === undefined;
  }

  private async hostSize(url: NewUrl): Promise<number> {
    const key = `${url.crawler} ${url.hostKey}`;
    let size = this.hostSizes.get(key);
    if (size === undefined) {
      size = await this.store.count({ crawler: url.crawler, hostKey: url.hostKey });
      remember(this.hostSizes, key, size, HOSTS_REMEMBERED);
    }
    return size;
  }

  private count(state: UrlState): void {
    const key = `${state.crawler} ${state.hostKey}`;
    this.hostSizes.set(key, (this.hostSizes.get(key) ?? 0) + 1);
    if (!state.url.includes('?')) return;
    const path = pathOf(state);
    remember(this.queryVariants, path, (this.queryVariants.get(path) ?? 0) + 1, PATHS_REMEMBERED);
  }
}

const pathOf = (url: { crawler: string; url: string }): string => {
  const query = url.url.indexOf('?');
  return query < 0 ? '' : `${url.crawler} ${url.url.slice(0, query)}`;
};

function remember(map: Map<string, number>, key: string, value: number, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
