/**
 * A definition is the configuration as plain, complete, read-only data: every default is filled in, every value has its
 * unit, nothing is left to look up. Nothing here is compiled. It is sent to other threads with its
 * secrets wrapped. Its XML form is described in docs/reference.md. Based on CloudView's advanced configuration and the
 * other four reference systems.
 */
import { type AclDefinition } from '../content/acl-definition.js';
import { type ContentDefinition } from '../content/content-definition.js';
import { type ErrorClass, type ErrorCode } from '../fetch/error-codes.js';
import { type SourceName } from '../frontier/sources.js';
import type { FollowMoves } from '../policy/move-rules.js';
import { type RefreshObjective } from '../refresh/smart-refresh.js';
import { type WebSubDefinition } from '../signals/websub.js';
import { type Duration } from '../time/units.js';
import { type CanonicalizationStep } from '../url/canonicalize.js';
import { type ExtractorDefinition, type FetcherDefinition, type RendererDefinition } from './fetcher-definition.js';
import { type Place } from './place.js';
import { type PluginDefinition } from './plugin-definition.js';
import {
  type ConditionsDefinition,
  type CrawlSpaceDefinition,
  type GlobalCrawlSpaceDefinition,
  type LinkRulesDefinition,
  type MetaDefinition,
  type RenderMode,
  type RuleDefinition,
  type ServersDefinition,
} from './policy-definition.js';
import { type QuotaDefinition } from './quota-definition.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { type SinkDefinition, type WebhookDefinition } from './sink-definition.js';

export interface ServerDefinition {
  readonly crawlers: readonly CrawlerDefinition[];
  readonly globalCrawlSpace?: GlobalCrawlSpaceDefinition;
  readonly fetchers: readonly FetcherDefinition[];
  /** Absent if the defaults apply. */
  readonly indexNow?: IndexNowDefinition;
  /** Absent if there are no subscriptions to hubs. */
  readonly webSub?: WebSubDefinition;
  /** If absent, documents are read with the default limits. */
  readonly extractors?: readonly ExtractorDefinition[];
  /** If absent, nothing can be rendered. */
  readonly renderer?: RendererDefinition;
  readonly sinks: readonly SinkDefinition[];
  /** Absent if there are none. */
  readonly plugins?: readonly PluginDefinition[];
  /** Absent if there are none. */
  readonly webhooks?: readonly WebhookDefinition[];
  /** Absent if there are none. */
  readonly quotas?: readonly QuotaDefinition[];
}

/** Whether and how often sites may report their changed URLs. */
export interface IndexNowDefinition {
  readonly enabled: boolean;
  /** Maximum number of URLs of one host per hour. */
  readonly urlsPerHour: number;
}

/** How long and how much of the texts of changed documents is kept, before and after each change. */
export interface KeepTextsDefinition {
  readonly age: Duration;
  /** Maximum length of one text. */
  readonly maxCharacters: number;
  /** Maximum number of changes of the crawler; the oldest are forgotten first. */
  readonly maxChanges: number;
}

type PolitenessBy = 'host' | 'address' | 'domain';

export interface CrawlerDefinition {
  readonly name: string;
  readonly place: Place;
  /** Maximum number of this crawler's pages in flight at the same time. */
  readonly concurrency: number;
  /** Pause between two requests to one web server. */
  readonly throttle: Duration;
  /** Whether several requests are sent to one web server at the same time, and without a pause. */
  readonly aggressive: boolean;
  /** What hosts must have in common to share one pause between requests. */
  readonly politenessBy: PolitenessBy;
  /** When and how fast hosts are crawled; default: at all times. */
  readonly schedules?: readonly ScheduleDefinition[];
  readonly ignoreRobotsTxt: boolean;
  /** Whether the extracted text is pushed instead of the bytes. */
  readonly storeTextOnly: boolean;
  readonly defaultAccept: boolean;
  readonly defaultIndex: boolean;
  readonly defaultFollow: boolean;
  /** Whether the links of a root are followed even if no rule says so. */
  readonly defaultFollowRoots: boolean;
  readonly mimeTypesMode: 'include' | 'exclude';
  /** Media types in lower case; `text/*` covers a family. */
  readonly mimeTypes: readonly string[];
  /** What is extracted from pages; default: everything. */
  readonly contents?: readonly ContentDefinition[];
  /** Who may see its documents; if absent, documents are delivered without principals. */
  readonly acl?: AclDefinition;
  /** Whether a document whose text cannot be extracted is pushed with its bytes and metas, or left out. */
  readonly whenUnreadable: 'push' | 'skip';
  /** Whether a page's scripts run before it is read; a rule or condition may override this for some URLs. */
  readonly render: RenderMode;
  readonly crawlSitemaps: boolean;
  readonly disableConditionalGet: boolean;
  readonly nearDuplicateDetector: boolean;
  /** With which documents a new one is compared: those of its registrable domain, or all of the crawler. */
  readonly nearDuplicateScope: 'domain' | 'crawler';
  /** Where a site may move to by a redirect of its home page without an operator's decision. */
  readonly followMoves: FollowMoves;
  /** Whether a document reached by a redirect gets the redirecting URL as the meta `redirect_source`. */
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
  /** Absent if the texts of changed documents are not kept. */
  readonly keepTexts?: KeepTextsDefinition;
  readonly deletionGuard: DeletionGuardDefinition;
  readonly changeGuard: ChangeGuardDefinition;
  readonly softErrors: readonly SoftErrorDefinition[];
  /**
   * Whether hosts are probed with a URL that cannot exist, so that pages that look like the response are treated as
   * errors: every host, or those of which a page looks like an error page.
   */
  readonly probeErrorPages: 'always' | 'when-suspected' | 'never';
  readonly leaveOut: LeaveOutDefinition;
  readonly traps: TrapDefinition;
  /** Name of the fetcher that this crawler uses. */
  readonly fetcher: string;
  /**
   * Names of the sinks that receive this crawler's orders; a document is indexed once all of them have acknowledged it.
   */
  readonly pushTo: readonly string[];
}

/** Which pages are left out of the index although they answer with status 200. */
interface LeaveOutDefinition {
  /** Pages with the text of another page of their site. */
  readonly exactDuplicates: boolean;
  /** Listings of folders that web servers generate. */
  readonly directoryListings: boolean;
  /** Error and login pages to which only redirects lead, and pages sent instead of a guessed sitemap. */
  readonly unlinked: boolean;
}

export interface RefreshDefinition {
  /** true: URLs are refreshed by their change history, between the two ages; false: at the times of `cron`. */
  readonly smart: boolean;
  readonly minimumAge: Duration;
  readonly maximumAge: Duration;
  /** What smart refresh optimizes. */
  readonly objective: RefreshObjective;
  /** Whether a changed page is taken as a sign that the pages to which it links have changed. */
  readonly hubs: boolean;
  /** Five-field cron expression, used if `smart` is off; absent if there is no automatic refresh. */
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
  /** Set if the configuration does not give `site`; the linter then explains the effects of its default. */
  readonly siteByDefault?: true;
  /** FDSE's Index Entire Site: stay in the directory of the root document and below. */
  readonly entireSite: boolean;
  /** -2 (highest) … 2 (lowest). */
  readonly priority: number;
  readonly group?: string;
  /** Metas that are added to every document found from this root (`kvs`). */
  readonly metas: readonly MetaDefinition[];
  /** false: links are listed, not queued (FDSE's Index Remote Web Page). */
  readonly followLinks: boolean;
}

export interface ErrorPolicyDefinition {
  /** Maximum number of consecutive temporary errors that a URL may have on refresh before it is deleted. */
  readonly maxTemporaryErrors: number;
  /** Time before a URL with a temporary error is retried; six times longer after each further consecutive error. */
  readonly retryDelay: Duration;
  readonly maxRetryDelay: Duration;
  /** Overrides of the default table in domain/fetch/error-codes.ts. */
  readonly classes: Readonly<Partial<Record<ErrorCode, ErrorClass>>>;
}

export interface DeletionGuardDefinition {
  readonly on: boolean;
  /** A deletion is held if both limits are exceeded for its host within the window. */
  readonly maxDeletions: number;
  /** Share, 0…1, of the host's indexed documents. */
  readonly maxShare: number;
  readonly window: Duration;
  /**
   * Whether a deletion that results from a server's fault waits for a good response from the host; see
   * domain/push/sign-of-life.ts.
   */
  readonly signOfLife: boolean;
  /** Maximum time for which such a deletion waits. */
  readonly signOfLifeWait: Duration;
}

/** See domain/crawl/change-guard.ts. */
export interface ChangeGuardDefinition {
  readonly on: boolean;
  /** Time after which a held change is believed although the host has not recovered; absent: never. */
  readonly believeAfter?: Duration;
}

/**
 * Regular expressions for the linear-time engine. At least one must be given, and a page must match all that are given.
 */
export interface SoftErrorDefinition {
  readonly url?: string;
  readonly title?: string;
  readonly content?: string;
  /** HTTP status that a matching response with status 200 is treated as. */
  readonly status: number;
  readonly place: Place;
}

export interface TrapDefinition {
  /** Maximum number of path segments. */
  readonly maxPathDepth: number;
  /** Maximum number of occurrences of one segment in a path. */
  readonly maxRepeatedSegments: number;
  /** Maximum number of URLs on one host that differ only in their query. */
  readonly maxQueryVariants: number;
  /** If a pattern has more URLs than this on one host, its pages must have something new to be crawled. */
  readonly maxPatternUrls: number;
  /** Maximum number of URLs of one host. */
  readonly maxUrlsPerHost: number;
  /** Maximum number of distinct URLs accepted from the links of one page. */
  readonly maxLinksPerPage: number;
}
