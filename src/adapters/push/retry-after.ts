const LONGEST_WAIT_MS = 86_400_000;

/**
 * The time to wait, in milliseconds and at most a day, according to a Retry-After header, which is in seconds or a date
 * (RFC 9110, 10.2.3). `now` is in milliseconds since the epoch.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (!header) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_WAIT_MS);
}
