import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import { SOURCES } from '../../../domain/frontier/sources.js';
import { requestsPerHost } from '../../../domain/politeness/politeness.js';
import type { FrontierSettings } from './frontier.js';

/** What of the configuration the frontier of a crawler goes by. */
export const frontierSettings = (definition: CrawlerDefinition): FrontierSettings => ({
  weights: SOURCES.map((name) => definition.weights[name]),
  concurrencyPerHost: requestsPerHost(definition),
  maximumAge: definition.refresh.maximumAge,
});
