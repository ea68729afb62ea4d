import { call } from '../api/client.js';

/** Maximum number of crawlers asked; more would be a burst of calls for every question. */
const MOST_ASKED = 12;

/**
 * Finds the crawler whose explanation of a URL is wanted: the chosen crawler if it knows the URL or would crawl it,
 * otherwise another one that does; among several, one that has it in the index.
 */
export async function findCrawlerForUrl(url: string, chosen: string, names: readonly string[]): Promise<string> {
  const asked = [chosen, ...names.filter((name) => name !== chosen)].slice(0, MOST_ASKED);
  const answers = await Promise.all(
    asked.map(async (crawler) => {
      const answer = await call('GET /api/v1/crawlers/{crawler}/explain', { path: { crawler }, query: { url } }).catch(
        () => undefined,
      );
      const isIn = answer?.headline.fate === 'in-index';
      return { crawler, closeness: isIn ? 3 : answer?.state ? 2 : answer?.verdict.accepted ? 1 : 0 };
    }),
  );
  // The sort is stable: the chosen crawler comes first among equals.
  return answers.toSorted((a, b) => b.closeness - a.closeness)[0]!.crawler;
}
