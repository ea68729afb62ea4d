/**
 * Decides what changed rules mean for a stored URL before its next visit, and predicts it for the preview of a
 * configuration. Pure functions.
 */
import { assignSource, REFRESH, type SourceNumber } from '../frontier/sources.js';
import type { Reason } from '../policy/reasons.js';
import type { Verdict } from '../policy/verdict.js';
import type { Instant } from '../time/units.js';
import type { Canonicalizer } from '../url/canonicalize.js';
import { decideDisposition } from './disposition.js';
import { createVerdictExclusion, leavesNoRecord } from './exclusion.js';
import { createRescheduleDisposition, type DispositionRules } from './revisit.js';
import type { Disposition } from './state-changes.js';
import { POLICY_STATUSES, type StateChanges, type UrlState } from './url-state.js';

/** A stored URL with the current verdict on it. */
export interface ReEvaluation {
  readonly state: UrlState;
  readonly verdict: Verdict;
  readonly rules: DispositionRules;
  readonly canonicalize: Canonicalizer;
  readonly now: Instant;
}

/** Reasons for `excluded` that resulted from a visit: a rule change alone does not revoke them. */
const REASONS_FROM_VISITS: ReadonlySet<string> = new Set([
  'robots-disallowed',
  'mime-type-excluded',
  'trap-endless-pattern',
  'trap-repeated-text',
]);

const change = (changes: StateChanges): Disposition => ({ remove: false, changes, changed: false });

/** Returns undefined if nothing changes for the URL. */
export function decideReEvaluation(url: ReEvaluation): Disposition | undefined {
  // If a link to it is found, it is judged by the rules then in force.
  if (url.state.status === 'removed') return undefined;
  if (!url.verdict.accepted) return decideOnRejection(url);
  return (
    decideReadmission(url) ??
    decideUnindexing(url) ??
    decideIndexing(url) ??
    decideMove(url) ??
    decideOnCanonicalChange(url) ??
    decideReschedule(url)
  );
}

function decideOnRejection({ state, verdict, rules, now }: ReEvaluation): Disposition | undefined {
  // A URL that is no longer left to another crawler still has its document.
  const wasLeftToAnother = state.status === 'elsewhere' && !verdict.keepDocument;
  // A stored URL whose server record is gone is removed by its own visit once it is due. A URL left to another crawler
  // is never due.
  const waitsUntilDue = verdict.layer === 'server-records' && !wasLeftToAnother;
  const removeStatus = leavesNoRecord(verdict);
  const isAlreadyOut =
    POLICY_STATUSES.has(state.status) && !wasLeftToAnother && !(removeStatus && state.stamp === undefined);
  if (waitsUntilDue || isAlreadyOut) return undefined;
  return decideDisposition(state, { ...createVerdictExclusion(verdict), removeStatus }, rules, now);
}

/** Whether the rules excluded the URL, so that they can bring it back. */
const isReadmitted = ({ status, reason }: UrlState): boolean =>
  POLICY_STATUSES.has(status) && !REASONS_FROM_VISITS.has(reason);

/** Brings back a URL that the rules excluded and now accept. */
function decideReadmission({ state, verdict: { effects }, now }: ReEvaluation): Disposition | undefined {
  if (!isReadmitted(state)) return undefined;
  const discoveredVia = state.discoveredVia === 'robots' ? 'sitemap' : state.discoveredVia;
  return change({
    status: state.stamp === undefined ? 'waiting' : 'indexed',
    reason: 'configuration-changed',
    source: assignSource(discoveredVia, effects, effects.priorityShift),
    dueAt: now,
    permanentError: false,
  });
}

/** Deletes a document that the rules no longer admit to the index, although its page may still be read for links. */
function decideUnindexing({ state, verdict }: ReEvaluation): Disposition | undefined {
  if (!leavesIndex(state, verdict)) return undefined;
  const reason = getUnindexingReason(verdict);
  const changes = { status: 'visited', reason, stamp: null, simhash: null } as const;
  return { remove: false, changes, order: { kind: 'delete', reason }, changed: true };
}

const leavesIndex = (state: UrlState, verdict: Verdict): boolean =>
  state.stamp !== undefined && !POLICY_STATUSES.has(state.status) && !verdict.effects.index;

const getUnindexingReason = ({ effects }: Verdict): Reason => (effects.follow ? 'links-only' : 'no-index');

/** A page that the rules kept out of the index and now admit need not wait for its next refresh. */
function decideIndexing({ state, verdict, now }: ReEvaluation): Disposition | undefined {
  const wasKeptOut = state.status === 'visited' && (state.reason === 'links-only' || state.reason === 'no-index');
  if (!wasKeptOut || !verdict.effects.index || state.discoveredVia === 'robots') return undefined;
  return change({ source: REFRESH, dueAt: now });
}

/** Moves a queued URL that belongs to a different source under the new rules. */
function decideMove({ state, verdict }: ReEvaluation): Disposition | undefined {
  const source = findNewSource(state, verdict);
  return source === undefined ? undefined : change({ source });
}

function findNewSource(state: UrlState, { effects }: Verdict): SourceNumber | undefined {
  const { status, source, discoveredVia } = state;
  if (status !== 'waiting' || source === undefined || source === REFRESH || discoveredVia === 'robots')
    return undefined;
  if (discoveredVia === 'root') return undefined; // an operator has chosen its priority
  const newSource = assignSource(discoveredVia, effects, effects.priorityShift);
  return newSource === source ? undefined : newSource;
}

/** A page whose canonical URL is now a different one is visited, and gives way to it. */
function decideOnCanonicalChange({ state, canonicalize, now }: ReEvaluation): Disposition | undefined {
  if (state.status !== 'indexed' || state.dueAt <= now || canonicalize(state.url)?.href === state.url) return undefined;
  return change({ source: REFRESH, dueAt: now });
}

function decideReschedule({ state, rules, now }: ReEvaluation): Disposition | undefined {
  if (POLICY_STATUSES.has(state.status) || state.status === 'waiting') return undefined;
  return createRescheduleDisposition(state, rules, now);
}

/** Something that changed rules do to a stored URL; the preview counts each separately. */
export type PredictedEffect = 'newlyAccepted' | 'excluded' | 'keptElsewhere' | 'documentsDeleted' | 'changedSource';

/** Predicts what applying the rules does to the URL, with the reason for each effect. */
export function predictEffects(state: UrlState, verdict: Verdict): Partial<Record<PredictedEffect, Reason>> {
  if (state.status === 'removed') return {};
  const { reason } = verdict;
  if (verdict.accepted) return predictOnAcceptance(state, verdict);
  if (verdict.keepDocument) return state.status === 'elsewhere' ? {} : { keptElsewhere: reason };
  return {
    ...(POLICY_STATUSES.has(state.status) ? {} : { excluded: reason }),
    ...(state.stamp === undefined ? {} : { documentsDeleted: reason }),
  };
}

function predictOnAcceptance(state: UrlState, verdict: Verdict): Partial<Record<PredictedEffect, Reason>> {
  const { reason } = verdict;
  if (isReadmitted(state)) {
    // A URL that was left to another crawler still has its document, which its next visit may remove from the index.
    const isUnindexed = state.stamp !== undefined && !verdict.effects.index;
    return { newlyAccepted: reason, ...(isUnindexed ? { documentsDeleted: getUnindexingReason(verdict) } : {}) };
  }
  if (leavesIndex(state, verdict)) return { documentsDeleted: getUnindexingReason(verdict) };
  return findNewSource(state, verdict) === undefined ? {} : { changedSource: reason };
}
