/**
 * Sitemaps for the simulated web of `freshness.ts`: some state truthfully which of their pages have changed, and others
 * claim at each reading that all of them have. The engine's own class decides how far their claims are believed.
 */
import type { UrlId, UrlState } from '../src/domain/crawl/url-state.js';
import type { Duration, Instant } from '../src/domain/time/units.js';
import { computeUrlKey } from '../src/domain/url/url-key.js';
import { ClaimedChanges, type ClaimServices } from '../src/engine/crawl/evidence/claimed-changes.js';
import type { DiscoveredLink } from '../src/engine/ports/page-task.js';

/** What the simulation knows of a page. */
export interface SimulatedPage {
  readonly lastVisitAt?: Instant;
  readonly dueAt: Instant;
  /** When the page first changed after that visit, if it has. */
  readonly changedAt?: Instant;
  /** Estimated time between two changes. */
  readonly changeInterval?: Duration;
}

const PAGES_PER_SITEMAP = 500;
const HOST = 'a.example';
const LINK_SOURCE = 5;

interface Sitemap {
  readonly url: string;
  readonly lies: boolean;
  readonly pages: readonly number[];
}

export class SimulatedSitemaps {
  private readonly claims: ClaimedChanges;
  private readonly sitemaps: Sitemap[] = [];
  private readonly keys: readonly bigint[];
  private readonly indexByKey: ReadonlyMap<bigint, number>;
  private readAt: Instant | undefined;

  /** The first pages are listed on truthful sitemaps, and those after them on lying ones. */
  constructor(
    size: number,
    shares: { readonly true: number; readonly lying: number },
    private readonly simulation: {
      describePage(index: number): SimulatedPage;
      bringForward(index: number, dueAt: Instant): void;
      now(): Instant;
    },
  ) {
    this.keys = Array.from({ length: size }, (_, index) => computeUrlKey(createUrl(index)));
    this.indexByKey = new Map(this.keys.map((key, index) => [key, index]));
    const truthfulPages = Math.round(size * shares.true);
    this.addSitemaps(0, truthfulPages, false);
    this.addSitemaps(truthfulPages, truthfulPages + Math.round(size * shares.lying), true);
    const settings = new Map<string, string>();
    const store = {
      findByKeys: async (_crawler: string, _host: string, keys: BigInt64Array) =>
        [...keys].map((key) => this.createState(this.indexByKey.get(key)!)),
      get: async (ids: readonly UrlId[]) => ids.map((id) => this.createState(Number(id))),
      getSetting: async (name: string) => settings.get(name),
      putSetting: async (name: string, value: string) => void settings.set(name, value),
    };
    const services = { store, clock: { now: () => simulation.now() } } as unknown as ClaimServices;
    this.claims = new ClaimedChanges('bench', services, async ({ id }, dueAt) => {
      simulation.bringForward(Number(id), dueAt);
      return true;
    });
  }

  /** Reads all sitemaps; called once a day. */
  async read(): Promise<void> {
    const now = this.simulation.now();
    const lastVisitAt = this.readAt;
    this.readAt = now;
    for (const { url, lies, pages } of this.sitemaps) {
      const links = pages.flatMap((index): DiscoveredLink[] => {
        const changedAt = lies ? now : this.simulation.describePage(index).changedAt;
        const key = this.keys[index]!;
        const lastModified = changedAt === undefined ? undefined : new Date(changedAt).toISOString();
        const link = { url: '', hostKey: HOST, key, source: LINK_SOURCE, discoveredVia: 'sitemap' } as const;
        return lastModified === undefined ? [] : [{ ...link, lastModified }];
      });
      await this.claims.bringForwardDatedPages({ url, hostKey: HOST, lastVisitAt } as UrlState, links);
    }
  }

  async recordVisit(index: number, changed: boolean): Promise<void> {
    const state = { id: index as UrlId } as UrlState;
    if (this.claims.isOnTrial(state)) await this.claims.recordVisit(state, changed);
  }

  private addSitemaps(from: number, to: number, lies: boolean): void {
    for (let start = from; start < to; start += PAGES_PER_SITEMAP) {
      const length = Math.min(PAGES_PER_SITEMAP, to - start);
      const pages = Array.from({ length }, (_, n) => start + n);
      this.sitemaps.push({ url: `http://${HOST}/sitemap-${start}.xml`, lies, pages });
    }
  }

  private createState(index: number): UrlState {
    const { lastVisitAt, dueAt, changeInterval } = this.simulation.describePage(index);
    const state = { id: index as UrlId, url: createUrl(index), lastVisitAt, dueAt, changeInterval };
    return { ...state, source: LINK_SOURCE, temporaryErrors: 0 } as UrlState;
  }
}

const createUrl = (index: number): string => `http://${HOST}/${index}`;
