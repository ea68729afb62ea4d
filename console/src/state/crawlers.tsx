/** All crawlers, polled for the whole console, and the selected one. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { call } from '../api/client.js';
import type { CrawlerDto } from '../api/schema.js';
import { type Resource, useResource } from './resource.js';
import { useRoute } from './route.js';

const CHOICE = 'crawlway-crawler';
const EVERY_MS = 2000;

export const CrawlersContext = createContext<Resource<readonly CrawlerDto[]>>({ reload: () => {} });

export const usePolledCrawlers = (): Resource<readonly CrawlerDto[]> =>
  useResource('crawlers', async (signal) => (await call('GET /api/v1/crawlers', { signal })).items, EVERY_MS);

export const useCrawlers = (): Resource<readonly CrawlerDto[]> => useContext(CrawlersContext);

/**
 * The one named by the address, otherwise the last one selected, otherwise the first; undefined while unknown or if it does not
 * exist.
 */
export function useCrawler(): CrawlerDto | undefined {
  const { query } = useRoute();
  const { value: crawlers = [] } = useCrawlers();
  const named = query.get('crawler');
  const wanted = named ?? localStorage.getItem(CHOICE);
  // Never a crawler other than the one in the address, because actions would affect the wrong one.
  return crawlers.find(({ name }) => name === wanted) ?? (named === null ? crawlers[0] : undefined);
}

/** The name in the URL of this page if no crawler has it. */
export function useUnknownCrawler(): string | undefined {
  const { query } = useRoute();
  const { value: crawlers } = useCrawlers();
  const named = query.get('crawler');
  return named !== null && crawlers?.every(({ name }) => name !== named) ? named : undefined;
}

export const rememberCrawler = (name: string): void => localStorage.setItem(CHOICE, name);
