/**
 * A page task with what is compiled for its crawler: what the crawl needs from the page, how it is requested, and when
 * it is visited again.
 */
import { isPage } from '../../domain/content/document-types.js';
import type { RenderMode, UrlOptions } from '../../domain/crawl/policy-definition.js';
import { toVisitSchedule, type VisitSchedule } from '../../domain/crawl/revisit.js';
import { type HttpResponse, isRedirect } from '../../domain/fetch/outcome.js';
import { findNameOfMirrored } from '../../domain/policy/server-records.js';
import type { Effects, RootContext } from '../../domain/policy/verdict.js';
import { isTextReadFromBytes } from '../../domain/push/read-from-bytes.js';
import { type Instant, milliseconds } from '../../domain/time/units.js';
import { recanonicalize } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { FetchRequest, LoggedOutSigns } from '../ports/fetcher.js';
import type { SessionAnswer } from '../ports/login-method.js';
import type { PageReader } from '../ports/page-reader.js';
import type { PageOutcome, PageTask } from '../ports/page-task.js';
import {
  type CompiledContent,
  type CrawlContext,
  compileContent,
  findContent,
  findFetcher,
  findRoot,
} from './crawl-context.js';

export interface RequestedPage {
  readonly task: PageTask;
  readonly context: CrawlContext;
  readonly url: CrawlUrl;
  readonly root: RootContext | undefined;
  readonly effects: Effects;
  readonly mode: RenderMode;
  /** Why a plug-in excludes the URL, or has failed; the page is then not requested. */
  readonly exclusion?: PageOutcome;
  /** Headers that plug-ins add to the request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function toRequestedPage(task: PageTask, context: CrawlContext): RequestedPage {
  const url = toCrawlUrl(task.url);
  const { effects } = task;
  const mode = findRenderMode(context, effects.options, task);
  const ownContext = effects.fetchUrl === undefined ? context : nameByRecords(context, url);
  return { task, context: ownContext, url, root: findRoot(context, task.root, url), effects, mode };
}

/** The context in which links of the page are resolved: it may be fetched from a mirror of its server (alias). */
export function nameByRecords(context: CrawlContext, page: CrawlUrl): CrawlContext {
  const { canonicalize } = context;
  const { servers } = context.definition;
  if (!servers) return context;
  return {
    ...context,
    canonicalize(href, base) {
      const url = canonicalize(href, base);
      const name = url && findNameOfMirrored(servers, page, url);
      return name === undefined ? url : canonicalize(name);
    },
  };
}

function findRenderMode({ definition }: CrawlContext, options: UrlOptions, task: PageTask): RenderMode {
  if (task.discoveredVia === 'robots') return 'never';
  if (task.inspect) return task.render === 'always' ? 'always' : 'never';
  const mode = options.renderMode ?? definition.render;
  return mode === 'auto' && task.render === 'never' ? 'never' : mode;
}

/**
 * Whether the page is certain to be rendered, so that a "not modified" response would say nothing about its content.
 */
export const shouldRenderFirst = (mode: RenderMode, { render }: PageTask): boolean =>
  mode === 'always' || (mode === 'auto' && render === 'always');

/** The definition of what is extracted from this page. */
export const findCompiledContent = ({ task, context, effects }: RequestedPage): CompiledContent | undefined =>
  task.trial?.content ? compileContent(task.trial.content) : findContent(context, effects.options);

/** Whether the page's links are needed even if it has not changed. */
export const needsLinks = ({ task }: RequestedPage): boolean => task.rereadLinks || task.reportLinks === true;

export const detectsNearDuplicates = ({ context, effects }: RequestedPage): boolean =>
  effects.options.nearDuplicateDetector ?? context.definition.nearDuplicateDetector;

export const needsContentHash = (page: RequestedPage, mediaType: string): boolean =>
  isPage(mediaType) && (findCompiledContent(page)?.definition.changeDetection ?? 'content') === 'content';

/** Whether text is needed because the receiver does not read such documents itself. */
export const needsDocumentText = (
  { context }: RequestedPage,
  mediaType: string,
  reader: Pick<PageReader, 'findExtractor'>,
): boolean =>
  context.wantsDocumentText && !isTextReadFromBytes(mediaType) && reader.findExtractor(mediaType) !== undefined;

export function needsPageText(page: RequestedPage): boolean {
  const { context, task, mode } = page;
  const { storeTextOnly, probeErrorPages, changeGuard } = context.definition;
  if (context.wantsText || context.softErrors !== undefined || storeTextOnly || probeErrorPages === 'always')
    return true;
  if (changeGuard.on || task.wantsFingerprint) return true;
  return detectsNearDuplicates(page) || task.wantsWords !== undefined || mode !== 'never' || task.inspect === true;
}

/**
 * Finds the current canonical form of a URL that was stored under different canonicalization steps or by an earlier
 * version. Its document stays until the new URL is in the index, as if the page had named that one as its canonical
 * URL.
 */
export function findCanonicalForm({ context, url }: RequestedPage): CrawlUrl | undefined {
  const form = recanonicalize(url, context.canonicalize);
  return form && form.href !== url.href ? form : undefined;
}

/** The maximum that sitemaps.org allows; the size limit for documents does not apply to sitemaps. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;

export function createRequest(page: RequestedPage): FetchRequest {
  const { task, context, effects } = page;
  const { options, fetchUrl } = effects;
  const conditional = canFetchConditionally(page);
  return {
    url: fetchUrl ?? task.variant ?? task.url,
    fetcher: findFetcher(context, options).name,
    session: task.session,
    anonymous: effects.anonymous,
    ifNoneMatch: conditional ? task.etag : undefined,
    ifModifiedSince: conditional ? task.lastModified : undefined,
    ...toRequestTerms(options),
    ...(page.headers && { headers: { ...options.headers, ...page.headers } }),
    ...(effects.anonymous && { headers: undefined, credentials: undefined }),
    maxSize: task.discoveredVia === 'robots' ? MAX_SITEMAP_BYTES : options.maxSize,
    sendBy: task.sendBy,
  };
}

/** The options that say how to send a request, whatever is requested. */
export function toRequestTerms(options: UrlOptions): Partial<FetchRequest> {
  const { headers, userAgent, connectTimeout, readTimeout, totalTimeout, credentials, proxy } = options;
  return { headers, userAgent, connectTimeout, readTimeout, totalTimeout, credentials, proxy };
}

/**
 * A document that should be in the index but is not, or is to be read by OCR, is fetched in full, whatever its ETag says. The same applies to one
 * whose links or metas have not been judged by the current policy, and where headers say who may see it: servers may
 * leave those out of a "not modified" response.
 */
function canFetchConditionally(page: RequestedPage): boolean {
  const { task, context, effects, mode } = page;
  const { acl, disableConditionalGet } = context.definition;
  if (disableConditionalGet || acl?.allowHeader !== undefined || acl?.denyHeader !== undefined) return false;
  const isMissing = task.stamp === undefined && effects.index;
  const isToBeReadByOcr = task.ocr !== undefined && !task.ocr.wasRead;
  if (isMissing || isToBeReadByOcr) return false;
  return !needsLinks(page) && !shouldRenderFirst(mode, task) && findCanonicalForm(page) === undefined;
}

/** A document that gives way to another URL is visited again as soon as the minimum age allows. */
export function findSchedule(page: RequestedPage, unavailableAfter: Instant | undefined): VisitSchedule {
  const schedule = limitToAvailability(page, toVisitSchedule(page.effects), unavailableAfter);
  if (page.task.stamp === undefined || findCanonicalForm(page) === undefined) return schedule;
  return { ...schedule, period: page.context.definition.refresh.minimumAge };
}

/** A page that is available only until a certain time is visited again then, so that its document is deleted. */
function limitToAvailability(
  { task, context }: RequestedPage,
  schedule: VisitSchedule,
  unavailableAfter: Instant | undefined,
): VisitSchedule {
  const remaining = unavailableAfter === undefined ? 0 : unavailableAfter - task.now;
  const { refreshMaximumAge = context.definition.refresh.maximumAge } = schedule;
  if (remaining <= 0 || remaining >= refreshMaximumAge) return schedule;
  return { ...schedule, period: undefined, refreshMaximumAge: milliseconds(remaining) };
}

/** Number of bytes at the start of a page that are searched for the login form. */
const MAX_SEARCHED_BYTES = 512 * 1024;

/** Extracts the parts of a response that matter to the session of its request. */
export function toSessionAnswer({ url, session }: FetchRequest, response: HttpResponse): SessionAnswer {
  const { status, headers, body } = response;
  const location = isRedirect(response) ? headers['location'] : undefined;
  return {
    url,
    status,
    location: location === undefined ? undefined : URL.parse(location, url)?.href,
    setCookie: headers['set-cookie'],
    challenge: headers['www-authenticate'],
    authenticationInfo: headers['authentication-info'],
    loggedOut: session?.loggedOut && findLoggedOutSign(body, session.loggedOut),
  };
}

/** Field names and markup are ASCII, which almost all page encodings share with UTF-8; other texts may be in the Western one. */
function findLoggedOutSign(body: Uint8Array, { html, fields }: LoggedOutSigns): SessionAnswer['loggedOut'] {
  if (html === undefined && fields === undefined) return undefined;
  const bytes = body.subarray(0, MAX_SEARCHED_BYTES);
  const start = new TextDecoder().decode(bytes);
  if (html !== undefined && (start.includes(html) || new TextDecoder('windows-1252').decode(bytes).includes(html)))
    return 'html';
  return fields !== undefined && hasFields(start, fields) ? 'form' : undefined;
}

const FIELD_TAG = /<(?:input|select|textarea|button)\b[^<>]*/gi;
const NAME = /[\s"']name\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/i;

/** Whether the page has form fields with all these names, however their attributes are written. */
function hasFields(html: string, names: readonly string[]): boolean {
  if (names.length === 0 || !names.every((name) => html.includes(name))) return false;
  const found = new Set<string>();
  for (const [tag] of html.matchAll(FIELD_TAG)) {
    const [, doubleQuoted, singleQuoted, plain] = NAME.exec(tag) ?? [];
    found.add(doubleQuoted ?? singleQuoted ?? plain ?? '');
  }
  return names.every((name) => found.has(name));
}
