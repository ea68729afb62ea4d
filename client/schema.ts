// Generated from openapi.yaml by `npm run openapi`; do not edit.

export type Nothing = Readonly<Record<never, never>>;

export interface AgeClassDto {
  /** Maximum time since the last visit, in seconds; each class begins where the previous one ends. Absent: no limit. */
  readonly upToSeconds?: number;
  /** Documents in the index. */
  readonly documents: number;
}

export interface AttributeFormDto {
  readonly name: string;
  readonly meaning: string;
  /** Human-readable description of a valid value. */
  readonly form: string;
  /** All possible values, if there are only a few. */
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly unit?: string;
  readonly required: boolean;
  /** Whether the value is secret: write a reference such as `${secret:NAME}`. */
  readonly secret: boolean;
  /** Other names with the same meaning. */
  readonly aliases: readonly string[];
}

export interface AuditEntryDto {
  readonly id: number;
  readonly at: string;
  /** Name of the API key, or `user:` and a person; `local` when the server has no keys. */
  readonly who: string;
  /** operationId of the call. */
  readonly what: string;
  /** Path and query of the call. */
  readonly target: string;
  /** The crawler that the call names. */
  readonly crawler?: string;
  /** `done`, or why it failed. */
  readonly outcome: string;
  /** State before the call, as JSON, if the call reports it. */
  readonly before?: string;
  /** State after the call, as JSON, if the call reports it. */
  readonly after?: string;
}

export interface BackfillDto {
  readonly crawler: string;
  readonly state: 'running' | 'done';
  /** `added`: the sink was new; `asked`: requested by a call; `access`: who may see the documents has changed; `replaced`: the index, table or topic was deleted, or created again. */
  readonly why: 'added' | 'asked' | 'access' | 'replaced';
  /** Documents that were indexed, or refused by a sink, when the backfill began. */
  readonly total: number;
  /** Number of these documents that have been examined. */
  readonly done: number;
  /** Number of these documents that needed no visit. */
  readonly sent: number;
  /** Visits that are due or in flight and have not ended yet. */
  readonly waitingVisits: number;
  /** The sink from which documents are copied; absent: pages are visited. */
  readonly from?: string;
  /** What is delaying the backfill. */
  readonly message?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
}

export interface BehindDto {
  readonly crawler: string;
  /** Documents and deletions that the sink is owed. */
  readonly documents: number;
  /** When the first of these orders was put off. */
  readonly since: string;
}

export interface ChangeCountsDto {
  /** Documents that were not in the index before. */
  readonly new: number;
  readonly changed: number;
  /** Documents that were deleted from the index. */
  readonly gone: number;
}

export interface ChangeReasonDto {
  readonly change: 'new' | 'changed' | 'gone';
  /** Why; `GET /reasons` explains the code. */
  readonly reason: string;
  readonly count: number;
}

export interface ChangedDocumentDto {
  readonly crawler: string;
  readonly uri: string;
  readonly title?: string;
  readonly change: 'new' | 'changed' | 'gone';
  /** Reason of the newest order. */
  readonly reason: string;
  /** When the newest order was decided. */
  readonly at: string;
  /** Number of the newest order. */
  readonly order: number;
}

export interface ChangedSectionDto {
  /** Host and first folder. */
  readonly section: string;
  readonly counts: ChangeCountsDto;
}

export interface ChangesDto {
  readonly since: string;
  readonly until: string;
  readonly counts: ChangeCountsDto;
  /** Those with the most changes first, at most 200. */
  readonly sections: readonly ChangedSectionDto[];
  readonly reasons: readonly ChangeReasonDto[];
  /** The newest ones. */
  readonly documents: readonly ChangedDocumentDto[];
  /** False if there are more orders since then than are read (200,000): the counts are too low. */
  readonly complete: boolean;
}

export interface CheckDto {
  /** Whether there are no errors; there may be warnings. */
  readonly valid: boolean;
  readonly problems: readonly ConfigurationProblemDto[];
}

export interface ConfigurationDraftDto {
  /** CrawlConfig.xml. Absent: the one in force. */
  readonly xml?: string;
  /** New contents of rule files that the configuration names, by name; the other files are unchanged. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface ConfigurationProblemDto {
  readonly severity: 'error' | 'warning';
  /** Stable code. */
  readonly code: string;
  /** What is wrong and how to correct it. */
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ConfigurationStateDto {
  readonly version: number;
  readonly at: string;
  /** Name of the API key; `file` if the file was found changed on disk. */
  readonly who: string;
  /** Path of the file. */
  readonly file: string;
  /** ETag of the active configuration. */
  readonly etag: string;
  /** Warnings of the configuration in force. */
  readonly warnings: readonly ConfigurationProblemDto[];
  /** Errors because of which the changed file on disk is not in force; empty if it is in force. */
  readonly rejected: readonly ConfigurationProblemDto[];
}

export interface ContentLookDto {
  /** The text of the whole page, in document order; up to 200,000 characters. */
  readonly marked: readonly MarkedTextDto[];
  /** Number of elements that the selectors find. */
  readonly matches: SelectorMatchesDto;
}

export interface ContentTrialDto {
  readonly url: string;
  /** `document`, `redirect` or an error code. */
  readonly outcome: string;
  readonly status?: number;
  readonly title?: string;
  readonly detail?: string;
  /** Target of the redirect. */
  readonly target?: string;
  /** When the page was fetched. Absent if there was no document. */
  readonly fetchedAt?: string;
  /** Name of the `cw:Content` that is in force for the URL; empty for the one without a name. Absent if none is in force. */
  readonly content?: string;
  /** Problems in the element, with their places in its text. */
  readonly problems: readonly ConfigurationProblemDto[];
  /** Absent if the element has errors. */
  readonly reading?: PageReadingDto;
}

export interface ContentTrialRequestDto {
  /** Absolute URL; it is canonicalized like the URLs of the crawler. */
  readonly url: string;
  /** One `cw:Content` element as it would appear in CrawlConfig.xml. */
  readonly content: string;
  /** Run the scripts of the page before reading it. */
  readonly render?: boolean;
  /** Fetch the page again even if there is a recent copy. */
  readonly fresh?: boolean;
}

export interface CountDto {
  /** Number of items affected. */
  readonly count: number;
}

export interface CoverageDto {
  /** When the URLs were counted; at most a minute ago. */
  readonly at: string;
  /** All stored URLs, largest counts first. */
  readonly reasons: readonly CoverageReasonDto[];
  /** Documents in the index by the time since their last visit. */
  readonly ages: readonly AgeClassDto[];
  /** Maximum age for smart refresh of the crawler, one of the limits in `ages`. Absent without smart refresh. */
  readonly maximumAgeSeconds?: number;
}

export interface CoverageReasonDto {
  readonly status: 'waiting' | 'indexed' | 'visited' | 'redirected' | 'error' | 'excluded' | 'elsewhere' | 'filtered' | 'removed';
  /** Reason code or error code; `GET /reasons` explains it. */
  readonly reason: string;
  /** Stored URLs. */
  readonly urls: number;
  /** Number of these URLs whose document is in the index. */
  readonly indexed: number;
}

export interface CrawlerDto {
  readonly name: string;
  readonly state: 'running' | 'paused' | 'stopped';
  /** When the pause ends by itself; absent if somebody has to end it. */
  readonly pausedUntil?: string;
  /** URLs by status: waiting, indexed, visited, redirected, error, excluded, elsewhere, filtered, removed. */
  readonly counts: Readonly<Record<string, number>>;
  /** Documents in the index. */
  readonly indexed: number;
  readonly sources: readonly SourceDto[];
  /** Rate over the last minute. */
  readonly pagesPerSecond: number;
  /** Rate over the last minute. */
  readonly errorsPerSecond: number;
  /** Rate over the last minute. */
  readonly ordersPerSecond: number;
  /** Pages currently being fetched. */
  readonly active: number;
  /** Orders decided and not yet acknowledged. */
  readonly pendingOrders: number;
  /** What limits the speed right now. */
  readonly limitedBy: LimitDto;
  readonly nextRequestAt?: string;
  /** Due time of the URL that has been waiting longest. */
  readonly oldestDueAt?: string;
  /** Whether nothing is due and nothing is in flight. */
  readonly idle: boolean;
}

export interface CreatedKeyDto {
  readonly name: string;
  readonly role: 'read' | 'operate' | 'admin';
  /** The crawlers to which the role is limited; absent if it is valid for the whole server. */
  readonly crawlers?: readonly string[];
  /** Whether the key is one of CRAWLWAY_API_KEYS or was created through the API. */
  readonly from: 'environment' | 'api';
  readonly createdAt?: string;
  /** Who created the key. */
  readonly createdBy?: string;
  readonly expiresAt?: string;
  /** Whether the key has expired. */
  readonly expired: boolean;
  /** The key; this is the only response that contains it. */
  readonly key: string;
}

export interface DecisionDto {
  /** What becomes of the documents. `delete`: they are deleted from the index. `keep`: they stay, and can be deleted later. `hand-over`: they belong to the crawler in `to`, which pushes to the same sinks. */
  readonly documents: 'delete' | 'keep' | 'hand-over';
  /** The crawler that takes the documents over. */
  readonly to?: string;
}

export interface DeletionsDto {
  readonly crawler: string;
  /** Documents that would be removed from the index. */
  readonly documentsDeleted: number;
  /** Documents currently in the index. */
  readonly indexed: number;
}

export interface DifferenceDto {
  readonly count: number;
  /** A sample of the URIs. */
  readonly samples: readonly string[];
}

export interface EffectsDto {
  readonly index: boolean;
  readonly follow: boolean;
  /** Source under which the document is pushed. */
  readonly source?: string;
  readonly priorityShift: number;
  readonly metas: readonly MetaDto[];
  readonly options: UrlOptionsDto;
  /** Time between visits, from a server record. */
  readonly periodSeconds?: number;
}

export interface ElementFormDto {
  /** Name without a prefix; unique across all namespaces. */
  readonly name: string;
  readonly namespace: string;
  readonly meaning: string;
  /** Elements that may appear inside this element. */
  readonly children: readonly string[];
  /** Whether the element may appear at most once in its parent. */
  readonly once: boolean;
  /** Meaning of the text inside the element, if text is allowed. */
  readonly text?: string;
  readonly attributes: readonly AttributeFormDto[];
  /** Possible values of the attribute `type`, if the other attributes depend on it. */
  readonly types?: readonly TypeFormDto[];
}

export interface ErrorClassDto {
  /** URLs in error. */
  readonly urls: number;
  /** Number of these URLs that were last tried within the last hour. */
  readonly lastHour: number;
  /** Number of these URLs that were last tried within the last 24 hours. */
  readonly lastDay: number;
  /** Error code; `GET /reasons` explains it. */
  readonly reason: string;
  /** Web servers with URLs in this error. */
  readonly hosts: number;
}

export interface ErrorHostDto {
  /** URLs in error. */
  readonly urls: number;
  /** Number of these URLs that were last tried within the last hour. */
  readonly lastHour: number;
  /** Number of these URLs that were last tried within the last 24 hours. */
  readonly lastDay: number;
  readonly host: string;
}

export interface ExplanationDto {
  readonly verdict: VerdictDto;
  /** Every layer and rule, in the order of evaluation. */
  readonly trace: readonly TraceStepDto[];
}

export interface FieldDto {
  readonly name: string;
  readonly value: string;
}

export interface FolderDto {
  /** The subfolders; if there are very many, the first that were found. */
  readonly folders: readonly SubfolderDto[];
  /** URLs in folders beyond those listed. */
  readonly others: number;
  /** URLs in the folder itself. */
  readonly urls: number;
  /** The first URLs directly in the folder, without those in subfolders. */
  readonly sample: readonly UrlStateDto[];
  /** Cursor of the next step; null after the last one. */
  readonly next: string | null;
  /** Share of the search that has been completed. */
  readonly searched: number;
}

export interface FormerCrawlerDto {
  readonly name: string;
  /** Since when the configuration does not name it. */
  readonly since: string;
  /** Stored URLs. */
  readonly urls: number;
  /** Documents in the index. */
  readonly indexed: number;
  /** The sinks that have its documents. */
  readonly sinks: readonly string[];
  /** What becomes of its documents; absent until somebody decides. `delete`: they are deleted from the index. `keep`: they stay, and can be deleted later. `hand-over`: they belong to the crawler in `to`, which pushes to the same sinks. */
  readonly decision?: 'delete' | 'keep' | 'hand-over';
  /** The crawler that takes the documents over. */
  readonly to?: string;
}

export interface HeadlineDto {
  /** in-index: the sinks hold its document; on-its-way: it will be indexed without further action; not-in-index: it stays out until something changes. */
  readonly fate: 'in-index' | 'on-its-way' | 'not-in-index';
  /** The reason code or error code that decides; `never-linked` if there is none. */
  readonly reason: string;
  /** What happened to the URL, in one or two sentences. */
  readonly text: string;
  /** What to do next. Absent if there is nothing to do. */
  readonly nextStep?: string;
}

export interface HealthDto {
  readonly status: 'ok' | 'unavailable';
  /** What is not ready, in words; empty if everything is. */
  readonly reasons: readonly string[];
}

export interface HeldChangeDto {
  readonly crawler: string;
  readonly uri: string;
  readonly cause: 'one-page-everywhere' | 'emptied' | 'directive-wave';
  /** When the change was first held. */
  readonly since: string;
  /** Title of the document in the index. */
  readonly title: string;
  /** The beginning of its text; absent if no sink can be asked. */
  readonly indexedText?: string;
  /** What the last visit found. */
  readonly finding?: string;
}

export interface HeldChangeGroupDto {
  /** Why the changes are held; the reason with which they can be released or dropped. */
  readonly cause: 'one-page-everywhere' | 'emptied' | 'directive-wave';
  readonly count: number;
  /** Since when the oldest of these changes has been held. */
  readonly oldest: string;
  /** Number of documents that would be replaced by what their pages say now. */
  readonly replaces: number;
  /** Number of documents that would be deleted. */
  readonly deletes: number;
}

export interface HeldDeletionsDto {
  readonly host: string;
  readonly crawler: string;
  readonly count: number;
  /** Number of these that need no decision by an operator: they wait for a sign of life of the host (`awaiting-sign-of-life`), for an early look (`awaiting-early-look`), for other pages that fail alike (`awaiting-other-pages`), or, if they are changes, until its pages have answers of their own again. The others wait for an operator. */
  readonly awaiting: number;
  /** When the oldest of these deletions was decided. */
  readonly oldest: string;
  /** Number of deletions by reason code. */
  readonly reasons: Readonly<Record<string, number>>;
  /** A sample of the URIs. */
  readonly samples: readonly string[];
  /** What of it is held by the change guard. */
  readonly changes: readonly HeldChangeGroupDto[];
}

export interface HistoryPointDto {
  /** End of the interval that the point covers. */
  readonly at: string;
  /** Length of the interval in seconds; divide a count by it to get a rate. */
  readonly seconds: number;
  /** Visits. */
  readonly pages: number;
  /** Visits that failed. */
  readonly errors: number;
  /** Orders that the sinks acknowledged. */
  readonly orders: number;
  /** Documents in the index at the end of the interval. */
  readonly indexed: number;
  /** Failed visits by error code. */
  readonly errorsByCode: Readonly<Record<string, number>>;
  /** Stored URLs by status at the end of the interval. */
  readonly byStatus: Readonly<Record<string, number>>;
}

export interface HostDto {
  /** Host name, with the port when it is not the default. */
  readonly host: string;
  /** Stored URLs. */
  readonly urls: number;
  /** Number of documents in the index. */
  readonly indexed: number;
  /** URLs in error. */
  readonly errors: number;
  /** Queued URLs, whether or not they are due. */
  readonly queued: number;
  /** Because of the crawl delay, no request is made before this time. */
  readonly nextRequestAt?: string;
  /** No request is made before this time, because the host asked crawlers to slow down or did not respond. */
  readonly backOffUntil?: string;
  /** The pause after the last request. */
  readonly crawlDelaySeconds?: number;
  /** What determined it: `crawler` (or a condition), `schedule`, `robots` (Crawl-delay), `slow-responses` or `server-errors` of the host, `reading` (a page took long to read here), `rendering` (a page made many requests of its own). */
  readonly pauseCause?: 'crawler' | 'schedule' | 'robots' | 'slow-responses' | 'server-errors' | 'reading' | 'rendering';
  /** How much time one page must gain in freshness for a refresh visit to be worthwhile; it rises while the host cannot serve all the visits that its pages need. */
  readonly visitPriceSeconds?: number;
  readonly robots?: HostRobotsDto;
  /** Whether an operator has paused the host. */
  readonly paused: boolean;
  /** When the pause ends by itself; absent if somebody has to end it. */
  readonly pausedUntil?: string;
  /** Share of the remembered visits that succeeded. */
  readonly successShare?: number;
  /** Failed visits by error code. */
  readonly errorClasses: Readonly<Record<string, number>>;
  readonly averageLatencySeconds?: number;
  /** Pages since the server started that took longer than a second to read; each one delays the next request to the host. */
  readonly slowPages?: number;
  /** Documents in the index with less text than they show, by reason (`no-text-layer`, `text-by-ocr`, `text-incomplete`, `text-cut`); counted like those of `needRendering`. */
  readonly shortTexts?: Readonly<Record<string, number>>;
  /** Documents in the index that lack the content that their scripts would create (reason `needs-rendering`); counted once a minute, only when a single host is requested. */
  readonly needRendering?: NeedRenderingDto;
}

export interface HostRenderingDto {
  /** Patterns with the most rendered pages first, 500 at most. */
  readonly patterns: readonly RenderPatternDto[];
}

export interface HostRobotsDto {
  /** State of robots.txt. `rules`: its rules are in force; `absent`: everything is allowed because the host has no such file; `unreachable`: nothing is fetched until the file can be read. */
  readonly state: 'rules' | 'absent' | 'unreachable';
  readonly fetchedAt: string;
  /** Result of the last fetch of robots.txt. If it failed, the previous version stays in force. */
  readonly status: string;
  /** Content of robots.txt as fetched. */
  readonly text: string;
}

export interface ImportDto {
  /** Lines with a URL that was not known before. */
  readonly imported: number;
  /** Known URLs, whose state was kept. */
  readonly known: number;
  /** Lines that could not be read. */
  readonly rejected: number;
  /** The first of the rejected lines, with their numbers. */
  readonly problems: readonly string[];
}

export interface IndexNowDto {
  /** What happened to the URLs, in words. */
  readonly message: string;
}

export interface JudgedDto {
  readonly verdict: VerdictDto;
  /** Every layer and rule, in the order of evaluation. */
  readonly trace: readonly TraceStepDto[];
  /** Canonical URL that was judged. */
  readonly url: string;
  /** The result in one sentence; the other fields explain it. */
  readonly headline: HeadlineDto;
  /** How the URL is assumed to have been discovered. */
  readonly discoveredVia: 'root' | 'link' | 'redirect' | 'sitemap' | 'stored';
  readonly from?: string;
  /** Links between the root and this URL. */
  readonly hops: number;
  /** IP address of the host, if it was looked up. */
  readonly address?: string;
  /** Not part of the verdict: robots.txt is checked before each fetch. */
  readonly robots: RobotsOpinionDto;
  /** Absent if the URL is not stored. */
  readonly state?: UrlStateDto;
  /** Absent if the configuration rejects the URL. */
  readonly queue?: QueueDto;
  /** Fetches on record, newest first. */
  readonly visits: readonly VisitDto[];
  /** Push orders on record, newest first. */
  readonly orders: readonly OrderDto[];
  /** Sinks that are behind and are owed this URL. */
  readonly behind: readonly UrlBehindDto[];
  /** Refused links to the URL, among the samples that are kept. */
  readonly refusedLinks: readonly RefusedLinkDto[];
}

export interface KeyDto {
  readonly name: string;
  readonly role: 'read' | 'operate' | 'admin';
  /** The crawlers to which the role is limited; absent if it is valid for the whole server. */
  readonly crawlers?: readonly string[];
  /** Whether the key is one of CRAWLWAY_API_KEYS or was created through the API. */
  readonly from: 'environment' | 'api';
  readonly createdAt?: string;
  /** Who created the key. */
  readonly createdBy?: string;
  readonly expiresAt?: string;
  /** Whether the key has expired. */
  readonly expired: boolean;
}

export interface KeyDirectoryDto {
  /** The keys, each listed once. */
  readonly keys: readonly PublicKeyDto[];
}

export interface LimitDto {
  /** `paused`, `stopped`: the crawler does not run. `sink-unavailable`: no sink accepts orders. `database-unavailable`: it accepts nothing, for instance because the disk is full. `sink-slow`, `database-slow`: the maximum number of orders or pages is waiting. `threads`: all are fetching. `last-pages`: nothing else is due. `nothing-due`. `schedule`: no due URL may be crawled now. `quota`: its bytes for today are used up. `hosts-paused`: an operator has paused all hosts with due URLs. `politeness`: their hosts need a pause. `machine`: none of these. */
  readonly kind: 'paused' | 'stopped' | 'sink-unavailable' | 'sink-slow' | 'database-unavailable' | 'database-slow' | 'threads' | 'last-pages' | 'nothing-due' | 'schedule' | 'quota' | 'hosts-paused' | 'politeness' | 'machine';
  /** `sink-unavailable`: the name of a sink. */
  readonly sink?: string;
  /** `sink-unavailable`, `database-unavailable`: its last failure. */
  readonly message?: string;
  /** `threads`: how many there are. */
  readonly threads?: number;
  /** `nothing-due`: URLs in error, which are visited again later. */
  readonly failing?: number;
  /** `nothing-due`: deletions and changes that are held, or wait for a sign of life. */
  readonly withheldDeletions?: number;
  /** `quota`: its name. */
  readonly quota?: string;
  /** `schedule`, `quota`: when crawling is allowed again; absent if never. */
  readonly until?: string;
  /** `politeness`, `hosts-paused`: the hosts with the most due URLs. */
  readonly hosts?: readonly string[];
  /** `politeness`, `hosts-paused`: their share of the due URLs. */
  readonly share?: number;
  /** `politeness`: when the next request may be sent. */
  readonly nextRequestAt?: string;
  /** `politeness`: the pause between requests to the first of the hosts. */
  readonly pauseSeconds?: number;
  /** What determined it: `crawler` (or a condition), `schedule`, `robots` (Crawl-delay), `slow-responses` or `server-errors` of the host, `reading` (a page took long to read here), `rendering` (a page made many requests of its own). */
  readonly pauseCause?: 'crawler' | 'schedule' | 'robots' | 'slow-responses' | 'server-errors' | 'reading' | 'rendering';
}

export interface LinkDto {
  readonly url: string;
  /** Kind of link: a, area, frame, redirect, … */
  readonly kind: string;
  readonly explanation: ExplanationDto;
  /** Absent if the URL is not stored. */
  readonly state?: UrlStateDto;
  /** Absent if robots.txt of its site was not fetched for this call. */
  readonly robots?: RobotsOpinionDto;
  /** On a rendered page: whether scripts created the link, so that it is not on the page as it was sent. */
  readonly onlyRendered?: boolean;
}

export interface LoginDto {
  readonly name: string;
  /** How the login works: `form`, `basic` or another type described in docs/logins.md. */
  readonly type: string;
  /** Prefix of the URLs for which the login is used. */
  readonly url: string;
  /** Fetcher to which the login belongs. */
  readonly fetcher: string;
  /** `stopped`: refused, or its sessions do not last, and not retried until someone tests it or its secret changes. */
  readonly state: 'unused' | 'logged-in' | 'failing' | 'stopped';
  /** `refused`: the user or the secret is wrong; `locked`: the account is locked; `changed`: the site does not behave as the configuration expects; `unreachable`: there was no meaningful response; `repeated`: the login works, but the site ends its sessions again and again. */
  readonly failure?: 'refused' | 'locked' | 'changed' | 'unreachable' | 'repeated';
  /** The last failure, in words. */
  readonly detail?: string;
  /** Consecutive refused attempts; three stop the login. */
  readonly refused: number;
  readonly lastSuccessAt?: string;
  readonly lastAttemptAt?: string;
  readonly nextAttemptAt?: string;
  /** Successful logins since the server started. */
  readonly logins: number;
  readonly lastSessionEndAt?: string;
  /** Page that probably ended the session: the last one that was read before. */
  readonly lastSessionEndUrl?: string;
  /** Steps of the last attempt. */
  readonly steps: readonly LoginStepDto[];
}

export interface LoginStepDto {
  /** What was done in this step. */
  readonly what: string;
  /** URL to which the request was sent, without its query. */
  readonly url?: string;
  /** HTTP status of the response. */
  readonly status?: number;
  /** What the response contained, or what was missing. Never contains a secret. */
  readonly detail?: string;
}

export interface MapPreviewDto {
  /** Fields of the document; `text` is the beginning of its text. */
  readonly before: readonly FieldDto[];
  /** Fields as the sink receives them. */
  readonly after?: readonly FieldDto[];
  /** Why the sink would refuse the document, with the name of the field. */
  readonly refusal?: string;
}

export interface MapPreviewRequestDto {
  /** The crawler that has indexed `url`. */
  readonly crawler?: string;
  /** URL of an indexed document, which is read from a sink of the crawler. */
  readonly url?: string;
  /** The fields of a document, as an alternative to a URL. */
  readonly fields?: readonly FieldDto[];
}

export interface MarkedTextDto {
  readonly text: string;
  /** Whether the text is excluded from the content. */
  readonly cut: boolean;
}

export interface MatchedEntryDto {
  readonly layer: 'link-rules' | 'site-mode' | 'crawl-space' | 'server-records' | 'conditions' | 'crawl-rules';
  /** Nesting level within recursive conditions; 0 elsewhere. */
  readonly depth: number;
  /** What the rule tests, in words. */
  readonly text: string;
  /** What the rule sets if it applies. Secrets are hidden. */
  readonly effect?: string;
  readonly place?: PlaceDto;
  /** Whether the rule matches the URL. Absent if the entry is not a rule that can match, or is inside a condition that does not apply. */
  readonly matched?: boolean;
}

export interface MetaDto {
  readonly name: string;
  readonly value: string;
}

export interface MoveDecisionBodyDto {
  /** The root whose home page redirects. */
  readonly root: string;
  /** true: the site is crawled at its new address. false: it is not, and documents whose pages redirect there leave the index, under the deletion guard. */
  readonly follow: boolean;
}

export interface MoveDto {
  readonly from: number;
  /** Position of the rule after the move. */
  readonly to: number;
}

export interface NeedRenderingDto {
  readonly documents: number;
  /** URL of one of these documents. */
  readonly sample?: string;
}

export interface NewKeyDto {
  /** Name that the audit log shows: letters, digits and `. _ @ -`, at most 64 characters. */
  readonly name: string;
  /** Each role includes the permissions of the roles before it. */
  readonly role: 'read' | 'operate' | 'admin';
  /** Names of the crawlers to which the role is limited. Absent: it is valid for the whole server. */
  readonly crawlers?: readonly string[];
  /** When the key becomes invalid. Absent: it never expires. */
  readonly expiresAt?: string;
}

export interface NewSecretDto {
  /** The secret, at most 65,536 bytes. */
  readonly value: string;
}

export interface OldestDto {
  readonly source: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh';
  readonly url: string;
  /** When the URL is due; in the past if it is waiting. */
  readonly dueAt: string;
}

export interface OrderDto {
  /** An order that was decided later has a higher number. */
  readonly id: number;
  readonly crawler: string;
  readonly uri: string;
  readonly host: string;
  readonly kind: 'add' | 'delete';
  /** Why the order was decided; `GET /reasons` explains the code. */
  readonly reason: string;
  readonly decidedAt: string;
  readonly state: 'pending' | 'acknowledged' | 'refused' | 'held' | 'cancelled' | 'dropped' | 'awaiting';
  readonly attempts: number;
  readonly answeredAt?: string;
  /** Message of a sink that refused the order, even while another sink has not responded yet. */
  readonly answer?: string;
  /** Digest of the document; of a change that the change guard holds, what identifies it. */
  readonly stamp?: string;
}

export interface OrderBatchDto {
  /** Orders, in the sequence in which they were decided. */
  readonly orders: readonly WebhookOrderDto[];
}

export interface PageMoveDto {
  /** What the old addresses have in common. */
  readonly from: string;
  /** Number of pages that are found at their new address. */
  readonly done: number;
  /** Number of pages with an old address of this form, whether or not they have been visited since. */
  readonly total: number;
  /** Number of pages whose new address has not been visited yet. */
  readonly waiting: number;
  /** Number of pages whose new address has failed; they are found at the old one. */
  readonly failing: number;
  /** Pages whose new address does not exist, up to 100. */
  readonly nowhere: readonly string[];
}

export interface PageReadingDto {
  /** The text that is extracted as content, up to 200,000 characters. */
  readonly text: string;
  /** Length of the whole text, in UTF-16 units. */
  readonly textLength: number;
  readonly language?: string;
  /** Metas and fields; names may repeat. */
  readonly metas: readonly ReadMetaDto[];
  /** Passages that the configuration or the page itself excludes. */
  readonly cut: readonly string[];
  /** Share of the text outside links that the main content has. Absent unless `main` is true. */
  readonly mainShare?: number;
  /** The whole text, with the excluded passages marked. Absent unless the configuration requires a tree of the page, for example for selectors. */
  readonly look?: ContentLookDto;
  readonly headings?: readonly ReadHeadingDto[];
  readonly markdown?: string;
  readonly chunks?: readonly ReadChunkDto[];
  /** Documents that `cw:Split` splits off the page, at most 500. */
  readonly parts?: readonly ReadPartDto[];
}

export interface PageRenderingDto {
  readonly seconds: number;
  /** Requests that the page made for scripts, data and frames. */
  readonly requests: number;
  /** Requests that were not made, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** What ended the wait for the scripts: `quiet`, `condition` or `time limit`. */
  readonly readiness?: string;
  /** Why the page could not be rendered; the response then shows the page as it was sent. */
  readonly failure?: RenderingFailureDto;
  /** Absent if the page was not rendered. */
  readonly comparison?: RenderingComparisonDto;
  /** Picture of the page, without its images: JPEG in base64. */
  readonly picture?: string;
}

export interface PageViewDto {
  readonly url: string;
  /** `document`, `redirect` or an error code. */
  readonly outcome: string;
  readonly status?: number;
  readonly title?: string;
  readonly detail?: string;
  /** Target of the redirect. */
  readonly target?: string;
  /** What robots.txt says about the URL, if it was fetched for this call. */
  readonly robots?: RobotsOpinionDto;
  /** For a document: what a sink would receive. */
  readonly reading?: PageReadingDto;
  readonly links: readonly LinkDto[];
  /** Present only if `render` was requested. */
  readonly rendering?: PageRenderingDto;
}

export interface PlaceDto {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface PluginDto {
  readonly name: string;
  /** Path of the plug-in module on the server. */
  readonly file: string;
  /** `failed`: the plug-in cannot be loaded, or its process keeps exiting; it is retried, immediately if its file changes. */
  readonly state: 'starting' | 'ready' | 'failed';
  /** Version, as stated by the plug-in. */
  readonly version?: string;
  /** Functions that the plug-in has. */
  readonly hooks: readonly ('onUrl' | 'onResponse' | 'onDocument' | 'onOrder' | 'extract' | 'deliver')[];
  readonly calls: readonly PluginCallsDto[];
  /** Number of times that the plug-in process ended or had to be stopped. */
  readonly restarts: number;
  /** Memory used by the plug-in process in bytes; 0 if the system does not report it. */
  readonly memory: number;
  readonly lastError?: PluginErrorDto;
}

export interface PluginCallsDto {
  /** Function of the plug-in; `extract` and `deliver` belong to its extractor and its sink. */
  readonly hook: 'onUrl' | 'onResponse' | 'onDocument' | 'onOrder' | 'extract' | 'deliver';
  /** Calls that succeeded since the server started. */
  readonly answered: number;
  /** Calls that failed (`plugin-failed`). */
  readonly failed: number;
  /** Total duration of these calls, including waiting time. */
  readonly milliseconds: number;
}

export interface PluginErrorDto {
  readonly at: string;
  /** What failed, with the place in the file of the plug-in if it is known. */
  readonly message: string;
}

export interface PreviewDto {
  readonly crawlers: readonly PreviewCrawlerDto[];
  /** Crawlers that are not in the configuration any more: their documents stay until somebody decides (`decideFormerDocuments`). */
  readonly removed: readonly RemovedCrawlerDto[];
  /** Stored URLs judged so far. */
  readonly judged: number;
  /** Stored URLs to judge. */
  readonly total: number;
  readonly done: boolean;
  /** Crawlers that would lose more than 10 % of their documents. */
  readonly needsConfirmation: readonly string[];
}

export interface PreviewCrawlerDto {
  readonly crawler: string;
  /** Documents currently in the index. */
  readonly indexed: number;
  /** Stored URLs that are not currently crawled but would be. */
  readonly newlyAccepted: PreviewGroupDto;
  /** Stored URLs that would no longer be crawled (status 760). */
  readonly excluded: PreviewGroupDto;
  /** URLs that would be excluded, with their documents left to another crawler (status 761). */
  readonly keptElsewhere: PreviewGroupDto;
  /** Documents that would be removed from the index. */
  readonly documentsDeleted: PreviewGroupDto;
  /** Stored URLs that would move to another source. */
  readonly changedSource: PreviewGroupDto;
}

export interface PreviewGroupDto {
  readonly count: number;
  readonly byHost: Readonly<Record<string, number>>;
  readonly samples: readonly PreviewSampleDto[];
}

export interface PreviewSampleDto {
  readonly url: string;
  /** Reason code of the new verdict. */
  readonly reason: string;
}

export interface ProblemDto {
  /** `about:blank`, or a URN that names the kind of problem. */
  readonly type: string;
  /** The kind of problem in words. */
  readonly title: string;
  /** HTTP status. */
  readonly status: number;
  /** What is wrong in this case and how to correct it. */
  readonly detail: string;
  /** Path of the call; empty if it could not be read. */
  readonly instance: string;
  /** All problems found, not just the first. */
  readonly errors?: readonly ProblemErrorDto[];
  /** Why the crawl policy rejects a root. */
  readonly explanation?: ExplanationDto;
  /** Number of URLs that would be cleared. */
  readonly count?: number;
  /** Crawlers that would lose many documents. */
  readonly crawlers?: readonly DeletionsDto[];
}

export interface ProblemErrorDto {
  /** What is wrong and how to correct it. */
  readonly detail: string;
  /** JSON pointer into the body, or `?name` of a query parameter. */
  readonly pointer?: string;
  /** Stable code of a configuration problem. */
  readonly code?: string;
  readonly severity?: 'error' | 'warning';
  /** Configuration file. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface PublicKeyDto {
  /** Octet key pair. */
  readonly kty: 'OKP';
  /** Curve of the key. */
  readonly crv: 'Ed25519';
  /** The key, base64url (RFC 8037). */
  readonly x: string;
  /** Thumbprint of the key (RFC 7638), used as the `keyid` of signatures. */
  readonly kid: string;
  /** Use of the key: signatures only. */
  readonly use: 'sig';
}

export interface QueueDto {
  /** Source that follows from how the URL was found and what the rules allow. */
  readonly natural: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh';
  /** Priority shift set by rules and the root; negative values mean earlier. */
  readonly shift: number;
  /** The source in which the URL is queued: the natural one, moved by the shift. */
  readonly source: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh';
}

export interface QuotaLimitDto {
  /** Name of the quota. */
  readonly quota: string;
  /** The crawlers that share it; empty: all. */
  readonly crawlers: readonly string[];
  /** `bytes` and `rendering` (in minutes) are limits per day, the others of what is stored. */
  readonly limit: 'urls' | 'documents' | 'bytes' | 'rendering';
  readonly max: number;
  /** What the crawlers have used of it together. */
  readonly used: number;
  /** Whether nothing is left of it. */
  readonly reached: boolean;
  /** If it has been reached and is a limit per day: when it begins anew. */
  readonly until?: string;
}

export interface ReadChunkDto {
  /** The same as long as URI, text and headings above it are. */
  readonly id?: string;
  /** The fragment that leads to its section. */
  readonly anchor?: string;
  readonly text: string;
  /** The headings above the chunk. */
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface ReadHeadingDto {
  readonly level: number;
  readonly text: string;
  /** Offset in the text, in UTF-16 units. */
  readonly start: number;
  /** The fragment that leads to it. */
  readonly anchor?: string;
}

export interface ReadMetaDto {
  readonly name: string;
  readonly value: string;
}

export interface ReadPartDto {
  readonly uri: string;
  /** Metas and fields; names may repeat. */
  readonly metas: readonly ReadMetaDto[];
  /** Up to 200,000 characters in all parts together. */
  readonly text: string;
}

export interface ReasonDto {
  /** Stable code, used by the store, the API, the metrics and the console. */
  readonly code: 'accepted' | 'protocol-not-allowed' | 'url-too-long' | 'query-string' | 'extension-ignored' | 'offsite' | 'trap-path-depth' | 'trap-repeated-segments' | 'outside-site' | 'move-to-another-domain' | 'move-to-private-address' | 'move-to-another-crawler' | 'moves-not-followed' | 'owned-by-another-crawler' | 'outside-directory' | 'crawl-space-domain' | 'crawl-space-address' | 'crawl-space-prefix' | 'left-to-another-crawler' | 'no-server-record' | 'outside-server' | 'server-max-hops' | 'condition-filtered' | 'condition-disallowed' | 'condition-max-hops' | 'rule-ignored' | 'not-accepted' | 'trap-query-variants' | 'trap-endless-pattern' | 'trap-repeated-text' | 'links-cut' | 'trap-host-size' | 'quota-urls' | 'robots-disallowed' | 'login-page' | 'noindex' | 'unavailable-after' | 'search-not-allowed' | 'nofollow' | 'no-index' | 'machine-readable' | 'mime-type-excluded' | 'excluded-by-plugin' | 'canonical-elsewhere' | 'near-duplicate' | 'exact-duplicate' | 'quota-documents' | 'directory-listing' | 'not-linked' | 'extract-unsupported' | 'extract-timeout' | 'extract-memory' | 'extract-encrypted' | 'extract-corrupt' | 'no-text-layer' | 'text-by-ocr' | 'text-incomplete' | 'text-cut' | 'needs-rendering' | 'redirected' | 'redirected-for-now' | 'awaiting-redirect-target' | 'removed-after-errors' | 'too-many-temporary-errors' | 'indexed' | 'changed' | 'unchanged' | 'links-only' | 'configuration-changed' | 'cleared-by-person' | 'submitted' | 'imported' | 'links-not-followed' | 'never-linked' | 'discovered' | 'redirect-target' | 'held' | 'awaiting-sign-of-life' | 'awaiting-early-look' | 'awaiting-other-pages' | 'awaiting-own-answers' | 'released' | 'order-refused' | 'backfill' | 'access-changed' | 'sink-behind' | 'part-gone' | 'with-its-page' | 'adopted' | 'reconciled' | 'http-404' | 'http-410' | 'http-401' | 'payment-required' | 'http-403' | 'http-4xx' | 'http-5xx' | 'http-other' | 'not-modified-unconditional' | 'redirect-malformed' | 'redirect-loop' | 'redirect-target-gone' | 'redirect-to-home' | 'redirect-limit' | 'dns-not-found' | 'address-forbidden' | 'tls-expired' | 'tls-name' | 'tls-untrusted' | 'tls-failed' | 'tls-client-certificate' | 'protocol' | 'header-too-large' | 'body-too-large' | 'parse-timeout' | 'document-too-large' | 'soft-error' | 'connection-failed' | 'http-406' | 'http-408' | 'http-425' | 'http-429' | 'bot-challenge' | 'one-page-everywhere' | 'emptied' | 'directive-wave' | 'http-503-retry-after' | 'connect-timeout' | 'read-timeout' | 'connection-reset' | 'body-truncated' | 'body-undecodable' | 'connection-refused' | 'network-unreachable' | 'dns-no-answer' | 'robots-unreachable' | 'extractor-unavailable' | 'plugin-failed' | 'reading-failed' | 'render-timeout' | 'render-memory' | 'render-crash' | 'renderer-unavailable' | 'login-wall' | 'redirect-wall' | 'redirect-target-failed' | 'move-undecided' | 'login-failed' | 'quota-rendering' | 'proxy-failed';
  /** A reason explains a verdict; an error says how a visit failed. */
  readonly kind: 'reason' | 'error';
  /** For a reason: the layer or part that emits it. */
  readonly layer?: string;
  /** For an error: the default class. */
  readonly class?: 'permanent' | 'temporary';
  readonly meaning: string;
  /** What to change if this is not what you want. */
  readonly remedy: string;
}

export type ReasonCodeDto = 'accepted' | 'protocol-not-allowed' | 'url-too-long' | 'query-string' | 'extension-ignored' | 'offsite' | 'trap-path-depth' | 'trap-repeated-segments' | 'outside-site' | 'move-to-another-domain' | 'move-to-private-address' | 'move-to-another-crawler' | 'moves-not-followed' | 'owned-by-another-crawler' | 'outside-directory' | 'crawl-space-domain' | 'crawl-space-address' | 'crawl-space-prefix' | 'left-to-another-crawler' | 'no-server-record' | 'outside-server' | 'server-max-hops' | 'condition-filtered' | 'condition-disallowed' | 'condition-max-hops' | 'rule-ignored' | 'not-accepted' | 'trap-query-variants' | 'trap-endless-pattern' | 'trap-repeated-text' | 'links-cut' | 'trap-host-size' | 'quota-urls' | 'robots-disallowed' | 'login-page' | 'noindex' | 'unavailable-after' | 'search-not-allowed' | 'nofollow' | 'no-index' | 'machine-readable' | 'mime-type-excluded' | 'excluded-by-plugin' | 'canonical-elsewhere' | 'near-duplicate' | 'exact-duplicate' | 'quota-documents' | 'directory-listing' | 'not-linked' | 'extract-unsupported' | 'extract-timeout' | 'extract-memory' | 'extract-encrypted' | 'extract-corrupt' | 'no-text-layer' | 'text-by-ocr' | 'text-incomplete' | 'text-cut' | 'needs-rendering' | 'redirected' | 'redirected-for-now' | 'awaiting-redirect-target' | 'removed-after-errors' | 'too-many-temporary-errors' | 'indexed' | 'changed' | 'unchanged' | 'links-only' | 'configuration-changed' | 'cleared-by-person' | 'submitted' | 'imported' | 'links-not-followed' | 'never-linked' | 'discovered' | 'redirect-target' | 'held' | 'awaiting-sign-of-life' | 'awaiting-early-look' | 'awaiting-other-pages' | 'awaiting-own-answers' | 'released' | 'order-refused' | 'backfill' | 'access-changed' | 'sink-behind' | 'part-gone' | 'with-its-page' | 'adopted' | 'reconciled' | 'http-404' | 'http-410' | 'http-401' | 'payment-required' | 'http-403' | 'http-4xx' | 'http-5xx' | 'http-other' | 'not-modified-unconditional' | 'redirect-malformed' | 'redirect-loop' | 'redirect-target-gone' | 'redirect-to-home' | 'redirect-limit' | 'dns-not-found' | 'address-forbidden' | 'tls-expired' | 'tls-name' | 'tls-untrusted' | 'tls-failed' | 'tls-client-certificate' | 'protocol' | 'header-too-large' | 'body-too-large' | 'parse-timeout' | 'document-too-large' | 'soft-error' | 'connection-failed' | 'http-406' | 'http-408' | 'http-425' | 'http-429' | 'bot-challenge' | 'one-page-everywhere' | 'emptied' | 'directive-wave' | 'http-503-retry-after' | 'connect-timeout' | 'read-timeout' | 'connection-reset' | 'body-truncated' | 'body-undecodable' | 'connection-refused' | 'network-unreachable' | 'dns-no-answer' | 'robots-unreachable' | 'extractor-unavailable' | 'plugin-failed' | 'reading-failed' | 'render-timeout' | 'render-memory' | 'render-crash' | 'renderer-unavailable' | 'login-wall' | 'redirect-wall' | 'redirect-target-failed' | 'move-undecided' | 'login-failed' | 'quota-rendering' | 'proxy-failed';

export interface ReconciliationDto {
  readonly sink: string;
  readonly at: string;
  readonly compared: number;
  /** Documents that are indexed according to the store, but absent at the sink. */
  readonly missing: DifferenceDto;
  /** Documents that are at the sink, but not indexed according to the store. */
  readonly extra: DifferenceDto;
  /** Documents that are at the sink with a different stamp. */
  readonly stale: DifferenceDto;
  /** Absent from the sink, but just being visited or delivered. */
  readonly inFlight: number;
  /** Whether orders were sent to fix the differences. */
  readonly repaired: boolean;
}

export interface RefreshDto {
  /** A status; or `760` for URLs that a crawl space excludes, `761` for those that it leaves to another crawler. */
  readonly status?: 'waiting' | 'indexed' | 'visited' | 'redirected' | 'error' | 'excluded' | 'elsewhere' | 'filtered' | 'removed' | '760' | '761';
  /** Web server, as in the field `host` of a stored URL. */
  readonly host?: string;
  readonly source?: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh';
  /** Beginning of the URL. */
  readonly prefix?: string;
  /** SQL LIKE pattern for the whole URL: `%` stands for any characters, `_` for one character. Without a `%`, asterisks are wildcards. */
  readonly like?: string;
  /** Reason code or error code. */
  readonly reason?: ReasonCodeDto;
  /** `true`: only URLs whose document the sinks hold; `false`: only the others. */
  readonly indexed?: boolean;
  /** Only URLs that were last visited before this time. */
  readonly visitedBefore?: string;
  /** Only URLs that were visited at this time or later. */
  readonly visitedSince?: string;
  /** One stored URL. */
  readonly url?: string;
}

export interface RefreshedDto {
  /** Number of items affected. */
  readonly count: number;
  /** Hosts of these URLs that rest because they failed or asked crawlers to slow down, at most 100. One request is made to each of them as soon as its throttle allows; a good response ends the rest, any other leaves it unchanged. */
  readonly resting: readonly RestingHostDto[];
}

export interface RefusedDto {
  /** Reason code. */
  readonly reason: string;
  readonly host: string;
  /** Links refused since the start of the process. */
  readonly count: number;
  readonly samples: readonly RefusedSampleDto[];
}

export interface RefusedLinkDto {
  /** The page with the link. */
  readonly from: string;
  /** Reason code. */
  readonly reason: string;
}

export interface RefusedSampleDto {
  readonly url: string;
  /** The page that links to the URL. */
  readonly from: string;
  readonly at: string;
}

export interface RemovedCrawlerDto {
  readonly crawler: string;
  /** Its stored URLs. */
  readonly urls: number;
  /** Its documents in the index. */
  readonly indexed: number;
}

export interface RenameDto {
  /** What becomes of the documents. `delete`: they are deleted from the index. `keep`: they stay, and can be deleted later. `hand-over`: they belong to the crawler in `to`, which pushes to the same sinks. */
  readonly documents: 'delete' | 'keep' | 'hand-over';
  /** The crawler that takes the documents over. */
  readonly to?: string;
  /** The new name. */
  readonly name: string;
}

export interface RenderOverrideDto {
  /** A pattern as listed, or a URL of the host that matches it. */
  readonly pattern: string;
  /** `auto`: as learned, which ends an override. Otherwise, the mode for the pattern. */
  readonly render: 'always' | 'never' | 'auto';
}

export interface RenderPatternDto {
  /** Path with its numbers as `N` and its query as `?`, or a folder with `*`. */
  readonly pattern: string;
  /** What was learned. `browser`: rendering yields more content; `plain`: it does not; `trying`: too few pages were rendered to tell. */
  readonly learned: 'browser' | 'plain' | 'trying';
  /** `auto`: as learned. Otherwise, an operator has chosen the mode. */
  readonly render: 'always' | 'never' | 'auto';
  /** Pages rendered since the start of the process. */
  readonly rendered: number;
  /** Share of the recently rendered pages for which rendering yielded more content, 0 to 1. */
  readonly worthwhile: number;
  /** Mean time in seconds to render a page, over the recently rendered pages. */
  readonly seconds: number;
  /** Pages that could not be rendered. */
  readonly failures: number;
}

export interface RenderingComparisonDto {
  /** What the page contains without its scripts. */
  readonly sent: SentPageDto;
  /** Sentences and lines that only the rendered page has; 1,000 at most. */
  readonly added: readonly string[];
  /** Sentences and lines that appear only in the page as sent (at most 1,000). */
  readonly lost: readonly string[];
  /** Links that are on the page as sent but not on the rendered page; 200 at most. */
  readonly lostLinks: readonly string[];
}

export interface RenderingFailureDto {
  /** Reason code. */
  readonly code: string;
  readonly detail: string;
}

export interface ResolvedEntryDto {
  readonly layer: 'link-rules' | 'site-mode' | 'crawl-space' | 'server-records' | 'conditions' | 'crawl-rules';
  /** Nesting level within recursive conditions; 0 elsewhere. */
  readonly depth: number;
  /** What the rule tests, in words. */
  readonly text: string;
  /** What the rule sets if it applies. Secrets are hidden. */
  readonly effect?: string;
  readonly place?: PlaceDto;
}

export interface ResolvedOptionDto {
  readonly name: string;
  /** The value in words, with its unit. Secrets are hidden. */
  readonly value: string;
  /** What last set the option. */
  readonly setBy: string;
  readonly place?: PlaceDto;
}

export interface ResolvedUrlDto {
  /** Canonical URL. */
  readonly url: string;
  readonly verdict: VerdictDto;
  /** Each rule of each layer: matched or not, and what it set. */
  readonly steps: readonly TraceStepDto[];
  /** The whole view, in which everything that matches the URL is marked. */
  readonly entries: readonly MatchedEntryDto[];
  /** Final options. */
  readonly options: readonly ResolvedOptionDto[];
  /** Absent if the configuration rejects the URL. */
  readonly queue?: QueueDto;
}

export interface ResolvedViewDto {
  /** Rules in the order of evaluation. */
  readonly entries: readonly ResolvedEntryDto[];
}

export interface RestingHostDto {
  readonly host: string;
  /** No further request is made before this time, unless the one request succeeds. */
  readonly until: string;
}

export interface RobotsOpinionDto {
  /** ignored: the configuration does not use robots.txt; unknown: it has not been fetched yet; unreachable: nothing is allowed until it can be read. */
  readonly state: 'allowed' | 'disallowed' | 'unknown' | 'unreachable' | 'ignored';
  /** The product token that the rule addresses. */
  readonly agent: string;
  /** The rule that decides; absent if there is none. */
  readonly rule?: string;
  /** Line of the rule. */
  readonly line?: number;
  readonly fetchedAt?: string;
  /** HTTP status with which robots.txt was fetched, or the code of the failure. */
  readonly status?: string;
}

export interface RootDto {
  readonly url: string;
  /** Stay on the site of this root, and accept its URLs unless a crawl rule says otherwise. Default: true, or false with entireSite. */
  readonly site?: boolean;
  /** Stay in the directory of the root document and below. */
  readonly entireSite?: boolean;
  /** Priority shift; -2 is the highest priority. */
  readonly priority?: number;
  readonly group?: string;
  /** Metas added to every document that is found from this root; not acl_allow and acl_deny. */
  readonly metas?: readonly RootMetaDto[];
  /** If false, the links of the page are listed but not queued. */
  readonly followLinks?: boolean;
  /** Where the root was defined. */
  readonly origin: 'configuration' | 'submitted';
  readonly state?: UrlStateDto;
}

export interface RootMetaDto {
  readonly name: string;
  readonly value: string;
}

export interface RootSubmissionDto {
  readonly url: string;
  /** Stay on the site of this root, and accept its URLs unless a crawl rule says otherwise. Default: true, or false with entireSite. */
  readonly site?: boolean;
  /** Stay in the directory of the root document and below. */
  readonly entireSite?: boolean;
  /** Priority shift; -2 is the highest priority. */
  readonly priority?: number;
  readonly group?: string;
  /** Metas added to every document that is found from this root; not acl_allow and acl_deny. */
  readonly metas?: readonly RootMetaDto[];
  /** If false, the links of the page are listed but not queued. */
  readonly followLinks?: boolean;
}

export interface RuleDto {
  /** Position across all Rules blocks of the crawler. */
  readonly index: number;
  readonly group: string;
  readonly key?: string;
  /** Multiple elements are combined with And. */
  readonly match: readonly RuleMatchDto[];
  readonly actions: readonly RuleActionDto[];
  /** The Rule element as written in the file. */
  readonly xml: string;
}

export interface RuleActionDto {
  readonly element: 'Index' | 'NoIndex' | 'Follow' | 'NoFollow' | 'Accept' | 'Ignore' | 'Source' | 'AddMeta' | 'Priority' | 'Render';
  /** For Source and AddMeta. */
  readonly name?: string;
  /** For AddMeta. */
  readonly value?: string;
  /** For AddMeta. */
  readonly scope?: 'document' | 'links';
  /** For Priority. */
  readonly shift?: number;
  /** For Render. */
  readonly mode?: 'never' | 'auto' | 'always';
  /** For Render: a CSS selector, or `js:` and an expression. */
  readonly readyWhen?: string;
  /** For Render: `click SELECTOR; scroll TIMES; wait SECONDS`. */
  readonly steps?: string;
}

export interface RuleFileDto {
  /** Name as in the configuration, relative to its folder. */
  readonly name: string;
  readonly text: string;
  readonly kind: 'crawl-space' | 'global-crawl-space' | 'server-records';
}

export interface RuleInputDto {
  /** Group of a new rule. Absent: the group of the rule before it. */
  readonly group?: string;
  /** Key of the Rules block into which a new rule is inserted. */
  readonly key?: string;
  /** One Rule element, instead of `match` and `actions`. */
  readonly xml?: string;
  /** Multiple elements are combined with And. */
  readonly match?: readonly RuleMatchDto[];
  readonly actions?: readonly RuleActionDto[];
}

export interface RuleMatchDto {
  readonly element: 'And' | 'Or' | 'Not' | 'Atom' | 'Domain' | 'Path' | 'Ext' | 'Host' | 'Url' | 'Scheme' | 'Query' | 'InQuery' | 'Length';
  readonly field?: 'url' | 'scheme' | 'host' | 'path' | 'query' | 'fragment';
  readonly kind?: 'exact' | 'prefix' | 'suffix' | 'inside' | 'length';
  readonly norm?: 'none' | 'lower' | 'norm';
  /** Regular expression, or `[minimum:maximum]` for a length. */
  readonly value?: string;
  /** Whether special characters are literal and act as operators only after a backslash. */
  readonly litteral?: boolean;
  /** Elements inside And, Or or Not. */
  readonly children?: readonly RuleMatchDto[];
}

export interface RuleTextDto {
  /** Name as in the configuration, relative to its folder. */
  readonly name: string;
  readonly text: string;
}

export interface SecretDto {
  /** Name in references: `${secret:NAME}`. */
  readonly name: string;
  readonly setAt: string;
  /** Name of the API key with which it was set; `command line` if no server was running. */
  readonly setBy: string;
  /** Where the configuration in force refers to it. */
  readonly uses: readonly SecretUseDto[];
}

export interface SecretUseDto {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface SelectorMatchesDto {
  /** Number of elements for each `Include`, in order. */
  readonly include: readonly number[];
  /** Number of elements for each `Exclude`, in order. */
  readonly exclude: readonly number[];
}

export interface SentPageDto {
  readonly title: string;
  /** The first 200,000 characters of the text. */
  readonly text: string;
  readonly textLength: number;
  /** Number of distinct links. */
  readonly links: number;
}

export interface SessionDto {
  /** Name of the API key, or `user:` and the name of the user who has signed in; `local` if the server has no keys. */
  readonly name: string;
  /** The highest role; each includes the permissions of the roles before it. */
  readonly role: 'read' | 'operate' | 'admin';
  /** The crawlers to which the role is limited; absent if it is valid for the whole server. */
  readonly crawlers?: readonly string[];
  /** Whether calls require an API key or a sign-in. */
  readonly keyWanted: boolean;
  /** Version of the server. */
  readonly version: string;
}

export interface SignInDto {
  /** Name of the provider with which people sign in. Absent if only keys are accepted. */
  readonly provider?: string;
}

export interface SignOutDto {
  /** Where the provider ends its own session. Absent if there is no session, or the provider offers no such page. */
  readonly continueAt?: string;
}

export interface SinkDto {
  readonly name: string;
  readonly type: 'papi' | 'json' | 'elasticsearch' | 'opensearch' | 'solr' | 'warc' | 'file' | 'kafka' | 'postgresql' | 'plugin';
  readonly state: 'ready' | 'unavailable';
  /** The last failure, in words. */
  readonly message?: string;
  /** Orders on the way to the sink. */
  readonly pending: number;
  readonly pendingBytes: number;
  /** Orders acknowledged since the start of the process. */
  readonly acknowledged: number;
  /** Orders refused since the start of the process. */
  readonly refused: number;
  /** Orders that the sink refused and that nothing has replaced since, whenever that was; at most 1,000 are counted. `orders retry` sends them again. */
  readonly lacking: number;
  /** Orders since the start of the process for which the sink keeps a newer version of the document (external versions). */
  readonly superseded: number;
  /** Message with which the sink last refused an order. */
  readonly lastRefusal?: string;
  readonly nextAttemptAt?: string;
  /** Whether the sink can list what it holds, and can therefore be compared with the store. */
  readonly comparable: boolean;
  /** Elasticsearch, OpenSearch: the alias that `switch` moves to the index of the sink. */
  readonly alias?: string;
  /** Whether `adopt` can replace documents that another program has put there. */
  readonly adoptable: boolean;
  /** `papi`: the name of the connector under which documents are pushed. */
  readonly connector?: string;
  /** A possible problem that an operator should check, even though orders are being sent: the sink holds documents that no crawler of this server knows. */
  readonly warning?: string;
  /** Crawlers that push to the sink. */
  readonly crawlers: readonly string[];
  /** Backfills with documents that were already indexed, by crawler: the current or most recent one. */
  readonly backfills: readonly BackfillDto[];
  /** What the sink has yet to receive because it was slow or down while other sinks of the crawler kept up, by crawler. Empty if there is nothing. */
  readonly behind: readonly BehindDto[];
  /** Where the documents of the sink can be searched; only for the bundled index. */
  readonly searchPage?: string;
}

export interface SinkAdoptionDto {
  readonly sink: string;
  /** Documents of another program. */
  readonly found: number;
  /** Removed, because the sink has its own document of the URL. */
  readonly replaced: number;
  /** They stay until their pages have been visited and pushed. */
  readonly waiting: number;
  /** They stay: they have no URL, no crawler of the sink accepts it, or its page was visited and has no document. */
  readonly kept: DifferenceDto;
}

export interface SinkSwitchDto {
  readonly sink: string;
  readonly alias: string;
  /** The indexes that had the alias. */
  readonly from: readonly string[];
  /** The indexes that have it now. */
  readonly to: readonly string[];
  /** Number of documents that were compared before; 0 without a comparison. */
  readonly compared: number;
}

export interface SinkTestDto {
  readonly name: string;
  readonly type: string;
  /** Whether the sink is responding and would accept orders. */
  readonly ok: boolean;
  /** The request and its response, or what is wrong. */
  readonly message: string;
  readonly milliseconds: number;
}

export interface SiteMoveDto {
  readonly crawler: string;
  /** The root whose home page redirects to another site, or whose pages move. */
  readonly root: string;
  /** Where it redirects to. For pages: what their new addresses have in common. */
  readonly target: string;
  /** Why the crawl does not follow by itself; `redirected` if pages are moving, which needs no decision. */
  readonly reason: string;
  /** How far the move of pages has come. */
  readonly pages?: PageMoveDto;
  /** When this was first seen. */
  readonly since: string;
  /** Number of documents that stay in the index although their pages redirect there. */
  readonly documents: number;
}

export interface SourceDto {
  readonly name: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh';
  readonly number: number;
  /** Share of the picks, relative to the other sources. */
  readonly weight: number;
  /** Queued URLs, whether or not they are due. */
  readonly depth: number;
  /** Picks since the start of the process. */
  readonly picks: number;
}

export interface SubfolderDto {
  /** Name with a slash at the end; for the topmost folder, the origin. */
  readonly name: string;
  /** URLs anywhere in the folder. */
  readonly urls: number;
}

export interface SubmitOutcomeDto {
  readonly url: string;
  readonly outcome: 'new' | 'known' | 'rejected';
  /** Line of the URL list on which the entry begins. */
  readonly line?: number;
  /** Why the entry was rejected. */
  readonly message?: string;
  /** Reason code of the rejection. */
  readonly reason?: string;
}

export interface TextChangeDto {
  /** When the changed document was sent to the sinks. */
  readonly at: string;
  /** The text before; absent if no sink could be asked for it. */
  readonly before?: string;
  readonly after: string;
  /** Whether a text is longer than is kept of it. */
  readonly isCut: boolean;
}

export interface TraceStepDto {
  readonly layer: 'link-rules' | 'site-mode' | 'crawl-space' | 'server-records' | 'conditions' | 'crawl-rules';
  /** What was tested, in words. */
  readonly test: string;
  readonly outcome: 'accept' | 'reject' | 'set' | 'no match' | 'not configured' | 'not evaluated' | 'pending';
  readonly reason?: string;
  readonly place?: PlaceDto;
  /** What the rule changed. */
  readonly effect?: string;
}

export interface TypeFormDto {
  /** Value of the attribute `type`. */
  readonly name: string;
  /** What people call it. */
  readonly label: string;
  /** Example of an address. */
  readonly example?: string;
  /** Attributes that this type has and other types may lack. */
  readonly attributes: readonly string[];
  /** Those of them that are required. */
  readonly required: readonly string[];
}

export interface UrlBehindDto {
  readonly sink: string;
  /** When the first missed order was put off. */
  readonly since: string;
}

export interface UrlHistoryDto {
  readonly state: UrlStateDto;
  /** How the URL was found: the chain from the root to it, as far as known. */
  readonly path: readonly string[];
  readonly headline: HeadlineDto;
  readonly explanation: ExplanationDto;
  readonly robots: RobotsOpinionDto;
  /** Absent if the configuration rejects the URL. */
  readonly queue?: QueueDto;
  /** Fetches on record, newest first. */
  readonly visits: readonly VisitDto[];
  /** Push orders on record, newest first. */
  readonly orders: readonly OrderDto[];
  /** Sinks that are behind and are owed this URL. */
  readonly behind: readonly UrlBehindDto[];
  /** Refused links to the URL, among the samples that are kept. */
  readonly refusedLinks: readonly RefusedLinkDto[];
  /** Links of the page that were listed but not queued, because `followLinks` of its root is off. */
  readonly listedLinks: readonly LinkDto[];
}

export interface UrlListOutcomeDto {
  /** URLs that were not known before. */
  readonly new: number;
  /** URLs that were already known; they are due now. */
  readonly known: number;
  readonly rejected: number;
  /** The first rejected entries, with their reasons. */
  readonly rejections: readonly SubmitOutcomeDto[];
}

export interface UrlOptionsDto {
  readonly defaultAllow?: 'allow' | 'disallow' | 'disallow-log';
  readonly maxHops?: number;
  readonly throttleSeconds?: number;
  readonly concurrencyPerHost?: number;
  readonly connectTimeoutSeconds?: number;
  readonly totalTimeoutSeconds?: number;
  /** Maximum size of a document after decoding. */
  readonly maxSizeBytes?: number;
  readonly userAgent?: string;
  /** Names of request headers, without their values, which may be secrets. */
  readonly headers?: readonly string[];
  /** Whether a login is sent; the login itself is never shown. */
  readonly credentials?: boolean;
  /** Host and port of the proxy. */
  readonly proxy?: string;
  /** Name of the fetcher that is used instead of the crawler's. */
  readonly fetcher?: string;
  readonly obeyRobots?: boolean;
  readonly nearDuplicateDetector?: boolean;
  readonly refreshMinimumAgeSeconds?: number;
  readonly refreshMaximumAgeSeconds?: number;
  readonly errorExpirySeconds?: number;
}

export interface UrlPageDto {
  readonly items: readonly UrlStateDto[];
  /** Cursor of the following page; null when everything has been searched. */
  readonly next: string | null;
  /** Share of the stored URLs searched so far, from 0 to 1. */
  readonly searched: number;
}

export interface UrlStateDto {
  readonly id: number;
  readonly crawler: string;
  /** Canonical URL. */
  readonly url: string;
  /** Web server to which politeness applies: host name, with the port when it is not the default. */
  readonly host: string;
  readonly status: 'waiting' | 'indexed' | 'visited' | 'redirected' | 'error' | 'excluded' | 'elsewhere' | 'filtered' | 'removed';
  /** Reason code or error code of the current status; `GET /reasons` explains it. */
  readonly reason: string;
  /** Absent if the URL is not queued. */
  readonly source?: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh';
  /** The URL is not fetched before this time. Absent if it is not queued. */
  readonly dueAt?: string;
  /** Links from the root. */
  readonly hops: number;
  /** Length of the redirect chain that led to the URL. */
  readonly redirects: number;
  /** The page on which the URL was first found. */
  readonly foundOn?: string;
  /** The root from which the URL was found. */
  readonly root?: string;
  readonly discoveredVia: 'root' | 'link' | 'redirect' | 'sitemap' | 'robots' | 'indexnow';
  readonly firstSeenAt: string;
  readonly lastVisitAt?: string;
  /** HTTP status of the last visit; 760 and 761 are the statuses of URLs that a crawl space excludes or leaves to another crawler. */
  readonly lastStatus?: number;
  /** Number of consecutive temporary errors. */
  readonly temporaryErrors: number;
  readonly visits: number;
  /** Visits after the first that found the document changed. */
  readonly changes: number;
  readonly lastChangeAt?: string;
  /** Estimated mean time between two changes, from the visits so far. */
  readonly changeIntervalSeconds?: number;
  readonly etag?: string;
  /** The value exactly as the site sent it. */
  readonly lastModified?: string;
  /** Whether the sinks hold a document for this URL. */
  readonly indexed: boolean;
  /** Digest of the document that the sinks hold. */
  readonly stamp?: string;
  readonly contentType?: string;
  readonly title?: string;
  /** Reason for a deletion that has been decided but not yet acknowledged, or why a change of the page is not believed. */
  readonly pendingDeletion?: string;
  /** Number of documents that were split off the page (cw:Split). */
  readonly parts?: number;
}

export interface UsageDto {
  /** By day and crawler; days without a visit are left out. */
  readonly days: readonly UsageOfDayDto[];
  /** The limits that are configured, with what is used of them now. */
  readonly quotas: readonly QuotaLimitDto[];
}

export interface UsageOfDayDto {
  /** The day (UTC). */
  readonly day: string;
  /** The crawler; it may have been removed since. */
  readonly crawler: string;
  /** Visits of pages. */
  readonly visits: number;
  /** Bytes received. */
  readonly bytes: number;
  /** Time for rendering pages. */
  readonly renderedSeconds: number;
  /** Stored URLs when the crawler last worked on that day. */
  readonly urls: number;
  /** Documents in the index at that time. */
  readonly documents: number;
}

export interface VerdictDto {
  readonly accepted: boolean;
  /** Stable reason code; `GET /reasons` lists all. */
  readonly reason: string;
  /** What the reason code means. */
  readonly meaning: string;
  /** What to change if this verdict is not what you want. */
  readonly remedy: string;
  /** The layer that decided. */
  readonly layer?: 'link-rules' | 'site-mode' | 'crawl-space' | 'server-records' | 'conditions' | 'crawl-rules';
  /** The place in the configuration that determines the verdict. */
  readonly place?: PlaceDto;
  /** Details, in one sentence. */
  readonly detail?: string;
  /** What an accepted URL may do and how it is fetched. */
  readonly effects: EffectsDto;
  /** Status of a stored URL outside the crawl space. */
  readonly status?: 760 | 761;
  /** Whether the document stays in the index although the URL is no longer crawled. */
  readonly keepDocument: boolean;
  /** Whether address rules are waiting until the host's address is known. */
  readonly needsAddress: boolean;
}

export interface VersionDto {
  readonly version: number;
  readonly at: string;
  /** Name of the API key; `file` if the file was found changed on disk. */
  readonly who: string;
}

export interface VisitDto {
  readonly at: string;
  /** HTTP status; absent if there was no response. */
  readonly status?: number;
  /** `document`, `unchanged`, `redirect`, `sitemap`, an error code, or the reason why the page was left out. */
  readonly outcome: string;
  readonly detail?: string;
  readonly durationSeconds: number;
  readonly bytes: number;
  /** Whether the content differs from that of the previous visit. Never true for the first visit. */
  readonly changed: boolean;
}

export interface WebhookChunkDto {
  /** Stays the same as long as the URI, the text and the headings above it do, wherever it moves. */
  readonly id?: string;
  /** The fragment of the URL that leads to its section, if the page has one. */
  readonly anchor?: string;
  readonly text: string;
  /** The headings above the chunk, outermost first. */
  readonly path: readonly string[];
  /** Offset in the text, in UTF-16 units. */
  readonly start: number;
  /** Offset after the last character. */
  readonly end: number;
}

export interface WebhookDocumentDto {
  /** Digest of the content: the same stamp means the same document. */
  readonly stamp: string;
  /** Names may repeat. */
  readonly metas: readonly WebhookMetaDto[];
  readonly master: WebhookPartDto;
  /** Extracted text. */
  readonly text: string;
  /** Present with `cw:Output headings`. */
  readonly headings?: readonly WebhookHeadingDto[];
  /** Present with `cw:Output markdown`. */
  readonly markdown?: string;
  /** Present with `cw:Output chunks`. */
  readonly chunks?: readonly WebhookChunkDto[];
}

export interface WebhookHeadingDto {
  readonly level: number;
  readonly text: string;
  /** Offset in the text, in UTF-16 units. */
  readonly start: number;
  /** The fragment of the URL that leads to it, if the page has one. */
  readonly anchor?: string;
}

export interface WebhookMetaDto {
  readonly name: string;
  readonly value: string;
  /** Type of the value: a date (ISO 8601, UTC) or a number. Absent: a string. */
  readonly type?: 'date' | 'number';
}

export interface WebhookOrderDto {
  readonly kind: 'add' | 'delete';
  /** An order that was decided later has a higher number. */
  readonly id: number;
  readonly crawler: string;
  /** Canonical URL. */
  readonly uri: string;
  /** Why the order was decided: a reason code or error code. */
  readonly reason: string;
  readonly decidedAt: string;
  /** Only for `add`. */
  readonly document?: WebhookDocumentDto;
}

export interface WebhookPartDto {
  /** The bytes in Base64. */
  readonly bytes: string;
  readonly mimeType: string;
  /** Charset of the text. */
  readonly encoding?: string;
  readonly fileName: string;
}

export interface WeightsDto {
  readonly user?: number;
  readonly redir?: number;
  readonly index?: number;
  readonly index_follow?: number;
  readonly follow?: number;
  readonly refresh?: number;
}

export interface Calls {
  'GET /api/v1/audit': {
    path: Nothing;
    query: { cursor?: string; limit?: number; crawler?: string };
    body: undefined;
    answer: {
  readonly items: readonly AuditEntryDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/changes': {
    path: Nothing;
    query: { since?: string; crawler?: string; section?: string; change?: 'new' | 'changed' | 'gone'; limit?: number };
    body: undefined;
    answer: ChangesDto;
  };
  'GET /api/v1/changes/atom': {
    path: Nothing;
    query: { since?: string; crawler?: string; section?: string; change?: 'new' | 'changed' | 'gone'; limit?: number };
    body: undefined;
    answer: string;
  };
  'GET /api/v1/changes/json-feed': {
    path: Nothing;
    query: { since?: string; crawler?: string; section?: string; change?: 'new' | 'changed' | 'gone'; limit?: number };
    body: undefined;
    answer: Readonly<Record<string, unknown>>;
  };
  'GET /api/v1/changes/text': {
    path: Nothing;
    query: { crawler: string; url: string };
    body: undefined;
    answer: {
  readonly items: readonly TextChangeDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/usage': {
    path: Nothing;
    query: { from?: string; to?: string; crawler?: string; format?: 'json' | 'csv' };
    body: undefined;
    answer: UsageDto;
  };
  'GET /api/v1/config': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: string;
  };
  'PUT /api/v1/config': {
    path: Nothing;
    query: { confirm?: boolean };
    body: string | string | ConfigurationDraftDto;
    answer: ConfigurationStateDto;
  };
  'GET /api/v1/config/files': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly RuleFileDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/config/state': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: ConfigurationStateDto;
  };
  'POST /api/v1/config/check': {
    path: Nothing;
    query: Nothing;
    body: string | string | ConfigurationDraftDto;
    answer: CheckDto;
  };
  'POST /api/v1/config/test-sink': {
    path: Nothing;
    query: { sink: string };
    body: string | string | ConfigurationDraftDto;
    answer: SinkTestDto;
  };
  'POST /api/v1/config/look': {
    path: Nothing;
    query: { url: string; crawler: string };
    body: string | string | ConfigurationDraftDto;
    answer: PageViewDto;
  };
  'POST /api/v1/config/preview': {
    path: Nothing;
    query: Nothing;
    body: string | string | ConfigurationDraftDto;
    answer: PreviewDto;
  };
  'GET /api/v1/crawlers/{crawler}/coverage': {
    path: { crawler: string };
    query: Nothing;
    body: undefined;
    answer: CoverageDto;
  };
  'GET /api/v1/crawlers': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly CrawlerDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/crawlers/{crawler}': {
    path: { crawler: string };
    query: Nothing;
    body: undefined;
    answer: CrawlerDto;
  };
  'DELETE /api/v1/crawlers/{crawler}': {
    path: { crawler: string };
    query: { confirm?: boolean; documents: 'delete' | 'keep' | 'hand-over'; to?: string };
    body: undefined;
    answer: ConfigurationStateDto;
  };
  'GET /api/v1/crawlers/{crawler}/oldest': {
    path: { crawler: string };
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly OldestDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/crawlers/{crawler}/start': {
    path: { crawler: string };
    query: Nothing;
    body: undefined;
    answer: CrawlerDto;
  };
  'POST /api/v1/crawlers/{crawler}/pause': {
    path: { crawler: string };
    query: { until?: string };
    body: undefined;
    answer: CrawlerDto;
  };
  'POST /api/v1/crawlers/{crawler}/stop': {
    path: { crawler: string };
    query: Nothing;
    body: undefined;
    answer: CrawlerDto;
  };
  'GET /api/v1/config/elements': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly ElementFormDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/crawlers/{crawler}/errors': {
    path: { crawler: string };
    query: { host?: string };
    body: undefined;
    answer: {
  readonly items: readonly ErrorClassDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'DELETE /api/v1/crawlers/{crawler}/errors': {
    path: { crawler: string };
    query: Nothing;
    body: undefined;
    answer: CountDto;
  };
  'GET /api/v1/crawlers/{crawler}/errors/{reason}/hosts': {
    path: { crawler: string; reason: string };
    query: { cursor?: string; limit?: number };
    body: undefined;
    answer: {
  readonly items: readonly ErrorHostDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/events': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: string;
  };
  'GET /api/v1/crawlers/{crawler}/urls/export': {
    path: { crawler: string };
    query: { status?: 'waiting' | 'indexed' | 'visited' | 'redirected' | 'error' | 'excluded' | 'elsewhere' | 'filtered' | 'removed' | '760' | '761'; host?: string; source?: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh'; prefix?: string; like?: string; reason?: ReasonCodeDto; indexed?: boolean; visitedBefore?: string; visitedSince?: string; cursor?: string; limit?: number; sort?: 'url' | 'status' | 'lastVisitAt' | 'dueAt' | 'firstSeenAt' | 'hops' | 'visits' | 'changes'; direction?: 'ascending' | 'descending'; format?: 'csv' | 'ndjson' };
    body: undefined;
    answer: string;
  };
  'GET /api/v1/former-crawlers': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly FormerCrawlerDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/former-crawlers/{crawler}/documents': {
    path: { crawler: string };
    query: Nothing;
    body: DecisionDto;
    answer: FormerCrawlerDto;
  };
  'POST /api/v1/crawlers/{crawler}/rename': {
    path: { crawler: string };
    query: { confirm?: boolean };
    body: RenameDto;
    answer: ConfigurationStateDto;
  };
  'GET /health/live': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: HealthDto;
  };
  'GET /health/ready': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: HealthDto;
  };
  'GET /api/v1/held-deletions': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly HeldDeletionsDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/held-deletions/{host}/changes': {
    path: { host: string };
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly HeldChangeDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/held-deletions/{host}/release': {
    path: { host: string };
    query: { reason?: string };
    body: undefined;
    answer: CountDto;
  };
  'POST /api/v1/held-deletions/{host}/drop': {
    path: { host: string };
    query: { reason?: string };
    body: undefined;
    answer: CountDto;
  };
  'GET /api/v1/moves': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly SiteMoveDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/crawlers/{crawler}/moves': {
    path: { crawler: string };
    query: Nothing;
    body: MoveDecisionBodyDto;
    answer: undefined;
  };
  'GET /api/v1/crawlers/{crawler}/history': {
    path: { crawler: string };
    query: { range: 'hour' | 'day' | 'week' | 'quarter' };
    body: undefined;
    answer: {
  readonly items: readonly HistoryPointDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/hosts': {
    path: Nothing;
    query: { cursor?: string; limit?: number; crawler: string };
    body: undefined;
    answer: {
  readonly items: readonly HostDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/hosts/{host}': {
    path: { host: string };
    query: Nothing;
    body: undefined;
    answer: HostDto;
  };
  'GET /api/v1/hosts/{host}/folders': {
    path: { host: string };
    query: { crawler: string; folder?: string; cursor?: string };
    body: undefined;
    answer: FolderDto;
  };
  'GET /api/v1/hosts/{host}/rendering': {
    path: { host: string };
    query: Nothing;
    body: undefined;
    answer: HostRenderingDto;
  };
  'PUT /api/v1/hosts/{host}/rendering': {
    path: { host: string };
    query: Nothing;
    body: RenderOverrideDto;
    answer: HostRenderingDto;
  };
  'POST /api/v1/hosts/{host}/pause': {
    path: { host: string };
    query: { until?: string };
    body: undefined;
    answer: HostDto;
  };
  'POST /api/v1/hosts/{host}/resume': {
    path: { host: string };
    query: Nothing;
    body: undefined;
    answer: HostDto;
  };
  'GET /indexnow': {
    path: Nothing;
    query: { keyLocation?: string; key: string; url: string };
    body: undefined;
    answer: IndexNowDto;
  };
  'POST /indexnow': {
    path: Nothing;
    query: Nothing;
    body: {
  readonly host: string;
  readonly key: string;
  readonly keyLocation?: string;
  readonly urlList: readonly string[];
};
    answer: IndexNowDto;
  };
  'GET /websub/{token}': {
    path: { token: string };
    query: { 'hub.lease_seconds'?: unknown; 'hub.challenge'?: unknown; 'hub.topic': unknown; 'hub.mode': unknown };
    body: undefined;
    answer: string;
  };
  'POST /websub/{token}': {
    path: { token: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  'GET /.well-known/http-message-signatures-directory': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: KeyDirectoryDto;
  };
  'GET /api/v1/keys': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly KeyDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/keys': {
    path: Nothing;
    query: Nothing;
    body: NewKeyDto;
    answer: CreatedKeyDto;
  };
  'DELETE /api/v1/keys/{name}': {
    path: { name: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  'GET /api/v1/logins': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly LoginDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/logins/{login}/test': {
    path: { login: string };
    query: Nothing;
    body: undefined;
    answer: LoginDto;
  };
  'GET /api/v1/plugins': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly PluginDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/sinks/{sink}/map/preview': {
    path: { sink: string };
    query: Nothing;
    body: MapPreviewRequestDto;
    answer: MapPreviewDto;
  };
  'GET /metrics': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: string;
  };
  'GET /api/v1/orders': {
    path: Nothing;
    query: { cursor?: string; limit?: number; crawler?: string; state?: 'pending' | 'acknowledged' | 'refused' | 'held' | 'cancelled' | 'dropped' | 'awaiting'; kind?: 'add' | 'delete'; uri?: string; host?: string };
    body: undefined;
    answer: {
  readonly items: readonly OrderDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/orders/retry': {
    path: Nothing;
    query: { crawler?: string; sink?: string; answer?: string };
    body: undefined;
    answer: CountDto;
  };
  'POST /api/v1/orders/{id}/retry': {
    path: { id: number };
    query: Nothing;
    body: undefined;
    answer: OrderDto;
  };
  'GET /api/v1/crawlers/{crawler}/pending': {
    path: { crawler: string };
    query: Nothing;
    body: undefined;
    answer: string;
  };
  'PUT /api/v1/crawlers/{crawler}/pending': {
    path: { crawler: string };
    query: Nothing;
    body: string;
    answer: ImportDto;
  };
  'GET /api/v1/crawlers/{crawler}/explain': {
    path: { crawler: string };
    query: { url: string; from?: string };
    body: undefined;
    answer: JudgedDto;
  };
  'GET /api/v1/crawlers/{crawler}/page': {
    path: { crawler: string };
    query: { url: string; render?: boolean };
    body: undefined;
    answer: PageViewDto;
  };
  'POST /api/v1/crawlers/{crawler}/page/trial': {
    path: { crawler: string };
    query: Nothing;
    body: ContentTrialRequestDto;
    answer: ContentTrialDto;
  };
  'GET /api/v1/crawlers/{crawler}/refused': {
    path: { crawler: string };
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly RefusedDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/reasons': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly ReasonDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/config/crawlers/{crawler}/resolved': {
    path: { crawler: string };
    query: { url?: string; from?: string };
    body: undefined;
    answer: ResolvedViewDto | ResolvedUrlDto;
  };
  'GET /api/v1/crawlers/{crawler}/roots': {
    path: { crawler: string };
    query: { cursor?: string; limit?: number };
    body: undefined;
    answer: {
  readonly items: readonly RootDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/crawlers/{crawler}/roots': {
    path: { crawler: string };
    query: Nothing;
    body: RootSubmissionDto;
    answer: UrlStateDto;
  };
  'DELETE /api/v1/crawlers/{crawler}/roots': {
    path: { crawler: string };
    query: { url: string };
    body: undefined;
    answer: undefined;
  };
  'POST /api/v1/crawlers/{crawler}/roots/list': {
    path: { crawler: string };
    query: Nothing;
    body: string;
    answer: UrlListOutcomeDto;
  };
  'GET /api/v1/config/crawlers/{crawler}/rules': {
    path: { crawler: string };
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly RuleDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/config/crawlers/{crawler}/rules': {
    path: { crawler: string };
    query: { confirm?: boolean; index?: number };
    body: RuleInputDto | string | string;
    answer: RuleDto;
  };
  'GET /api/v1/config/crawlers/{crawler}/rules/{index}': {
    path: { crawler: string; index: number };
    query: Nothing;
    body: undefined;
    answer: RuleDto;
  };
  'PUT /api/v1/config/crawlers/{crawler}/rules/{index}': {
    path: { crawler: string; index: number };
    query: { confirm?: boolean };
    body: RuleInputDto | string | string;
    answer: RuleDto;
  };
  'DELETE /api/v1/config/crawlers/{crawler}/rules/{index}': {
    path: { crawler: string; index: number };
    query: { confirm?: boolean };
    body: undefined;
    answer: undefined;
  };
  'POST /api/v1/config/crawlers/{crawler}/rules/preview': {
    path: { crawler: string };
    query: { index?: number };
    body: RuleInputDto | string | string;
    answer: PreviewDto;
  };
  'POST /api/v1/config/crawlers/{crawler}/rules/move': {
    path: { crawler: string };
    query: { confirm?: boolean };
    body: MoveDto;
    answer: {
  readonly items: readonly RuleDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/secrets': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly SecretDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'PUT /api/v1/secrets/{name}': {
    path: { name: string };
    query: Nothing;
    body: NewSecretDto;
    answer: SecretDto;
  };
  'DELETE /api/v1/secrets/{name}': {
    path: { name: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  'GET /api/v1/session': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: SessionDto;
  };
  'GET /auth': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: SignInDto;
  };
  'GET /auth/sign-in': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  'GET /auth/callback': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  'POST /auth/sign-out': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: SignOutDto;
  };
  'GET /api/v1/sinks': {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly SinkDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/sinks/{sink}/push-again': {
    path: { sink: string };
    query: { crawler?: string };
    body: undefined;
    answer: readonly BackfillDto[];
  };
  'POST /api/v1/sinks/{sink}/test': {
    path: { sink: string };
    query: Nothing;
    body: undefined;
    answer: SinkTestDto;
  };
  'POST /api/v1/sinks/{sink}/adopt': {
    path: { sink: string };
    query: { field?: string };
    body: undefined;
    answer: SinkAdoptionDto;
  };
  'POST /api/v1/sinks/{sink}/switch': {
    path: { sink: string };
    query: { rollback?: boolean; force?: boolean };
    body: undefined;
    answer: SinkSwitchDto;
  };
  'POST /api/v1/sinks/{sink}/reconcile': {
    path: { sink: string };
    query: { repair?: boolean };
    body: undefined;
    answer: ReconciliationDto;
  };
  'GET /api/v1/crawlers/{crawler}/urls': {
    path: { crawler: string };
    query: { status?: 'waiting' | 'indexed' | 'visited' | 'redirected' | 'error' | 'excluded' | 'elsewhere' | 'filtered' | 'removed' | '760' | '761'; host?: string; source?: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh'; prefix?: string; like?: string; reason?: ReasonCodeDto; indexed?: boolean; visitedBefore?: string; visitedSince?: string; cursor?: string; limit?: number; sort?: 'url' | 'status' | 'lastVisitAt' | 'dueAt' | 'firstSeenAt' | 'hops' | 'visits' | 'changes'; direction?: 'ascending' | 'descending' };
    body: undefined;
    answer: UrlPageDto;
  };
  'DELETE /api/v1/crawlers/{crawler}/urls': {
    path: { crawler: string };
    query: { status?: 'waiting' | 'indexed' | 'visited' | 'redirected' | 'error' | 'excluded' | 'elsewhere' | 'filtered' | 'removed' | '760' | '761'; host?: string; source?: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh'; prefix?: string; like?: string; reason?: ReasonCodeDto; indexed?: boolean; visitedBefore?: string; visitedSince?: string; confirm?: boolean };
    body: undefined;
    answer: CountDto;
  };
  'GET /api/v1/crawlers/{crawler}/urls/count': {
    path: { crawler: string };
    query: { status?: 'waiting' | 'indexed' | 'visited' | 'redirected' | 'error' | 'excluded' | 'elsewhere' | 'filtered' | 'removed' | '760' | '761'; host?: string; source?: 'user' | 'redir' | 'index' | 'index_follow' | 'follow' | 'refresh'; prefix?: string; like?: string; reason?: ReasonCodeDto; indexed?: boolean; visitedBefore?: string; visitedSince?: string };
    body: undefined;
    answer: CountDto;
  };
  'GET /api/v1/crawlers/{crawler}/url': {
    path: { crawler: string };
    query: { url: string };
    body: undefined;
    answer: UrlHistoryDto;
  };
  'POST /api/v1/crawlers/{crawler}/refresh': {
    path: { crawler: string };
    query: Nothing;
    body: RefreshDto;
    answer: RefreshedDto;
  };
  'GET /api/v1/config/versions': {
    path: Nothing;
    query: { cursor?: string; limit?: number };
    body: undefined;
    answer: {
  readonly items: readonly VersionDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'GET /api/v1/config/versions/{version}': {
    path: { version: number };
    query: Nothing;
    body: undefined;
    answer: string;
  };
  'GET /api/v1/config/versions/{version}/files': {
    path: { version: number };
    query: Nothing;
    body: undefined;
    answer: {
  readonly items: readonly RuleTextDto[];
  /** Cursor of the following page; null on the last one. */
  readonly next: string | null;
};
  };
  'POST /api/v1/config/versions/{version}/restore': {
    path: { version: number };
    query: { confirm?: boolean };
    body: undefined;
    answer: ConfigurationStateDto;
  };
  'PUT /api/v1/config/crawlers/{crawler}/weights': {
    path: { crawler: string };
    query: { confirm?: boolean };
    body: WeightsDto;
    answer: WeightsDto;
  };
}
