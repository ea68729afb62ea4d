/**
 * A definition is the configuration as plain, complete, read-only data: every default is filled in, every value has its
 * unit, nothing is left to look up. It can be structured-cloned into a worker thread. Nothing here is compiled.
 * The XML that it comes from is described in docs/REFERENCE.md; seeds: CloudView advanced configuration and the four others.
 */
import type { ErrorClass, ErrorCode } from '../fetch/error-codes.js';
import type { SourceName } from '../frontier/sources.js';
import type { Duration } from '../time/units.js';
import type { CanonicalizationStep } from '../url/canonicalize.js';
import type { Place } from './place.js';

export interface ServerDefinition {
  readonly crawlers: readonly CrawlerDefinition[];
  readonly globalCrawlSpace?: GlobalCrawlSpaceDefinition;
  readonly fetchers: readonly FetcherDefinition[];
  readonly sinks: readonly SinkDefinition[];
}

export interface CrawlerDefinition {
  readonly name: string;
  readonly place: Place;
  /** Pages of this crawler under way at once. */
  readonly concurrency: number;
  /** Pause between two requests to one web server. */
  readonly throttle: Duration;
  /** No pause, and several requests to one web server at once. */
  readonly aggressive: boolean;
  readonly ignoreRobotsTxt: boolean;
  /** Push the extracted text instead of the bytes. */
  readonly storeTextOnly: boolean;
  readonly defaultAccept: boolean;
  readonly defaultIndex: boolean;
  readonly defaultFollow: boolean;
  /** Follow the links of a root even when no rule says so. */
  readonly defaultFollowRoots: boolean;
  readonly mimeTypesMode: 'include' | 'exclude';
  /** Media types, lower case; `text/*` covers a family. */
  readonly mimeTypes: readonly string[];
  readonly crawlSitemaps: boolean;
  readonly disableConditionalGet: boolean;
  readonly nearDuplicateDetector: boolean;
  /** A document reached by a redirect carries the URL that redirected to it as the meta `redirect_source`. */
  readonly indexRedirectSources: boolean;
  readonly refresh: RefreshDefinition;
  readonly weights: Readonly<Record<SourceName, number>>;
  readonly roots: readonly RootDefinition[];
  readonly rules: readonly RuleDefinition[];
  readonly canonicalization: readonly CanonicalizationStep[];
  readonly linkRules: LinkRulesDefinition;
  readonly crawlSpace?: CrawlSpaceDefinition;
  readonly servers?: ServersDefinition;
  readonly conditions?: ConditionsDefinition;
  readonly errors: ErrorPolicyDefinition;
  readonly deletionGuard: DeletionGuardDefinition;
  readonly softErrors: readonly SoftErrorDefinition[];
  /** Ask each host what it answers to a URL that cannot exist, and treat pages that look like that answer as errors. */
  readonly probeErrorPages: boolean;
  readonly traps: TrapDefinition;
  /** Name of the fetcher that this crawler uses. */
  readonly fetcher: string;
  /** Names of the sinks that receive this crawler's orders; a document is indexed when all of them have acknowledged. */
  readonly pushTo: readonly string[];
}

export interface RefreshDefinition {
  /** On: by each URL's change history, between the two ages. Off: at the times of `cron`. */
  readonly smart: boolean;
  readonly minimumAge: Duration;
  readonly maximumAge: Duration;
  /** Five-field cron expression, used when `smart` is off; absent: no refresh by itself. */
  readonly cron?: string;
  /** IANA time zone of the cron expression. */
  readonly timeZone: string;
}

export interface RootDefinition {
  /** As written; canonicalized when it is submitted. */
  readonly url: string;
  readonly place?: Place;
  /** CloudView's site mode: stay on the site of this root. */
  readonly site: boolean;
  /** FDSE's Index Entire Site: stay in the directory of the root document and below. */
  readonly entireSite: boolean;
  /** -2 (highest) … 2 (lowest). */
  readonly priority: number;
  readonly group?: string;
  /** Metas that every document found from this root carries (`kvs`). */
  readonly metas: readonly MetaDefinition[];
  /** Off: FDSE's Index Remote Web Page; links are listed, not queued. */
  readonly followLinks: boolean;
}

export interface MetaDefinition {
  readonly name: string;
  readonly value: string;
  /** `links`: documents found from this one carry the meta too. */
  readonly scope: 'document' | 'links';
}

// ── crawl rules (CloudView) ──────────────────────────────────────────────────────────────────────────────────────────

export interface RuleDefinition {
  /** 1-based position over all `Rules` blocks of the crawler: the order of evaluation. */
  readonly number: number;
  readonly group: string;
  readonly key?: string;
  readonly place: Place;
  /** Several match elements in one Rule are an And. */
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
      /** true: special characters are plain, and operators when a backslash precedes them. */
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

/** Only the aspects that the rule names; absent = no opinion. */
export interface RuleActions {
  readonly accept?: boolean;
  readonly index?: boolean;
  readonly follow?: boolean;
  readonly source?: string;
  /** -2 … 2, added to the natural source number. */
  readonly priorityShift?: number;
  readonly metas: readonly MetaDefinition[];
}

// ── link rules (FDSE) ────────────────────────────────────────────────────────────────────────────────────────────────

export interface LinkRulesDefinition {
  /** Lower case, without the colon. */
  readonly protocols: readonly string[];
  /** Characters. */
  readonly maxUrlLength: number;
  readonly followQueryStrings: boolean;
  /** Lower-case extensions without the dot. */
  readonly ignoreLinksTo: readonly string[];
  /** true: robots meta and robots.txt are ignored. */
  readonly rogue: boolean;
  /** false: links stay on their page's own host. */
  readonly followOffsite: boolean;
  readonly place?: Place;
}

// ── crawl space (OmniFind) ───────────────────────────────────────────────────────────────────────────────────────────

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

// ── server records (mnoGoSearch) ─────────────────────────────────────────────────────────────────────────────────────

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
  /** `user:password`, Basic. */
  readonly authentication?: string;
}

// ── recursive conditions (Velocity) ──────────────────────────────────────────────────────────────────────────────────

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
  /** Record URLs that this rule filters. */
  readonly log: boolean;
  readonly options: UrlOptions;
  readonly children: readonly ConditionRule[];
  readonly place: Place;
}

export interface ConditionTest {
  /** wildcard: `*` and `?` over the whole part; wildcard-set: several, one a line, any matches; regex: found anywhere. */
  readonly type: 'wildcard' | 'regex' | 'wildcard-set';
  readonly field: MatchField;
  readonly value: string;
  readonly caseSensitive: boolean;
}

/** Options that can differ from URL to URL. Absent = not set by this rule. */
export interface UrlOptions {
  readonly defaultAllow?: DefaultAllow;
  readonly maxHops?: number;
  readonly throttle?: Duration;
  readonly concurrencyPerHost?: number;
  readonly connectTimeout?: Duration;
  /** Between two pieces of the answer. */
  readonly readTimeout?: Duration;
  readonly totalTimeout?: Duration;
  /** Bytes after decoding. */
  readonly maxSize?: number;
  readonly userAgent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `user:password`, Basic. */
  readonly credentials?: string;
  /** URL of an HTTP proxy. */
  readonly proxy?: string;
  readonly obeyRobots?: boolean;
  readonly nearDuplicateDetector?: boolean;
  readonly refreshMinimumAge?: Duration;
  readonly refreshMaximumAge?: Duration;
  /** How long a URL in error is remembered before it is tried again. */
  readonly errorExpiry?: Duration;
}

// ── errors, guard, fetcher, sinks ────────────────────────────────────────────────────────────────────────────────────

export interface ErrorPolicyDefinition {
  /** Temporary errors in a row that a URL may have on refresh before it is deleted. */
  readonly maxTemporaryErrors: number;
  /** Wait before a URL with a temporary error is tried again; grows sixfold with each one in a row. */
  readonly retryDelay: Duration;
  readonly maxRetryDelay: Duration;
  /** Overrides of the default table in domain/fetch/error-codes.ts. */
  readonly classes: Readonly<Partial<Record<ErrorCode, ErrorClass>>>;
}

export interface DeletionGuardDefinition {
  readonly on: boolean;
  /** Both limits must be passed, per host, within the window. */
  readonly maxDeletions: number;
  /** 0…1 of the host's indexed documents. */
  readonly maxShare: number;
  readonly window: Duration;
}

export interface SoftErrorDefinition {
  readonly field: 'url' | 'title' | 'content';
  /** Regular expression, linear-time engine. */
  readonly pattern: string;
  /** HTTP status that a matching 200 answer is treated as. */
  readonly status: number;
  readonly place: Place;
}

export interface TrapDefinition {
  /** Path segments. */
  readonly maxPathDepth: number;
  /** Times that one path segment may stand in a path. */
  readonly maxRepeatedSegments: number;
  /** URLs of one host that differ only in their query. */
  readonly maxQueryVariants: number;
  /** URLs of one pattern on one host, from which on its pages have to bring something new. */
  readonly maxPatternUrls: number;
  /** URLs of one host. */
  readonly maxUrlsPerHost: number;
}

export interface FetcherDefinition {
  readonly name: string;
  readonly userAgent: string;
  /** Product token matched against robots.txt groups. */
  readonly robotsAgent: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeout: Duration;
  /** Until the header of the answer. */
  readonly headerTimeout: Duration;
  /** Between two pieces of the body. */
  readonly bodyTimeout: Duration;
  readonly totalTimeout: Duration;
  /** Bytes after decoding. */
  readonly maxSize: number;
  readonly maxRedirects: number;
  /** CIDR blocks that are not public and yet may be crawled. */
  readonly allowedAddresses: readonly string[];
  readonly proxy?: string;
  readonly credentials: readonly CredentialDefinition[];
  /** PEM of further certificate authorities. */
  readonly certificateAuthorities: readonly string[];
  readonly verifyCertificates: boolean;
}

export interface CredentialDefinition {
  /** URL prefix that the credential is for; never sent elsewhere. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

export interface SinkDefinition {
  readonly name: string;
  readonly type: 'papi' | 'json' | 'elasticsearch' | 'opensearch' | 'solr' | 'file';
  /** Base URL; for `file` a path. */
  readonly url: string;
  readonly place: Place;
  readonly connector?: string;
  readonly index?: string;
  readonly login?: string;
  readonly password?: string;
  readonly apiKey?: string;
  /** Key of the HMAC-SHA256 signature header of `json`. */
  readonly secret?: string;
  readonly batchDocuments: number;
  readonly batchBytes: number;
  readonly batchAge: Duration;
  readonly timeout: Duration;
  /** Requests under way at once. */
  readonly concurrency: number;
  /** CIDR blocks that are not public and yet may be pushed to; loopback is always allowed for sinks. */
  readonly allowedAddresses: readonly string[];
}
