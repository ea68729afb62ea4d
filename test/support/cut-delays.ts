import type { FakeSite } from './fake-site.js';

/** Servers that share a database read its clock a little late, and not all by the same time. */
const READING_ERROR_MS = 10;

/** The requests that came sooner after the one before than the crawl delay allows to servers that share a database. */
export const findCutDelays = (site: FakeSite, delayMs: number): { path: string; gap: number }[] =>
  site.requests
    .slice(1)
    .map(({ at, path }, i) => ({ path, gap: at - site.requests[i]!.at }))
    .filter(({ gap }) => gap < delayMs - READING_ERROR_MS);
