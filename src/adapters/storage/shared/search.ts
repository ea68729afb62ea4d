/** What both databases share for searches of the stored URLs by people. */

import { URL_STATUSES, type UrlId } from '../../../domain/crawl/url-state.js';
import { toReason } from '../../../domain/policy/reasons.js';
import type { Instant } from '../../../domain/time/units.js';
import type { FolderStep, SearchStep, SurveyStep, UrlFilter } from '../../../engine/ports/frontier-store.js';

/** The limits of one search step. */
export interface StepLimits {
  /** Number of candidates that can be examined and sorted quickly. */
  readonly few: number;
  /** Number of URLs that are examined between two checks of the time. */
  readonly stride: number;
  readonly ms: number;
  /**
   * Limit on the product of a URL's bytes and the pattern's characters for matching without a check of the time: takes
   * 24 µs.
   */
  readonly unwatched: number;
}

/** Chosen so that a response takes at most 200 ms. */
export const STEP_LIMITS: StepLimits = { few: 20_000, stride: 2_000, ms: 80, unwatched: 8_000 };

/**
 * Number of URLs in the first stride, which is doubled while time is left, because some patterns take a thousand times
 * as long as others.
 */
export const FIRST_STRIDE = 64;

/** How far a step got. */
export type Progress = Pick<SearchStep, 'next' | 'searched'>;

export const ALL: Progress = { searched: 1 };

/** Ids of matching URLs. */
export interface MatchStep {
  readonly ids: UrlId[];
  readonly next?: UrlId;
}

/**
 * Whether to search in steps instead of one statement: matching a pattern takes long, and the store can do other work
 * between the steps.
 */
export const needsSteps = (filter: UrlFilter): filter is UrlFilter & { readonly crawler: string } =>
  filter.like !== undefined && filter.crawler !== undefined;

/** Finds the first `limit` matching ids after a given one, in as many steps as it takes. */
export async function findMatchingInSteps(
  step: (after: UrlId, limit: number) => Promise<MatchStep>,
  after: UrlId,
  limit: number,
): Promise<UrlId[]> {
  const found: UrlId[] = [];
  for (let at: UrlId | undefined = after; at !== undefined && found.length < limit; ) {
    const { ids, next }: MatchStep = await step(at, limit - found.length);
    found.push(...ids);
    at = next;
  }
  return found;
}

/** @param step as in `findMatchingInSteps` */
export async function countInSteps(
  step: (after: UrlId, limit: number) => Promise<MatchStep>,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let at: UrlId | undefined = 0; at !== undefined; ) {
    signal?.throwIfAborted();
    const { ids, next }: MatchStep = await step(at, COUNTED_AT_ONCE);
    count += ids.length;
    at = next;
  }
  return count;
}

const COUNTED_AT_ONCE = 100_000;
const MOST_FOLDERS = 1_000;
const SAMPLE = 100;

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

  count(id: UrlId, url: string): void {
    const name = findSubfolder(url, this.#folder);
    const known = name === undefined ? undefined : this.#folders.get(name);
    if (name === undefined) {
      this.#urls++;
      if (this.sample.length < SAMPLE) this.sample.push(id);
    } else if (known !== undefined || this.#folders.size < MOST_FOLDERS) this.#folders.set(name, (known ?? 0) + 1);
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

/** The columns that a survey reads. */
export const SURVEY_COLUMNS = 'u.id, u.status, u.reason, u.last_visit_at, (u.stamp IS NOT NULL) AS indexed';

export interface SurveyRecord {
  readonly id: UrlId;
  readonly status: number;
  readonly reason: string;
  readonly last_visit_at: number | null;
  readonly indexed: boolean | number;
}

/** Counts URLs by status and reason, and documents by the time of their last visit. */
export class SurveyTally {
  readonly #reasons = new Map<string, { status: number; reason: string; urls: number; indexed: number }>();
  readonly #ages: number[];
  readonly #since: readonly Instant[];

  constructor(since: readonly Instant[]) {
    this.#since = since;
    this.#ages = new Array<number>(since.length + 1).fill(0);
  }

  count({ status, reason, indexed, last_visit_at: visited }: SurveyRecord): void {
    const key = `${status} ${reason}`;
    const row = this.#reasons.get(key) ?? { status, reason, urls: 0, indexed: 0 };
    this.#reasons.set(key, row);
    row.urls++;
    if (!indexed) return;
    row.indexed++;
    const age = this.#since.findIndex((moment) => (visited ?? 0) >= moment);
    this.#ages[age < 0 ? this.#since.length : age]!++;
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
 * Finds the subfolder of `folder` that contains the URL; undefined if the URL is directly in `folder`. The topmost
 * folder is the origin.
 */
function findSubfolder(url: string, folder: string): string | undefined {
  if (folder === '') return url.slice(0, url.indexOf('/', url.indexOf('//') + 2) + 1);
  const query = url.indexOf('?', folder.length);
  const slash = url.indexOf('/', folder.length);
  return slash < 0 || (query >= 0 && query < slash) ? undefined : url.slice(folder.length, slash + 1);
}
