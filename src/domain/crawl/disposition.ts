/**
 * Decides what a visit means for its URL. The state, the outcome, the error and refresh policies and the current time
 * determine what is recorded, what the sinks receive, and when the URL is next visited. Pure functions; none of this is
 * decided anywhere else. Based on CloudView's "Error Handling" and "How Priorities Work".
 */
import { ERROR_CODES, type ErrorClass, type ErrorCode, getDefaultReactions } from '../fetch/error-codes.js';
import { isSameVersion, type Validators } from '../fetch/validators.js';
import { REFRESH } from '../frontier/sources.js';
import type { Reason } from '../policy/reasons.js';
import { type ChangeBelief } from '../refresh/change-belief.js';
import { after, atLeast, between, earlier, hours, type Instant, milliseconds, NEVER } from '../time/units.js';
import { isHoldCause } from './change-guard.js';
import { type ErrorPolicyDefinition } from './definition.js';
import type { Exclusion } from './exclusion.js';
import {
  AWAITING_TARGET,
  computeBeliefAfterVisit,
  computeErrorRevisit,
  computeExclusionRevisit,
  computeFaultDelay,
  computeNextRefresh,
  computeRetryDelay,
  createRequeueChanges,
  type DispositionRules,
  REDIRECTED_FOR_NOW,
  RETRY_GROWTH,
} from './revisit.js';
import { type Disposition, type VisitOutcome } from './state-changes.js';
import { type StateChanges, type UrlState, type UrlStatus } from './url-state.js';

export function decideDisposition(
  state: UrlState,
  outcome: VisitOutcome,
  rules: DispositionRules,
  now: Instant,
): Disposition {
  switch (outcome.kind) {
    case 'document':
      return createDocumentDisposition(state, outcome, rules, now);
    case 'unchanged':
      return createUnchangedDisposition(state, outcome, rules, now);
    case 'redirect':
      return outcome.waits
        ? createWaitingRedirectDisposition(state, outcome, now)
        : createRedirectDisposition(state, outcome, rules, now);
    case 'sitemap':
      return createNoDocumentDisposition(
        state,
        { status: 'visited', reason: 'links-only', hasNews: outcome.changed },
        rules,
        now,
      );
    case 'excluded':
      return createExcludedDisposition(state, outcome, rules, now);
    case 'error':
      return classifyError(outcome.code, rules.errors) === 'permanent'
        ? createPermanentErrorDisposition(state, outcome.code, rules, now)
        : createTemporaryErrorDisposition(state, outcome, rules, now);
  }
}

export const classifyError = (code: ErrorCode, policy: ErrorPolicyDefinition): ErrorClass =>
  policy.classes[code] ?? ERROR_CODES[code].class;

function createDocumentDisposition(
  state: UrlState,
  outcome: Extract<VisitOutcome, { kind: 'document' }>,
  rules: DispositionRules,
  now: Instant,
): Disposition {
  // A link that is found later may make it a page of its own.
  if (outcome.reason === NOT_LINKED) {
    const order = createDeletionOrder(state, NOT_LINKED);
    return { remove: true, changes: {}, order, changed: order !== undefined };
  }
  const seen = state.stamp !== undefined || state.simhash !== undefined;
  const changed = hasChanged(state, outcome);
  const belief = computeBeliefAfterVisit(
    state,
    { changed, seen, lastModified: outcome.lastModified, lifetime: outcome.lifetime },
    now,
  );
  const changes: StateChanges = {
    ...createSuccessChanges(state, rules, belief, now),
    status: outcome.index ? 'indexed' : 'visited',
    reason: outcome.reason,
    stamp: outcome.index ? outcome.stamp : null,
    changes: state.changes + (changed && seen ? 1 : 0),
    lastChangeAt: changed ? now : state.lastChangeAt,
    etag: outcome.etag ?? null,
    lastModified: outcome.lastModified ?? null,
    contentType: outcome.contentType,
    title: outcome.title,
    simhash: outcome.simhash ?? null,
    textSketch: outcome.textSketch ?? null,
    ...createCanonicalChange(state, outcome),
  };
  if (!outcome.index)
    return { remove: false, changes, order: createDeletionOrder(state, outcome.reason), changed: seen && changed };
  const order =
    outcome.stamp === state.stamp
      ? undefined
      : ({ kind: 'add', reason: state.stamp === undefined ? 'indexed' : 'changed' } as const);
  return { remove: false, changes, order, changed: seen ? changed : order !== undefined };
}

/** Reason code for a page to which only redirects or probes lead; its URL is forgotten. */
export const NOT_LINKED = 'not-linked';

/** Reason code for a page that gives way to its canonical URL. */
export const CANONICAL_ELSEWHERE = 'canonical-elsewhere';

/** Reason code for a page with the text of another document of its site. */
export const EXACT_DUPLICATE = 'exact-duplicate';

/** Whether the page is in the index again once the other URL has no document. */
export const hasGivenWay = (reason: Reason): boolean => reason === CANONICAL_ELSEWHERE || reason === EXACT_DUPLICATE;

/** Records the URL to which the page gave way; empty for most pages. */
function createCanonicalChange(
  state: UrlState,
  { reason, related }: Extract<VisitOutcome, { kind: 'document' }>,
): Pick<StateChanges, 'canonical'> {
  if (hasGivenWay(reason) && related !== undefined) return { canonical: related };
  return state.canonical === undefined ? {} : { canonical: null };
}

function createUnchangedDisposition(
  state: UrlState,
  { etag = state.etag, lastModified = state.lastModified }: Validators,
  rules: DispositionRules,
  now: Instant,
): Disposition {
  const belief = computeBeliefAfterVisit(state, { changed: false, seen: true }, now);
  const status = state.stamp === undefined ? 'visited' : 'indexed';
  const reason = state.status === status ? state.reason : status === 'indexed' ? 'indexed' : 'unchanged';
  const isDoubtful = state.etag !== undefined && etag !== undefined && !isSameVersion(etag, state.etag);
  // The header of the 304 updates the stored response. Of another version, the next visit reads the page in full.
  const validators = {
    etag: etag === state.etag ? undefined : isDoubtful ? null : etag,
    lastModified: isDoubtful ? null : lastModified === state.lastModified ? undefined : lastModified,
  };
  const canonical = state.status === 'redirected' && state.canonical !== undefined ? null : undefined;
  const success = createSuccessChanges(state, rules, belief, now);
  const changes: StateChanges = { ...success, status, reason, canonical, ...validators };
  return { remove: false, changes, changed: false };
}

type RedirectOutcome = Extract<VisitOutcome, { kind: 'redirect' }>;

/** When a redirect that waits is visited again at the latest: what it waits for usually brings that visit forward. */
const TARGET_RECHECK = hours(6);

/** The document stays. What was counted stays as well: the visit says nothing yet about the page. */
function createWaitingRedirectDisposition(state: UrlState, { target }: RedirectOutcome, now: Instant): Disposition {
  const changes: StateChanges = {
    status: 'redirected',
    reason: AWAITING_TARGET,
    canonical: target,
    source: state.source ?? REFRESH,
    dueAt: after(now, TARGET_RECHECK),
    lastVisitAt: now,
    visits: state.visits + 1,
    // Its text must not keep the same text at its new address out of the index.
    simhash: null,
  };
  return { remove: false, changes, changed: false };
}

/** The target has taken the place of the URL's document, if it had one. */
function createRedirectDisposition(
  state: UrlState,
  { target, permanent }: RedirectOutcome,
  rules: DispositionRules,
  now: Instant,
): Disposition {
  const base = createNoDocumentDisposition(state, { status: 'redirected', reason: 'redirected' }, rules, now);
  const canonical = target ?? (state.canonical === undefined ? undefined : null);
  const changes = { ...base.changes, canonical };
  // A page that never had a document, such as a link to a login, is not worth repeated requests.
  const hadDocument = state.stamp !== undefined || state.reason === REDIRECTED_FOR_NOW;
  if (permanent !== false || !hadDocument) return { ...base, changes };
  const dueAt = earlier(changes.dueAt ?? NEVER, computeReturnCheck(state, rules, now));
  return { ...base, changes: { ...changes, ...createRequeueChanges(dueAt, rules), reason: REDIRECTED_FOR_NOW } };
}

/** When a temporary redirect is requested again: the longer it lasts, the later. */
function computeReturnCheck({ reason, lastVisitAt }: UrlState, rules: DispositionRules, now: Instant): Instant {
  const firstDelay = rules.schedule.retryDelay ?? rules.errors.retryDelay;
  if (reason !== REDIRECTED_FOR_NOW || lastVisitAt === undefined) return after(now, firstDelay);
  return after(now, milliseconds(Math.max(firstDelay, between(lastVisitAt, now) * RETRY_GROWTH)));
}

/** For a URL that responds, but has no document. */
function createNoDocumentDisposition(
  state: UrlState,
  {
    status,
    reason,
    hasNews = false,
  }: { readonly status: UrlStatus; readonly reason: Reason; readonly hasNews?: boolean },
  rules: DispositionRules,
  now: Instant,
): Disposition {
  const seen = state.stamp !== undefined || state.status === status;
  const changed = state.stamp !== undefined || (seen && hasNews);
  const belief = computeBeliefAfterVisit(state, { changed, seen }, now);
  const changes: StateChanges = {
    ...createSuccessChanges(state, rules, belief, now),
    ...(changed && hasNews ? { changes: state.changes + 1, lastChangeAt: now } : {}),
    status,
    reason,
    stamp: null,
    simhash: null,
    etag: null,
    lastModified: null,
  };
  return { remove: false, changes, order: createDeletionOrder(state, reason), changed };
}

function createExcludedDisposition(
  state: UrlState,
  outcome: Exclusion,
  rules: DispositionRules,
  now: Instant,
): Disposition {
  const { reason } = outcome;
  // The rules on its host's address could be checked only when the link was visited. It does not belong to the crawl,
  // and there is no document to keep.
  if (outcome.keepDocument && state.visits === 0 && state.stamp === undefined && state.discoveredVia !== 'root')
    return { remove: true, changes: {}, changed: false };
  if (outcome.keepDocument) {
    return { remove: false, changes: { status: 'elsewhere', reason, source: null, dueAt: NEVER }, changed: false };
  }
  const order = createDeletionOrder(state, reason);
  if (outcome.removeStatus) return { remove: true, changes: {}, order, changed: order !== undefined };
  const changes: StateChanges = {
    status: 'excluded',
    reason,
    // The page has responded, or the rules exclude it, so earlier errors do not count if it belongs to the crawl again.
    temporaryErrors: 0,
    permanentError: false,
    stamp: null,
    simhash: null,
    etag: null,
    lastModified: null,
  };
  if (outcome.revisit)
    Object.assign(changes, createRequeueChanges(computeExclusionRevisit(rules, now), rules), { lastVisitAt: now });
  else Object.assign(changes, { source: null, dueAt: NEVER });
  return { remove: false, changes, order, changed: order !== undefined };
}

function createPermanentErrorDisposition(
  state: UrlState,
  code: ErrorCode,
  rules: DispositionRules,
  now: Instant,
): Disposition {
  // A sitemap that robots.txt names, or that was only guessed, is not a page, so its absence need not be recorded.
  const order = createDeletionOrder(state, code);
  if (state.discoveredVia === 'robots') return { remove: true, changes: {}, order, changed: order !== undefined };
  // While the deletion of its document is held, the first error is not settled, so the next one is not the second.
  if (state.permanentError && state.stamp === undefined && !rules.isStart)
    return createRemovalDisposition(state, order, now);
  const failures = rules.isStart ? state.temporaryErrors + 1 : 0;
  const changes: StateChanges = {
    ...createRequeueChanges(computePermanentErrorRevisit(state, failures, rules, now), rules),
    status: 'error',
    reason: code,
    lastVisitAt: now,
    visits: state.visits + 1,
    permanentError: true,
    temporaryErrors: failures,
    stamp: null,
    simhash: null,
    etag: null,
    lastModified: null,
  };
  return { remove: false, changes, order, changed: order !== undefined };
}

/** Without its start, a crawl stands still: a start URL is retried soon, then less and less often. */
function computePermanentErrorRevisit(
  state: UrlState,
  failures: number,
  rules: DispositionRules,
  now: Instant,
): Instant {
  const regular = computeErrorRevisit(state, rules, now);
  if (failures === 0 || rules.schedule.errorExpiry !== undefined) return regular;
  return earlier(regular, after(now, computeRetryDelay(failures, rules)));
}

/** Reason for deleting the document of a page with too many temporary errors in a row. */
export const GIVEN_UP = 'too-many-temporary-errors';

function createTemporaryErrorDisposition(
  state: UrlState,
  outcome: Extract<VisitOutcome, { kind: 'error' }>,
  rules: DispositionRules,
  now: Instant,
): Disposition {
  const errorCount = state.temporaryErrors + 1;
  const isPagesOwn = !outcome.doubted && getDefaultReactions(outcome.code).blame !== 'crawler';
  const maxErrors = rules.schedule.maxTemporaryErrors ?? rules.errors.maxTemporaryErrors;
  const isGivenUp = isPagesOwn && errorCount > maxErrors;
  if (isGivenUp && !rules.isStart) {
    const order = createDeletionOrder(state, GIVEN_UP);
    // See createPermanentErrorDisposition: a sitemap is not a page.
    if (state.discoveredVia === 'robots') return { remove: true, changes: {}, order, changed: order !== undefined };
    return createRemovalDisposition({ ...state, temporaryErrors: errorCount }, order, now);
  }
  const order = isGivenUp ? createDeletionOrder(state, GIVEN_UP) : undefined;
  const delay = isPagesOwn ? computeRetryDelay(errorCount, rules) : computeFaultDelay(state, outcome.code, rules, now);
  const waitTime = outcome.retryAfter === undefined ? delay : atLeast(delay, outcome.retryAfter);
  const changes: StateChanges = {
    // The source stays unchanged: a repeated first visit is still a first visit.
    source: state.source ?? REFRESH,
    dueAt: after(now, waitTime),
    status: 'error',
    reason: outcome.code,
    lastVisitAt: now,
    visits: state.visits + 1,
    // A fault on the crawler's side or a doubt says nothing about the page; one whose change is held has responded.
    temporaryErrors: isHoldCause(outcome.code) ? 0 : isPagesOwn ? errorCount : state.temporaryErrors,
    ...(order ? { stamp: null, simhash: null, etag: null, lastModified: null } : {}),
  };
  return { remove: false, changes, order, changed: order !== undefined };
}

/** Reason code for URLs that were removed after errors. */
export const REMOVED = 'removed-after-errors';

/**
 * The URL is no longer visited. Its record is kept, so that a link on a live page brings it back whether or not that
 * page has changed, and so that users can see what became of it.
 */
function createRemovalDisposition(state: UrlState, order: Disposition['order'], now: Instant): Disposition {
  const changes: StateChanges = {
    status: 'removed',
    reason: REMOVED,
    source: null,
    dueAt: NEVER,
    lastVisitAt: now,
    visits: state.visits + 1,
    temporaryErrors: state.temporaryErrors,
    stamp: null,
    simhash: null,
    etag: null,
    lastModified: null,
    canonical: null,
  };
  return { remove: false, changes, order, changed: order !== undefined };
}

function createDeletionOrder(state: UrlState, reason: Reason): Disposition['order'] {
  return state.stamp === undefined ? undefined : { kind: 'delete', reason };
}

/** A document that is not in the index has no content hash, so its simhash shows whether it has changed. */
function hasChanged(state: UrlState, outcome: Extract<VisitOutcome, { kind: 'document' }>): boolean {
  if (state.stamp !== undefined || outcome.simhash === undefined) return outcome.stamp !== state.stamp;
  return outcome.simhash !== state.simhash;
}

/** What every successful visit changes, including the time of the next one. */
function createSuccessChanges(
  state: UrlState,
  rules: DispositionRules,
  belief: ChangeBelief,
  now: Instant,
): StateChanges {
  return {
    ...createRequeueChanges(computeNextRefresh(state, rules, belief, now), rules),
    lastVisitAt: now,
    visits: state.visits + 1,
    changeInterval: belief.interval,
    changeUncertainty: belief.uncertainty,
    temporaryErrors: 0,
    permanentError: false,
  };
}
