/**
 * Determines what an HTTP response means for the URL: an error, a redirect, an unchanged page, or a body to be read.
 */
import { type ErrorCode, findErrorCodeForStatus } from '../../domain/fetch/error-codes.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import { parseHttpDate } from '../../domain/time/http-date.js';
import { type Duration, type Instant, milliseconds, seconds } from '../../domain/time/units.js';
import type { PageOutcome, PageResult, PageTask } from '../ports/page-task.js';

export type HttpResponse = Extract<FetchOutcome, { kind: 'response' }>;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const PERMANENT_REDIRECTS = new Set([301, 308]);

export const isRedirect = (response: HttpResponse): boolean => REDIRECTS.has(response.status);
export const isPermanentRedirect = (response: HttpResponse): boolean => PERMANENT_REDIRECTS.has(response.status);

/** The outcome of a response that carries no document; undefined if its body is to be read. */
export function decideWithoutBody(
  response: HttpResponse,
  isConditional: boolean,
  now: Instant,
): PageOutcome | undefined {
  if (response.status === 304) {
    return isConditional
      ? { kind: 'unchanged' }
      : createFailure(
          'not-modified-unconditional',
          'the server responded with 304 to a request that was not conditional',
        );
  }
  if (response.status === 206)
    return createFailure('http-other', 'the server sent partial content (206) although none was requested');
  if (response.status === 204 || response.status === 205)
    return createFailure('http-other', `the server responded without content (${response.status})`);
  if (response.status >= 200 && response.status < 300) return undefined;
  const retryAfter = parseRetryAfter(response, now);
  // Whatever its value, Retry-After means that the server intends to be back.
  const code = findErrorCodeForStatus(response.status, response.headers['retry-after'] !== undefined);
  return createFailure(code, `the server responded with ${response.status}`, retryAfter);
}

export function createFailure(code: ErrorCode, detail: string, retryAfter?: Duration): PageOutcome {
  return retryAfter === undefined ? { kind: 'error', code, detail } : { kind: 'error', code, detail, retryAfter };
}

/** Retry-After as seconds or as a date (RFC 9110, 10.2.3); a date in the past means now. */
export function parseRetryAfter(response: HttpResponse, now: Instant): Duration | undefined {
  const header = response.headers['retry-after']?.trim();
  if (!header) return undefined;
  if (/^\d{1,9}$/.test(header)) return seconds(Number(header));
  const date = parseHttpDate(header);
  return date === undefined ? undefined : milliseconds(Math.max(0, date - now));
}

/** Whether the crawler accepts this media type; `text/*` covers a family. */
export function acceptsMediaType(mode: 'include' | 'exclude', types: readonly string[], mediaType: string): boolean {
  const family = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`;
  const isListed = types.some((type) => type === mediaType || type === family || type === '*/*');
  return mode === 'include' ? isListed : !isListed;
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
