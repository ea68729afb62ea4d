/**
 * The early look: when pages of a host are gone (404, 410), and may soon be more than the deletion guard's limits
 * allow, a sample of the others is visited before the first deletion is sent. It is needed only for hosts large enough
 * to exceed the limits.
 */
import type { DeletionGuardDefinition } from '../crawl/definition.js';
import { type Duration, minutes } from '../time/units.js';

type Limits = Pick<DeletionGuardDefinition, 'maxDeletions' | 'maxShare'>;

/**
 * Total number of pages visited after each stage; there is a further stage only if the previous one is inconclusive.
 */
const STAGE_SIZES = [3, 10, 30];
/** Once this many pages have been visited, a clear majority decides. */
const MAJORITY_SAMPLE = 10;
/** Number of pages that may vanish after a look that found nothing before the next look. */
export const VANISHED_PER_LOOK = 5;
/** How long a look is valid, and the maximum time that deletions wait for one. */
export const LOOK_VALIDITY: Duration = minutes(10);

export interface LookFindings {
  /** Number of pages visited for the look. */
  readonly looked: number;
  /** How many of these are also gone. */
  readonly gone: number;
  /** Number of documents whose pages were found to be gone in the meantime. */
  readonly vanished: number;
  /** Number of the host's documents in the index. */
  readonly documents: number;
}

/** Whether the host can lose more documents than the limits allow; otherwise, no look is needed. */
export const needsEarlyLook = (documents: number, { maxDeletions }: Limits): boolean => documents > maxDeletions;

/** What to do next: visit this many more pages, let the deletion guard's limits decide, or hold the deletions. */
export type LookStep = { readonly visit: number } | 'clear' | 'hold';

export function decideNextLookStep(findings: LookFindings, limits: Limits): LookStep {
  const { looked: visitedCount, gone: goneCount } = findings;
  const nextStageSize = STAGE_SIZES.find((size) => size > visitedCount);
  if (visitedCount === 0) return { visit: STAGE_SIZES[0]! };
  if (goneCount === 0 && visitedCount >= STAGE_SIZES[0]!) return 'clear';
  const isInconclusive = visitedCount < MAJORITY_SAMPLE || goneCount * 2 < visitedCount;
  if (nextStageSize !== undefined && isInconclusive) return { visit: nextStageSize - visitedCount };
  return concludeLook(findings, limits);
}

/** Concludes a look that cannot continue because no further page could be visited. */
export function concludeLook(findings: LookFindings, limits: Limits): 'clear' | 'hold' {
  return exceedsLimits(estimateLosses(findings), findings.documents, limits) ? 'hold' : 'clear';
}

/** Estimates the number of documents lost if all others are like the sample. */
function estimateLosses({
  looked: visitedCount,
  gone: goneCount,
  vanished: vanishedCount,
  documents: documentCount,
}: LookFindings): number {
  if (visitedCount === 0) return vanishedCount;
  const unvisitedCount = Math.max(0, documentCount - vanishedCount - visitedCount);
  return vanishedCount + goneCount + (unvisitedCount * goneCount) / visitedCount;
}

const exceedsLimits = (deletionCount: number, documentCount: number, { maxDeletions, maxShare }: Limits): boolean =>
  deletionCount > maxDeletions && deletionCount > maxShare * documentCount;
