/**
 * Determines what an HTTP response means for the URL: an error, a redirect, an unchanged page, or a body to be read.
 */
import { findChallengeHeader, findChallengePage } from '../../domain/fetch/bot-challenges.js';
import { type ErrorCode, findErrorCodeForStatus } from '../../domain/fetch/error-codes.js';
import { type HttpResponse, isPermanentRedirect } from '../../domain/fetch/outcome.js';
import { isSiteMove } from '../../domain/policy/site-mode.js';
import { MAX_RETRY_AFTER } from '../../domain/politeness/politeness.js';
import { parseHttpDate } from '../../domain/time/http-date.js';
import { atMost, type Duration, hours, type Instant, milliseconds, seconds } from '../../domain/time/units.js';
import { resolveAsWritten } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, stripUserInfo } from '../../domain/url/crawl-url.js';
import type { PageOutcome, PageResult, PageTask } from '../ports/page-task.js';
import { type CrawlContext, findFetcher } from './crawl-context.js';
import type { LinkCollector } from './link-collector.js';
import type { RequestedPage } from './requested-page.js';

/** The outcome of a response that carries no document; undefined if its body is to be read. */
export function findOutcomeWithoutBody(
  response: HttpResponse,
  isConditional: boolean,
  now: Instant,
): PageOutcome | undefined {
  const isSuccess = response.status >= 200 && response.status < 300;
  const challenger =
    findChallengeHeader(response.headers) ?? (isSuccess ? undefined : findChallengePage(response.body));
  if (challenger !== undefined) return createChallengeFailure(challenger, response, now);
  if (response.status === 304) {
    return isConditional
      ? { kind: 'unchanged' }
      : createFailure(
          'not-modified-unconditional',
          'the server responded with 304 to a request that was not conditional',
        );
  }
  if (response.status === 206 && !coversWholePage(response))
    return createFailure('body-truncated', 'the server sent partial content (206) although none was requested');
  if (response.status === 204 || response.status === 205)
    return createFailure('http-other', `the server responded without content (${response.status})`);
  if (isSuccess) return undefined;
  const retryAfter = parseRetryAfter(response, now);
  // Whatever its value, Retry-After means that the server intends to be back.
  const code = findErrorCodeForStatus(response.status, response.headers['retry-after'] !== undefined);
  return createFailure(code, `the server responded with ${response.status}`, retryAfter);
}

export const createChallengeFailure = (product: string, response: HttpResponse, now: Instant): FailedVisit =>
  createFailure(
    'bot-challenge',
    `the server responded with ${response.status} and a challenge of ${product} instead of the page`,
    parseRetryAfter(response, now),
  );

/** Some servers send the whole page as a range of it (RFC 9110, 14.4); the size is that of the encoded body. */
function coversWholePage({ headers, transferred }: HttpResponse): boolean {
  const range = /^\s*bytes 0-(\d{1,15})\/(\d{1,15})\s*$/i.exec(headers['content-range'] ?? '');
  const size = Number(range?.[2]);
  return Number(range?.[1]) + 1 === size && transferred === size;
}

export type FailedVisit = Extract<PageOutcome, { kind: 'error' }>;

export function createFailure(code: ErrorCode, detail: string, retryAfter?: Duration): FailedVisit {
  return retryAfter === undefined ? { kind: 'error', code, detail } : { kind: 'error', code, detail, retryAfter };
}

/** Neither the page nor the program changes soon. */
const RETRY_OF_MISTAKES = hours(1);

/** For a page that the program cannot read because of a mistake of its own. */
export const createReadingFailure = (detail: string): FailedVisit =>
  createFailure('reading-failed', detail.slice(0, 1_000), RETRY_OF_MISTAKES);

/** Retry-After as seconds or as a date (RFC 9110, 10.2.3), a day at most; a date in the past means now. */
export function parseRetryAfter(response: HttpResponse, now: Instant): Duration | undefined {
  const header = response.headers['retry-after']?.trim() ?? '';
  const date = parseHttpDate(header);
  if (date !== undefined) return atMost(milliseconds(Math.max(0, date - now)), MAX_RETRY_AFTER);
  return /^\d+$/.test(header) ? atMost(seconds(Number(header)), MAX_RETRY_AFTER) : undefined;
}

/** Whether the crawler accepts this media type; `text/*` covers a family. */
export function acceptsMediaType(
  { definition: { mimeTypesMode, mimeTypes } }: Pick<CrawlContext, 'definition'>,
  mediaType: string,
): boolean {
  const family = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`;
  const isListed = mimeTypes.some((type) => type === mediaType || type === family || type === '*/*');
  return mimeTypesMode === 'include' ? isListed : !isListed;
}

/** The result of a visit that ended without a request for its page. */
export const createEmptyResult = (
  { id, crawler }: Pick<PageTask, 'id' | 'crawler'>,
  outcome: PageOutcome,
): PageResult => ({
  id,
  crawler,
  outcome,
  links: [],
  refused: [],
  duration: milliseconds(0),
  bytes: 0,
  schedule: {},
});

/** The result says how to request the URL from now on if it redirects to itself. */
export function followRedirect(
  page: RequestedPage,
  response: HttpResponse,
  collector: LinkCollector,
): Pick<PageResult, 'outcome' | 'setCookie' | 'variant'> {
  const { task, context, url } = page;
  const location = response.headers['location'];
  const requestedUrl = task.variant ?? task.url;
  const target = location === undefined ? undefined : context.canonicalize(location, requestedUrl);
  if (!target || (target.scheme !== 'http' && target.scheme !== 'https')) {
    const locationText = location === undefined ? 'missing' : JSON.stringify(stripUserInfo(location).slice(0, 200));
    return { outcome: createFailure('redirect-malformed', `Location is ${locationText}`) };
  }
  if (target.href === url.href) {
    const writtenUrl = resolveAsWritten(location!, requestedUrl);
    const variant = writtenUrl !== requestedUrl && task.variant === undefined ? writtenUrl : undefined;
    const outcome = createFailure('redirect-loop', 'the URL redirects to itself');
    return { outcome, setCookie: response.headers['set-cookie'], variant };
  }
  return {
    outcome: checkRedirectLimit(page) ?? createRedirect(page, target, collector, isPermanentRedirect(response)),
  };
}

/**
 * Treats a page that sends visitors on at once as a redirect, unless the crawl may not follow it; then the page itself
 * is used.
 * @returns undefined if the page is not a redirect
 */
export function followRefresh(
  page: RequestedPage,
  target: CrawlUrl | undefined,
  links: LinkCollector,
): PageOutcome | undefined {
  if (!target) return undefined;
  const limitFailure = checkRedirectLimit(page);
  if (limitFailure) return limitFailure;
  const outcome = createRedirect(page, target, links);
  return outcome.refused === undefined ? outcome : undefined;
}

export function createRedirect(
  { task, root }: RequestedPage,
  target: CrawlUrl,
  collector: LinkCollector,
  permanent = false,
): Extract<PageOutcome, { kind: 'redirect' }> {
  const refused = collector.addUrl(target, 'redirect');
  const moved = refused === undefined && isSiteMove({ url: target, root, discoveredVia: 'redirect', hops: task.hops });
  return { kind: 'redirect', permanent, target: target.href, refused, movesSite: moved };
}

function checkRedirectLimit({ task, context, effects }: RequestedPage): PageOutcome | undefined {
  const { maxRedirects } = findFetcher(context, effects.options);
  if (task.redirects < maxRedirects) return undefined;
  return createFailure('redirect-limit', `more than ${maxRedirects} redirects in a row`);
}
