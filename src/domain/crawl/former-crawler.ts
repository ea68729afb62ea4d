/** The definition of a crawler that the configuration no longer names, while URLs of it are still stored. */
import { DEFAULT_WEIGHTS } from '../frontier/sources.js';
import { days, hours, minutes, seconds } from '../time/units.js';
import { DEFAULT_CANONICALIZATION } from '../url/canonicalize.js';
import type { CrawlerDefinition } from './definition.js';
import type { Place } from './place.js';

const NO_PLACE: Place = { file: '', line: 1, column: 1 };

/**
 * Such a crawler makes no visits: it only deletes documents, or hands them over, so that all that matters of its
 * definition is where its documents are.
 */
export const createFormerCrawler = (name: string, fetcher: string, pushTo: readonly string[]): CrawlerDefinition => ({
  ...{ name, fetcher, pushTo, place: NO_PLACE, roots: [], rules: [], softErrors: [], mimeTypes: [] },
  ...{ concurrency: 1, throttle: seconds(2.5), aggressive: false, politenessBy: 'host', ignoreRobotsTxt: false },
  ...{ defaultAccept: false, defaultIndex: true, defaultFollow: true, defaultFollowRoots: true },
  ...{ storeTextOnly: false, mimeTypesMode: 'exclude', whenUnreadable: 'push', render: 'never' },
  ...{ crawlSitemaps: false, disableConditionalGet: false, followMoves: 'never', indexRedirectSources: true },
  ...{ nearDuplicateDetector: false, nearDuplicateScope: 'domain', probeErrorPages: 'never' },
  refresh: {
    ...{ smart: true, minimumAge: hours(1), maximumAge: days(7), objective: 'harmonic', hubs: false, timeZone: 'UTC' },
  },
  weights: DEFAULT_WEIGHTS,
  canonicalization: DEFAULT_CANONICALIZATION,
  linkRules: {
    ...{ protocols: ['http', 'https'], maxUrlLength: 2048, followQueryStrings: true, ignoreLinksTo: [] },
    ...{ rogue: false, followOffsite: true, place: NO_PLACE },
  },
  errors: { maxTemporaryErrors: 5, retryDelay: minutes(1), maxRetryDelay: hours(6), classes: {} },
  changeGuard: { on: false },
  deletionGuard: {
    ...{ on: false, maxDeletions: 50, maxShare: 0.1, window: hours(1), signOfLife: false, signOfLifeWait: days(1) },
  },
  leaveOut: { exactDuplicates: false, directoryListings: false, unlinked: false },
  traps: {
    ...{ maxPathDepth: 32, maxRepeatedSegments: 4, maxQueryVariants: 10_000, maxPatternUrls: 1_000 },
    ...{ maxUrlsPerHost: 1_000_000, maxLinksPerPage: 50_000 },
  },
});

/** What can become of the documents of a crawler that the configuration no longer names. */
export const DOCUMENT_DECISIONS = ['delete', 'keep', 'hand-over'] as const;

export type DocumentDecision =
  | { readonly documents: 'delete' | 'keep' }
  | { readonly documents: 'hand-over'; readonly to: string };
