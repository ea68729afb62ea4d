/** Details in the record of a visit. They are formatted and parsed only here. */
import type { Reason, ReasonCode } from '../policy/reasons.js';
import { type Duration, toSeconds } from '../time/units.js';

const REDIRECT_PATTERN = /^to (\S+)(?: \(([\w-]+)\))?$/;
const CANONICAL_PATTERN = /^not indexed: canonical-elsewhere, its canonical URL is (\S+)$/;
const DUPLICATE_PATTERN = /^not indexed: (?:near|exact)-duplicate of (\S+)$/;

export const createRedirectDetail = (target: string, refused?: ReasonCode): string =>
  refused ? `to ${target} (${refused})` : `to ${target}`;

/** @param related the URL that is indexed instead, if it is known */
export function createNotIndexedDetail(reason: Reason, related?: string): string {
  if (related !== undefined && reason === 'canonical-elsewhere')
    return `not indexed: ${reason}, its canonical URL is ${related}`;
  if (related !== undefined && reason.endsWith('-duplicate')) return `not indexed: ${reason} of ${related}`;
  return `not indexed: ${reason}`;
}

const CUT_LINKS_PATTERN = /(?:^|; )links-cut: [\d,]+ links? beyond the first [\d,]+ URLs of the page left out$/;

/** Adds that links of the page were left out: `count` links, duplicates included, beyond the first `most` URLs. */
export function appendCutLinksDetail(
  detail: string | undefined,
  { count, most }: { count: number; most: number },
): string {
  const formatInteger = (value: number): string => value.toLocaleString('en-US');
  const cutLinksDetail = `links-cut: ${formatInteger(count)} ${count === 1 ? 'link' : 'links'} beyond the first ${formatInteger(most)} URLs of the page left out`;
  return detail === undefined ? cutLinksDetail : `${detail}; ${cutLinksDetail}`;
}

const SESSION_PATTERN = /(?:^|; )sent(?: with login \S+?)?(?:(?: and)? with cookies? [^;]+)?$/;
const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;

/** Adds the session data in the request: the name of the login and the names of the cookies, never their values. */
export function appendSessionDetail(
  detail: string | undefined,
  { login, cookies }: { readonly login?: string; readonly cookies: readonly string[] },
): string {
  const names = cookies.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH).replaceAll(';', ''));
  const moreText = cookies.length > MAX_NAMES ? ` and ${cookies.length - MAX_NAMES} more` : '';
  const parts = [
    ...(login === undefined ? [] : [`with login ${login}`]),
    ...(names.length === 0 ? [] : [`with ${names.length === 1 ? 'cookie' : 'cookies'} ${names.join(', ')}${moreText}`]),
  ];
  if (parts.length === 0) return detail ?? '';
  const sessionDetail = `sent ${parts.join(' and ')}`;
  return detail === undefined ? sessionDetail : `${detail}; ${sessionDetail}`;
}

const BACK_OFF_PATTERN = /(?:^|; )tried at a person's request, although the host was to rest for another \d+ s$/;

/** Adds that a user requested the visit although its host was to rest for another `rest`. */
export function appendBackOffDetail(detail: string | undefined, rest: Duration): string {
  const backOffDetail = `tried at a person's request, although the host was to rest for another ${Math.max(0, Math.ceil(toSeconds(rest)))} s`;
  return detail === undefined ? backOffDetail : `${detail}; ${backOffDetail}`;
}

const TERMS_PREFIX = 'the site says: ';
const MAX_TERMS_LENGTH = 500;

/** Adds the site's terms for the use of the page. */
export function appendTermsDetail(detail: string | undefined, terms: string): string {
  const termsDetail = `${TERMS_PREFIX}${terms.replace(/\s+/g, ' ').slice(0, MAX_TERMS_LENGTH)}`;
  return detail === undefined ? termsDetail : `${detail}; ${termsDetail}`;
}

/** Protocols by which a site reports its changed URLs. */
export type NotificationProtocol = 'indexnow' | 'websub';

const PROTOCOL_NAMES: Readonly<Record<NotificationProtocol, string>> = { indexnow: 'IndexNow', websub: 'WebSub' };
const NOTIFICATION_PATTERN = /(?:^|; )requested by the site \([A-Za-z]+\)$/;

export function appendNotificationDetail(detail: string | undefined, protocol: NotificationProtocol): string {
  const notificationDetail = `requested by the site (${PROTOCOL_NAMES[protocol]})`;
  return detail === undefined ? notificationDetail : `${detail}; ${notificationDetail}`;
}

/** The other URL that the detail of a visit names, and the reason if it was refused. */
export function parseRelatedUrl(
  detail: string | undefined,
): { readonly url: string; readonly refused?: ReasonCode } | undefined {
  const responseDetail = extractResponseDetail(detail);
  if (responseDetail === undefined) return undefined;
  const redirect = REDIRECT_PATTERN.exec(responseDetail);
  if (redirect) return { url: redirect[1]!, refused: redirect[2] as ReasonCode | undefined };
  const url = (CANONICAL_PATTERN.exec(responseDetail) ?? DUPLICATE_PATTERN.exec(responseDetail))?.[1];
  return url === undefined ? undefined : { url };
}

/**
 * What the detail says about the response itself, without the parts about the request, omitted links and site terms.
 */
export function extractResponseDetail(detail: string | undefined): string | undefined {
  if (detail === undefined || detail.startsWith(TERMS_PREFIX)) return undefined;
  const stripped = detail
    .replace(BACK_OFF_PATTERN, '')
    .replace(NOTIFICATION_PATTERN, '')
    .replace(SESSION_PATTERN, '')
    .replace(CUT_LINKS_PATTERN, '');
  const responseDetail = stripped.split(`; ${TERMS_PREFIX}`, 1)[0]!;
  return responseDetail === '' || responseDetail.startsWith(TERMS_PREFIX) ? undefined : responseDetail;
}
