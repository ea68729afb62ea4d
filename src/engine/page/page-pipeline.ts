/**
 * Processes one page: fetches, classifies and reads it, builds its document and collects its links. The functions below
 * are the steps, in order. The rest of a visit (verdict and robots.txt before, disposition, delivery and settlement
 * after) is in crawl/visit/visit.ts.
 *
 * Only the functions that wait for something are asynchronous. Whatever occupies the thread runs in `holdThread`.
 */
import { createExclusion } from '../../domain/crawl/exclusion.js';
import { findChallengePage, mayBeChallenge } from '../../domain/fetch/bot-challenges.js';
import { type HttpResponse, isRedirect } from '../../domain/fetch/outcome.js';
import { readValidators } from '../../domain/fetch/validators.js';
import type { PushDocument } from '../../domain/push/order.js';
import { milliseconds } from '../../domain/time/units.js';
import { type Extraction, isRefusal, type Refusal } from '../ports/content-extractor.js';
import type { Fetcher, FetchRequest } from '../ports/fetcher.js';
import type { PageOutcome, PageResult, PageTask } from '../ports/page-task.js';
import { hasSameLinks } from './content-hash.js';
import { type CrawlContext, findFetcher } from './crawl-context.js';
import { createUnreadContent, describeType, type ExtractionTools, extractContent, holdThread } from './extraction.js';
import { LinkCollector } from './link-collector.js';
import type { LinkMemory } from './link-memory.js';
import { buildDocument, type DocumentTools, StepFailed } from './page-document.js';
import { createDocumentOutcome, type ReadPage, toFetchedPage } from './page-facts.js';
import {
  addInheritedMetas,
  followFeed,
  followLinks,
  followSitemap,
  isBehindProbe,
  readUrlList,
  reportCutLinks,
} from './page-links.js';
import {
  acceptsMediaType,
  createChallengeFailure,
  createFailure,
  createReadingFailure,
  createRedirect,
  findOutcomeWithoutBody,
  followRedirect,
  followRefresh,
} from './page-outcome.js';
import { applyResponsePlugins, applyUrlPlugins, type CrawlerPlugins, excludeFromIndex } from './page-plugins.js';
import {
  findCanonical,
  findHomePageRedirect,
  findQuickRefresh,
  findTerms,
  resolveBase,
  type Terms,
} from './page-reading.js';
import { renderPage, shouldRender } from './rendering.js';
import {
  createRequest,
  findCanonicalForm,
  findSchedule,
  needsLinks,
  type RequestedPage,
  toRequestedPage,
  toSessionAnswer,
} from './requested-page.js';

export interface PageTools extends ExtractionTools, DocumentTools {
  readonly fetcher: Fetcher;
  /** The crawler's plug-ins; absent if it has none. */
  readonly plugins?: CrawlerPlugins;
}

interface Visit {
  readonly page: RequestedPage;
  readonly collector: LinkCollector;
  readonly tools: PageTools;
}

/** How a visit ends, with those parts of its result that it has. */
type Ending = Pick<PageResult, 'outcome'> & Partial<PageResult>;

export async function processPage(
  task: PageTask,
  context: CrawlContext,
  memory: LinkMemory,
  tools: PageTools,
): Promise<PageResult> {
  const requestedPage = toRequestedPage(task, context);
  const page = tools.plugins?.seesUrls ? await applyUrlPlugins(requestedPage, tools.plugins) : requestedPage;
  const collector = new LinkCollector(page.context, memory, {
    ...{ url: page.url, root: page.root, hops: task.hops },
    isNamedSitemap: task.discoveredVia === 'robots',
  });
  const ending = page.exclusion ? { outcome: page.exclusion } : await fetchPage({ page, collector, tools });
  return {
    id: task.id,
    crawler: task.crawler,
    links: addInheritedMetas(page, collector),
    refused: collector.refused,
    duration: milliseconds(0),
    bytes: 0,
    schedule: findSchedule(page, undefined),
    ...ending,
  };
}

async function fetchPage(visit: Visit): Promise<Ending> {
  const { page, tools } = visit;
  const { trial } = page.task;
  if (trial) return { status: trial.answer.status, ...(await settled(() => readBody(visit, trial.answer))) };
  const request = createRequest(page);
  const response = await tools.fetcher.fetch(request);
  const { total: duration, decoding: decodingTime } = response.timings;
  if (response.kind === 'failure')
    return { duration, decodingTime, outcome: createFailure(response.code, response.detail, response.retryAfter) };
  return {
    duration,
    decodingTime,
    status: response.status,
    bytes: response.transferred,
    setCookie: findFetcher(page.context, page.effects.options).cookies ? response.headers['set-cookie'] : undefined,
    ...(await settled(() => readResponse(visit, request, response))),
  };
}

/** A page that the program fails to read ends its visit like any other failure: it must not be read again and again. */
async function settled(read: () => Promise<Ending>): Promise<Ending> {
  try {
    return await read();
  } catch (error) {
    return { outcome: createReadingFailure(String((error as Error)?.stack ?? error)) };
  }
}

async function readResponse(visit: Visit, request: FetchRequest, response: HttpResponse): Promise<Ending> {
  const { page, tools } = visit;
  const session =
    request.session?.login === undefined
      ? undefined
      : { session: holdThread(tools, () => toSessionAnswer(request, response)) };
  const ending = holdThread(tools, () => endWithoutBody(visit, request, response));
  if (ending) return { ...session, ...ending };
  if (!tools.plugins?.seesResponses) return { ...session, ...(await readBody(visit, response)) };
  const changedResponse = await applyResponsePlugins(page, response, tools.plugins);
  const isExcluded = changedResponse.kind !== 'response';
  return { ...session, ...(isExcluded ? { outcome: changedResponse } : await readBody(visit, changedResponse)) };
}

/** The end of a visit whose response has no body to read; undefined if it has one. */
function endWithoutBody({ page, collector }: Visit, request: FetchRequest, response: HttpResponse): Ending | undefined {
  if (isRedirect(response)) return followRedirect(page, response, collector);
  const isConditional = request.ifNoneMatch !== undefined || request.ifModifiedSince !== undefined;
  const outcome = findOutcomeWithoutBody(response, isConditional, page.task.now);
  if (outcome?.kind === 'unchanged') return { outcome: checkUnchanged(page, response) };
  return outcome && { outcome };
}

const FORBIDDEN_304 = {
  noindex: 'X-Robots-Tag of the 304 response contains noindex',
  'unavailable-after': 'X-Robots-Tag of the 304 response says that the page may no longer be shown',
  'search-not-allowed': 'robots.txt or a header of the 304 response forbids search engines to index the page',
} as const;

/** A header that forbids indexing may be new even if the page has not changed. */
function checkUnchanged({ context, effects, task }: RequestedPage, response: HttpResponse): PageOutcome {
  const { prohibition } = findTerms(context, effects.options, response, { task });
  if (prohibition === undefined || task.stamp === undefined)
    return { kind: 'unchanged', ...readValidators(response.headers) };
  return createExclusion(prohibition, FORBIDDEN_304[prohibition]);
}

async function readBody(visit: Visit, response: HttpResponse): Promise<Ending> {
  const { page, tools } = visit;
  const type = holdThread(tools, () => classifyBody(visit, response));
  if ('outcome' in type) return type;
  const { mediaType, feed } = type;
  if (isKnownScan(page, response, tools)) return { outcome: checkUnchanged(page, response) };
  const content = await extractContent(page, response, mediaType, tools);
  if ('kind' in content) return { outcome: content };
  const ending = await endWithContent(visit, { response, mediaType, feed }, content);
  if (content.heldUp === undefined) return ending;
  return { ...ending, decodingTime: milliseconds((response.timings.decoding ?? 0) + content.heldUp) };
}

async function endWithContent(
  visit: Visit,
  { response, mediaType, feed }: Pick<ReadPage, 'response' | 'mediaType' | 'feed'>,
  content: Extraction | Refusal,
): Promise<Ending> {
  const { page, collector, tools } = visit;
  const { task, mode } = page;
  if (isRefusal(content)) {
    const { refused, detail } = content;
    const unread = { refused, detail };
    return finishPage(visit, { response, mediaType, content: createUnreadContent(content), unread });
  }
  const challenger = mayBeChallenge(content.text.length, content.links.length)
    ? findChallengePage(response.body)
    : undefined;
  if (challenger !== undefined) return { outcome: createChallengeFailure(challenger, response, task.now) };
  const readPage: ReadPage = { response, mediaType, content, feed, rendered: task.trial?.answer.rendered };
  if (task.trial || !shouldRender(mode, task, mediaType, content)) return finishPage(visit, readPage);
  const { report: rendering, ...rendered } = await renderPage(page, readPage, collector, tools);
  return { rendering, ...('outcome' in rendered ? rendered : await finishPage(visit, rendered.page)) };
}

/** Whether the document has been read by OCR and is the same: reading it again would take minutes. */
function isKnownScan(page: RequestedPage, { body }: HttpResponse, { digest }: PageTools): boolean {
  const { ocr, stamp, trial, inspect } = page.task;
  if (!ocr?.wasRead || stamp === undefined || trial || inspect || needsLinks(page)) return false;
  return stamp.startsWith(digest(body));
}

/** Returns the media type of a body that is to be read. */
function classifyBody(
  { page, collector, tools }: Visit,
  response: HttpResponse,
): Ending | Pick<ReadPage, 'mediaType' | 'feed'> {
  const mediaType = tools.reader.detectMediaType(response.body, response.headers['content-type'], page.url.path);
  const list = readUrlList(page, response, mediaType, tools.reader);
  if (list && 'sitemap' in list) return { outcome: followSitemap(page, list.sitemap, collector) };
  if (acceptsMediaType(page.context, mediaType)) return { mediaType, feed: list?.feed };
  // In place of a document of an accepted type, too, a challenge is not the document.
  const challenger = findChallengePage(response.body);
  return challenger === undefined
    ? {
        outcome: createExclusion(
          'mime-type-excluded',
          `the crawler does not accept ${describeType(mediaType, response.headers['content-type'])}`,
        ),
      }
    : { outcome: createChallengeFailure(challenger, response, page.task.now) };
}

/** Builds the document of a page that was read, and collects its links. */
async function finishPage(visit: Visit, readPage: ReadPage): Promise<Ending> {
  const { tools } = visit;
  let parts: BegunDocument['parts'] | undefined;
  try {
    const begun = holdThread(tools, () => beginDocument(visit, readPage));
    if ('outcome' in begun) return begun;
    ({ parts } = begun);
    const document = await begun.document;
    return { ...parts, ...holdThread(tools, () => collectLinks(visit, readPage, begun, document)) };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return { ...parts, outcome: createFailure(error.code, error.message) };
  }
}

/** A document that is being built, unless it need not be waited for. */
interface BegunDocument {
  readonly document: PushDocument | Promise<PushDocument>;
  readonly terms: Terms;
  /** The base of the page's relative links. */
  readonly base: string;
  /** The URL that the page gives way to, if the policy accepts that URL. */
  readonly canonical: string | undefined;
  /** Why plug-ins exclude the document from the index; complete once the document is built. */
  readonly exclusions: readonly string[];
  readonly parts: Pick<PageResult, 'answer' | 'blocks' | 'schedule' | 'refreshTarget'>;
}

function beginDocument({ page, collector, tools }: Visit, readPage: ReadPage): Ending | BegunDocument {
  const { context, task, url } = page;
  const { response, content } = readPage;
  const softError = context.softErrors?.match({ url: url.href, title: content.title, text: content.text });
  if (softError) {
    const detail = `treated as ${softError.status}: the page matches the soft error at line ${softError.place.line}`;
    return { outcome: createFailure('soft-error', detail) };
  }
  const answer = task.keepAnswer ? { ...response, rendered: readPage.rendered } : undefined;
  const base = resolveBase(task.variant ?? url.href, content);
  const locatedPage = { url, base, response, content };
  const movedHomePage = findHomePageRedirect(context, locatedPage);
  if (movedHomePage) return { answer, outcome: createRedirect(page, movedHomePage, collector) };
  collector.restoreSite();
  const terms = findTerms(context, page.effects.options, response, { task, content });
  const refresh = findQuickRefresh(context, locatedPage);
  const refreshTarget = refresh?.href;
  const { blocks } = content;
  const parts = { answer, blocks, refreshTarget, schedule: findSchedule(page, terms.directives.unavailableAfter) };
  const redirect = followRefresh(page, terms.directives.follow ? refresh : undefined, collector);
  if (redirect) return { ...parts, outcome: redirect };
  const canonical = findCanonicalForm(page) ?? findCanonical(context, url, base, response, content);
  const isAccepted = canonical !== undefined && collector.addUrl(canonical, 'link') === undefined;
  const exclusions: string[] = [];
  const pluginSteps = tools.plugins?.createSteps((reason) => void exclusions.push(reason));
  const stepTools = pluginSteps ? { ...tools, steps: [...tools.steps, ...pluginSteps] } : tools;
  const document = buildDocument(toFetchedPage(page, readPage, terms, tools.reader), stepTools);
  return { document, terms, base, canonical: isAccepted ? canonical.href : undefined, exclusions, parts };
}

function collectLinks(
  { page, collector, tools }: Visit,
  readPage: ReadPage,
  { terms, base, canonical, exclusions }: BegunDocument,
  document: PushDocument,
): Ending {
  const { response, content, feed } = readPage;
  const indexedOutcome = createDocumentOutcome(page, readPage, document, terms, canonical);
  const outcome = excludeFromIndex(indexedOutcome, exclusions[0]);
  // An unchanged page has no new links; removed URLs that it links to are found by crawl/evidence/rediscovery.ts.
  const isUnchanged = document.stamp === page.task.stamp && hasSameLinks(document.stamp, content, tools.digest);
  if (isUnchanged && !needsLinks(page)) return { outcome };
  const allowed = terms.directives.follow && !isBehindProbe(page.task);
  const linkingPage = { response, content, base, allowed };
  const hub = allowed ? followFeed(page, feed, response, collector) : undefined;
  const words = followLinks(page, linkingPage, collector);
  return { words, hub, outcome: { ...outcome, cutLinks: reportCutLinks(page, linkingPage, collector) } };
}
