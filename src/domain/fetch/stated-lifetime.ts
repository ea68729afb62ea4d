/**
 * How long a response claims to stay fresh (RFC 9111, 4.2.1: max-age takes precedence over Expires); undefined if it
 * does not say.
 */
import { parseHttpDate } from '../time/http-date.js';
import { between, type Duration, seconds } from '../time/units.js';

export function parseLifetime(headers: Readonly<Record<string, string>>): Duration | undefined {
  const cacheControl = headers['cache-control'];
  if (cacheControl !== undefined) {
    if (/(?:^|[,\s])no-(?:store|cache)\b/i.test(cacheControl)) return undefined;
    const maxAge = /(?:^|[,\s])max-age=(?:"?)(\d{1,10})/i.exec(cacheControl);
    if (maxAge) return seconds(Number(maxAge[1]));
  }
  const expires = headers['expires'];
  if (expires === undefined) return undefined;
  const expiresAt = parseHttpDate(expires);
  const sentAt = parseHttpDate(headers['date'] ?? '');
  return expiresAt !== undefined && sentAt !== undefined && expiresAt > sentAt ? between(sentAt, expiresAt) : undefined;
}
