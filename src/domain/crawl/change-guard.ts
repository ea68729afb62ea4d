/**
 * The change guard: whether what a page says now may replace or delete its indexed document, or is rather an answer that
 * the host gives everywhere (a maintenance page, a login form, nothing at all, a directive in a template). It compares
 * the page with other pages of its host and with the host's answer to a URL that cannot exist. Pure functions; the
 * engine collects the answers.
 */
import { hasSameText } from '../content/exact-duplicates.js';
import {
  hasSimilarWords,
  isAlmostEmpty,
  isSameText,
  measureSimilarity,
  type TextSample,
} from '../content/text-sample.js';
import { hasMuchInCommon, hasSameSketch, hasShrunk, hasSimilarSketch } from '../content/text-sketch.js';
import type { Reason } from '../policy/reasons.js';
import { atMost, type Duration, days, hours, type Instant, milliseconds, minutes } from '../time/units.js';
import { computeUrlKey } from '../url/url-key.js';

/** Why a change is held; also the error code of the page's visits meanwhile. */
export const HOLD_CAUSES = ['one-page-everywhere', 'emptied', 'directive-wave'] as const;

export type HoldCause = (typeof HOLD_CAUSES)[number];

export const isHoldCause = (reason: Reason | undefined): reason is HoldCause =>
  (HOLD_CAUSES as readonly (Reason | undefined)[]).includes(reason);

/** The `answer` of the ledger entry of a change that waits until the host's pages have texts of their own again. */
export const AWAITING_HOST = 'awaiting-own-answers';
/** The `answer` once an operator has decided that whatever the page says counts. */
export const RELEASED = 'released';

/** A change that the guard holds. */
export interface HeldChange {
  readonly cause: HoldCause;
  /** What it would do to the document. */
  readonly kind: 'add' | 'delete';
  /** See `identifyChange`. */
  readonly identity: string;
}

/**
 * Directives by which a page or its site takes an indexed document out of the index, and kinds of pages that are no
 * documents: a server with a fault may send its feed, a listing of its files, or bytes that nobody can read, for every page.
 */
const DIRECTIVES: readonly Reason[] = [
  'noindex',
  'search-not-allowed',
  'unavailable-after',
  'canonical-elsewhere',
  'robots-disallowed',
  'machine-readable',
  'directory-listing',
  'mime-type-excluded',
];

export const isDirective = (reason: Reason): boolean => DIRECTIVES.includes(reason);

/** A change that is not believed before the host was asked. */
export type SuspiciousChange =
  | {
      readonly kind: 'text';
      readonly sample: TextSample;
      /** Set if the page newly has a directive, too. */
      readonly directive?: NewDirective;
      /** Whether another document of the host had this text already when the page was last well. */
      readonly isTextOfAnother?: boolean;
    }
  | ({ readonly kind: 'directive' } & NewDirective);

export interface NewDirective {
  readonly reason: Reason;
  /** The URL to which the page gives way. */
  readonly target?: string;
  /** Whether the document of that URL has a text that shares almost nothing with that of the page. */
  readonly isUnrelated?: boolean;
}

/** What a page whose document is indexed has said. */
export interface PageAnswer {
  /** Absent if the page still says what is indexed, or something similar. */
  readonly change?: SuspiciousChange;
  /** Sketch of the text that is indexed; absent if it is too short to be guarded. */
  readonly indexedText?: bigint;
  /** Stamp of the document that is indexed. */
  readonly indexedStamp?: string;
  /** The canonical URL that the page names, whether or not that URL has a document to which it could give way now. */
  readonly canonical?: string;
}

/** The host's answer to a URL that cannot exist: a text with a good status, anything else, or none that was obtained. */
export type NonsenseAnswer = TextSample | 'refused' | 'unknown';

export interface HostEvidence {
  /** Answers of other pages of the host, given at about the same time. */
  readonly others: readonly PageAnswer[];
  readonly nonsense: NonsenseAnswer;
  /** Number of other pages that may still be asked. */
  readonly askable: number;
  /** Number of other pages that were asked and fail, other than because they are gone. */
  readonly failed: number;
  /** Whether the host has other documents at all, or had some when the change was held. */
  readonly hasOthers: boolean;
  /** Sketches of texts of the host that were indexed when it was asked. */
  readonly indexedTexts: readonly bigint[];
  /** What pages of the host have said since it is being asked, whenever that was. */
  readonly all: readonly PageAnswer[];
  /** Changes that pages of the host have shown within the last hour and have not kept. */
  readonly takenBack: readonly SuspiciousChange[];
  /** The one of them that the page itself has shown. */
  readonly ownTakenBack?: SuspiciousChange;
}

/** Number of pages with new texts of their own from which on a site is being rewritten. */
const MIN_REWRITTEN = 5;

/**
 * Selects the answers that say something about a change first seen at a given time. An earlier answer shows what the
 * other page said before the host may have fallen ill, even if that was a new text of its own, so it counts only if that
 * page has changed in the same way.
 */
export const selectEvidence = (
  { change }: { readonly change: SuspiciousChange },
  firstSeenAt: Instant,
  others: readonly (PageAnswer & { readonly at: Instant })[],
): PageAnswer[] => others.filter((other) => other.at >= firstSeenAt || isSameChange(change, other.change));

/** Whether two changes have the same cause if they have one in common. */
export const isSameChange = (a: SuspiciousChange, b: SuspiciousChange | undefined): boolean =>
  isSameDirective(a, b) || isSameNewText(a, b);

const isSameNewText = (a: SuspiciousChange, b: SuspiciousChange | undefined): boolean =>
  a.kind === 'text' && b?.kind === 'text' && (isSameText(a.sample, b.sample) || hasSimilarWords(a.sample, b.sample));

/** Whether what others have said since the earlier change of a page says something about all of what has changed now. */
export const coversChange = (earlier: SuspiciousChange, change: SuspiciousChange): boolean =>
  (!findDirective(change) || isSameDirective(change, earlier)) &&
  (change.kind === 'directive' || isSameNewText(change, earlier) || (hasNewFigures(change) && hasNewFigures(earlier)));

/** Whether the page may say something else at its next visit although all is well: its figures may be those of the hour. */
export const hasNewFigures = (shown: SuspiciousChange): boolean => shown.kind === 'text' && shown.sample.hasNewFigures;

/** What has to be known of a change to recognize it: its directive and the sketch of its text, of which one may be empty. */
export function identifyChange(change: SuspiciousChange): string {
  const { reason = '', target = '' } = findDirective(change) ?? {};
  const directive = target === '' ? reason : `${reason} ${computeUrlKey(target).toString(36)}`;
  if (change.kind === 'directive') return `${directive}/`;
  const { sample } = change;
  return `${directive}/${isAlmostEmpty(sample) ? 'empty' : BigInt.asUintN(64, sample.sketch).toString(16)}`;
}

/** Whether two identities are those of changes with the same cause; see `isSameChange`. */
export function hasSameIdentity(a: string, b: string, isSame = hasSimilarSketch): boolean {
  const [ownDirective, ownText = ''] = a.split('/');
  const [directive, text = ''] = b.split('/');
  if (ownDirective !== '' && ownDirective === directive) return true;
  if (ownText === '' || text === '' || ownText === 'empty' || text === 'empty')
    return ownText !== '' && ownText === text;
  return isSame(BigInt(`0x${ownText}`), BigInt(`0x${text}`));
}

/**
 * `doubt`: what the others say does not decide it, so the change is held, but for a day only: an outage is over by then.
 * `error-page`: the page is gone, and the host sends a page with a good status instead, as for any unknown URL.
 */
export type ChangeVerdict = 'believe' | 'hold' | 'doubt' | 'error-page' | { readonly ask: number };

/** How long a change in doubt is held. */
export const DOUBT: Duration = days(1);

/** Number of pages asked first; and in total, if these have not changed: half of the site may be ill. */
const FIRST_SAMPLE = 2;
const SECOND_SAMPLE = 12;
/**
 * Minimum share of pages that have changed alike, after the second sample: one in twelve for a text, because a part of a
 * site may be ill, and more than half for a directive, because sections may be closed on purpose.
 */
const MIN_TEXT_SHARE = 1 / 12;
const MIN_DIRECTIVE_SHARE = 0.51;
/** From this share on, and at least two pages, it is in doubt whether sections are closed or a template has a fault. */
const MIN_DOUBTED_SHARE = 1 / 4;
/** For texts that are only similar: a catalogue may have been rewritten in the same few words. */
const MIN_SIMILAR_SHARE = 1 / 3;
const MIN_CANONICAL_SHARE = 0.5;

export const getHoldCause = (change: SuspiciousChange): HoldCause =>
  change.kind === 'directive' ? 'directive-wave' : isAlmostEmpty(change.sample) ? 'emptied' : 'one-page-everywhere';

export function judgeChange(page: PageAnswer & { change: SuspiciousChange }, evidence: HostEvidence): ChangeVerdict {
  const { change } = page;
  const textVerdict = change.kind === 'text' ? judgeText(page, change, evidence) : 'believe';
  const verdict = textVerdict === 'believe' && findDirective(change) ? judgeDirective(change, evidence) : textVerdict;
  return verdict === 'believe' && isUnsteady(change, evidence) ? 'doubt' : verdict;
}

/** How much more similar two answers of a page that has a text of its own are, at least, than answers of two pages. */
const OWN_SIMILARITY = 0.1;

/** Whether a page of the host has said the same and has not kept to it, or the page itself has no text of its own. */
function isUnsteady(change: SuspiciousChange, { takenBack, ownTakenBack: own, all }: HostEvidence): boolean {
  if (takenBack.some((other) => isSameChange(change, other))) return true;
  if (change.kind !== 'text' || own?.kind !== 'text' || hasNewFigures(change)) return false;
  const compare = (other: SuspiciousChange | undefined): number =>
    other?.kind === 'text' ? measureSimilarity(change.sample, other.sample) : 0;
  return all.slice(-MAX_COMPARED).some((other) => compare(own) < compare(other.change) + OWN_SIMILARITY);
}

function judgeDirective(change: SuspiciousChange, evidence: HostEvidence): ChangeVerdict {
  const { others } = evidence;
  const { target, isUnrelated } = findDirective(change) ?? {};
  const isAlike = ({ change: other, canonical }: PageAnswer): boolean =>
    isSameDirective(change, other) || (target !== undefined && canonical === target);
  const alike = others.filter(isAlike).length;
  // The page that the others name as their canonical URL has no such directive.
  const minShare = target === undefined ? MIN_DIRECTIVE_SHARE : MIN_CANONICAL_SHARE;
  const shares = { alike, asked: others.length, minShare, isRewrite: false, isLookedAtTwice: true };
  const verdict = judgeShare(shares, evidence);
  if (verdict !== 'believe') return verdict;
  const allAlike = evidence.all.filter(isAlike).length;
  if (allAlike >= FIRST_SAMPLE && allAlike >= evidence.all.length * MIN_DOUBTED_SHARE) return 'doubt';
  // Too few pages to tell a mistake in a template from a wish; but a page is no copy of one that says something else.
  return isUnrelated && others.length < FIRST_SAMPLE ? 'doubt' : 'believe';
}

function judgeText(
  page: PageAnswer,
  { sample, isTextOfAnother }: Extract<SuspiciousChange, { kind: 'text' }>,
  evidence: HostEvidence,
): ChangeVerdict {
  const { nonsense, others } = evidence;
  const relations = others.map((other) => relate(page, sample, other));
  const count = (relation: Relation): number => relations.filter((value) => value === relation).length;
  // Pages that always were the same, such as print versions, change together. If one of them has not, it is no rewrite.
  const splitsGroup = others.some((other) => !other.change && wereSame(page, other));
  const alike = count('merged') + (splitsGroup ? count('moved-along') : 0);
  const asked = others.length - (splitsGroup ? 0 : count('moved-along'));
  const similar = findSimilar(page, others);
  if (typeof nonsense === 'object' && isSameText(nonsense, sample))
    return judgeNonsense({ alike: alike + similar.length, asked, well: count('kept') }, evidence.askable);
  const isRewrite = asked >= MIN_REWRITTEN && count('rewritten') === asked;
  const isLookedAtTwice = (sample.isDrastic && !sample.hasNewFigures) || sample.namesOutage;
  if (asked === 0 && evidence.askable === 0) return judgeTextAlone(sample, evidence);
  const verdict = judgeShare({ alike, asked, minShare: MIN_TEXT_SHARE, isRewrite, isLookedAtTwice }, evidence);
  if (verdict !== 'believe') return verdict;
  const compared = Math.min(asked, MAX_COMPARED);
  const similarAlike = Math.min(compared, alike + similar.length);
  const shares = { alike: similarAlike, asked: compared, minShare: MIN_SIMILAR_SHARE };
  const further =
    similar.length === 0 ? 'believe' : judgeShare({ ...shares, isRewrite: false, isLookedAtTwice }, evidence);
  if (further === 'believe') {
    const areSimilar = similarAlike >= Math.max(FIRST_SAMPLE, compared * MIN_TEXT_SHARE);
    const isUndecided = areSimilar || isTextOfAnother || areMixedUp(evidence);
    return isUndecided || (sample.namesOutage && asked < SECOND_SAMPLE) ? 'doubt' : 'believe';
  }
  return further === 'hold' && !sample.namesOutage && !hadOwnTexts(page, similar) ? 'doubt' : further;
}

/** Different canonical URLs are a mistake in a template only if neither page is a copy of the one that it names. */
function isSameDirective(a: SuspiciousChange, b: SuspiciousChange | undefined): boolean {
  const [own, other] = [findDirective(a), b && findDirective(b)];
  if (!own || !other) return false;
  return own.target === other.target || (own.isUnrelated === true && other.isUnrelated === true);
}

export const findDirective = (change: SuspiciousChange): NewDirective | undefined =>
  change.kind === 'directive' ? change : change.directive;

/** Whether another page of the host has changed to this text, or a page that cannot exist has it. */
export const isCommonText = (sample: TextSample, { others, nonsense }: HostEvidence): boolean =>
  (typeof nonsense === 'object' && isSameText(nonsense, sample)) ||
  others.some(({ change }) => change?.kind === 'text' && isSameText(change.sample, sample));

/** Minimum number of pages that must be well before the page alone is considered to be gone. */
const MIN_WELL = 3;

/** For a page that says what the host says to nonsense: it is gone, or the host is ill. */
function judgeNonsense({ alike, asked, well }: Nonsense, askable: number): ChangeVerdict {
  if (alike > 0) return 'hold';
  if (asked < SECOND_SAMPLE && askable > 0)
    return { ask: Math.min(askable, (asked < FIRST_SAMPLE ? FIRST_SAMPLE : SECOND_SAMPLE) - asked) };
  return well >= MIN_WELL ? 'error-page' : 'hold';
}

type Nonsense = Pick<Shares, 'alike' | 'asked'> & { readonly well: number };

interface Shares {
  /** Number of pages that have changed in the same way. */
  readonly alike: number;
  /** Number of pages whose answers say something. */
  readonly asked: number;
  readonly minShare: number;
  /** Whether all of them have new texts of their own. */
  readonly isRewrite: boolean;
  /** Whether more pages are asked if the first ones have not changed in this way. */
  readonly isLookedAtTwice: boolean;
}

function judgeShare(shares: Shares, evidence: HostEvidence): ChangeVerdict {
  const { alike, asked, minShare, isRewrite, isLookedAtTwice } = shares;
  const { askable, failed } = evidence;
  if (asked < FIRST_SAMPLE && askable > 0) return { ask: Math.min(askable, FIRST_SAMPLE - asked) };
  if (asked === 0) return failed > 0 || evidence.hasOthers ? 'hold' : 'believe';
  if (alike === asked || (asked < FIRST_SAMPLE && failed > 0)) return 'hold';
  if (isRewrite || (alike === 0 && !isLookedAtTwice)) return 'believe';
  if (asked < SECOND_SAMPLE && askable > 0) return { ask: Math.min(askable, SECOND_SAMPLE - asked) };
  // The few pages of a failing host that respond may be those that are well.
  if (asked < SECOND_SAMPLE && failed >= asked) return 'hold';
  return alike > 0 && alike / asked >= minShare ? 'hold' : 'believe';
}

/**
 * Nobody has answered: the site has no other document, the others are gone, or the host fails. A host that says of a URL
 * that cannot exist that it does not is well, and a page of its own is rewritten at will.
 */
function judgeTextAlone(sample: TextSample, { failed, hasOthers, nonsense }: HostEvidence): ChangeVerdict {
  if (failed > 0 || nonsense === 'unknown') return 'hold';
  return hasOthers || sample.namesOutage || isAlmostEmpty(sample) ? 'doubt' : 'believe';
}

/**
 * How another page's answer relates to the new text of a page: it has `kept` its own text, has a new one of its own
 * (`rewritten`), has become the same although the two were different (`merged`), or always was the same (`moved-along`).
 */
type Relation = 'kept' | 'rewritten' | 'merged' | 'moved-along';

function relate(page: PageAnswer, sample: TextSample, other: PageAnswer): Relation {
  if (other.change?.kind !== 'text') {
    // The page now shows what the other one has always been: a home page for everything.
    const isCopy = other.indexedText !== undefined && hasSameSketch(other.indexedText, sample.sketch);
    return isCopy && !wereSame(page, other) ? 'merged' : 'kept';
  }
  if (!isSameText(sample, other.change.sample)) return 'rewritten';
  const isEqual = sample.digest === other.change.sample.digest || isAlmostEmpty(sample);
  if (wereSame(page, other)) return isEqual ? 'moved-along' : 'rewritten';
  // Pages that differ only in numbers may do so in their new texts, but so does what a host says about an outage.
  return !isEqual && wereAlike(page, other) && !sample.namesOutage ? 'rewritten' : 'merged';
}

const wereSame = ({ indexedStamp: a }: PageAnswer, { indexedStamp: b }: PageAnswer): boolean =>
  Boolean(a && b && hasSameText(a, b));

/** Whether their indexed texts were the same but for numbers. */
const wereAlike = ({ indexedText: a }: PageAnswer, { indexedText: b }: PageAnswer): boolean =>
  a !== undefined && b !== undefined && hasSameSketch(a, b);

/** Maximum number of texts that are compared with each other. */
const MAX_COMPARED = 24;

/**
 * Finds the pages whose new texts say much the same as that of the page, directly or by way of one another: an error page
 * of which each answer has some words of its own, different reports of one outage, or hardly anything.
 */
function findSimilar(page: PageAnswer, others: readonly PageAnswer[]): PageAnswer[] {
  const found = [page];
  const left = new Set(others.slice(-MAX_COMPARED));
  for (const known of found)
    for (const other of left) if (hasBecomeSimilar(known, other) && left.delete(other)) found.push(other);
  return found.slice(1);
}

function hasBecomeSimilar({ change: a, ...own }: PageAnswer, { change: b, ...other }: PageAnswer): boolean {
  if (a?.kind !== 'text' || b?.kind !== 'text' || isSameText(a.sample, b.sample)) return false;
  const both = (is: (sample: TextSample, indexed: bigint) => boolean): boolean =>
    is(a.sample, own.indexedText ?? 0n) && is(b.sample, other.indexedText ?? 0n);
  return (
    hasSimilarWords(a.sample, b.sample) ||
    both(({ namesOutage, isDrastic }) => namesOutage && isDrastic) ||
    both(({ sketch, isDrastic }, indexed) => isDrastic && hasShrunk(sketch, indexed))
  );
}

/** Whether many pages show texts that were those of other pages: a cache gives wrong answers, or a list has moved on. */
const areMixedUp = ({ others, indexedTexts }: HostEvidence): boolean =>
  others.filter(
    ({ change }) => change?.kind === 'text' && indexedTexts.some((text) => hasSameSketch(text, change.sample.sketch)),
  ).length >
  others.length * MIN_SIMILAR_SHARE;

/** Whether most pages have lost what distinguished them from the page; a catalogue is rewritten in the same few words. */
const hadOwnTexts = ({ indexedText: own }: PageAnswer, others: readonly PageAnswer[]): boolean =>
  others.filter(({ indexedText: other }) => own && other && !hasMuchInCommon(own, other)).length * 2 > others.length;

/** A robots.txt that forbids more than this share of what is indexed, and more than one page, is held. */
const MAX_FORBIDDEN_SHARE = 0.5;

/** @param indexed whether robots.txt forbids each of a sample of the host's documents */
export function judgeRobots(indexed: readonly boolean[]): 'believe' | 'hold' {
  const forbidden = indexed.filter(Boolean).length;
  return forbidden > 1 && forbidden > MAX_FORBIDDEN_SHARE * indexed.length ? 'hold' : 'believe';
}

const FIRST_CHECK: Duration = minutes(1);
/** Maximum time between two checks, for the first hours and after that. */
const LATER_CHECK: Duration = minutes(15);
const LAST_CHECK: Duration = hours(1);
const LATER_CHECKS = 24;

/** Time until one held page of the host is visited again, to see whether it has recovered. */
export const computeCheckDelay = (checks: number): Duration =>
  checks > LATER_CHECKS ? LAST_CHECK : atMost(milliseconds(FIRST_CHECK * 2 ** Math.min(checks, 10)), LATER_CHECK);
