/** Details in the record of a visit. They are formatted and parsed only here. */

import type { Reason, ReasonCode } from '../policy/reasons.js';
import { type Duration, toSeconds } from '../time/units.js';

const REDIRECT = /^to (\S+)(?: \(([\w-]+)\))?$/;
const CANONICAL = /^not indexed: canonical-elsewhere, its canonical URL is (\S+)$/;
const DUPLICATE = /^not indexed: near-duplicate of (\S+)$/;

export const createRedirectDetail = (target: string, refused?: ReasonCode): string =>
  refused ? `to ${target} (${refused})` : `to ${target}`;

/** @param related the URL that is indexed instead, if it is known */
export function createNotIndexedDetail(reason: Reason, related?: string): string {
  if (related !== undefined && reason === 'canonical-elsewhere')
    return `not indexed: ${reason}, its canonical URL is ${related}`;
  if (related !== undefined && reason === 'near-duplicate') return `not indexed: ${reason} of ${related}`;
  return `not indexed: ${reason}`;
}

const CUT = /(?:^|; )links-cut: [\d,]+ links? beyond the first [\d,]+ URLs of the page left out$/;

/** Links of the page were left out: `count` links as written, beyond the first `most` URLs. */
export function addCutLinksDetail(
  detail: string | undefined,
  { count, most }: { count: number; most: number },
): string {
  const formatInteger = (value: number): string => value.toLocaleString('en-US');
  const cut = `links-cut: ${formatInteger(count)} ${count === 1 ? 'link' : 'links'} beyond the first ${formatInteger(most)} URLs of the page left out`;
  return detail === undefined ? cut : `${detail}; ${cut}`;
}

const SENT = /(?:^|; )sent(?: with login \S+?)?(?:(?: and)? with cookies? [^;]+)?$/;
const MOST_NAMES = 10;
const LONGEST_NAME = 40;

/** The session data in the request: the login and the names of the cookies, never their values. */
export function addSessionDetail(
  detail: string | undefined,
  { login, cookies }: { readonly login?: string; readonly cookies: readonly string[] },
): string {
  const names = cookies.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME).replaceAll(';', ''));
  const more = cookies.length > MOST_NAMES ? ` and ${cookies.length - MOST_NAMES} more` : '';
  const parts = [
    ...(login === undefined ? [] : [`with login ${login}`]),
    ...(names.length === 0 ? [] : [`with ${names.length === 1 ? 'cookie' : 'cookies'} ${names.join(', ')}${more}`]),
  ];
  if (parts.length === 0) return detail ?? '';
  const sent = `sent ${parts.join(' and ')}`;
  return detail === undefined ? sent : `${detail}; ${sent}`;
}

// Earlier versions wrote the second form.
const TRIED =
  /(?:^|; )tried at (?:a person's request, although|the request of a person, while) the host was to rest for another \d+ s$/;

/** For a visit requested by a person although its host was to rest for another `rest`. */
export function addBackOffDetail(detail: string | undefined, rest: Duration): string {
  const tried = `tried at a person's request, although the host was to rest for another ${Math.max(0, Math.ceil(toSeconds(rest)))} s`;
  return detail === undefined ? tried : `${detail}; ${tried}`;
}

const TERMS = 'the site says: ';
const LONGEST_TERMS = 500;

/** Adds what the site says about the use of the page. */
export function addTermsDetail(detail: string | undefined, terms: string): string {
  const said = `${TERMS}${terms.replace(/\s+/g, ' ').slice(0, LONGEST_TERMS)}`;
  return detail === undefined ? said : `${detail}; ${said}`;
}

/** Protocols by which a site reports its changed URLs. */
export type Teller = 'indexnow' | 'websub';

const TELLERS: Readonly<Record<Teller, string>> = { indexnow: 'IndexNow', websub: 'WebSub' };
/** Earlier versions recorded "asked for". */
const TOLD = /(?:^|; )(?:requested|asked for) by the site \([A-Za-z]+\)$/;

export function addNotificationDetail(detail: string | undefined, teller: Teller): string {
  const told = `requested by the site (${TELLERS[teller]})`;
  return detail === undefined ? told : `${detail}; ${told}`;
}

/** The other URL that the detail of a visit names, and the reason if it was refused. */
export function parseRelatedUrl(
  detail: string | undefined,
): { readonly url: string; readonly refused?: ReasonCode } | undefined {
  const said = extractResponseDetail(detail);
  if (said === undefined) return undefined;
  const redirect = REDIRECT.exec(said);
  if (redirect) return { url: redirect[1]!, refused: redirect[2] as ReasonCode | undefined };
  const url = (CANONICAL.exec(said) ?? DUPLICATE.exec(said))?.[1];
  return url === undefined ? undefined : { url };
}

/**
 * What the detail says about the response itself, without how it was requested, links left out and the site's terms.
 */
export function extractResponseDetail(detail: string | undefined): string | undefined {
  if (detail === undefined || detail.startsWith(TERMS)) return undefined;
  const stripped = detail.replace(TRIED, '').replace(TOLD, '').replace(SENT, '').replace(CUT, '');
  const said = stripped.split(`; ${TERMS}`, 1)[0]!;
  return said === '' || said.startsWith(TERMS) ? undefined : said;
}
