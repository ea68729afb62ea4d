/** All crawlers, polled for the whole console, and the selected one. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { call } from '../api/client.js';
import type { CrawlerDto } from '../api/schema.js';
import { type Resource, useResource } from './resource.js';
import { useRoute } from './route.js';

const STORAGE_KEY = 'crawlway-crawler';
const POLL_INTERVAL_MS = 2000;

export const CrawlersContext = createContext<Resource<readonly CrawlerDto[]>>({ reload: () => {} });

export const usePolledCrawlers = (): Resource<readonly CrawlerDto[]> =>
  useResource('crawlers', async (signal) => (await call('GET /api/v1/crawlers', { signal })).items, POLL_INTERVAL_MS);

export const useCrawlers = (): Resource<readonly CrawlerDto[]> => useContext(CrawlersContext);

/**
 * The crawler named in the address, otherwise the one selected last, otherwise the first one. Undefined while the
 * crawlers are loading, or if the named crawler does not exist.
 */
export function useCrawler(): CrawlerDto | undefined {
  const { query } = useRoute();
  const { value: crawlers = [] } = useCrawlers();
  const requestedName = query.get('crawler');
  const selectedName = requestedName ?? localStorage.getItem(STORAGE_KEY);
  // Never falls back to a crawler other than the one in the address, because actions would affect the wrong one.
  return crawlers.find(({ name }) => name === selectedName) ?? (requestedName === null ? crawlers[0] : undefined);
}

/** The crawler name in the address, if there is no crawler with that name. */
export function useUnknownCrawler(): string | undefined {
  const { query } = useRoute();
  const { value: crawlers } = useCrawlers();
  const requestedName = query.get('crawler');
  return requestedName !== null && crawlers?.every(({ name }) => name !== requestedName) ? requestedName : undefined;
}

export const rememberCrawler = (name: string): void => localStorage.setItem(STORAGE_KEY, name);
