/**
 * The part of a definition by which URLs are judged, layer by layer in the order of the policy: link rules (FDSE),
 * crawl space (OmniFind), server records (mnoGoSearch), conditions (Velocity), crawl rules (CloudView).
 */
import { type Secret } from '../secret.js';
import { type Duration } from '../time/units.js';
import { type RequestHeaders } from './fetcher-definition.js';
import { type Place } from './place.js';

export interface MetaDefinition {
  readonly name: string;
  readonly value: string;
  /** `links`: documents found from this one also get the meta. */
  readonly scope: 'document' | 'links';
}

export interface RuleDefinition {
  /** 1-based position across all `Rules` blocks of the crawler, which is the order of evaluation. */
  readonly number: number;
  readonly group: string;
  readonly key?: string;
  readonly place: Place;
  /** Several match elements in one Rule form an And. */
  readonly match: MatchExpression;
  readonly actions: RuleActions;
}

export type MatchField = 'url' | 'scheme' | 'host' | 'path' | 'query' | 'fragment';

export type MatchKind = 'exact' | 'prefix' | 'suffix' | 'inside';

/** none: as written; lower: case-insensitive; norm: case- and accent-insensitive. */
export type MatchNorm = 'none' | 'lower' | 'norm';

export type MatchExpression =
  | { readonly type: 'and' | 'or'; readonly children: readonly MatchExpression[]; readonly place: Place }
  | { readonly type: 'not'; readonly child: MatchExpression; readonly place: Place }
  | {
      readonly type: 'atom';
      readonly field: MatchField;
      readonly kind: MatchKind;
      readonly norm: MatchNorm;
      readonly value: string;
      /** true: special characters are literal, unless a preceding backslash makes them operators. */
      readonly litteral: boolean;
      readonly place: Place;
    }
  | {
      readonly type: 'length';
      readonly field: MatchField;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly place: Place;
    }
  | { readonly type: 'domain'; readonly value: string; readonly norm: MatchNorm; readonly place: Place };

/** The actions of a rule; anything absent is left to other rules. */
export interface RuleActions {
  readonly accept?: boolean;
  readonly index?: boolean;
  readonly follow?: boolean;
  readonly source?: string;
  /** -2 … 2, added to the natural source number. */
  readonly priorityShift?: number;
  readonly metas: readonly MetaDefinition[];
  /** How pages that match the rule are rendered. */
  readonly render?: Pick<UrlOptions, 'renderMode' | 'renderReadyWhen' | 'renderSteps'>;
}

export interface LinkRulesDefinition {
  /** In lower case, without the colon. */
  readonly protocols: readonly string[];
  /** In characters. */
  readonly maxUrlLength: number;
  readonly followQueryStrings: boolean;
  /** Extensions in lower case, without the dot. */
  readonly ignoreLinksTo: readonly string[];
  /** true: robots meta tags and robots.txt are ignored. */
  readonly rogue: boolean;
  /** false: links to hosts other than that of the page are ignored. */
  readonly followOffsite: boolean;
  readonly place?: Place;
}

export interface CrawlSpaceDefinition {
  readonly file: string;
  readonly rules: readonly CrawlSpaceRule[];
}

export interface GlobalCrawlSpaceDefinition {
  readonly file: string;
  /** Domain rules only. */
  readonly rules: readonly CrawlSpaceRule[];
}

export type CrawlSpaceRule = {
  readonly verdict: 'allow' | 'forbid';
  readonly place: Place;
} & (
  | { readonly kind: 'domain' | 'prefix' /** `*` is a wildcard. */; readonly target: string }
  | { readonly kind: 'address' /** CIDR, e.g. `10.0.0.0/8` or `::1/128`. */; readonly target: string }
);

export interface ServersDefinition {
  readonly followOutside: boolean;
  readonly deleteNoServer: boolean;
  readonly records: readonly ServerRecord[];
  /** Parameters in force at the end of the list: those of the empty record that the two switches add. */
  readonly defaults: ServerParameters;
  readonly place: Place;
}

export interface ServerRecord {
  /** A URL prefix; may be empty. */
  readonly url: string;
  readonly place: Place;
  readonly parameters: ServerParameters;
}

export interface ServerParameters {
  readonly period?: Duration;
  readonly tag?: string;
  readonly category?: string;
  readonly maxHops?: number;
  readonly readTimeout?: Duration;
  readonly documentTimeout?: Duration;
  readonly robots?: boolean;
  readonly index?: boolean;
  readonly follow?: boolean;
  readonly maxNetworkErrors?: number;
  readonly networkErrorDelay?: Duration;
  /** Prefix that replaces the record's URL when fetching (mnoGoSearch Alias). */
  readonly alias?: string;
  /** `user:password` for Basic authentication. */
  readonly authentication?: Secret;
}

export interface ConditionsDefinition {
  readonly defaultAllow: DefaultAllow;
  /** Global options, assigned first. */
  readonly options: UrlOptions;
  readonly rules: readonly ConditionRule[];
  readonly place: Place;
}

export type DefaultAllow = 'allow' | 'disallow' | 'disallow-log';

export interface ConditionRule {
  readonly kind: 'apply-for' | 'apply-except-for' | 'may-not-have' | 'must-have';
  readonly test: ConditionTest;
  /** Whether URLs that this rule filters are recorded. */
  readonly log: boolean;
  readonly options: UrlOptions;
  readonly children: readonly ConditionRule[];
  readonly place: Place;
}

export interface ConditionTest {
  /**
   * wildcard: `*` and `?`, matching the whole field; wildcard-set: several wildcards, one per line, any of which may
   * match; regex: may match anywhere in the field.
   */
  readonly type: 'wildcard' | 'regex' | 'wildcard-set';
  readonly field: MatchField;
  readonly value: string;
  readonly caseSensitive: boolean;
}

export type RenderMode = 'never' | 'auto' | 'always';

/** Options that can differ from URL to URL. An absent option is not set by this rule. */
export interface UrlOptions {
  readonly defaultAllow?: DefaultAllow;
  readonly maxHops?: number;
  readonly throttle?: Duration;
  readonly concurrencyPerHost?: number;
  readonly connectTimeout?: Duration;
  /** Maximum time between two chunks of the response. */
  readonly readTimeout?: Duration;
  readonly totalTimeout?: Duration;
  /** In bytes, after decoding. */
  readonly maxSize?: number;
  readonly userAgent?: string;
  readonly headers?: RequestHeaders;
  /** `user:password` for Basic authentication. */
  readonly credentials?: Secret;
  /** URL of an HTTP or SOCKS5 proxy; a secret if it contains a login. */
  readonly proxy?: string | Secret;
  /** Name of the login to use, among those that apply to the URL, or `none`. */
  readonly login?: string;
  /** Name of the fetcher to use instead of the crawler's. */
  readonly fetcher?: string;
  readonly obeyRobots?: boolean;
  /** Whether a page's scripts run before it is read. */
  readonly renderMode?: RenderMode;
  /** Name of the `Content` that determines what is extracted from the page; `none` means everything. */
  readonly content?: string;
  /** See RendererDefinition. */
  readonly renderReadyWhen?: string;
  /** What to do with the page before it is read; see domain/render/steps.ts. */
  readonly renderSteps?: string;
  readonly nearDuplicateDetector?: boolean;
  readonly refreshMinimumAge?: Duration;
  readonly refreshMaximumAge?: Duration;
  /** Value of an up-to-date copy of the document to smart refresh, relative to that of an average document. */
  readonly weight?: number;
  /** Time after which a URL in error is retried. */
  readonly errorExpiry?: Duration;
}
