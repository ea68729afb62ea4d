import { call } from '../api/client.js';

/** Maximum number of crawlers to query, so that one question does not cause too many calls. */
const MAX_CRAWLERS = 12;

/**
 * Finds the crawler that best explains what became of a URL: one that has it in the index, otherwise one that stores
 * it, otherwise one that would crawl it. Among equals, the chosen crawler is preferred.
 */
export async function findCrawlerForUrl(url: string, chosenName: string, names: readonly string[]): Promise<string> {
  const queriedNames = [chosenName, ...names.filter((name) => name !== chosenName)].slice(0, MAX_CRAWLERS);
  const candidates = await Promise.all(
    queriedNames.map(async (crawler) => {
      const explanation = await call('GET /api/v1/crawlers/{crawler}/explain', {
        path: { crawler },
        query: { url },
      }).catch(() => undefined);
      const isIndexed = explanation?.headline.fate === 'in-index';
      return { crawler, rank: isIndexed ? 3 : explanation?.state ? 2 : explanation?.verdict.accepted ? 1 : 0 };
    }),
  );
  // The sort is stable, so the chosen crawler comes first among equals.
  return candidates.toSorted((a, b) => b.rank - a.rank)[0]!.crawler;
}
