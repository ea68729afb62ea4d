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
const STAGES = [3, 10, 30];
/** From this number of pages on, a clear majority decides. */
const ENOUGH = 10;
/** Number of pages that may vanish after a look that found nothing before the next look. */
export const VANISHED_PER_LOOK = 5;
/** How long a look is valid, and the maximum time that deletions wait for one. */
export const LOOK_LASTS: Duration = minutes(10);

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

/** May the host lose more documents than the limits allow? Otherwise no look is needed. */
export const needsEarlyLook = (documents: number, { maxDeletions }: Limits): boolean => documents > maxDeletions;

/** What to do next: visit this many more pages, let the deletions pass on to the limits, or hold them for a person. */
export type LookStep = { readonly visit: number } | 'clear' | 'hold';

export function decideNextLookStep(findings: LookFindings, limits: Limits): LookStep {
  const { looked, gone } = findings;
  const stage = STAGES.find((size) => size > looked);
  if (looked === 0) return { visit: STAGES[0]! };
  if (gone === 0 && looked >= STAGES[0]!) return 'clear';
  const isOpen = looked < ENOUGH || gone * 2 < looked;
  if (stage !== undefined && isOpen) return { visit: stage - looked };
  return concludeLook(findings, limits);
}

/** The conclusion of a look that cannot continue because no further page could be visited. */
export function concludeLook(findings: LookFindings, limits: Limits): 'clear' | 'hold' {
  return exceedsLimits(estimateLosses(findings), findings.documents, limits) ? 'hold' : 'clear';
}

/** The number of documents lost if the rest behaves like the sample. */
function estimateLosses({ looked, gone, vanished, documents }: LookFindings): number {
  if (looked === 0) return vanished;
  const others = Math.max(0, documents - vanished - looked);
  return vanished + gone + (others * gone) / looked;
}

const exceedsLimits = (deletions: number, documents: number, { maxDeletions, maxShare }: Limits): boolean =>
  deletions > maxDeletions && deletions > maxShare * documents;
