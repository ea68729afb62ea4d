import { call } from '../api/client.js';

/** Maximum number of crawlers to query, so that one question does not cause too many calls. */
const MAX_CRAWLERS = 12;

/** People leave out the scheme of a URL: it may be either. */
const listSpellings = (text: string): string[] =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? [text] : [`https://${text}`, `http://${text}`];

/**
 * Finds the crawler that best explains what became of a URL: one that has it in the index, otherwise one that stores
 * it, otherwise one that would crawl it. Among equals, the chosen crawler is preferred, and `https`.
 * @param text a URL, which may lack its scheme
 */
export async function findCrawlerForUrl(
  text: string,
  chosenName: string,
  names: readonly string[],
): Promise<{ readonly crawler: string; readonly url: string }> {
  const queriedNames = [chosenName, ...names.filter((name) => name !== chosenName)].slice(0, MAX_CRAWLERS);
  const questions = queriedNames.flatMap((crawler) => listSpellings(text).map((url) => ({ crawler, url })));
  const candidates = await Promise.all(
    questions.map(async ({ crawler, url }) => {
      const explanation = await call('GET /api/v1/crawlers/{crawler}/explain', {
        path: { crawler },
        query: { url },
      }).catch(() => undefined);
      const isIndexed = explanation?.headline.fate === 'in-index';
      return { crawler, url, rank: isIndexed ? 3 : explanation?.state ? 2 : explanation?.verdict.accepted ? 1 : 0 };
    }),
  );
  // The sort is stable, so the chosen crawler comes first among equals.
  return candidates.toSorted((a, b) => b.rank - a.rank)[0]!;
}
