/**
 * What is known of the addresses to which the pages of a host redirect, each of them to one of its own: whether they
 * are new addresses of these pages, or say the same for all of them because the host is closed or for sale.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import type { TextSample } from '../../../domain/content/text-sample.js';
import { sharesAlmostNothing } from '../../../domain/content/text-sketch.js';
import { DOUBT } from '../../../domain/crawl/change-guard.js';
import { createExclusion } from '../../../domain/crawl/exclusion.js';
import { compareNewTexts, type NewText } from '../../../domain/crawl/redirects.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { before, between, hours, type Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { PageOutcome } from '../../ports/page-task.js';

const MAX_HOSTS = 20_000;
/** Number of addresses of a host that are visited again as soon as others turn out to say something else. */
const MAX_REFUSED = 100;
/** How old what was seen of a host may be to say something about it. */
const LIFETIME = hours(1);

const refuse = (detail: string): PageOutcome => ({ kind: 'error', code: 'redirect-wall', detail });
export const NO_NEW_ADDRESS = refuse('it is not a new address: it reports an outage, or says what others say');
export const PAGE_IS_BACK = refuse('the page that led here is well again');
export const NOT_KNOWN_YET = { ...refuse('it is not known yet where other pages of its site lead'), doubted: true };
export const NO_PAGE_OF_ITS_OWN = refuse('it is an error or login page, to which only redirects lead');
/** It is not remembered: if the host still redirects its pages there later, it is found again. */
export const PAGE_FOR_ALL = {
  ...createExclusion('redirect-wall', 'pages of the host are redirected here instead of being sent'),
  removeStatus: true,
};

export class NewAddresses {
  /** When those pages of a host that were looked at were last found to redirect to addresses of their own. */
  private readonly departures = new BoundedMap<string, Instant>(MAX_HOSTS);
  /** Pages whose new addresses have no documents, and since when. */
  private readonly withoutDocument = new BoundedMap<string, Instant>(MAX_HOSTS);
  /** What was found at the first of the addresses of their own to which pages of a host redirect. */
  private readonly newTexts = new BoundedMap<string, NewText>(MAX_HOSTS);
  /** Addresses of a host's pages that were not believed for what was found there. */
  private readonly refused = new BoundedMap<string, BoundedMap<string, true>>(MAX_HOSTS);
  /**
   * Addresses that are not believed yet, because it is not known where pages of the host lead or what is found there;
   * with the time when only the latter was unknown for the first time.
   */
  private readonly doubted = new BoundedMap<string, Instant | undefined>(MAX_HOSTS);
  /** Addresses to which pages of their own site link, and whether they say something of their own, as far as is known. */
  private readonly linked = new BoundedMap<string, boolean>(MAX_HOSTS);

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly visitAgain: (url: string) => Promise<void>,
  ) {}

  noteDeparture(hostKey: string): void {
    this.departures.set(hostKey, this.clock.now());
  }

  /**
   * Whether a page whose new address has no document may be sent there for a while only: for a day, if its host redirects
   * its pages to addresses of their own, it may be ill and say the same at all of them.
   */
  isInDoubt({ hostKey, url }: Pick<UrlState, 'hostKey' | 'url'>): boolean {
    const now = this.clock.now();
    const since = this.withoutDocument.get(url) ?? now;
    this.withoutDocument.set(url, since);
    return this.isRecent(this.departures.get(hostKey)) && between(since, now) < DOUBT;
  }

  /**
   * To be called when the page no longer redirects.
   * @param target where it led to last, if that is known
   */
  forget({ hostKey, url }: Pick<UrlState, 'hostKey' | 'url'>, target: string | undefined): void {
    this.withoutDocument.delete(url);
    if (this.newTexts.get(hostKey)?.source === url) this.newTexts.delete(hostKey);
    if (target !== undefined) this.doubted.delete(target);
  }

  /** Records that the address is not believed before it is visited again, which happens as soon as more is known. */
  noteUnknown(url: string): void {
    this.doubted.set(url, this.doubted.get(url));
  }

  /** To be called when the address was visited, and is believed, or refused whatever others say. */
  noteDecided(url: string): void {
    this.doubted.delete(url);
  }

  /** Records that a page of the address's site links to it: not only redirects lead there. */
  noteLinked(url: string): void {
    this.linked.set(url, true);
  }

  /** Undefined if no link to the address is known; false if it says what the new addresses of other pages say. */
  isLinked(url: string): boolean | undefined {
    return this.linked.get(url);
  }

  /** Whether the address was refused at its last visit because too little was known, and may be believed soon. */
  isDoubted(url: string): boolean {
    return this.doubted.has(url);
  }

  /**
   * Why the address is not believed if pages with texts of their own are redirected to addresses of their own that all have one new
   * text, or if it is not known whether they do.
   */
  async findTextForAll(url: string, sample: TextSample, source: UrlState): Promise<PageOutcome | undefined> {
    const { hostKey, stamp, textSketch } = source;
    if (!this.isRecent(this.departures.get(hostKey))) return undefined;
    const now = this.clock.now();
    const isNew = !stamp || (textSketch !== undefined && sharesAlmostNothing(textSketch, sample.sketch));
    const known = this.newTexts.get(hostKey);
    const own = { url, source: source.url, since: this.doubted.get(url) ?? now, sample, seenAt: now };
    const first: NewText = this.isRecent(known?.seenAt) ? known! : { ...own, others: 'unknown' };
    this.newTexts.set(hostKey, first);
    const others = compareNewTexts(first, own);
    if (first.url !== url && first.others !== others) {
      first.others = others;
      if (others === 'different') await this.visitRefused(hostKey);
      else this.doubted.delete(first.url);
    }
    if (!isNew || others === 'different') return undefined;
    const refused = this.refused.get(hostKey) ?? new BoundedMap<string, true>(MAX_REFUSED);
    this.refused.set(hostKey, refused.set(url, true));
    if (others === 'same' && this.linked.has(url)) this.linked.set(url, false);
    if (others === 'same') return NO_NEW_ADDRESS;
    // Others that were refused may have said the same.
    if (this.linked.get(url) && refused.size === 1) return undefined;
    this.doubted.set(url, own.since);
    return NOT_KNOWN_YET;
  }

  private async visitRefused(hostKey: string): Promise<void> {
    const refused = this.refused.get(hostKey) ?? [];
    this.refused.delete(hostKey);
    for (const [url] of refused) {
      this.noteUnknown(url);
      await this.visitAgain(url);
    }
  }

  private isRecent(time: Instant | undefined): boolean {
    return time !== undefined && time >= before(this.clock.now(), LIFETIME);
  }
}
