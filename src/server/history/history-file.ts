/**
 * Stores chart data in one small file in the data directory. Charts are a convenience of this server, not part of the
 * crawl's state, so a missing or damaged file is simply replaced by a new one. Files of version 1 have only the week,
 * by crawler.
 */
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type HistoryPoint, RANGES, type Tracks } from './rate-history.js';

type StoredTracks = Readonly<Record<string, Tracks>>;

const VERSION = 2;
const MAX_BYTES = 50_000_000;

export async function readHistory(path: string): Promise<StoredTracks> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return {};
    const { version, crawlers } = JSON.parse(await readFile(path, 'utf8'));
    const tracks = Object.entries(crawlers as object).map(
      ([name, storedTracks]) => [name, parseTracks(version, storedTracks)] as const,
    );
    return Object.fromEntries(tracks.filter((entry): entry is [string, Tracks] => entry[1] !== undefined));
  } catch {
    return {};
  }
}

export async function writeHistory(path: string, crawlers: StoredTracks): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify({ version: VERSION, crawlers }));
  await rename(`${path}.new`, path);
}

/** Undefined if the tracks do not have a format that this program writes or has written. */
function parseTracks(version: unknown, storedTracks: unknown): Tracks | undefined {
  if (version === 1)
    return isTrack(storedTracks)
      ? { hour: [], day: [], week: storedTracks.map(addMissingStatuses), quarter: [] }
      : undefined;
  const tracks = version === VERSION ? (storedTracks as Partial<Tracks> | null) : undefined;
  return tracks && RANGES.every((range) => isTrack(tracks[range])) ? (tracks as Tracks) : undefined;
}

const addMissingStatuses = (point: HistoryPoint): HistoryPoint => ({ ...point, byStatus: point.byStatus ?? {} });

const isTrack = (points: unknown): points is HistoryPoint[] => Array.isArray(points) && points.every(isPoint);

const isPoint = (point: Partial<HistoryPoint> | null): boolean =>
  [point?.at, point?.length, point?.pages, point?.errors, point?.orders, point?.indexed].every(Number.isFinite) &&
  typeof point?.errorsByCode === 'object' &&
  point.errorsByCode !== null;
