/**
 * Sitemaps for the simulated web of `freshness.ts`: some tell the truth about the changes of their pages, some say at each reading
 * that all of them have changed. What is believed of them is decided by the engine's own class.
 */
import type { UrlId, UrlState } from '../src/domain/crawl/url-state.js';
import type { Duration, Instant } from '../src/domain/time/units.js';
import { computeUrlKey } from '../src/domain/url/url-key.js';
import { ClaimedChanges, type ClaimServices } from '../src/engine/crawl/claimed-changes.js';
import type { DiscoveredLink } from '../src/engine/ports/page-task.js';

/** What the simulation knows of a page. */
export interface SimulatedPage {
  readonly lastVisitAt?: Instant;
  readonly dueAt: Instant;
  /** When it changed first since that visit, if it has. */
  readonly changedAt?: Instant;
  /** What is believed of the time between two changes. */
  readonly changeInterval?: Duration;
}

const PAGES_PER_SITEMAP = 500;
const HOST = 'a.example';
const KEYS_SOURCE = 5;

interface Sitemap {
  readonly url: string;
  readonly lies: boolean;
  readonly pages: readonly number[];
}

export class SimulatedSitemaps {
  private readonly claims: ClaimedChanges;
  private readonly sitemaps: Sitemap[] = [];
  private readonly keys: readonly bigint[];
  private readonly byKey: ReadonlyMap<bigint, number>;
  private readAt: Instant | undefined;

  /** The first of the pages are on sitemaps that tell the truth, those behind them on such that lie. */
  constructor(
    size: number,
    shares: { readonly true: number; readonly lying: number },
    private readonly simulation: {
      page(index: number): SimulatedPage;
      bringForward(index: number, dueAt: Instant): void;
      now(): Instant;
    },
  ) {
    this.keys = Array.from({ length: size }, (_, index) => computeUrlKey(urlOf(index)));
    this.byKey = new Map(this.keys.map((key, index) => [key, index]));
    const tell = Math.round(size * shares.true);
    this.add(0, tell, false);
    this.add(tell, tell + Math.round(size * shares.lying), true);
    const settings = new Map<string, string>();
    const store = {
      findByKeys: async (_crawler: string, _host: string, keys: BigInt64Array) =>
        [...keys].map((key) => this.state(this.byKey.get(key)!)),
      get: async (ids: readonly UrlId[]) => ids.map((id) => this.state(Number(id))),
      getSetting: async (name: string) => settings.get(name),
      putSetting: async (name: string, value: string) => void settings.set(name, value),
    };
    const services = { store, clock: { now: () => simulation.now() } } as unknown as ClaimServices;
    this.claims = new ClaimedChanges('bench', services, async ({ id }, dueAt) => {
      simulation.bringForward(Number(id), dueAt);
      return true;
    });
  }

  /** All of them, once a day. */
  async read(): Promise<void> {
    const now = this.simulation.now();
    const lastVisitAt = this.readAt;
    this.readAt = now;
    for (const { url, lies, pages } of this.sitemaps) {
      const links = pages.flatMap((index): DiscoveredLink[] => {
        const at = lies ? now : this.simulation.page(index).changedAt;
        const key = this.keys[index]!;
        const lastModified = at === undefined ? undefined : new Date(at).toISOString();
        const link = { url: '', hostKey: HOST, key, source: KEYS_SOURCE, discoveredVia: 'sitemap' } as const;
        return lastModified === undefined ? [] : [{ ...link, lastModified }];
      });
      await this.claims.bringForwardDatedPages({ url, hostKey: HOST, lastVisitAt } as UrlState, links);
    }
  }

  async visited(index: number, changed: boolean): Promise<void> {
    const state = { id: index as UrlId } as UrlState;
    if (this.claims.isOnTrial(state)) await this.claims.recordVisit(state, changed);
  }

  private add(from: number, to: number, lies: boolean): void {
    for (let start = from; start < to; start += PAGES_PER_SITEMAP) {
      const length = Math.min(PAGES_PER_SITEMAP, to - start);
      const pages = Array.from({ length }, (_, n) => start + n);
      this.sitemaps.push({ url: `http://${HOST}/sitemap-${start}.xml`, lies, pages });
    }
  }

  private state(index: number): UrlState {
    const { lastVisitAt, dueAt, changeInterval } = this.simulation.page(index);
    const known = { id: index as UrlId, url: urlOf(index), lastVisitAt, dueAt, changeInterval };
    return { ...known, source: KEYS_SOURCE, temporaryErrors: 0 } as UrlState;
  }
}

const urlOf = (index: number): string => `http://${HOST}/${index}`;
