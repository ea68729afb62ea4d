/**
 * The sign of life: a deletion that results from a server fault is sent only when the same host has served a good page
 * after the fault began, and the page has failed once more since then. Without a sign of life it waits, for a day by
 * default. Pure functions: the engine keeps the times and makes the visits.
 */
import type { DeletionGuardDefinition } from '../crawl/definition.js';
import { GIVEN_UP } from '../crawl/disposition.js';
import type { DiscoveredVia } from '../crawl/url-state.js';
import { getDefaultReactions, isErrorCode } from '../fetch/error-codes.js';
import { looksLikeLoginUrl } from '../fetch/login-wall.js';
import type { Reason } from '../policy/reasons.js';
import { after, earlier, hours, type Instant } from '../time/units.js';

type GuardSettings = Pick<DeletionGuardDefinition, 'on' | 'signOfLife' | 'signOfLifeWait'>;

/** Whether the server responds and says that this one page is gone. */
export const isPageGone = (reason: Reason): boolean =>
  isErrorCode(reason) && getDefaultReactions(reason).blame === 'page';

/** Whether something other than the page is to blame: true for every error except that the page is gone. */
export const isServerFault = (reason: Reason): boolean =>
  reason === GIVEN_UP || (isErrorCode(reason) && getDefaultReactions(reason).blame !== 'page');

/** A visit to a URL of the crawl. Probes, requests for robots.txt and the like are not visits. */
export interface VisitResult {
  readonly url: string;
  readonly discoveredVia: DiscoveredVia;
  /** When the URL became known. */
  readonly firstSeenAt: Instant;
  /** Whether the URL had been visited before. */
  readonly visitedBefore: boolean;
  /** When the visit began. */
  readonly startedAt: Instant;
  readonly outcome: 'document' | 'unchanged' | 'redirect' | 'sitemap' | 'excluded' | 'error';
  /** HTTP status; undefined if nothing was requested or nothing responded. */
  readonly status: number | undefined;
}

/**
 * Whether the visit shows that the host serves its pages again after a failed visit that ended at `faultSeenAt`. Only a
 * page that was known by then shows this, because a failing host sends visitors to login, maintenance and error pages
 * that had not been seen before. A redirect shows nothing.
 */
export function isSignOfLife(visit: VisitResult, faultSeenAt: Instant): boolean {
  const { outcome, status, discoveredVia, firstSeenAt, visitedBefore, startedAt, url } = visit;
  const wasServed = outcome === 'document' || outcome === 'unchanged' || outcome === 'excluded';
  const isGood = status !== undefined && ((status >= 200 && status < 300) || status === 304);
  const isKnownPage =
    discoveredVia !== 'robots' && visitedBefore && firstSeenAt <= faultSeenAt && !looksLikeLoginUrl(url);
  // A visit that begins in the millisecond in which the failed one ended is considered to have begun after it.
  return wasServed && isGood && isKnownPage && startedAt >= faultSeenAt;
}

/** A deletion that a failure of the server causes, decided at the end of a failed visit. */
export interface FaultDeletion {
  /** When the deletion began to wait; undefined if the fault is new. */
  readonly waitingSince: Instant | undefined;
  /** When the host's last good visit began. */
  readonly lastSign: Instant | undefined;
  /** When the failed visit began. */
  readonly startedAt: Instant;
  readonly now: Instant;
}

/** `wait`: until there is a sign of life, a user decides or the time is over. `pass`: the guard's limits decide. */
export function judgeFaultDeletion(deletion: FaultDeletion, settings: GuardSettings): 'wait' | 'pass' {
  const { waitingSince, lastSign, startedAt, now } = deletion;
  if (!settings.on || !settings.signOfLife) return 'pass';
  if (waitingSince === undefined) return 'wait';
  // The page failed, another one was served, and the page failed again: the page is to blame.
  if (lastSign !== undefined && lastSign >= waitingSince && startedAt >= lastSign) return 'pass';
  return now >= computeWaitEnd(waitingSince, settings) ? 'pass' : 'wait';
}

const computeWaitEnd = (waitingSince: Instant, { signOfLifeWait }: GuardSettings): Instant =>
  after(waitingSince, signOfLifeWait);

/** How often a page whose deletion is waiting is checked. */
const RECHECK_INTERVAL = hours(1);

/**
 * When a page whose deletion is waiting is next visited, unless a sign of life brings the visit forward; never after
 * the end of the wait.
 */
export function computeRecheckTime(waitingSince: Instant, now: Instant, settings: GuardSettings): Instant {
  const nextCheckAt = after(now, RECHECK_INTERVAL);
  const waitEnd = computeWaitEnd(waitingSince, settings);
  return waitEnd > now ? earlier(nextCheckAt, waitEnd) : nextCheckAt;
}

/** The search for a sign of life: some other pages of the host are visited. */
export type SignSearch =
  | { readonly state: 'not-begun' }
  /** Visits were requested. */
  | { readonly state: 'begun'; readonly at: Instant }
  /** Every page that could bring a sign of life was in flight: the next one to be settled starts the search again. */
  | { readonly state: 'blocked'; readonly at: Instant };

/** Interval between searches while there is no sign of life. */
const SEARCH_INTERVAL = hours(1);

/** Whether to search now: not if that was recently done in vain. */
export function shouldSearch(search: SignSearch, lastSign: Instant | undefined, now: Instant): boolean {
  if (search.state === 'not-begun' || (lastSign !== undefined && lastSign >= search.at)) return true;
  return after(search.at, SEARCH_INTERVAL) <= now;
}
