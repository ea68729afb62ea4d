/**
 * The hours of the last week, in one small file of the data directory: charts are a convenience of this server, not part of
 * the crawl's truth, so a file that is missing or damaged is simply begun again.
 */
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { HistoryPoint } from './rate-history.js';

type Kept = Readonly<Record<string, readonly HistoryPoint[]>>;

const VERSION = 1;
const MAX_BYTES = 50_000_000;

export async function readHistory(path: string): Promise<Kept> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return {};
    const { version, crawlers } = JSON.parse(await readFile(path, 'utf8'));
    return version === VERSION
      ? Object.fromEntries(Object.entries(crawlers as Kept).filter(([, points]) => isTrack(points)))
      : {};
  } catch {
    return {};
  }
}

export async function writeHistory(path: string, crawlers: Kept): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify({ version: VERSION, crawlers }));
  await rename(`${path}.new`, path);
}

const isTrack = (points: unknown): boolean => Array.isArray(points) && points.every(isPoint);

const isPoint = (point: Partial<HistoryPoint> | null): boolean =>
  [point?.at, point?.length, point?.pages, point?.errors, point?.orders, point?.indexed].every(Number.isFinite) &&
  typeof point?.errorsByCode === 'object' &&
  point.errorsByCode !== null;
