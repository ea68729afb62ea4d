/**
 * A definition is the configuration as plain, complete, read-only data: every default is filled in, every value has its
 * unit, nothing is left to look up. It goes to other threads with its secrets packed. Nothing here is compiled.
 * The XML that it comes from is described in docs/REFERENCE.md; seeds: CloudView advanced configuration and the four others.
 */
import type { AclDefinition } from '../content/acl-definition.js';
import type { ContentDefinition } from '../content/content-definition.js';
import type { ErrorClass, ErrorCode } from '../fetch/error-codes.js';
import type { SourceName } from '../frontier/sources.js';
import type { MapStep } from '../push/map-steps.js';
import type { SinkOptions, SinkType } from '../push/sink-types.js';
import type { WebhookEventType } from '../push/webhook.js';
import type { RefreshObjective } from '../refresh/smart-refresh.js';
import type { Secret } from '../secret.js';
import type { Duration } from '../time/units.js';
import type { CanonicalizationStep } from '../url/canonicalize.js';
import type { LoginDefinition } from './logins.js';
import type { Place } from './place.js';

export interface ServerDefinition {
  readonly crawlers: readonly CrawlerDefinition[];
  readonly globalCrawlSpace?: GlobalCrawlSpaceDefinition;
  readonly fetchers: readonly FetcherDefinition[];
  /** Absent: as by default. */
  readonly indexNow?: IndexNowDefinition;
  /** Absent: documents are read with the default limits. */
  readonly extractors?: readonly ExtractorDefinition[];
  /** Absent: nothing can be rendered. */
  readonly renderer?: RendererDefinition;
  readonly sinks: readonly SinkDefinition[];
  /** Absent: none. */
  readonly webhooks?: readonly WebhookDefinition[];
}

/** Sites may tell of their changed URLs. */
export interface IndexNowDefinition {
  readonly enabled: boolean;
  /** URLs of one host in an hour. */
  readonly urlsPerHour: number;
}

export interface CrawlerDefinition {
  readonly name: string;
  readonly place: Place;
  /** Pages of this crawler in flight at once. */
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
  /** What is taken of pages; absent: all that they say. */
  readonly contents?: readonly ContentDefinition[];
  /** Who may see its documents; absent: nothing is said of that. */
  readonly acl?: AclDefinition;
  /** What becomes of a document whose text cannot be extracted: pushed with its bytes and metas, or left out. */
  readonly whenUnreadable: 'push' | 'skip';
  /** Whether scripts of pages run before they are read; a rule or condition may say otherwise for some URLs. */
  readonly render: RenderMode;
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
  /** What smart refresh spends its visits for. */
  readonly objective: RefreshObjective;
  /** A page that changes is a sign that those it links to have changed. */
  readonly hubs: boolean;
  /** Five-field cron expression, used when `smart` is off; absent: no refresh by itself. */
  readonly cron?: string;
  /** IANA time zone of the cron expression. */
  readonly timeZone: string;
}

export interface RootDefinition {
  /** As written; canonicalized when it is submitted. */
  readonly url: string;
  readonly place?: Place;
  /** CloudView's site mode: stay on the site of this root; its URLs are accepted unless a crawl rule says otherwise. */
  readonly site: boolean;
  /** Nobody wrote `site`; the linter says what follows from its default. */
  readonly siteByDefault?: true;
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
  /** How its pages are rendered. */
  readonly render?: Pick<UrlOptions, 'renderMode' | 'renderReadyWhen' | 'renderSteps'>;
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
  readonly authentication?: Secret;
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

export type RenderMode = 'never' | 'auto' | 'always';

/** Values by name; those that are sent to nobody but whom they are for are secrets. */
export type RequestHeaders = Readonly<Record<string, string | Secret>>;

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
  readonly headers?: RequestHeaders;
  /** `user:password`, Basic. */
  readonly credentials?: Secret;
  /** URL of an HTTP or SOCKS5 proxy; a secret when it has a login. */
  readonly proxy?: string | Secret;
  /** Name of the login to use of those that are for the URL, or `none`. */
  readonly login?: string;
  /** Name of the fetcher to use instead of the crawler's. */
  readonly fetcher?: string;
  readonly obeyRobots?: boolean;
  /** Whether scripts of pages run before they are read. */
  readonly renderMode?: RenderMode;
  /** Name of the `Content` that says what is taken of the page; `none`: all that it says. */
  readonly content?: string;
  /** See RendererDefinition. */
  readonly renderReadyWhen?: string;
  /** What is done to the page before it is read; see domain/render/steps.ts. */
  readonly renderSteps?: string;
  readonly nearDuplicateDetector?: boolean;
  readonly refreshMinimumAge?: Duration;
  readonly refreshMaximumAge?: Duration;
  /** How much more an up-to-date copy of the document is worth to smart refresh than that of another. */
  readonly weight?: number;
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
  /** A deletion that follows from a server's fault waits for a good answer of the host; see domain/push/sign-of-life.ts. */
  readonly signOfLife: boolean;
  /** It waits no longer than this. */
  readonly signOfLifeWait: Duration;
}

/** Regular expressions, linear-time engine. A page must match all that are given, one at least. */
export interface SoftErrorDefinition {
  readonly url?: string;
  readonly title?: string;
  readonly content?: string;
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
  /** Different URLs that the links of one page are taken of. */
  readonly maxLinksPerPage: number;
}

export interface FetcherDefinition {
  readonly name: string;
  readonly userAgent: string;
  /** Product token matched against robots.txt groups. */
  readonly robotsAgent: string;
  readonly headers: RequestHeaders;
  /** Names of those in `headers` that are sent to `secretServers` only. */
  readonly secretHeaders: readonly string[];
  readonly boundHeaders: readonly BoundHeader[];
  /** Scheme, host and port of the servers of the configured roots that this fetcher crawls. */
  readonly secretServers: readonly string[];
  /** Where it is written; absent when it is the built-in one. */
  readonly place?: Place;
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
  /** Absent: sites are asked directly. */
  readonly proxies?: readonly ProxyDefinition[];
  readonly credentials: readonly CredentialDefinition[];
  readonly logins: readonly LoginDefinition[];
  /** Cookies that a host sets are kept for it, by crawler. */
  readonly cookies: boolean;
  /** PEM of further certificate authorities. */
  readonly certificateAuthorities: readonly string[];
  readonly verifyCertificates: boolean;
}

/** A proxy, and what goes through it; see domain/net/choose-proxy.ts. */
export interface ProxyDefinition {
  /** As of UrlOptions. */
  readonly url: string | Secret;
  /** URL prefix that it is for; absent: all others. */
  readonly for?: string;
  /** Hosts, addresses and blocks that are asked directly. */
  readonly noProxy: readonly string[];
}

export interface BoundHeader {
  /** URL prefix that the header is for; never sent elsewhere. */
  readonly url: string;
  readonly name: string;
  readonly value: Secret;
}

export interface CredentialDefinition {
  /** URL prefix that the credential is for; never sent elsewhere. */
  readonly url: string;
  readonly user: string;
  readonly password: Secret;
}

/** The browser that runs the scripts of pages. */
export interface RendererDefinition {
  /** Of the program; absent: the one of the system. */
  readonly path?: string;
  /** `ws:` or `wss:` of a browser elsewhere, by the Chrome DevTools Protocol. */
  readonly url?: string;
  /** 0…1 of all processors that rendering takes in the long run. */
  readonly maxShare: number;
  /** Pages rendered at once; absent: by the number of processors. */
  readonly pages?: number;
  /** Of one page, until it is read as it is. */
  readonly timeLimit: Duration;
  /** Bytes that all processes of the browser may hold. */
  readonly memoryLimit: number;
  /** Whether robots.txt is asked for documents only or for scripts and data, too. */
  readonly obeysRobots: 'documents' | 'all';
  /** When a page is ready: a CSS selector that has to match, or `js:` and an expression that has to be true; absent: when it is quiet. */
  readonly readyWhen?: string;
  /** Chromium's own. */
  readonly sandbox: boolean;
  /** Host names, those below them included, of which nothing is fetched for a page. */
  readonly blockedHosts: readonly string[];
  readonly place?: Place;
}

export type ExtractorDefinition =
  | {
      /** Documents, in processes of the server's own. */
      readonly type: 'documents';
      /** Of one document. */
      readonly timeLimit: Duration;
      /** Bytes that one process may hold. */
      readonly memoryLimit: number;
    }
  | {
      /** An Apache Tika server. */
      readonly type: 'tika';
      readonly url: string;
      /** Lower case; `image/*` covers a family. */
      readonly mediaTypes: readonly string[];
      readonly timeLimit: Duration;
    };

/** What is configured for sinks of every type. */
export interface SinkSettings {
  readonly name: string;
  /** What it is depends on the type: a base URL, a path, the URL of a database. Its login is in the options. */
  readonly url: string;
  readonly place: Place;
  readonly batchDocuments: number;
  readonly batchBytes: number;
  readonly batchAge: Duration;
  readonly timeout: Duration;
  /** Requests in flight at once. */
  readonly concurrency: number;
  /** CIDR blocks that are not public and yet may be pushed to; loopback is always allowed for sinks. */
  readonly allowedAddresses: readonly string[];
  readonly tls?: SinkTls;
  /** Changes of the documents on their way to this sink; absent: none. */
  readonly map?: readonly MapStep[];
}

/** PEM texts. */
export interface SinkTls {
  /** Trusted beside those of the system. */
  readonly certificateAuthorities: readonly string[];
  readonly clientCertificate?: { readonly certificate: string; readonly key: Secret; readonly passphrase?: Secret };
}

export type SinkDefinitionOf<T extends SinkType> = {
  readonly [One in T]: SinkSettings & { readonly type: One; readonly options: SinkOptions[One] };
}[T];

export type SinkDefinition = SinkDefinitionOf<SinkType>;

/** A receiver of messages about what happens. */
export interface WebhookDefinition {
  readonly name: string;
  readonly url: string;
  readonly place: Place;
  /** `whsec_` and the key of the signature in Base64. */
  readonly secret: Secret;
  /** Empty: all. */
  readonly events: readonly WebhookEventType[];
  readonly timeout: Duration;
  readonly allowedAddresses: readonly string[];
  readonly tls?: SinkTls;
}
