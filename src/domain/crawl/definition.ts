/**
 * A definition is the configuration as plain, complete, read-only data: every default is filled in, every value has its unit,
 * nothing is left to look up. It is sent to other threads with its secrets packed. Nothing here is compiled. Its XML form is
 * described in docs/REFERENCE.md; seeds: CloudView advanced configuration and the four others.
 */
import { type AclDefinition } from '../content/acl-definition.js';
import { type ContentDefinition } from '../content/content-definition.js';
import { type ErrorClass, type ErrorCode } from '../fetch/error-codes.js';
import { type SourceName } from '../frontier/sources.js';
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
import { type ScheduleDefinition } from './schedule-definition.js';
import { type SinkDefinition, type WebhookDefinition } from './sink-definition.js';

export interface ServerDefinition {
  readonly crawlers: readonly CrawlerDefinition[];
  readonly globalCrawlSpace?: GlobalCrawlSpaceDefinition;
  readonly fetchers: readonly FetcherDefinition[];
  /** Absent: as by default. */
  readonly indexNow?: IndexNowDefinition;
  /** Absent: no hub is subscribed to. */
  readonly webSub?: WebSubDefinition;
  /** Absent: documents are read with the default limits. */
  readonly extractors?: readonly ExtractorDefinition[];
  /** Absent: nothing can be rendered. */
  readonly renderer?: RendererDefinition;
  readonly sinks: readonly SinkDefinition[];
  /** Absent: none. */
  readonly plugins?: readonly PluginDefinition[];
  /** Absent: none. */
  readonly webhooks?: readonly WebhookDefinition[];
}

/** Sites may report their changed URLs. */
export interface IndexNowDefinition {
  readonly enabled: boolean;
  /** URLs of one host per hour. */
  readonly urlsPerHour: number;
}

export type PolitenessBy = 'host' | 'address' | 'domain';

export interface CrawlerDefinition {
  readonly name: string;
  readonly place: Place;
  /** Pages of this crawler that may be in flight at the same time. */
  readonly concurrency: number;
  /** Pause between two requests to one web server. */
  readonly throttle: Duration;
  /** No pause, and several requests to one web server at the same time. */
  readonly aggressive: boolean;
  /** Requests to hosts that have this in common share one pause. */
  readonly politenessBy: PolitenessBy;
  /** When and how fast hosts are crawled; absent: at all times. */
  readonly schedules?: readonly ScheduleDefinition[];
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
  /** What is extracted from pages; absent: everything. */
  readonly contents?: readonly ContentDefinition[];
  /** Who may see its documents; absent: orders do not say. */
  readonly acl?: AclDefinition;
  /** What happens to a document whose text cannot be extracted: pushed with its bytes and metas, or left out. */
  readonly whenUnreadable: 'push' | 'skip';
  /** Whether scripts of pages run before they are read; a rule or condition may override it for some URLs. */
  readonly render: RenderMode;
  readonly crawlSitemaps: boolean;
  readonly disableConditionalGet: boolean;
  readonly nearDuplicateDetector: boolean;
  /** A document reached by a redirect has the URL that redirected to it as the meta `redirect_source`. */
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
  /** Ask each host for a URL that cannot exist, and treat pages that look like the answer as errors. */
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
  /** What smart refresh optimizes. */
  readonly objective: RefreshObjective;
  /** A changed page is a sign that the pages it links to have changed. */
  readonly hubs: boolean;
  /** Five-field cron expression, used when `smart` is off; absent: no automatic refresh. */
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
  /** `site` was not written; the linter explains what follows from its default. */
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

export interface ErrorPolicyDefinition {
  /** Temporary errors in a row that a URL may have on refresh before it is deleted. */
  readonly maxTemporaryErrors: number;
  /** Time before a URL with a temporary error is tried again; six times longer with each further one in a row. */
  readonly retryDelay: Duration;
  readonly maxRetryDelay: Duration;
  /** Overrides of the default table in domain/fetch/error-codes.ts. */
  readonly classes: Readonly<Partial<Record<ErrorCode, ErrorClass>>>;
}

export interface DeletionGuardDefinition {
  readonly on: boolean;
  /** Both limits must be exceeded, per host, within the window. */
  readonly maxDeletions: number;
  /** 0…1 of the host's indexed documents. */
  readonly maxShare: number;
  readonly window: Duration;
  /** A deletion that results from a server's fault waits for a good answer of the host; see domain/push/sign-of-life.ts. */
  readonly signOfLife: boolean;
  /** It waits no longer than this. */
  readonly signOfLifeWait: Duration;
}

/** Regular expressions, linear-time engine. At least one must be given, and a page must match all that are. */
export interface SoftErrorDefinition {
  readonly url?: string;
  readonly title?: string;
  readonly content?: string;
  /** HTTP status as which a matching 200 answer is treated. */
  readonly status: number;
  readonly place: Place;
}

export interface TrapDefinition {
  /** Path segments. */
  readonly maxPathDepth: number;
  /** Times that one segment may appear in a path. */
  readonly maxRepeatedSegments: number;
  /** URLs of one host that differ only in their query. */
  readonly maxQueryVariants: number;
  /** Number of URLs of one pattern on one host above which its pages have to bring something new. */
  readonly maxPatternUrls: number;
  /** URLs of one host. */
  readonly maxUrlsPerHost: number;
  /** Different URLs that are accepted from the links of one page. */
  readonly maxLinksPerPage: number;
}
