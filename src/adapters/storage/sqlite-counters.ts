import { SOURCES } from '../../domain/frontier/sources.js';
import type { Handle } from './sqlite-handle.js';
import type { SiteChange } from './tally.js';

/** Source and earliest due time of the queued URLs of one site: one index probe a source. */
export const EARLIEST_BY_SOURCE = SOURCES.map(
  (_, source) =>
    `SELECT ${source} AS source, min(due_at) AS due_at FROM url WHERE site_id = @site AND source = ${source}`,
).join(' UNION ALL ');

/** Writes what a tally summed up to `counter` and `site`; to be called at the end of the transaction. */
export function counterWriter(db: Handle): (changes: readonly SiteChange[]) => void {
  const updateSite = db.prepare(
    `UPDATE site SET urls = urls + @urls, indexed = indexed + @indexed, errors = errors + @errors,
       queued = queued + @queued, next_due_at = (SELECT min(due_at) FROM (${EARLIEST_BY_SOURCE})) WHERE id = @site`,
  );
  const updateCounter = db.prepare(
    `INSERT INTO counter (crawler, status, source, indexed, urls)
     VALUES ((SELECT crawler FROM site WHERE id = @site), @status, @source, @indexed, @urls)
     ON CONFLICT DO UPDATE SET urls = urls + excluded.urls`,
  );
  return (changes) => {
    for (const { counters, ...site } of changes) {
      for (const counter of counters) updateCounter.run(counter);
      updateSite.run(site);
    }
  };
}
