/**
 * The values in which the crawl policy is expressed. The opinion of a layer and their sum, the verdict, say what was decided, why
 * (a stable reason code) and where in the configuration.
 */

import type { RootDefinition } from '../crawl/definition.js';
import type { Place } from '../crawl/place.js';
import type { MetaDefinition, UrlOptions } from '../crawl/policy-definition.js';
import type { Duration } from '../time/units.js';
import type { CrawlUrl } from '../url/crawl-url.js';
import type { ReasonCode } from './reasons.js';

/** In the order of evaluation. */
export const LAYERS = [
  'link-rules',
  'site-mode',
  'crawl-space',
  'server-records',
  'conditions',
  'crawl-rules',
] as const;

export type LayerName = (typeof LAYERS)[number];

/** What a URL is judged as. */
export interface Candidate {
  readonly url: CrawlUrl;
  /** How it was discovered; `stored` = a known URL judged again. */
  readonly discoveredVia: 'root' | 'link' | 'redirect' | 'sitemap' | 'stored';
  /** A sitemap that robots.txt names: of the layers only the crawl space can exclude it, and it is read for its links only. */
  readonly isNamedSitemap?: boolean;
  /** The page that links or redirects to it. Absent for roots and for stored URLs. */
  readonly from?: CrawlUrl;
  /** The root that led here, when known. */
  readonly root?: RootContext;
  /** Links between the root and this URL; a root has 0. */
  readonly hops: number;
  /** IP address of the host, if it was looked up: crawl space rules on addresses wait for it. `null`: it cannot be found. */
  readonly address?: string | null;
}

export interface RootContext {
  readonly url: CrawlUrl;
  /** It is no longer a root. Only its site remains, for the links of what was found from it. */
  readonly removed?: true;
  /** Where it is in the configuration; absent when it was submitted. */
  readonly place?: Place;
  readonly site: boolean;
  readonly entireSite: boolean;
  /** Prefixes that site mode allows; made by `computeSitePrefixes`, and moved when the home page redirects to another site. */
  readonly sitePrefixes: readonly string[];
  /** Its own site, while its home page leads to another one. */
  readonly formerPrefixes?: readonly string[];
  readonly group?: string;
  readonly metas: readonly MetaDefinition[];
  readonly followLinks: boolean;
  readonly priority: RootDefinition['priority'];
}

/** What an accepted URL may do and how it is fetched. */
export interface Effects {
  readonly index: boolean;
  readonly follow: boolean;
  /** CloudView `Source name`: the source under which the document is pushed. */
  readonly source?: string;
  readonly priorityShift: number;
  readonly metas: readonly MetaDefinition[];
  readonly options: UrlOptions;
  /** Time between visits, from a server record; takes precedence over smart refresh. */
  readonly period?: Duration;
  /** mnoGoSearch alias: where to fetch it from instead. */
  readonly fetchUrl?: string;
  readonly maxNetworkErrors?: number;
  readonly networkErrorDelay?: Duration;
}

export interface Verdict {
  readonly accepted: boolean;
  readonly reason: ReasonCode;
  /** The layer that rejected, or the last one that had an opinion. */
  readonly layer?: LayerName;
  readonly place?: Place;
  /** One sentence with the details: "the URL has 141 characters, 128 are allowed". */
  readonly detail?: string;
  readonly effects: Effects;
  /** A rejected URL of which a record must be kept (Velocity's log flags). */
  readonly record: boolean;
  /** OmniFind status of a stored URL outside the crawl space: 760 excluded, 761 left to another crawler. */
  readonly status?: 760 | 761;
  /** A stored URL whose document stays in the index although it is not crawled any more. */
  readonly keepDocument: boolean;
  /** An address rule that could not be tried might decide differently: judge again with `candidate.address` before fetching. */
  readonly needsAddress: boolean;
}

/** One line of an explanation: the opinion of one layer, or of one rule inside it. */
export interface TraceStep {
  readonly layer: LayerName;
  /** What was tried, in words: "rule 3: host is www.example.com", "server record http://www/news/". */
  readonly test: string;
  readonly outcome: 'accept' | 'reject' | 'set' | 'no match' | 'not configured' | 'not evaluated' | 'pending';
  readonly reason?: ReasonCode;
  readonly place?: Place;
  /** What it changed: "index=no", "priority shift -1". */
  readonly effect?: string;
}

export interface Explanation {
  readonly verdict: Verdict;
  readonly trace: readonly TraceStep[];
}
