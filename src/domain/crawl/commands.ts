/** Decides what a command of an operator, or of the server itself, means for a URL. Pure functions. */
import { isErrorCode } from '../fetch/error-codes.js';
import { INDEX_FOLLOW, REFRESH, toImmediateQueuePlace, USER } from '../frontier/sources.js';
import type { Reason } from '../policy/reasons.js';
import type { OrderState } from '../push/order.js';
import { parsePartUri } from '../push/parts.js';
import type { Instant } from '../time/units.js';
import { hasGivenWay } from './disposition.js';
import type { Disposition } from './state-changes.js';
import { NEVER_CRAWLED, type StateChanges, UNKNOWN_STAMP, type UrlState } from './url-state.js';

/** Reason of a URL whose order a sink has refused. */
export const ORDER_REFUSED = 'order-refused';
/** Reason of a deletion that an operator requested; unfinished deletions are found by it after a restart. */
export const CLEARED = 'cleared-by-person';

const change = (changes: StateChanges): Disposition => ({ remove: false, changes, changed: false });

/** @param keepsDocument the document belongs to another crawler */
export function decideClearing(state: UrlState, keepsDocument: boolean): Disposition {
  const order = state.stamp === undefined || keepsDocument ? undefined : ({ kind: 'delete', reason: CLEARED } as const);
  return { remove: true, changes: {}, order, changed: true };
}

/**
 * Forgets a URL in error; if its document is still indexed, it is visited again instead. So is a root: nothing would
 * lead back to it, and a crawl without its start stands still.
 */
export function decideForgettingError(state: UrlState, isRoot: boolean, now: Instant): Disposition | undefined {
  if (state.status !== 'error' && state.status !== 'removed') return undefined;
  if (state.stamp !== undefined)
    return change({ status: 'indexed', reason: 'indexed', temporaryErrors: 0, source: REFRESH, dueAt: now });
  if (!isRoot) return { remove: true, changes: {}, changed: false };
  const place = { source: USER, dueAt: now };
  return change({ status: 'waiting', reason: 'submitted', temporaryErrors: 0, permanentError: false, ...place });
}

/** The page's canonical URL has produced no document: the next visit will find that out and index the page. */
export function decideIndexingDespiteCanonical({ reason, source }: UrlState, now: Instant): Disposition | undefined {
  return hasGivenWay(reason) ? change({ source: source ?? REFRESH, dueAt: now }) : undefined;
}

/** @param anew whether the page is fetched even if it has not changed */
export function decideRequestedVisit(state: UrlState, now: Instant, anew = false): Disposition | undefined {
  if (NEVER_CRAWLED.has(state.status)) return undefined;
  return change({ ...(anew ? { etag: null, lastModified: null } : {}), ...toImmediateQueuePlace(state, now) });
}

/**
 * The changes for a URL when it is unknown what the sinks hold: its next visit, which is made at once, orders whatever
 * it finds.
 */
export const createVerificationChanges = (now: Instant) =>
  ({
    stamp: UNKNOWN_STAMP,
    status: 'indexed',
    reason: 'reconciled',
    etag: null,
    lastModified: null,
    source: 0,
    dueAt: now,
  }) as const;

/** The changes for a URL whose document another program has put into a sink: its first visit replaces or deletes it. */
export const createAdoptionChanges = (now: Instant) =>
  ({ ...createVerificationChanges(now), reason: 'adopted', source: INDEX_FOLLOW }) as const;

/** Whether the sinks hold what another program has put there, until the URL has been visited. */
export const isAdopted = ({ stamp, reason }: Pick<UrlState, 'stamp' | 'reason'>): boolean =>
  stamp === UNKNOWN_STAMP && reason === 'adopted';

/** Whether a sink has refused the page's document, and no sink has it: another sink may accept it. */
export const isRefused = ({ stamp, reason }: Pick<UrlState, 'stamp' | 'reason'>): boolean =>
  stamp === undefined && reason === ORDER_REFUSED;

/** A document that can be sent without a visit. */
export interface SendableCopy {
  /** True if the principals differ from those with which it was delivered. */
  readonly hasNewPrincipals: boolean;
}

/**
 * Sends a copy of the document to one sink; without a copy, the URL is visited. A document goes back to the sink it
 * comes from only if its principals have changed.
 */
export function decideSendingTo(
  state: UrlState,
  copy: SendableCopy | undefined,
  isFromSameSink: boolean,
  now: Instant,
): Disposition | undefined {
  // A document that was left to another crawler is delivered by that crawler.
  if (state.status === 'elsewhere') return undefined;
  if (isRefused(state))
    return state.dueAt <= now ? undefined : change({ etag: null, lastModified: null, source: REFRESH, dueAt: now });
  if (state.stamp === undefined) return undefined;
  const reason = isFromSameSink ? 'access-changed' : 'backfill';
  if (copy)
    return isFromSameSink && !copy.hasNewPrincipals ? undefined : { ...change({}), order: { kind: 'add', reason } };
  const isVisitedAnyway = state.stamp === UNKNOWN_STAMP && state.dueAt <= now;
  return isVisitedAnyway ? undefined : change({ ...createVerificationChanges(now), reason, source: REFRESH });
}

/** A deletion that was held back, or refused by a sink. */
export interface UnsentDeletion {
  readonly uri: string;
  readonly state: OrderState;
  readonly reason: Reason;
}

/** What sending a deletion again means: of a part of a page, not any more, or of the URL's document. */
export type Resend =
  | { readonly kind: 'part'; readonly id: string }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | { readonly kind: 'deletion'; readonly disposition: Disposition };

export function decideResend(state: UrlState, deletion: UnsentDeletion): Resend {
  const part = deletion.uri === state.url ? undefined : parsePartUri(deletion.uri);
  if (part) return { kind: 'part', id: part.id };
  const reason = findReasonNotToDelete(state, deletion);
  return reason === undefined
    ? { kind: 'deletion', disposition: decideRelease(state, deletion.reason) }
    : { kind: 'cancelled', reason };
}

/** Returns why the document must no longer be deleted as decided earlier; undefined if it may be. */
function findReasonNotToDelete(
  { status, pendingDeletion }: UrlState,
  { state, reason }: UnsentDeletion,
): string | undefined {
  const isWithheld = state === 'held' || state === 'awaiting';
  if (isWithheld && pendingDeletion !== undefined) return undefined;
  // An operator's decision applies, whatever the page's response is.
  if (status === 'indexed' && reason !== CLEARED) return 'the page responds again';
  return isWithheld ? 'the document was deleted for a different reason' : undefined;
}

/**
 * Decides what releasing a held deletion means for its URL: the same as if the deletion had been sent immediately. A
 * URL that was to be forgotten (given up, or no longer covered by a server record) is forgotten; a URL whose page
 * failed or excludes itself from the index is kept and visited when it is due.
 */
function decideRelease({ status, reason: currentReason }: UrlState, reason: Reason): Disposition {
  const order = { kind: 'delete', reason } as const;
  const wasToBeForgotten = status === 'error' && !isErrorCode(currentReason);
  if (wasToBeForgotten) return { remove: true, changes: {}, order, changed: true };
  const changes = { stamp: null, simhash: null, etag: null, lastModified: null };
  return { remove: false, changes, order, changed: true };
}
