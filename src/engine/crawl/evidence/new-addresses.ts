/**
 * What is known of the addresses to which the pages of a host redirect, each of them to one of its own: whether they
 * are new addresses of these pages, or say the same for all of them because the host is closed or for sale.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { sharesAlmostNothing, type TextSample } from '../../../domain/content/text-sample.js';
import { DOUBT } from '../../../domain/crawl/change-guard.js';
import { compareNewTexts, type NewText } from '../../../domain/crawl/redirects.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { before, between, hours, type Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';

const MAX_HOSTS = 20_000;
/** How old what was seen of a host may be to say something about it. */
const LIFETIME = hours(1);

export class NewAddresses {
  /** When those pages of a host that were looked at were last found to redirect to addresses of their own. */
  private readonly departures = new BoundedMap<string, Instant>(MAX_HOSTS);
  /** Pages whose new addresses have no documents, and since when. */
  private readonly withoutDocument = new BoundedMap<string, Instant>(MAX_HOSTS);
  /** What was found at the first of the addresses of their own to which pages of a host redirect. */
  private readonly newTexts = new BoundedMap<string, NewText>(MAX_HOSTS);

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

  /** To be called when the page no longer redirects. */
  forget({ hostKey, url }: Pick<UrlState, 'hostKey' | 'url'>): void {
    this.withoutDocument.delete(url);
    if (this.newTexts.get(hostKey)?.source === url) this.newTexts.delete(hostKey);
  }

  /** Whether pages with texts of their own are redirected to addresses of their own that all have one new text. */
  async isTextForAll(url: string, sample: TextSample, source: UrlState): Promise<boolean> {
    const { hostKey, stamp, textSketch } = source;
    if (!this.isRecent(this.departures.get(hostKey))) return false;
    const now = this.clock.now();
    const isNew = !stamp || (textSketch !== undefined && sharesAlmostNothing(textSketch, sample.sketch));
    const known = this.newTexts.get(hostKey);
    const own = { url, source: source.url, since: known?.url === url ? known.since : now, sample, seenAt: now };
    const first: NewText = this.isRecent(known?.seenAt) ? known! : { ...own, others: 'unknown' };
    this.newTexts.set(hostKey, first);
    const others = compareNewTexts(first, own);
    if (first.url !== url && first.others !== others) {
      first.others = others;
      if (others === 'different') await this.visitAgain(first.url);
    }
    return isNew && others === 'same';
  }

  private isRecent(time: Instant | undefined): boolean {
    return time !== undefined && time >= before(this.clock.now(), LIFETIME);
  }
}
