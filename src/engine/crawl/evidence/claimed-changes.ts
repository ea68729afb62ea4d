/**
 * Brings visits forward when the site claims that pages have changed: sitemaps and feeds by their dates, hub pages by
 * changing themselves. The first claims of a place (a sitemap, feed or hub page) are tried; the more of them prove
 * true, the more are tried at once. A place whose claims prove false is no longer believed, but one of its claims is
 * still tried now and then. The results are kept in the store.
 */
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import {
  type ClaimedChange,
  type Credibility,
  computeClaimedVisitTime,
  contradictsVisit,
  isBelieved,
  isWorthVisitingNow,
  parseClaimedChange,
  UNTRIED,
  updateCredibility,
} from '../../../domain/refresh/claimed-changes.js';
import { after, between, days, type Instant, NEVER } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import type { DiscoveredLink } from '../../ports/page-task.js';

/** Maximum number of sitemaps, feeds and hubs kept in memory; the store has the others. */
const MAX_PLACES = 1_000;
/** Maximum number of visits brought forward but not yet made. */
const MAX_ON_TRIAL = 10_000;
/** Maximum number of claims of one place that wait until earlier ones prove true. */
const MAX_PENDING_OF_PLACE = 50_000;
const MAX_PENDING_IN_TOTAL = 200_000;
/** Number of a place's claims that are tried at once before any has proved true; each true claim allows two more. */
const INITIAL_TRIALS = 10;
/** If a place is not believed, one claim is tried each time it has been read this many times. */
const RETRY_EVERY = 8;
/** Claimed changes older than the previous reading of the place by more than this are ignored. */
const OVERLAP = days(2);
const MAX_KEYS_PER_CALL = 1_000;
const SAVE_EVERY = 8;
/** Maximum number of links of one hub. */
const MAX_HUB_LINKS = 200;

interface Place {
  readonly url: string;
  credibility: Credibility;
  pendingIds: UrlId[];
  trialCount: number;
  maxTrials: number;
  readings: number;
  unsavedCount: number;
  isTrying: boolean;
}

interface Trial {
  readonly place: Place;
  readonly since: Instant;
  /** When the visit is due now, and when it would have been due without the claim. */
  readonly dueAt: Instant;
  readonly plannedAt: Instant;
}

/** Claimed changes by URL key. */
type Claims = ReadonlyMap<bigint, ClaimedChange>;

export interface ClaimServices {
  readonly store: Pick<FrontierStore, 'findByKeys' | 'get' | 'getSetting' | 'putSetting'>;
  readonly clock: Clock;
}

export class ClaimedChanges {
  private readonly places = new Map<string, Place>();
  private readonly trials = new Map<UrlId, Trial>();
  private pendingCount = 0;

  constructor(
    private readonly crawler: string,
    private readonly services: ClaimServices,
    /** Returns false if the URL is in flight or belongs to another node. */
    private readonly reschedule: (url: UrlState, dueAt: Instant) => Promise<boolean>,
  ) {}

  /**
   * To be called when a sitemap or feed has been read. Returns whether it lists pages as changed since their last
   * visit, and is believed.
   */
  async bringForwardDatedPages(state: UrlState, links: readonly DiscoveredLink[]): Promise<boolean> {
    const now = this.services.clock.now();
    const since = state.lastVisitAt === undefined ? undefined : state.lastVisitAt - OVERLAP;
    const claims = new Map<bigint, ClaimedChange>();
    for (const { key, hostKey, lastModified, discoveredVia } of links) {
      // A place's claims about pages on other hosts are ignored.
      if (discoveredVia !== 'sitemap' || lastModified === undefined || hostKey !== state.hostKey) continue;
      const claim = parseClaimedChange(lastModified, now);
      if (claim && (since === undefined || claim.to >= since)) claims.set(key, claim);
    }
    return claims.size > 0 && this.tryClaims(state, claims, now);
  }

  /** To be called when a hub page has changed: the pages it links to may have changed, too. */
  async bringForwardHubLinks(state: UrlState, links: readonly DiscoveredLink[]): Promise<void> {
    const now = this.services.clock.now();
    const sameHostLinks = links.filter(
      ({ hostKey, discoveredVia }) => discoveredVia === 'link' && hostKey === state.hostKey,
    );
    const claim = { from: now, to: now };
    const claims = new Map(sameHostLinks.slice(0, MAX_HUB_LINKS).map(({ key }) => [key, claim]));
    if (claims.size > 0) await this.tryClaims(state, claims, now);
  }

  isOnTrial({ id }: UrlState): boolean {
    return this.trials.size > 0 && this.trials.has(id);
  }

  /**
   * To be called when a visit of the URL has ended; `changed` is undefined if the visit says nothing about the
   * document.
   */
  async recordVisit({ id }: UrlState, changed: boolean | undefined): Promise<void> {
    const trial = this.trials.get(id);
    if (!trial) return;
    this.trials.delete(id);
    const { place } = trial;
    place.trialCount--;
    if (changed === undefined) return;
    place.credibility = updateCredibility(place.credibility, changed);
    place.maxTrials = changed ? place.maxTrials + 2 : Math.max(INITIAL_TRIALS, place.maxTrials >> 1);
    place.unsavedCount++;
    if (!isBelieved(place.credibility)) await this.abandonPlace(place);
    if (place.unsavedCount >= SAVE_EVERY || place.trialCount === 0) await this.save(place);
    await this.tryPending(place);
  }

  /**
   * Stops trusting a place: visits that its claims brought forward and that are still outstanding return to their planned
   * times.
   */
  private async abandonPlace(place: Place): Promise<void> {
    this.setPending(place, []);
    const trials = new Map([...this.trials].filter(([, trial]) => trial.place === place));
    for (const id of trials.keys()) this.trials.delete(id);
    place.trialCount = 0;
    for (const state of await this.services.store.get([...trials.keys()])) {
      const { dueAt, plannedAt } = trials.get(state.id)!;
      // If the due time differs, something else has set it.
      if (state.dueAt === dueAt) await this.reschedule(state, plannedAt);
    }
  }

  /** To be called when hosts have been taken over from another node. */
  reset(): void {
    this.places.clear();
    this.trials.clear();
    this.pendingCount = 0;
  }

  private async tryClaims({ url, hostKey }: UrlState, claims: Claims, now: Instant): Promise<boolean> {
    const place = await this.findOrLoadPlace(url);
    place.readings++;
    const isSourceTrusted = isBelieved(place.credibility);
    if (!isSourceTrusted && place.readings % RETRY_EVERY !== 0) return false;
    const contradictedIds = await this.findContradicted(hostKey, claims, now);
    const untriedIds = contradictedIds.filter((id) => !this.trials.has(id));
    this.setPending(place, isSourceTrusted ? untriedIds : untriedIds.slice(0, 1));
    await this.tryPending(place);
    return isSourceTrusted && contradictedIds.length > 0;
  }

  /** Stored URLs whose copy is out of date according to the claims, most recent change first. */
  private async findContradicted(hostKey: string, claims: Claims, now: Instant): Promise<UrlId[]> {
    const keys = [...claims.keys()]
      .sort((a, b) => claims.get(b)!.from - claims.get(a)!.from)
      .slice(0, MAX_PENDING_OF_PLACE);
    const matches: { readonly id: UrlId; readonly from: Instant }[] = [];
    for (let start = 0; start < keys.length; start += MAX_KEYS_PER_CALL) {
      const batch = BigInt64Array.from(keys.slice(start, start + MAX_KEYS_PER_CALL));
      for (const state of await this.services.store.findByKeys(this.crawler, hostKey, batch)) {
        const claim = claims.get(computeUrlKey(state.url));
        if (
          claim &&
          isWaiting(state, now) &&
          contradictsVisit(claim, state.lastVisitAt!, now) &&
          isWorthTrying(state, now)
        )
          matches.push({ id: state.id, from: claim.from });
      }
    }
    return matches.sort((a, b) => b.from - a.from).map(({ id }) => id);
  }

  /**
   * Visits may end while others are still being brought forward: the call that is already running then continues with
   * the claims that may be tried by then.
   */
  private async tryPending(place: Place): Promise<void> {
    if (place.isTrying) return;
    place.isTrying = true;
    try {
      while (place.pendingIds.length > 0 && place.trialCount < place.maxTrials && this.trials.size < MAX_ON_TRIAL)
        await this.tryBatch(place);
    } finally {
      place.isTrying = false;
    }
    if (this.trials.size >= MAX_ON_TRIAL) this.dropOldTrials();
  }

  /** Tries as many claims as may be tried at once, judged by the place's credibility before the first of them. */
  private async tryBatch(place: Place): Promise<void> {
    const { credibility } = place;
    const ids = place.pendingIds.slice(0, place.maxTrials - place.trialCount);
    this.setPending(place, place.pendingIds.slice(ids.length));
    const now = this.services.clock.now();
    for (const state of await this.services.store.get(ids)) {
      // A visit that ended in the meantime may have proved so many claims false that the place is no longer believed.
      if (isBelieved(credibility) && !isBelieved(place.credibility)) return;
      if (!isWaiting(state, now) || this.trials.has(state.id)) continue;
      const dueAt = computeClaimedVisitTime(state.dueAt, credibility, now);
      this.trials.set(state.id, { place, since: now, dueAt, plannedAt: state.dueAt });
      place.trialCount++;
      if (await this.reschedule(state, dueAt)) continue;
      if (this.trials.delete(state.id)) place.trialCount--;
    }
  }

  /** Drops visits that were brought forward and not made for a week because crawlers are paused or hosts are down. */
  private dropOldTrials(): void {
    const now = this.services.clock.now();
    for (const [id, { place, since }] of this.trials) {
      if (after(since, days(7)) > now) return;
      this.trials.delete(id);
      place.trialCount--;
    }
  }

  private setPending(place: Place, ids: UrlId[]): void {
    this.pendingCount -= place.pendingIds.length;
    place.pendingIds = ids.slice(0, Math.max(INITIAL_TRIALS, MAX_PENDING_IN_TOTAL - this.pendingCount));
    this.pendingCount += place.pendingIds.length;
  }

  private async findOrLoadPlace(url: string): Promise<Place> {
    const existing = this.places.get(url);
    if (existing) return existing;
    const stored = await this.services.store.getSetting(this.getSettingName(url));
    const place: Place = {
      url,
      credibility: stored === undefined ? UNTRIED : (JSON.parse(stored) as Credibility),
      pendingIds: [],
      trialCount: 0,
      maxTrials: INITIAL_TRIALS,
      readings: 0,
      unsavedCount: 0,
      isTrying: false,
    };
    this.places.set(url, place);
    if (this.places.size > MAX_PLACES) this.forgetOldest();
    return place;
  }

  private forgetOldest(): void {
    for (const [url, place] of this.places) {
      if (place.trialCount > 0) continue;
      this.setPending(place, []);
      this.places.delete(url);
      return;
    }
  }

  private async save(place: Place): Promise<void> {
    place.unsavedCount = 0;
    await this.services.store.putSetting(this.getSettingName(place.url), JSON.stringify(place.credibility));
  }

  private readonly getSettingName = (url: string): string => `credibility/${this.crawler}/${url}`;
}

/** Whether the URL has been visited before, is queued, not yet due, and not in error. */
const isWaiting = ({ lastVisitAt, source, dueAt, temporaryErrors }: UrlState, now: Instant): boolean =>
  lastVisitAt !== undefined && source !== undefined && dueAt > now && dueAt < NEVER && temporaryErrors === 0;

const isWorthTrying = ({ changeInterval, lastVisitAt, dueAt }: UrlState, now: Instant): boolean =>
  changeInterval === undefined ||
  isWorthVisitingNow(changeInterval, between(lastVisitAt!, now), between(lastVisitAt!, dueAt));
