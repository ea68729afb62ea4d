/** Reads what crawlers may use (`cw:Quota`). */
import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import type { QuotaDefinition } from '../../../domain/crawl/quota-definition.js';
import { suggestSpelling } from '../../../domain/spelling.js';
import { minutes } from '../../../domain/time/units.js';
import { findValidChildren, type Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import { COVERS, QUOTA } from '../schema/schedule.js';

/** @param crawlerNames the names of all crawlers, including those that are otherwise invalid */
export function readQuotas(
  root: Node,
  crawlerNames: readonly string[],
  problems: Problems,
): Pick<ServerDefinition, 'quotas'> {
  const quotas = findValidChildren(root, QUOTA).map(({ values, place, ...node }): QuotaDefinition => {
    const { name, maxUrls: urls, maxDocuments: documents, maxBytesPerDay: bytes, maxRenderMinutesPerDay } = values;
    const rendering = maxRenderMinutesPerDay === undefined ? undefined : minutes(maxRenderMinutesPerDay);
    const entries = Object.entries({ urls, documents, bytes, rendering }).filter(([, limit]) => limit !== undefined);
    if (entries.length === 0)
      problems.add('no-effect', `the quota ${name} limits nothing: set one of its limits, or remove it`, place);
    const crawlers = findValidChildren({ values, place, ...node } as Node, COVERS).map((covered) => {
      const { crawler } = covered.values;
      if (!crawlerNames.includes(crawler)) {
        const message = `there is no Crawler named ${crawler}${suggestSpelling(crawler, crawlerNames)}`;
        problems.add('unknown-reference', message, covered.place);
      }
      return crawler;
    });
    return { name, place, crawlers: [...new Set(crawlers)], limits: Object.fromEntries(entries) };
  });
  return quotas.length === 0 ? {} : { quotas };
}
