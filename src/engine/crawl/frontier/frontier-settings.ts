import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import { SOURCES } from '../../../domain/frontier/sources.js';
import { maxRequestsPerHost } from '../../../domain/politeness/politeness.js';
import type { FrontierSettings } from './frontier.js';

/** The part of the configuration that the frontier of a crawler uses. */
export const toFrontierSettings = (definition: CrawlerDefinition): FrontierSettings => ({
  weights: SOURCES.map((name) => definition.weights[name]),
  concurrencyPerHost: maxRequestsPerHost(definition),
  maximumAge: definition.refresh.maximumAge,
});
