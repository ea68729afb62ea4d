/**
 * The early look: when pages of a host are gone (404, 410) that may soon be more than the limits of the deletion guard allow, a
 * sample of the others is visited before the first deletion goes out. Only for hosts large enough to exceed the limits.
 */
import type { DeletionGuardDefinition } from '../crawl/definition.js';
import { type Duration, minutes } from '../time/units.js';

type Limits = Pick<DeletionGuardDefinition, 'maxDeletions' | 'maxShare'>;

/** Pages visited in total, stage by stage: a further stage only if the previous one leaves it open. */
const STAGES = [3, 10, 30];
/** From this stage on, a clear majority decides. */
const ENOUGH = 10;
/** Pages that may vanish after a look that found nothing, before the next one. */
export const VANISHED_PER_LOOK = 5;
/** How long a look is valid, and how long deletions wait for one at most. */
export const LOOK_LASTS: Duration = minutes(10);

export interface LookFindings {
  /** Pages visited for it. */
  readonly looked: number;
  /** How many of these are gone, too. */
  readonly gone: number;
  /** Documents whose pages were also found gone meanwhile. */
  readonly vanished: number;
  /** Documents of the host in the index. */
  readonly documents: number;
}

/** May the host lose more documents than the limits allow? Otherwise no look is needed. */
export const needsEarlyLook = (documents: number, { maxDeletions }: Limits): boolean => documents > maxDeletions;

/** What to do next: visit this many more pages, let the deletions pass on to the limits, or hold them for a person. */
export type LookStep = { readonly visit: number } | 'clear' | 'hold';

export function nextLookStep(findings: LookFindings, limits: Limits): LookStep {
  const { looked, gone } = findings;
  const stage = STAGES.find((size) => size > looked);
  if (looked === 0) return { visit: STAGES[0]! };
  if (gone === 0 && looked >= STAGES[0]!) return 'clear';
  const isOpen = looked < ENOUGH || gone * 2 < looked;
  if (stage !== undefined && isOpen) return { visit: stage - looked };
  return concludeLook(findings, limits);
}

/** What a look means that cannot continue: no further page could be visited. */
export function concludeLook(findings: LookFindings, limits: Limits): 'clear' | 'hold' {
  return exceedsLimits(estimateLosses(findings), findings.documents, limits) ? 'hold' : 'clear';
}

/** As many as the sample suggests, if this continues. */
function estimateLosses({ looked, gone, vanished, documents }: LookFindings): number {
  if (looked === 0) return vanished;
  const others = Math.max(0, documents - vanished - looked);
  return vanished + gone + (others * gone) / looked;
}

const exceedsLimits = (deletions: number, documents: number, { maxDeletions, maxShare }: Limits): boolean =>
  deletions > maxDeletions && deletions > maxShare * documents;
