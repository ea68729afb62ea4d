import type { Reason } from '../policy/reasons.js';
import type { Verdict } from '../policy/verdict.js';

/** The outcome for a URL that is not crawled, or whose document does not belong in the index. */
export interface Exclusion {
  readonly kind: 'excluded';
  readonly reason: Reason;
  readonly detail?: string;
  /** Reason 761: the URL is left to another crawler, and the document stays. */
  readonly keepDocument: boolean;
  /** True if the URL is deleted from the store without a trace. */
  readonly removeStatus: boolean;
  /** True if the URL may become crawlable without a configuration change, so that it is visited again. */
  readonly revisit: boolean;
  /** True if the configuration alone excludes the URL, whatever the site and DNS say. */
  readonly byConfiguration?: boolean;
}

/** An exclusion that depends on what the site says; the next visit may end differently. */
export const createExclusion = (reason: Reason, detail: string | undefined): Exclusion => ({
  kind: 'excluded',
  reason,
  detail,
  keepDocument: false,
  removeStatus: false,
  revisit: true,
});

const CONDITION_REASONS: ReadonlySet<string> = new Set(['condition-filtered', 'condition-disallowed']);

/** Velocity keeps no record of what its conditions filter unless they log it. */
export const leavesNoRecord = ({ reason, record }: { readonly reason: Reason; readonly record?: boolean }): boolean =>
  CONDITION_REASONS.has(reason) && !record;

/** The exclusion of a URL that the policy rejects. */
export function createVerdictExclusion(verdict: Verdict, byConfiguration?: boolean): Exclusion {
  const { reason, detail, keepDocument, layer } = verdict;
  const removeStatus = (layer === 'server-records' || leavesNoRecord(verdict)) && !keepDocument;
  return { ...createExclusion(reason, detail), keepDocument, removeStatus, revisit: false, byConfiguration };
}
