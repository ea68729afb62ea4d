import { URL_STATUSES } from '../../domain/crawl/url-state.js';

/** What of a row is counted. */
export interface Counted {
  readonly site_id: number;
  readonly status: number;
  readonly source: number | null;
  /** 1 when the URL has a document in the index. */
  readonly indexed: number;
}

/** URLs of one site that came (or, negative, went) with the same status, source (-1: not queued) and document or none. */
export interface CounterChange {
  readonly site: number;
  readonly status: number;
  readonly source: number;
  readonly indexed: number;
  readonly urls: number;
}

export interface SiteChange {
  readonly site: number;
  readonly urls: number;
  readonly indexed: number;
  readonly errors: number;
  readonly queued: number;
  readonly counters: readonly CounterChange[];
}

const CELLS = URL_STATUSES.length * 16;
const ERROR = URL_STATUSES.indexOf('error');
const cellOf = (row: Counted): number => (row.status << 4) | (((row.source ?? -1) + 1) << 1) | row.indexed;

/**
 * Sums up what a transaction does to the counts, so that it writes each count once, at its end, however many rows it
 * touched.
 */
export class Tally {
  readonly #sites = new Map<number, Int32Array>();

  /** A row came (+1) or went (-1). A row that changed goes as it was and comes as it is. */
  count(row: Counted, change: 1 | -1): void {
    let cells = this.#sites.get(row.site_id);
    if (!cells) {
      cells = new Int32Array(CELLS);
      this.#sites.set(row.site_id, cells);
    }
    cells[cellOf(row)]! += change;
  }

  /** A row got these values. */
  change(before: Counted, changes: { status?: string; source?: number | null; stamp?: string | null }): void {
    this.count(before, -1);
    this.count(
      {
        site_id: before.site_id,
        status:
          changes.status === undefined ? before.status : (URL_STATUSES as readonly string[]).indexOf(changes.status),
        source: changes.source === undefined ? before.source : changes.source,
        indexed: changes.stamp === undefined ? before.indexed : changes.stamp === null ? 0 : 1,
      },
      1,
    );
  }

  /** The sums, by site, ascending; the tally is empty afterwards. Sites whose rows changed without effect on a count are there too. */
  take(): SiteChange[] {
    const changes = [...this.#sites].sort(([a], [b]) => a - b).map(([site, cells]) => summed(site, cells));
    this.#sites.clear();
    return changes;
  }
}

function summed(site: number, cells: Int32Array): SiteChange {
  const counters: CounterChange[] = [];
  const sums = { urls: 0, indexed: 0, errors: 0, queued: 0 };
  cells.forEach((urls, cell) => {
    if (urls === 0) return;
    const status = cell >> 4;
    const source = ((cell >> 1) & 7) - 1;
    const indexed = cell & 1;
    counters.push({ site, status, source, indexed, urls });
    sums.urls += urls;
    if (indexed === 1) sums.indexed += urls;
    if (status === ERROR) sums.errors += urls;
    if (source >= 0) sums.queued += urls;
  });
  return { site, ...sums, counters };
}
