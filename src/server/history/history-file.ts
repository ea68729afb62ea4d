/**
 * Stores chart data in one small file in the data directory. Charts are a convenience of this server, not part of the
 * crawl's state, so a missing or damaged file is simply replaced by a new one. Files of version 1 have only the week,
 * by crawler.
 */
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type HistoryPoint, RANGES, type Tracks } from './rate-history.js';

type Kept = Readonly<Record<string, Tracks>>;

const VERSION = 2;
const MAX_BYTES = 50_000_000;

export async function readHistory(path: string): Promise<Kept> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return {};
    const { version, crawlers } = JSON.parse(await readFile(path, 'utf8'));
    const tracks = Object.entries(crawlers as object).map(
      ([name, kept]) => [name, parseTracks(version, kept)] as const,
    );
    return Object.fromEntries(tracks.filter((entry): entry is [string, Tracks] => entry[1] !== undefined));
  } catch {
    return {};
  }
}

export async function writeHistory(path: string, crawlers: Kept): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify({ version: VERSION, crawlers }));
  await rename(`${path}.new`, path);
}

/** Undefined if they are not in the form in which this program writes them. */
function parseTracks(version: unknown, kept: unknown): Tracks | undefined {
  if (version === 1) return isTrack(kept) ? { hour: [], day: [], week: kept.map(addStatuses), quarter: [] } : undefined;
  const tracks = version === VERSION ? (kept as Partial<Tracks> | null) : undefined;
  return tracks && RANGES.every((range) => isTrack(tracks[range])) ? (tracks as Tracks) : undefined;
}

const addStatuses = (point: HistoryPoint): HistoryPoint => ({ ...point, byStatus: point.byStatus ?? {} });

const isTrack = (points: unknown): points is HistoryPoint[] => Array.isArray(points) && points.every(isPoint);

const isPoint = (point: Partial<HistoryPoint> | null): boolean =>
  [point?.at, point?.length, point?.pages, point?.errors, point?.orders, point?.indexed].every(Number.isFinite) &&
  typeof point?.errorsByCode === 'object' &&
  point.errorsByCode !== null;
