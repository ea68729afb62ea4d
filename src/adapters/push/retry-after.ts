const MAX_WAIT_MS = 86_400_000;

/**
 * Parses a Retry-After header, which is a number of seconds or a date (RFC 9110, section 10.2.3). Returns the
 * milliseconds to wait, at most a day. `now` is in milliseconds since the epoch.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (!header) return undefined;
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_WAIT_MS);
}
