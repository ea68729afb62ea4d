/**
 * Sites whose pages move to new addresses: many redirects that are one event. What is remembered of it, in a setting, is
 * where the pages come from and go to, and which of them lead nowhere; how far it has come is counted in the store.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { AWAITING_TARGET, REDIRECTED_FOR_NOW } from '../../../domain/crawl/revisit.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { before, type Duration, days, type Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { Settings, UrlCatalog } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';
import type { CrawlEvents } from '../../support/crawl-events.js';

const MAX_HOSTS = 10_000;
/** Number of pages that redirect to addresses of their own from which on a host is moving. */
const MIN_PAGES = 3;
/** Maximum number of pages that lead nowhere which are remembered by name. */
const MAX_NOWHERE = 100;
/** A redirect after this time begins a new move. */
const MAX_AGE: Duration = days(30);

export interface PageMove {
  /** What the old addresses have in common at their beginning. */
  readonly from: string;
  /** What the new addresses have in common at their beginning. */
  readonly to: string;
  readonly since: Instant;
  /** The root that led to the first page. */
  readonly root?: string;
  /** Pages whose new address does not exist. */
  readonly nowhere: readonly string[];
}

/** How far a move has come, in pages. */
export interface MoveProgress {
  /** Pages that are found at their new address. */
  readonly done: number;
  /** All pages of the move, including those that have not been visited since it began. */
  readonly total: number;
  /** Pages whose new address has not been visited yet. */
  readonly waiting: number;
  /** Pages whose new address has failed; they are found at the old one. */
  readonly failing: number;
}

export const getPageMoveSetting = (crawler: string, hostKey: string): string => `page-move/${crawler}/${hostKey}`;

export interface PageMoveServices {
  readonly store: Pick<Settings, 'getSetting' | 'putSetting'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly events: Pick<CrawlEvents, 'emit'>;
  readonly log: Log;
}

interface Departure {
  readonly url: string;
  readonly target: string;
}

export class PageMoves {
  /** The first pages of hosts that may be moving. */
  private readonly departures = new BoundedMap<string, readonly Departure[]>(MAX_HOSTS);
  private readonly moves = new BoundedMap<string, PageMove>(MAX_HOSTS);

  constructor(
    private readonly crawler: string,
    private readonly services: PageMoveServices,
  ) {}

  /** Records that a page is redirected to an address of its own, as other pages of its host are. */
  async noteDeparture({ url, hostKey, root }: UrlState, target: string): Promise<void> {
    const move = await this.findMove(hostKey);
    if (move) {
      const from = findCommonStart(move.from, url);
      const to = findCommonStart(move.to, target);
      if (from !== move.from || to !== move.to) await this.save(hostKey, { ...move, from, to });
      return;
    }
    const first = [...(this.departures.get(hostKey) ?? []).filter((page) => page.url !== url), { url, target }];
    this.departures.set(hostKey, first);
    if (first.length < MIN_PAGES) return;
    this.departures.delete(hostKey);
    const from = first.map((page) => page.url).reduce(findCommonStart);
    const to = first.map((page) => page.target).reduce(findCommonStart);
    await this.save(hostKey, { from, to, since: this.services.clock.now(), root, nowhere: [] });
    const facts = { crawler: this.crawler, root: root ?? from, target: `${to}*`, reason: 'redirected' } as const;
    this.services.events.emit({ type: 'move', ...facts });
    this.services.log.info('the pages of a site move to new addresses', { ...facts, from: `${from}*` });
  }

  /** Records that the new address of a page does not exist. */
  async noteNowhere({ url, hostKey }: UrlState): Promise<void> {
    const move = await this.findMove(hostKey);
    if (!move || move.nowhere.includes(url) || move.nowhere.length >= MAX_NOWHERE) return;
    await this.save(hostKey, { ...move, nowhere: [...move.nowhere, url] });
  }

  private async findMove(hostKey: string): Promise<PageMove | undefined> {
    const known = this.moves.get(hostKey) ?? (await this.load(hostKey));
    return known && known.since >= before(this.services.clock.now(), MAX_AGE) ? known : undefined;
  }

  private async load(hostKey: string): Promise<PageMove | undefined> {
    const text = await this.services.store.getSetting(getPageMoveSetting(this.crawler, hostKey));
    const move = text === undefined ? undefined : (JSON.parse(text) as PageMove);
    if (move) this.moves.set(hostKey, move);
    return move;
  }

  private async save(hostKey: string, move: PageMove): Promise<void> {
    this.moves.set(hostKey, move);
    await this.services.store.putSetting(getPageMoveSetting(this.crawler, hostKey), JSON.stringify(move));
  }
}

function findCommonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

export async function countProgress(
  store: Pick<UrlCatalog, 'count' | 'find'>,
  crawler: string,
  hostKey: string,
  { from, since, nowhere }: PageMove,
): Promise<MoveProgress> {
  const pages = { crawler, hostKey, prefix: from };
  const moved = { ...pages, indexed: false, visitedSince: since, reasons: ['redirected', REDIRECTED_FOR_NOW] };
  const [arrived, waiting, failing, unvisited] = await Promise.all([
    store.count(moved),
    store.count({ ...pages, indexed: true, reasons: [AWAITING_TARGET] }),
    store.count({ ...pages, indexed: true, reasons: ['redirect-target-failed'] }),
    store.count({ ...pages, indexed: true, visitedBefore: since }),
  ]);
  // Once their documents are deleted, pages that lead nowhere redirect like the others.
  const gone = await Promise.all(nowhere.map((url) => store.find(crawler, url)));
  const leaving = gone.filter((state) => state?.status === 'redirected' && state.stamp === undefined).length;
  const done = arrived - leaving;
  return { done, waiting, failing, total: done + waiting + failing + unvisited + nowhere.length };
}
