/**
 * Decides what a redirect means for the document of its source: it has a new address, if and when that address has a
 * document. Whatever fault the target shows says nothing about the source.
 */
import { BoundedMap } from '../bounded-map.js';
import { hasSimilarWords, isSameText, type TextSample } from '../content/text-sample.js';
import type { ErrorCode } from '../fetch/error-codes.js';
import type { RedirectEvidence } from '../fetch/login-wall.js';
import type { Reason } from '../policy/reasons.js';
import { isPageGone } from '../push/sign-of-life.js';
import { before, between, type Instant, minutes } from '../time/units.js';
import { stripQuery, toCrawlUrl } from '../url/crawl-url.js';
import { DOUBT } from './change-guard.js';
import { EXACT_DUPLICATE, GIVEN_UP } from './disposition.js';
import { UNKNOWN_STAMP, type UrlId, type UrlState } from './url-state.js';

/**
 * `there`: the target is in the index. `gone`: it does not exist. `no-document`: it responds, but is not to be in the
 * index. `unknown`: it has not been visited recently enough.
 */
export type TargetVerdict =
  | { readonly kind: 'there' | 'gone' | 'no-document' | 'unknown' }
  | { readonly kind: 'failed'; readonly reason: Reason };

/** Whether the page was last seen to redirect: the text of its document is no longer found at its address. */
export const isRedirecting = ({ status, reason }: Pick<UrlState, 'status' | 'reason'>): boolean =>
  status === 'redirected' || reason === 'redirect-target-failed';

/**
 * @param source the page that redirects, as it was before this visit
 * @param target the end of the redirect chain, or the last of its URLs that is known; undefined if it is unknown
 * @param since visits before this time say nothing about the target
 */
export function judgeTarget(
  source: Pick<UrlState, 'url' | 'status' | 'reason'>,
  target: UrlState | undefined,
  since: Instant,
): TargetVerdict {
  if (!target) return { kind: 'no-document' };
  const { status, reason, stamp, lastVisitAt, pendingDeletion } = target;
  if (status === 'excluded' || status === 'elsewhere' || status === 'filtered') return { kind: 'no-document' };
  // It has given way to the source, which was not known to redirect at that time.
  if (reason === EXACT_DUPLICATE && target.canonical === source.url) return { kind: 'unknown' };
  if (reason === 'near-duplicate' && !isRedirecting(source)) return { kind: 'unknown' };
  if (status === 'waiting' || lastVisitAt === undefined || lastVisitAt < since) return { kind: 'unknown' };
  if (status === 'error') return isPageGone(reason) ? { kind: 'gone' } : { kind: 'failed', reason };
  // A sink has refused its document.
  if (reason === 'order-refused') return { kind: 'failed', reason };
  if (status === 'removed')
    return target.permanentError && target.temporaryErrors === 0
      ? { kind: 'gone' }
      : { kind: 'failed', reason: GIVEN_UP };
  // An order for it was on its way when the process died: whether it has arrived is found out by its next visit, unless that
  // has led to a deletion, which may be held for long.
  if (stamp === UNKNOWN_STAMP && pendingDeletion === undefined) return { kind: 'unknown' };
  return { kind: stamp !== undefined && pendingDeletion === undefined ? 'there' : 'no-document' };
}

const MAX_SEEN = 20_000;
/** How old a visit to the target, or to other pages of the host, may be to say something about a redirect. */
export const FRESH = minutes(10);
/** Number of other pages that are looked at. */
export const LOOK_SIZE = 2;

/** Chooses the pages to look at: those that became known at about the same time. */
export const chooseNeighbors = (id: UrlId, pages: readonly UrlState[]): UrlState[] =>
  pages
    .filter((page) => page.id !== id)
    .sort((a, b) => Math.abs(a.id - id) - Math.abs(b.id - id))
    .slice(0, LOOK_SIZE);

export function isHomePage(href: string): boolean {
  const { path, query } = toCrawlUrl(href);
  return (path === '/' || path === '') && query === '';
}

/**
 * `alone`: no other page is redirected to the same URL. `shared`: some are. `wall`: most are, so the URL is not the new
 * address of any of them. `look`: other pages have to be visited first.
 */
export type RedirectKind = 'alone' | 'shared' | 'wall' | 'look';

/** @param available how many other pages of the host could still be visited */
export function classifyRedirect(
  { same, others }: Pick<RedirectEvidence, 'same' | 'others'>,
  available: number,
): RedirectKind {
  if (same + others < LOOK_SIZE && available > 0) return 'look';
  if (same === 0) return 'alone';
  return same > others ? 'wall' : 'shared';
}

export interface SeenRedirect {
  /** When the redirect was first seen to lead there. */
  readonly firstAt: Instant;
  /** The same, or a few minutes ago at most: a host may have been well meanwhile, and be ill again. */
  readonly since: Instant;
  readonly target: string;
  kind: RedirectKind;
}

/** Redirects of indexed pages that have not led to a decision yet, by URL. */
export class SeenRedirects {
  readonly #redirects = new BoundedMap<string, SeenRedirect>(MAX_SEEN);

  /** Records a visit that was redirected. */
  note(url: string, target: string, at: Instant): SeenRedirect {
    const earlier = this.#redirects.get(url);
    const same = earlier && stripQuery(earlier.target) === stripQuery(target) ? earlier : undefined;
    const isCurrent = same !== undefined && same.since >= before(at, FRESH);
    const seen: SeenRedirect = {
      firstAt: same?.firstAt ?? at,
      since: isCurrent ? same.since : at,
      target,
      kind: 'look',
    };
    this.#redirects.set(url, seen);
    return seen;
  }

  get(url: string): SeenRedirect | undefined {
    return this.#redirects.get(url);
  }

  delete(url: string): void {
    this.#redirects.delete(url);
  }

  /** Whether any of them leads to the URL. */
  leadTo(url: string): boolean {
    for (const [, { target }] of this.#redirects) if (target === url) return true;
    return false;
  }
}

/** What was found at the first of the addresses of their own to which pages of a host redirect. */
export interface NewText {
  readonly url: string;
  /** The page that redirects there. */
  readonly source: string;
  /** When it was first found, and when last. */
  readonly since: Instant;
  readonly seenAt: Instant;
  readonly sample: TextSample;
  /** What the new addresses of other pages say, compared with it. */
  others: 'unknown' | 'same' | 'different';
}

/**
 * What the new addresses of other pages say, now that one was visited. It is unknown for a day at most: the page may be
 * the last one that moves.
 */
export function compareNewTexts(
  { url, since, sample, others }: NewText,
  found: Pick<NewText, 'url' | 'sample' | 'seenAt'>,
): NewText['others'] {
  if (others === 'different') return 'different';
  if (found.url === url) return others === 'unknown' && between(since, found.seenAt) >= DOUBT ? 'different' : others;
  return isSameText(sample, found.sample) || hasSimilarWords(sample, found.sample) ? 'same' : 'different';
}

/** Errors of pages that are redirected to something else than their document. */
export const REDIRECT_TROUBLE: readonly string[] = [
  'redirect-target-failed',
  'redirect-wall',
  'login-wall',
] satisfies ErrorCode[];
