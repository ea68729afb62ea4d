import { URL_STATUSES, type UrlStatus } from '../../../domain/crawl/url-state.js';
import { SOURCES } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import type { CrawlerCounts } from '../../../engine/ports/frontier-store.js';

/** The columns of a row that matter for the counts. */
export interface CountedRow {
  readonly site_id: number;
  readonly status: number;
  readonly source: number | null;
  readonly due_at: number;
  /** 1 if the URL has a document in the index, otherwise 0. */
  readonly indexed: number;
}

/**
 * Number of URLs added (or, if negative, removed) with the same status, source (-1 if not queued) and presence of a
 * document.
 */
export interface CounterChange {
  readonly status: number;
  readonly source: number;
  readonly indexed: number;
  readonly urls: number;
}

/** A transaction's effect on the counts of one site. */
export interface SiteChange {
  readonly site: number;
  readonly urls: number;
  readonly indexed: number;
  readonly errors: number;
  readonly queued: number;
  /** Earliest due times of the URLs added to the queue, and of those removed from it. */
  readonly earliestAdded: number | null;
  readonly earliestRemoved: number | null;
  readonly counters: readonly CounterChange[];
}

const CELLS = URL_STATUSES.length * 16;
const ERROR = URL_STATUSES.indexOf('error');
const findCellIndex = (row: CountedRow): number => (row.status << 4) | (((row.source ?? -1) + 1) << 1) | row.indexed;

class SiteTally {
  readonly cells = new Int32Array(CELLS);
  earliestAdded = Number.POSITIVE_INFINITY;
  earliestRemoved = Number.POSITIVE_INFINITY;

  count(row: CountedRow, change: 1 | -1): void {
    this.cells[findCellIndex(row)]! += change;
    if (row.source === null) return;
    if (change > 0) this.earliestAdded = Math.min(this.earliestAdded, row.due_at);
    else this.earliestRemoved = Math.min(this.earliestRemoved, row.due_at);
  }
}

/**
 * Sums up a transaction's effect on the counts, so that each count is written only once, at the end, however many rows
 * changed.
 */
export class Tally {
  readonly #sites = new Map<number, SiteTally>();

  /**
   * Counts a row that was added (+1) or removed (-1). A changed row is removed with its old values and added with its
   * new ones.
   */
  countRow(row: CountedRow, change: 1 | -1): void {
    let site = this.#sites.get(row.site_id);
    if (!site) {
      site = new SiteTally();
      this.#sites.set(row.site_id, site);
    }
    site.count(row, change);
  }

  /** Counts a row whose values have changed. */
  countChangedRow(
    before: CountedRow,
    changes: { status?: string; source?: number | null; dueAt?: number; stamp?: string | null },
  ): void {
    this.countRow(before, -1);
    this.countRow(
      {
        site_id: before.site_id,
        status:
          changes.status === undefined ? before.status : (URL_STATUSES as readonly string[]).indexOf(changes.status),
        source: changes.source === undefined ? before.source : changes.source,
        due_at: changes.dueAt === undefined ? before.due_at : Math.round(changes.dueAt),
        indexed: changes.stamp === undefined ? before.indexed : changes.stamp === null ? 0 : 1,
      },
      1,
    );
  }

  /** Returns the sums by ascending site; the tally is empty afterwards. */
  drainChanges(): SiteChange[] {
    const changes = [...this.#sites].sort(([a], [b]) => a - b).map(([id, site]) => toSiteChange(id, site));
    this.#sites.clear();
    return changes;
  }
}

function toSiteChange(id: number, { cells, earliestAdded, earliestRemoved }: SiteTally): SiteChange {
  const counters = toCounters(cells);
  const sumUrls = (predicate: (counter: CounterChange) => boolean): number =>
    counters.reduce((urls, counter) => (predicate(counter) ? urls + counter.urls : urls), 0);
  return {
    site: id,
    urls: sumUrls(() => true),
    indexed: sumUrls(({ indexed }) => indexed === 1),
    errors: sumUrls(({ status }) => status === ERROR),
    queued: sumUrls(({ source }) => source >= 0),
    earliestAdded: Number.isFinite(earliestAdded) ? earliestAdded : null,
    earliestRemoved: Number.isFinite(earliestRemoved) ? earliestRemoved : null,
    counters,
  };
}

function toCounters(cells: Int32Array): CounterChange[] {
  const counters: CounterChange[] = [];
  cells.forEach((urls, cell) => {
    if (urls !== 0) counters.push({ status: cell >> 4, source: ((cell >> 1) & 7) - 1, indexed: cell & 1, urls });
  });
  return counters;
}

/** Adds up the counter changes of sites for which `getName` returns the same name. */
export function groupCounters<Name>(
  changes: readonly SiteChange[],
  getName: (site: number) => Name,
): ReadonlyMap<Name, readonly CounterChange[]> {
  const sums = new Map<Name, Int32Array>();
  for (const { site, counters } of changes) {
    const name = getName(site);
    const cells = sums.get(name) ?? new Int32Array(CELLS);
    sums.set(name, cells);
    for (const counter of counters) {
      cells[(counter.status << 4) | ((counter.source + 1) << 1) | counter.indexed]! += counter.urls;
    }
  }
  return new Map([...sums].map(([name, cells]) => [name, toCounters(cells)]));
}

/** Computes a crawler's counts from its counter rows; shared by both databases. */
export function toCrawlerCounts(counters: readonly CounterChange[], oldestDueAt: Instant | undefined): CrawlerCounts {
  const byStatus = Object.fromEntries(URL_STATUSES.map((status) => [status, 0])) as Record<UrlStatus, number>;
  const bySource = SOURCES.map(() => 0);
  let indexed = 0;
  for (const row of counters) {
    byStatus[URL_STATUSES[row.status]!] += row.urls;
    if (row.source >= 0) bySource[row.source]! += row.urls;
    if (row.indexed === 1) indexed += row.urls;
  }
  return { byStatus, bySource, indexed, oldestDueAt };
}
