/**
 * Distinguishes members from strangers by what one page shows them. Some sites answer without a session with status 200
 * and almost the same page, so what counts are the differences that were seen when the crawl logged in.
 */
import { stripQuery } from '../url/crawl-url.js';

/** What somebody sees at a URL. */
export interface PageLook {
  readonly status: number;
  /** Where the redirects ended. */
  readonly url: string;
  /** Words, link targets and names of fields, in any order. */
  readonly signs: readonly string[];
}

/** What only one of the two sees; plain data that is stored with the session. */
interface KnownLook {
  readonly status: number;
  /** Without query. */
  readonly place: string;
  readonly signs: readonly string[];
}

export interface KnownLooks {
  readonly member: KnownLook;
  readonly stranger: KnownLook;
}

const MAX_SIGNS = 200;

/** Compares what a member and a stranger saw at the same time. */
export function compareLooks(member: PageLook, stranger: PageLook): KnownLooks {
  return { member: toKnownLook(member, stranger), stranger: toKnownLook(stranger, member) };
}

function toKnownLook(look: PageLook, other: PageLook): KnownLook {
  const others = new Set(other.signs);
  const signs = [...new Set(look.signs)].filter((sign) => !others.has(sign)).slice(0, MAX_SIGNS);
  return { status: look.status, place: stripQuery(look.url), signs };
}

/** False if the page is the same for everybody, so that it says nothing about a session. */
export const areDistinct = ({ member, stranger }: KnownLooks): boolean =>
  !isSamePlace(member, stranger) || member.signs.length + stranger.signs.length > 0;

/** Whom the page is shown to; undefined if it resembles neither. */
export function recognizeVisitor({ member, stranger }: KnownLooks, look: PageLook): 'member' | 'stranger' | undefined {
  const place = { status: look.status, place: stripQuery(look.url) };
  if (!isSamePlace(member, stranger)) {
    if (isSamePlace(place, stranger)) return 'stranger';
    return isSamePlace(place, member) ? 'member' : undefined;
  }
  const signs = new Set(look.signs);
  const memberShare = computeShare(member.signs, signs);
  const strangerShare = computeShare(stranger.signs, signs);
  if (memberShare === undefined && strangerShare === undefined) return undefined;
  if (memberShare === undefined) return strangerShare! > 0.5 ? 'stranger' : 'member';
  if (memberShare === (strangerShare ?? 0)) return undefined;
  return memberShare > (strangerShare ?? 0) ? 'member' : 'stranger';
}

type Place = Pick<KnownLook, 'status' | 'place'>;

const isSamePlace = (first: Place, second: Place): boolean =>
  first.status === second.status && first.place === second.place;

/** The share of the expected signs that are present; undefined if none is expected. */
const computeShare = (expected: readonly string[], present: ReadonlySet<string>): number | undefined =>
  expected.length === 0 ? undefined : expected.filter((sign) => present.has(sign)).length / expected.length;
