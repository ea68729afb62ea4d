/**
 * The types of the crawl policy. The opinions of the layers and their combination, the verdict, state what was decided,
 * why (a stable reason code) and where in the configuration.
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

/** A URL with everything that the policy needs to judge it. */
export interface Candidate {
  readonly url: CrawlUrl;
  /** How it was discovered; `stored` means that a known URL is judged again. */
  readonly discoveredVia: 'root' | 'link' | 'redirect' | 'sitemap' | 'stored';
  /**
   * A sitemap that robots.txt names: the crawl space is the only layer that can exclude it, and it is read only for its
   * links.
   */
  readonly isNamedSitemap?: boolean;
  /** It is the robots.txt of another host that names it: rules and conditions can exclude it, too. */
  readonly isNamedElsewhere?: boolean;
  /** The page that links or redirects to the URL. Absent for roots and stored URLs. */
  readonly from?: CrawlUrl;
  /** The root that led here, if known. */
  readonly root?: RootContext;
  /** Number of links between the root and this URL; 0 for a root. */
  readonly hops: number;
  /**
   * IP address of the host, if it was looked up, for crawl space rules on addresses; `null` if it could not be
   * resolved.
   */
  readonly address?: string | null;
}

export interface RootContext {
  readonly url: CrawlUrl;
  /** The URL is no longer a root. Only its site remains, for links on pages that were found from it. */
  readonly removed?: true;
  /** Its place in the configuration; absent if it was submitted. */
  readonly place?: Place;
  readonly site: boolean;
  readonly entireSite: boolean;
  /**
   * Prefixes that site mode allows, from `computeSitePrefixes`; they change when the home page redirects to another
   * site.
   */
  readonly sitePrefixes: readonly string[];
  /** Prefixes of its own site while its home page redirects to another one. */
  readonly formerPrefixes?: readonly string[];
  readonly group?: string;
  readonly metas: readonly MetaDefinition[];
  readonly followLinks: boolean;
  readonly priority: RootDefinition['priority'];
}

/** What is done with an accepted URL, and how it is fetched. */
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
  /** mnoGoSearch alias: the URL from which to fetch it instead. */
  readonly fetchUrl?: string;
  /** Whether it is requested without what the crawl may send: the host that names it is not the one that gets it. */
  readonly anonymous?: boolean;
  readonly maxNetworkErrors?: number;
  readonly networkErrorDelay?: Duration;
}

export interface Verdict {
  readonly accepted: boolean;
  readonly reason: ReasonCode;
  /** The layer that rejected the URL, or the last one that had an opinion. */
  readonly layer?: LayerName;
  readonly place?: Place;
  /** One sentence with the details: "the URL has 141 characters, but only 128 are allowed". */
  readonly detail?: string;
  readonly effects: Effects;
  /** Whether a record of the rejected URL must be kept (Velocity's log flags). */
  readonly record: boolean;
  /** OmniFind status of a stored URL outside the crawl space: 760 excluded, 761 left to another crawler. */
  readonly status?: 760 | 761;
  /** Whether the document of a stored URL stays in the index although the URL is no longer crawled. */
  readonly keepDocument: boolean;
  /**
   * Whether an address rule that could not be checked might change the verdict. If so, judge again with
   * `candidate.address` before fetching.
   */
  readonly needsAddress: boolean;
}

/** One line of an explanation: the opinion of one layer, or of one rule inside it. */
export interface TraceStep {
  readonly layer: LayerName;
  /** What was tested, in words: "rule 3: host is www.example.com", "server record http://www/news/". */
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
