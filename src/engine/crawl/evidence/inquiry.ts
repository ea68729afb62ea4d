/** What the change guard has learned about a host since the first suspicious change of one of its pages. */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { hasSameText } from '../../../domain/content/exact-duplicates.js';
import {
  coversChange,
  type HostEvidence,
  hasNewFigures,
  isHoldCause,
  isSameChange,
  type PageAnswer,
  type SuspiciousChange,
  selectEvidence,
} from '../../../domain/crawl/change-guard.js';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import { isPageGone } from '../../../domain/push/sign-of-life.js';
import { before, between, type Duration, hours, type Instant, minutes } from '../../../domain/time/units.js';
import { sampleEvenly } from './host-trouble.js';

/** Maximum number of answers that an inquiry remembers. */
const MAX_ANSWERS = 200;
/** How long the answers of a host are valid, and how many changes may be believed because of them. */
const VALIDITY: Duration = minutes(10);
const MAX_BELIEVED = 20;
/** Maximum share of a host's documents that are believed to be closed on purpose. */
const MAX_CLOSED_SHARE = 0.5;
/** Maximum number of pages that an inquiry asks. */
const MAX_ASKED = 16;
/** How many changes that were not kept are remembered of a host, and how long. */
const MAX_TAKEN_BACK = 24;
const TAKEN_BACK_LIFETIME: Duration = hours(1);
/** How many texts that were believed are remembered of a host. */
const MAX_SUCCESSORS = 24;
/** How long a page that has failed counts as failing without another visit, unless its own retry comes first. */
const MAX_FAILURE_AGE: Duration = hours(1);

export type TimedAnswer = PageAnswer & { readonly at: Instant };

type TimedChange = { readonly change: SuspiciousChange; readonly at: Instant };

/** A visit that has led to no answer. */
export interface Miss {
  readonly at: Instant;
  /** False if the page is gone. */
  readonly hasFailed: boolean;
}

/** What pages of a host have said since the first suspicious change. */
export class Inquiry {
  readonly answers = new BoundedMap<UrlId, TimedAnswer>(MAX_ANSWERS);
  /** When the changes of pages were first seen. */
  readonly firstSeen = new BoundedMap<UrlId, Instant>(MAX_ANSWERS);
  /** Number of pages that may still be asked about the change of a page. */
  readonly askable = new BoundedMap<UrlId, number>(MAX_ANSWERS);
  /** Pages that were asked and have not answered. */
  readonly outstanding = new Set<UrlId>();
  /** Pages whose changes are judged when all have answered. */
  readonly waiting = new Set<UrlId>();
  /** Pages whose changes were held before: whoever was asked about them then may have left the index meanwhile. */
  readonly held = new Set<UrlId>();
  /** Pages that were asked and have said nothing about their documents. */
  readonly misses = new BoundedMap<UrlId, Miss>(MAX_ANSWERS);
  hasOthers = true;
  /** Sketches of the texts that were indexed when pages were first asked. */
  indexedTexts: readonly bigint[] = [];
  private believed = 0;
  /** By page: whether it has said the same at its last two visits; undefined unless both showed a change that was not believed before. */
  readonly kept = new BoundedMap<UrlId, boolean | undefined>(MAX_ANSWERS);
  /** By page: the last change that it has shown and not kept. */
  private readonly takenBack = new BoundedMap<UrlId, TimedChange>(MAX_TAKEN_BACK);

  /** The digests of texts that were believed, by the stamps of the documents that they replaced. */
  private readonly successors = new BoundedMap<string, bigint>(MAX_SUCCESSORS);

  /** @param former the inquiry before this one, in which pages may have taken changes back */
  constructor(
    readonly startedAt: Instant,
    former?: Inquiry,
  ) {
    for (const [id, taken] of former?.takenBack.entries() ?? [])
      if (taken.at >= before(startedAt, TAKEN_BACK_LIFETIME)) this.takenBack.set(id, taken);
    for (const [stamp, digest] of former?.successors.entries() ?? []) this.successors.set(stamp, digest);
  }

  isValid(now: Instant): boolean {
    return between(this.startedAt, now) < VALIDITY && this.believed < MAX_BELIEVED;
  }

  noteBelieved({ indexedStamp, change }: PageAnswer): void {
    // All pages of a site of figures may have new ones: asking for each twenty of them again would be endless.
    if (!change || !hasNewFigures(change)) this.believed++;
    if (indexedStamp && change?.kind === 'text' && !change.directive)
      this.successors.set(indexedStamp, change.sample.digest);
  }

  /** Whether a page that had the same text has been believed to have this one now, as the print versions of a page. */
  hasMovedAlong({ indexedStamp, change }: PageAnswer): boolean {
    if (!indexedStamp || change?.kind !== 'text' || change.directive) return false;
    const { digest } = change.sample;
    return [...this.successors.entries()].some(([stamp, own]) => own === digest && hasSameText(stamp, indexedStamp));
  }

  /** Records a change that is not believed yet. */
  noteChange({ id, pendingDeletion }: UrlState, change: SuspiciousChange, at: Instant): void {
    if (isHoldCause(pendingDeletion)) this.held.add(id);
    // A directive that is held was seen before: whatever the others have said since the host is asked counts.
    if (!this.firstSeen.has(id)) this.firstSeen.set(id, this.isHeldDirective(id, change) ? this.startedAt : at);
  }

  /** Records what a page has said. */
  note(id: UrlId, answer: PageAnswer, at: Instant): void {
    const { change: earlier, indexedStamp } = this.answers.get(id) ?? {};
    const { change } = answer;
    const isKept = earlier && change ? coversChange(earlier, change) : undefined;
    // An earlier change that was believed is none any more.
    this.kept.set(id, isKept === false && indexedStamp !== answer.indexedStamp ? undefined : isKept);
    const isBelieved = change === undefined && indexedStamp !== answer.indexedStamp;
    if (earlier && !isBelieved && !isSameChange(earlier, change)) this.takenBack.set(id, { change: earlier, at });
    // What others have said since an earlier change says nothing about a new one, nor about a directive that comes later.
    if (!isKept) this.firstSeen.delete(id);
    this.answers.set(id, { ...answer, at });
    this.misses.delete(id);
  }

  /** Whether the page was asked since the change of another one was first seen, and that has led to something. */
  hasReplied(id: UrlId, about: UrlId, now: Instant): boolean {
    const since = this.firstSeen.get(about) ?? now;
    return [this.answers.get(id), this.misses.get(id)].some((reply) => reply !== undefined && reply.at >= since);
  }

  /** What is known about the change of a page. */
  collect(id: UrlId, change: SuspiciousChange, now: Instant): Omit<HostEvidence, 'nonsense'> {
    const all: TimedAnswer[] = [];
    for (const [otherId, answer] of this.answers.entries())
      if (otherId !== id && !(this.isHeldDirective(id, change) && this.held.has(otherId))) all.push(answer);
    const since = this.firstSeen.get(id) ?? now;
    return {
      all,
      others: selectEvidence({ change }, since, all),
      askable: this.getAskable(id),
      failed: [...this.misses.values()].filter(({ at, hasFailed }) => hasFailed && at >= since).length,
      hasOthers: this.hasOthers || this.held.has(id),
      indexedTexts: this.indexedTexts,
      takenBack: [...this.takenBack.values()].map((taken) => taken.change),
      ownTakenBack: this.findOwnTakenBack(id),
    };
  }

  /** What other pages have shown and not kept as well was no text of the page. */
  private findOwnTakenBack(id: UrlId): SuspiciousChange | undefined {
    const own = this.takenBack.get(id)?.change;
    const alike = [...this.takenBack.values()].filter(({ change }) => own && isSameChange(own, change));
    return alike.length > 1 ? undefined : own;
  }

  /**
   * Puts the pages that may be asked about the change of a page in the order in which they are. Pages that are held show
   * whether the host is still ill; how many have a directive that is held, only the others show.
   */
  sortCandidates(pages: readonly UrlState[], id: UrlId, count: number, change: SuspiciousChange): Set<UrlState> {
    const [held, others] = [true, false].map((is) => pages.filter((page) => isHoldCause(page.pendingDeletion) === is));
    const [first, rest] = this.isHeldDirective(id, change) ? [[], others!] : [held!, pages];
    // Pages that have not been asked are visited anyway soon.
    const unasked = rest.filter((page) => !this.answers.get(page.id));
    const spread = [...sampleEvenly(unasked, count), ...sampleEvenly(rest, this.getAskable(id))];
    return new Set([...first, ...spread, ...rest]);
  }

  /** A canonical URL does not say that its page is to leave the index. */
  private isHeldDirective(id: UrlId, change: SuspiciousChange): boolean {
    return change.kind === 'directive' && change.target === undefined && this.held.has(id);
  }

  noteAsked(id: UrlId): void {
    this.askable.set(id, this.getAskable(id) - 1);
  }

  getAskable(id: UrlId): number {
    return Math.max(0, this.askable.get(id) ?? MAX_ASKED);
  }
}

/** A page that has failed just now is not visited before its own retry: it counts as asked, and as failing still. */
export function findMiss({ status, reason, lastVisitAt, dueAt }: UrlState, now: Instant): Miss | undefined {
  const isRecent = lastVisitAt !== undefined && lastVisitAt >= before(now, MAX_FAILURE_AGE);
  if (status !== 'error' || isHoldCause(reason) || dueAt <= now || !isRecent) return undefined;
  return { at: now, hasFailed: !isPageGone(reason) };
}

/**
 * For a directive of a page that other pages do not have, unless they are held for it: a part of the site has been closed, or
 * its template has a fault there.
 *
 * @param others documents of the host
 */
export function judgeClosedPart(others: readonly UrlState[]): 'believe' | 'doubt' | 'hold' {
  const held = others.filter(({ pendingDeletion }) => isHoldCause(pendingDeletion)).length;
  if (held === 0) return 'believe';
  return held > others.length * MAX_CLOSED_SHARE ? 'hold' : 'doubt';
}
