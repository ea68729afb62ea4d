/**
 * The early look: when pages of a host are gone (404, 410), and may soon be more than the deletion guard's limits
 * allow, a sample of the others is visited before the first deletion is sent. It is needed only for hosts large enough
 * to exceed the limits.
 */
import type { DeletionGuardDefinition } from '../crawl/definition.js';
import type { UrlId } from '../crawl/url-state.js';
import type { ErrorCode } from '../fetch/error-codes.js';
import { between, type Duration, hours, type Instant, minutes } from '../time/units.js';
import { isPageGone } from './sign-of-life.js';

type Limits = Pick<DeletionGuardDefinition, 'maxDeletions' | 'maxShare'>;

/**
 * Total number of pages visited after each stage; there is a further stage only if the previous one is inconclusive.
 */
const STAGE_SIZES = [3, 10, 30];
/** Once this many pages have been visited, a clear majority decides. */
const MAJORITY_SAMPLE = 10;
/** Number of pages that may vanish after a look that found nothing before the next look. */
const VANISHED_PER_LOOK = 5;
/** Maximum number of pages that a look visits. */
const MAX_PAGES = 30;
/** How long a look is valid, and the maximum time that deletions wait for one that has had results. */
export const LOOK_VALIDITY: Duration = minutes(10);
/** The same for one without results: pages of a slow host may take long to show whether their redirects lead anywhere. */
const LONGEST_LOOK: Duration = hours(1);

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

export type LookVerdict = 'clear' | 'hold';

type LookStage =
  /** Visits are in flight, or nothing has been requested yet. */
  | { readonly name: 'visiting' }
  /** Pages are being chosen; the caller that chooses them continues once the results have arrived. */
  | { readonly name: 'choosing' }
  | { readonly name: 'ended'; readonly verdict: LookVerdict; readonly at: Instant };

/** One look at a host: which pages are gone, which ones are visited for it, and what they have shown. */
export class EarlyLook {
  private stage: LookStage = { name: 'visiting' };
  private readonly vanished = new Set<UrlId>();
  private readonly requested = new Set<UrlId>();
  /** Visits that were requested and have not ended. */
  private readonly outstanding = new Set<UrlId>();
  private looked = 0;
  private gone = 0;
  /** Number of pages that were found to be gone after the look had ended, and to which its verdict applied. */
  private laterPages = 0;

  /** @param documents number of the host's documents in the index */
  constructor(
    private readonly limits: Limits,
    private readonly documents: number,
    private readonly startedAt: Instant,
  ) {}

  /** Undefined until the look has ended. */
  get verdict(): LookVerdict | undefined {
    return this.stage.name === 'ended' ? this.stage.verdict : undefined;
  }

  /**
   * Adds a page that is gone. Returns false if a new look is needed: this one has expired, or it found nothing, and
   * several more pages have vanished since.
   */
  addVanished(id: UrlId, now: Instant): boolean {
    if (this.stage.name === 'ended' && !this.coversLater(id, this.stage, now)) return false;
    // The look may have chosen a page whose own visit was past its response.
    if (this.isAwaiting(id)) this.recordResult(id, 'http-404');
    else if (!this.requested.has(id)) this.vanished.add(id);
    return true;
  }

  /** Ends the look if its time is over. */
  endIfOverdue(now: Instant): void {
    if (between(this.startedAt, now) >= (this.looked === 0 ? LONGEST_LOOK : LOOK_VALIDITY)) this.end(now);
  }

  /** Ends a look that cannot continue. */
  end(now: Instant): void {
    if (this.stage.name !== 'ended') this.endWith(concludeLook(this.findings, this.limits), now);
  }

  /** Returns false if pages are already being chosen, or the look has ended. */
  beginChoosing(): boolean {
    if (this.stage.name !== 'visiting') return false;
    this.stage = { name: 'choosing' };
    return true;
  }

  stopChoosing(): void {
    if (this.stage.name === 'choosing') this.stage = { name: 'visiting' };
  }

  /** True if all results have arrived and the look has not ended. */
  get needsStep(): boolean {
    return this.stage.name !== 'ended' && this.outstanding.size === 0;
  }

  /** Decides how many more pages to visit; 0 if the look has ended. */
  takeStep(now: Instant): number {
    const step = decideNextLookStep(this.findings, this.limits);
    if (typeof step === 'object') return Math.min(MAX_PAGES - this.requested.size, step.visit);
    this.endWith(step, now);
    return 0;
  }

  /** The pages that may not be visited for the look. */
  get knownIds(): ReadonlySet<UrlId> {
    return new Set([...this.requested, ...this.vanished]);
  }

  /** To be called before a visit is requested, because it may end before the call that requests it returns. */
  noteRequested(id: UrlId): void {
    this.requested.add(id);
    this.outstanding.add(id);
  }

  /** Whether the look has not ended, and waits for a visit of the page. */
  isAwaiting(id: UrlId): boolean {
    return this.stage.name !== 'ended' && this.outstanding.has(id);
  }

  /** Records the result of a visit; returns false if it was not made for the look. */
  recordResult(id: UrlId, code: ErrorCode | undefined): boolean {
    if (this.stage.name === 'ended' || !this.outstanding.delete(id)) return false;
    const isGone = code !== undefined && isPageGone(code);
    if (isGone || code === undefined) this.looked++;
    if (isGone) this.gone++;
    return true;
  }

  private coversLater(id: UrlId, { verdict, at }: Extract<LookStage, { name: 'ended' }>, now: Instant): boolean {
    if (between(at, now) >= LOOK_VALIDITY) return false;
    if (this.vanished.has(id) || this.requested.has(id)) return true;
    if (verdict === 'clear' && this.laterPages >= VANISHED_PER_LOOK) return false;
    this.laterPages++;
    return true;
  }

  private endWith(verdict: LookVerdict, at: Instant): void {
    this.stage = { name: 'ended', verdict, at };
  }

  private get findings(): LookFindings {
    return { looked: this.looked, gone: this.gone, vanished: this.vanished.size, documents: this.documents };
  }
}
