/**
 * Computes when a URL is next visited, from what is believed about its changes and the ages between which smart refresh
 * visits it, and applies changed settings to URLs that were visited under the previous ones. Pure functions.
 */
import { INDEX, REFRESH } from '../frontier/sources.js';
import type { Effects } from '../policy/verdict.js';
import { type ChangeBelief, UNKNOWN_BELIEF, updateBelief } from '../refresh/change-belief.js';
import { computeNextVisit, type RefreshRange } from '../refresh/smart-refresh.js';
import { limitPrice } from '../refresh/visit-price.js';
import { parseHttpDate } from '../time/http-date.js';
import {
  after,
  atLeast,
  atMost,
  between,
  type Duration,
  hours,
  type Instant,
  milliseconds,
  NEVER,
} from '../time/units.js';
import type { ErrorPolicyDefinition, RefreshDefinition } from './definition.js';
import type { Disposition } from './state-changes.js';
import type { StateChanges, UrlState } from './url-state.js';

/** Overrides of the schedule from the verdict on the URL. */
export interface VisitSchedule {
  readonly period?: Duration;
  readonly refreshMinimumAge?: Duration;
  readonly refreshMaximumAge?: Duration;
  readonly errorExpiry?: Duration;
  readonly maxTemporaryErrors?: number;
  readonly retryDelay?: Duration;
  /** How much an up-to-date copy is worth, according to priority and weight; see VisitCost. */
  readonly importance?: number;
}

/** Extracts from the effects of a verdict what affects the times of visits. */
export function toVisitSchedule(effects: Effects): VisitSchedule {
  const { options, period, maxNetworkErrors, networkErrorDelay, priorityShift } = effects;
  return {
    period,
    refreshMinimumAge: options.refreshMinimumAge,
    refreshMaximumAge: options.refreshMaximumAge,
    errorExpiry: options.errorExpiry,
    maxTemporaryErrors: maxNetworkErrors,
    retryDelay: networkErrorDelay,
    // Each step of priority, up to -2 (the highest), doubles the importance.
    importance: (options.weight ?? 1) * 2 ** -priorityShift,
  };
}

export interface DispositionRules {
  readonly errors: ErrorPolicyDefinition;
  readonly refresh: RefreshDefinition;
  readonly schedule: VisitSchedule;
  /** Next time of the cron schedule if smart refresh is off; absent if there is no automatic refresh. */
  readonly nextCron?: Instant;
  /** Whether the crawl starts from the URL, so that it is never given up. */
  readonly isStart?: boolean;
  /** Cost of a visit to the host, as the time that one visit is worth; default: the minimum. */
  readonly visitPrice?: Duration;
}

interface VisitFindings {
  readonly changed: boolean;
  /** Whether there was an earlier visit to compare with. */
  readonly seen: boolean;
  readonly lastModified?: string;
  readonly lifetime?: Duration;
}

/** What is believed about the page's changes after this visit. */
export function computeBeliefAfterVisit(
  state: UrlState,
  { changed, seen, lastModified, lifetime }: VisitFindings,
  now: Instant,
): ChangeBelief {
  const modifiedAt = lastModified === undefined ? undefined : parseHttpDate(lastModified);
  return updateBelief(toBelief(state), {
    elapsed: seen && state.lastVisitAt !== undefined ? between(state.lastVisitAt, now) : undefined,
    changed,
    age: modifiedAt === undefined ? undefined : between(modifiedAt, now),
    lifetime,
  });
}

const toBelief = ({ changeInterval, changeUncertainty }: UrlState): ChangeBelief =>
  changeInterval === undefined || changeUncertainty === undefined
    ? UNKNOWN_BELIEF
    : { interval: changeInterval, uncertainty: changeUncertainty };

/**
 * Returns a number that is evenly distributed over 0…1 (by the golden ratio) for pages found together and for
 * successive visits to one page, so that they are not all due at the same time.
 */
const drawQuasiRandom = (state: UrlState): number => ((state.id + state.visits) * 0.618_033_988_749_895) % 1;

export function computeNextRefresh(
  state: UrlState,
  rules: DispositionRules,
  belief: ChangeBelief,
  now: Instant,
): Instant {
  const { period } = rules.schedule;
  if (period !== undefined) return after(now, period);
  if (!rules.refresh.smart) return rules.nextCron ?? NEVER;
  const range = computeRefreshRange(rules);
  const importance = getImportance(state, rules.schedule);
  const cost = { price: limitPrice(rules.visitPrice, range), draw: drawQuasiRandom(state), importance };
  return after(now, computeNextVisit(belief, range, cost));
}

/** The source and due time of a URL that another program visited at `visitedAt`, as if we had visited it first then. */
export const createFirstRefreshChanges = (
  state: UrlState,
  rules: DispositionRules,
  visitedAt: Instant,
): Pick<StateChanges, 'source' | 'dueAt'> =>
  createRequeueChanges(computeNextRefresh(state, rules, UNKNOWN_BELIEF, visitedAt), rules);

/** The document has given way to the target of a temporary redirect. */
export const REDIRECTED_FOR_NOW = 'redirected-for-now';
/** The document stays until the redirect has been checked. */
export const AWAITING_TARGET = 'awaiting-redirect-target';

/**
 * Whether smart refresh, which is off now, planned the visit. One that is due may have been asked for, so it is made;
 * what failed has retry times of its own.
 */
const isLeftFromSmartRefresh = (
  { source, dueAt, status, reason, permanentError }: UrlState,
  { refresh, schedule }: DispositionRules,
  now: Instant,
): boolean =>
  !refresh.smart &&
  schedule.period === undefined &&
  source === REFRESH &&
  dueAt > now &&
  (status !== 'error' || permanentError) &&
  reason !== REDIRECTED_FOR_NOW &&
  reason !== AWAITING_TARGET;

/**
 * Applies changed refresh times to a URL visited under the previous ones: a visit that would be too late is brought
 * forward, overdue visits are spread over an interval, and visits planned by smart refresh go when it is switched off.
 * Undefined if the visit may stay as it is.
 */
export function createRescheduleDisposition(
  state: UrlState,
  rules: DispositionRules,
  now: Instant,
): Disposition | undefined {
  const { lastVisitAt, dueAt } = state;
  // URLs with temporary errors have their own retry times.
  if (lastVisitAt === undefined || state.status === 'removed' || state.temporaryErrors > 0) return undefined;
  const isLeftOver = isLeftFromSmartRefresh(state, rules, now);
  if (!isLeftOver && dueAt <= computeLatestVisit(lastVisitAt, rules)) return undefined;
  const { period } = rules.schedule;
  const isPeriodic = period !== undefined || rules.refresh.smart;
  const nextVisitAt = computeNextRefresh(state, rules, toBelief(state), lastVisitAt);
  const spreadDelay = milliseconds(Math.round(between(lastVisitAt, nextVisitAt) * drawQuasiRandom(state)));
  const newDueAt = isPeriodic && nextVisitAt < now ? after(now, spreadDelay) : nextVisitAt;
  return newDueAt < dueAt || isLeftOver
    ? { remove: false, changes: createRequeueChanges(newDueAt, rules), changed: false }
    : undefined;
}

function computeLatestVisit(lastVisitAt: Instant, rules: DispositionRules): Instant {
  const { period, errorExpiry } = rules.schedule;
  if (period !== undefined) return after(lastVisitAt, period);
  if (!rules.refresh.smart) return rules.nextCron ?? NEVER;
  return after(lastVisitAt, milliseconds(Math.max(getMaximumAge(rules), errorExpiry ?? 0)));
}

/** The ages between which smart refresh visits the URL again. */
export const computeRefreshRange = (rules: DispositionRules): RefreshRange => ({
  minimumAge: rules.schedule.refreshMinimumAge ?? rules.refresh.minimumAge,
  maximumAge: getMaximumAge(rules),
  objective: rules.refresh.objective,
});

/** The importance of a page decreases with the square root of its distance from the root, up to this many links. */
const MAX_WEIGHTED_HOPS = 15;

const getImportance = ({ hops }: UrlState, { importance = 1 }: VisitSchedule): number =>
  importance / Math.sqrt(1 + Math.min(hops, MAX_WEIGHTED_HOPS));

const getMaximumAge = (rules: DispositionRules): Duration =>
  rules.schedule.refreshMaximumAge ?? rules.refresh.maximumAge;

/** When to see whether the site still excludes a URL: at the maximum age, or with the schedule that takes its place. */
export function computeExclusionRevisit({ refresh, schedule, nextCron }: DispositionRules, now: Instant): Instant {
  if (schedule.period !== undefined) return after(now, schedule.period);
  if (!refresh.smart) return nextCron ?? NEVER;
  return after(now, schedule.refreshMaximumAge ?? refresh.maximumAge);
}

/** Returns when to revisit a document in error: like any other document, unless `errorExpiry` is set. */
export function computeErrorRevisit(state: UrlState, rules: DispositionRules, now: Instant): Instant {
  const { errorExpiry } = rules.schedule;
  if (errorExpiry !== undefined) return after(now, errorExpiry);
  return computeNextRefresh(state, rules, toBelief(state), now);
}

/** Without smart refresh, the refresh source is not used, and due URLs are queued in the index source. */
export function createRequeueChanges(dueAt: Instant, rules: DispositionRules): StateChanges {
  if (dueAt >= NEVER) return { source: null, dueAt: NEVER };
  return { source: rules.refresh.smart ? REFRESH : INDEX, dueAt };
}

/**
 * The cause of a first failure is often gone after a minute; a fifth failure means an outage. With the defaults (one
 * minute, five in a row, at most one day), a site may be down for a whole day before its documents are deleted: 1 min,
 * 6 min, 36 min, 3.6 h, 21.6 h.
 */
export const RETRY_GROWTH = 6;

/** The delay after the n-th temporary error in a row. */
export function computeRetryDelay(errorCount: number, rules: DispositionRules): Duration {
  const baseDelay = rules.schedule.retryDelay ?? rules.errors.retryDelay;
  const grownDelay = milliseconds(baseDelay * RETRY_GROWTH ** Math.min(errorCount - 1, 20));
  // Documents in error are refreshed like other documents, never later than at their maximum age.
  return atMost(grownDelay, milliseconds(Math.min(rules.errors.maxRetryDelay, getMaximumAge(rules))));
}

const MAX_FAULT_DELAY = hours(1);

/** Faults on the crawler's side may be corrected at any time, and are not counted: the delay grows with the last one. */
export function computeFaultDelay(state: UrlState, code: string, rules: DispositionRules, now: Instant): Duration {
  const { reason, status, lastVisitAt } = state;
  const isRepeated = status === 'error' && reason === code && lastVisitAt !== undefined;
  const lastDelay = isRepeated ? between(lastVisitAt, now) : milliseconds(0);
  const minDelay = computeRetryDelay(1, rules);
  return atMost(atLeast(milliseconds(lastDelay * RETRY_GROWTH), minDelay), atLeast(MAX_FAULT_DELAY, minDelay));
}
