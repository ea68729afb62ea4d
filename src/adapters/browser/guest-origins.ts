/**
 * What a page may read from other servers (Fetch standard, CORS protocol). The library that intercepts the browser's
 * requests lets pages read all responses and send whatever they like, so both are decided here, before the browser gets
 * a response.
 */
import type { GuestAnswer } from './guest-cache.js';

/** Body types that any form can send. */
const PLAIN_BODIES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i;
/** Request headers that a script may send only if the server agrees. */
const WANT_CONSENT = ['content-type', 'authorization', 'x-requested-with'] as const;

/** @param asker origin of the page or frame, @param server origin of the response */
export const mayReadResponse = ({ headers }: GuestAnswer, asker: string, server: string): boolean =>
  asker === server || isAllowed(headers, asker);

const isAllowed = (headers: GuestAnswer['headers'], asker: string): boolean =>
  ['*', asker].includes(headers['access-control-allow-origin']?.trim() ?? '');

/**
 * Names of the headers for which a server is asked before it gets a POST from another origin; empty if no preflight is
 * needed.
 */
export function findHeadersToPreflight(headers: Readonly<Record<string, string>>): readonly string[] {
  return WANT_CONSENT.filter((name) => {
    const value = headers[name];
    return value !== undefined && (name !== 'content-type' || !PLAIN_BODIES.test(value.trim()));
  });
}

/** Whether the response to OPTIONS allows the page to send a POST with these headers. */
export function allowsPost({ status, headers }: GuestAnswer, asker: string, names: readonly string[]): boolean {
  const listed = (headers['access-control-allow-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const isListed = (name: string): boolean =>
    listed.includes(name) || (name !== 'authorization' && listed.includes('*'));
  return status >= 200 && status < 300 && isAllowed(headers, asker) && names.every(isListed);
}
