import { SOURCES } from '../../../domain/frontier/sources.js';
import { groupCounters, type SiteChange } from '../shared/tally.js';
import { type Handle, prepareOnce } from './sqlite-handle.js';

/** Source and earliest due time of the queued URLs of one site, with one index probe per source. */
export const EARLIEST_BY_SOURCE = SOURCES.map(
  (_, source) =>
    `SELECT ${source} AS source, min(due_at) AS due_at FROM url WHERE site_id = @site AND source = ${source}`,
).join(' UNION ALL ');

/** Earliest due time of the queued URLs of one site: probes in a loop cost half as much as the union. */
const EARLIEST = `SELECT min(due_at) FROM (SELECT (SELECT due_at FROM url WHERE site_id = @site AND source = sources.column1
    ORDER BY due_at LIMIT 1) AS due_at FROM (VALUES ${SOURCES.map((_, source) => `(${source})`).join(', ')}) AS sources)`;

/** The earliest due time follows from what was added and removed, unless a removed one may have been the earliest. */
const NEXT_DUE = `CASE
  WHEN @went <= coalesce(min(next_due_at, @came), next_due_at, @came, @went) THEN (${EARLIEST})
  ELSE coalesce(min(next_due_at, @came), next_due_at, @came) END`;

/**
 * Creates a function that writes a tally's sums to `counter` and `site`; it must be called at the end of the
 * transaction.
 */
export function createCounterWriter(
  db: Handle,
  getCrawler: (site: number) => string,
): (changes: readonly SiteChange[]) => void {
  const updateSite = prepareOnce(
    db,
    `UPDATE site SET urls = urls + @urls, indexed = indexed + @indexed, errors = errors + @errors,
       queued = queued + @queued, next_due_at = ${NEXT_DUE} WHERE id = @site`,
  );
  const updateCounter = prepareOnce(
    db,
    `INSERT INTO counter (crawler, status, source, indexed, urls) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET urls = urls + excluded.urls`,
  );
  return (changes) => {
    for (const { site, urls, indexed, errors, queued, earliestAdded: came, earliestRemoved: went } of changes) {
      updateSite.run({ site, urls, indexed, errors, queued, came, went });
    }
    for (const [crawler, counters] of groupCounters(changes, getCrawler)) {
      for (const { status, source, indexed, urls } of counters)
        updateCounter.run(crawler, status, source, indexed, urls);
    }
  };
}
