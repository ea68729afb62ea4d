/** What both databases share for user searches of the stored URLs. */
import { URL_STATUSES, type UrlId, type UrlState } from '../../../domain/crawl/url-state.js';
import { toReason } from '../../../domain/policy/reasons.js';
import type { Instant } from '../../../domain/time/units.js';
import type { FolderStep, SearchStep, SurveyStep, UrlFilter } from '../../../engine/ports/frontier-store.js';
import { toState, URL_COLUMNS, type UrlRecord } from './url-row.js';

/** The limits of one search step. */
export interface StepLimits {
  /** Maximum number of candidates that can be examined and sorted quickly. */
  readonly maxCandidates: number;
  /** Number of URLs that are examined between two checks of the time. */
  readonly stride: number;
  readonly ms: number;
  /**
   * Maximum product of the bytes of a URL and the characters of the pattern for which the time is not checked; matching
   * then takes up to 24 µs.
   */
  readonly maxUncheckedCost: number;
}

/** Chosen so that a response takes at most 200 ms. */
export const STEP_LIMITS: StepLimits = { maxCandidates: 20_000, stride: 2_000, ms: 80, maxUncheckedCost: 8_000 };

/**
 * Number of URLs in the first stride, which is doubled while time is left, because some patterns take a thousand times
 * as long as others.
 */
export const FIRST_STRIDE = 64;

export type SearchFilter = UrlFilter & { readonly crawler: string };

/** How much of the search has been done after a step. */
export type Progress = Pick<SearchStep, 'next' | 'searched'>;

export const COMPLETE: Progress = { searched: 1 };

/** Ids of the matching URLs that one step has found. */
export interface MatchStep {
  readonly ids: UrlId[];
  readonly next?: UrlId;
}

/** One step of a search: which columns of which URLs it reads, and what becomes of them. */
export interface Search<Row, Result> {
  readonly columns: string;
  readonly filter: SearchFilter;
  readonly limit: number;
  readonly onRow: (row: Row) => unknown;
  readonly finish: (progress: Progress) => Result;
}

/** Effectively no limit. */
const NO_LIMIT = 2 ** 31 - 1;

export function searchUrls(filter: SearchFilter, limit: number): Search<UrlRecord, SearchStep> {
  const urls: UrlState[] = [];
  return {
    columns: URL_COLUMNS,
    filter,
    limit,
    onRow: (row) => urls.push(toState(row)),
    finish: (progress) => ({ urls, ...progress }),
  };
}

export function searchIds(filter: SearchFilter, limit: number): Search<Pick<UrlRecord, 'id'>, MatchStep> {
  const ids: UrlId[] = [];
  return {
    columns: 'u.id',
    filter,
    limit,
    onRow: ({ id }) => ids.push(id),
    finish: ({ next }) => ({ ids, next }),
  };
}

/** The sample of the result consists of ids. */
export function searchFolder(
  crawler: string,
  hostKey: string,
  folder: string,
): Search<Pick<UrlRecord, 'id' | 'url'>, Omit<FolderStep, 'sample'> & { readonly sample: readonly UrlId[] }> {
  const tally = new FolderTally(folder);
  return {
    columns: 'u.id, u.url',
    filter: { crawler, hostKey, prefix: folder },
    limit: NO_LIMIT,
    onRow: ({ id, url }) => tally.countUrl(id, url),
    finish: (progress) => ({ ...tally.result, sample: tally.sample, ...progress }),
  };
}

export function surveyUrls(crawler: string, since: readonly Instant[]): Search<SurveyRecord, SurveyStep> {
  const tally = new SurveyTally(since);
  return {
    columns: 'u.id, u.status, u.reason, u.last_visit_at, (u.stamp IS NOT NULL) AS indexed',
    filter: { crawler },
    limit: NO_LIMIT,
    onRow: (row) => tally.countRow(row),
    finish: (progress) => ({ ...tally.result, ...progress }),
  };
}

const MAX_FOLDERS = 1_000;
const SAMPLE_SIZE = 100;

/** Counts URLs by the subfolders of one folder. */
export class FolderTally {
  readonly sample: UrlId[] = [];
  readonly #folder: string;
  readonly #folders = new Map<string, number>();
  #others = 0;
  #urls = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  countUrl(id: UrlId, url: string): void {
    const name = findSubfolder(url, this.#folder);
    const previousCount = name === undefined ? undefined : this.#folders.get(name);
    if (name === undefined) {
      this.#urls++;
      if (this.sample.length < SAMPLE_SIZE) this.sample.push(id);
    } else if (previousCount !== undefined || this.#folders.size < MAX_FOLDERS)
      this.#folders.set(name, (previousCount ?? 0) + 1);
    else this.#others++;
  }

  get result(): Pick<FolderStep, 'folders' | 'others' | 'urls'> {
    return {
      folders: [...this.#folders].map(([name, urls]) => ({ name, urls })),
      others: this.#others,
      urls: this.#urls,
    };
  }
}

interface SurveyRecord {
  readonly id: UrlId;
  readonly status: number;
  readonly reason: string;
  readonly last_visit_at: number | null;
  readonly indexed: boolean | number;
}

/** Counts URLs by status and reason, and documents by the time of their last visit. */
class SurveyTally {
  readonly #reasons = new Map<string, { status: number; reason: string; urls: number; indexed: number }>();
  readonly #ages: number[];
  readonly #ageLimits: readonly Instant[];

  constructor(ageLimits: readonly Instant[]) {
    this.#ageLimits = ageLimits;
    this.#ages = new Array<number>(ageLimits.length + 1).fill(0);
  }

  countRow({ status, reason, indexed, last_visit_at: lastVisitAt }: SurveyRecord): void {
    const key = `${status} ${reason}`;
    const row = this.#reasons.get(key) ?? { status, reason, urls: 0, indexed: 0 };
    this.#reasons.set(key, row);
    row.urls++;
    if (!indexed) return;
    row.indexed++;
    const ageIndex = this.#ageLimits.findIndex((time) => (lastVisitAt ?? 0) >= time);
    this.#ages[ageIndex < 0 ? this.#ageLimits.length : ageIndex]!++;
  }

  get result(): Pick<SurveyStep, 'reasons' | 'ages'> {
    const reasons = [...this.#reasons.values()].map((row) => ({
      ...row,
      status: URL_STATUSES[row.status] ?? 'waiting',
      reason: toReason(row.reason),
    }));
    return { reasons, ages: this.#ages };
  }
}

/**
 * Finds the subfolder of `folder` that contains the URL; undefined if the URL is directly in `folder`. The subfolders
 * of the empty string are origins.
 */
function findSubfolder(url: string, folder: string): string | undefined {
  if (folder === '') return url.slice(0, url.indexOf('/', url.indexOf('//') + 2) + 1);
  const query = url.indexOf('?', folder.length);
  const slash = url.indexOf('/', folder.length);
  return slash < 0 || (query >= 0 && query < slash) ? undefined : url.slice(folder.length, slash + 1);
}
