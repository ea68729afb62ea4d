import { call } from '../api/client.js';

/** More would be a burst of calls for every question. */
const MOST_ASKED = 12;

/**
 * Whose answer a person wants who asks about a URL: that of the chosen crawler if it knows the URL or would crawl it, else that of
 * another one that does; of several, the one that has it in the index.
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
