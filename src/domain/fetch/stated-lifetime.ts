/**
 * How long a response claims to stay fresh (RFC 9111, 4.2.1: max-age takes precedence over Expires); undefined if it
 * does not say.
 */
import { parseHttpDate } from '../time/http-date.js';
import { between, type Duration, seconds } from '../time/units.js';

export function parseLifetime(headers: Readonly<Record<string, string>>): Duration | undefined {
  const control = headers['cache-control'];
  if (control !== undefined) {
    if (/(?:^|[,\s])no-(?:store|cache)\b/i.test(control)) return undefined;
    const age = /(?:^|[,\s])max-age=(?:"?)(\d{1,10})/i.exec(control);
    if (age) return seconds(Number(age[1]));
  }
  const expires = headers['expires'];
  if (expires === undefined) return undefined;
  const until = parseHttpDate(expires);
  const date = parseHttpDate(headers['date'] ?? '');
  return until !== undefined && date !== undefined && until > date ? between(date, until) : undefined;
}
