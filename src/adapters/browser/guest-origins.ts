/**
 * What a page may read from other servers (Fetch standard, CORS protocol). The library that intercepts the browser's
 * requests lets pages read all responses and send whatever they like, so both are decided here, before the browser gets
 * a response.
 */
import type { GuestResponse } from './guest-cache.js';

/** Media types of bodies that any form can send. */
const FORM_MEDIA_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i;
/** Request headers that a script may send only if the server agrees. */
const CONSENT_HEADERS = ['content-type', 'authorization', 'x-requested-with'] as const;

/** Whether the page or frame that made a request may read the response, given the origins of both. */
export const mayReadResponse = ({ headers }: GuestResponse, pageOrigin: string, serverOrigin: string): boolean =>
  pageOrigin === serverOrigin || allowsOrigin(headers, pageOrigin);

const allowsOrigin = (headers: GuestResponse['headers'], pageOrigin: string): boolean =>
  ['*', pageOrigin].includes(headers['access-control-allow-origin']?.trim() ?? '');

/**
 * Returns the names of the headers that require a preflight before a POST to another origin; empty if none is needed.
 */
export function findHeadersToPreflight(headers: Readonly<Record<string, string>>): readonly string[] {
  return CONSENT_HEADERS.filter((name) => {
    const value = headers[name];
    return value !== undefined && (name !== 'content-type' || !FORM_MEDIA_TYPES.test(value.trim()));
  });
}

/** Whether the response to OPTIONS allows the page to send a POST with these headers. */
export function allowsPost({ status, headers }: GuestResponse, pageOrigin: string, names: readonly string[]): boolean {
  const allowedHeaders = (headers['access-control-allow-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const isListed = (name: string): boolean =>
    allowedHeaders.includes(name) || (name !== 'authorization' && allowedHeaders.includes('*'));
  return status >= 200 && status < 300 && allowsOrigin(headers, pageOrigin) && names.every(isListed);
}
