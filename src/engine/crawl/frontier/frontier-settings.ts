import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import { SOURCES } from '../../../domain/frontier/sources.js';
import { getMaxRequestsPerHost } from '../../../domain/politeness/politeness.js';
import type { FrontierSettings } from './frontier.js';

/** The part of a crawler's definition that its frontier uses. */
export const toFrontierSettings = (definition: CrawlerDefinition): FrontierSettings => ({
  weights: SOURCES.map((name) => definition.weights[name]),
  concurrencyPerHost: getMaxRequestsPerHost(definition),
  maximumAge: definition.refresh.maximumAge,
});
