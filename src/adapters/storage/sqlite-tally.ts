import { URL_STATUSES } from '../../domain/crawl/url-state.js';
import { SOURCES } from '../../domain/frontier/sources.js';
import type { Handle } from './sqlite-handle.js';
import { statusCode } from './url-row.js';

/** What of a row is counted. */
export interface Counted {
  readonly site_id: number;
  readonly status: number;
  readonly source: number | null;
  /** 1 when the URL has a document in the index. */
  readonly indexed: number;
}

const CELLS = URL_STATUSES.length * 16;
const ERROR = statusCode('error');
const cellOf = (row: Counted): number => (row.status << 4) | (((row.source ?? -1) + 1) << 1) | row.indexed;

/** Source and earliest due time of the queued URLs of one site: one index probe a source. */
export const EARLIEST_BY_SOURCE = SOURCES.map(
  (_, source) =>
    `SELECT ${source} AS source, min(due_at) AS due_at FROM url WHERE site_id = @site AND source = ${source}`,
).join(' UNION ALL ');

/**
 * Keeps `counter` and the counts in `site` equal to the rows of `url`: changes are summed up in memory during a
 * transaction and written once at its end, so a batch of thousands of rows costs a handful of counter updates.
 */
export class SqliteTally {
  readonly #deltas = new Map<number, Int32Array>();
  readonly #updateSite;
  readonly #updateCounter;

  constructor(db: Handle) {
    this.#updateSite = db.prepare(
      `UPDATE site SET urls = urls + @urls, indexed = indexed + @indexed, errors = errors + @errors,
         queued = queued + @queued, next_due_at = (SELECT min(due_at) FROM (${EARLIEST_BY_SOURCE})) WHERE id = @site`,
    );
    this.#updateCounter = db.prepare(
      `INSERT INTO counter (crawler, status, source, indexed, urls)
       VALUES ((SELECT crawler FROM site WHERE id = @site), @status, @source, @indexed, @urls)
       ON CONFLICT DO UPDATE SET urls = urls + excluded.urls`,
    );
  }

  /** A row came (+1) or went (-1). A row that changed goes as it was and comes as it is. */
  count(row: Counted, change: 1 | -1): void {
    let cells = this.#deltas.get(row.site_id);
    if (!cells) {
      cells = new Int32Array(CELLS);
      this.#deltas.set(row.site_id, cells);
    }
    cells[cellOf(row)]! += change;
  }

  /** To be called at the end of the transaction. */
  write(): void {
    for (const [site, cells] of this.#deltas) this.#writeSite(site, cells);
    this.#deltas.clear();
  }

  /** The transaction was rolled back. */
  discard(): void {
    this.#deltas.clear();
  }

  #writeSite(site: number, cells: Int32Array): void {
    const sums = { urls: 0, indexed: 0, errors: 0, queued: 0 };
    cells.forEach((urls, cell) => {
      if (urls === 0) return;
      const status = cell >> 4;
      const source = ((cell >> 1) & 7) - 1;
      const indexed = cell & 1;
      sums.urls += urls;
      if (indexed === 1) sums.indexed += urls;
      if (status === ERROR) sums.errors += urls;
      if (source >= 0) sums.queued += urls;
      this.#updateCounter.run({ site, status, source, indexed, urls });
    });
    this.#updateSite.run({ site, ...sums });
  }
}
