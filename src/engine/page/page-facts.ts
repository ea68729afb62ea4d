/** Collects the facts and the document of a page that was read. */
import { isProgramType } from '../../domain/content/alternates.js';
import { isDirectoryListing } from '../../domain/content/directory-listing.js';
import { CONTENT_PREFIX } from '../../domain/content/exact-duplicates.js';
import { findTitle } from '../../domain/content/page-title.js';
import { computeSimhash } from '../../domain/content/simhash.js';
import { createTextSample } from '../../domain/content/text-sample.js';
import { computeTextSketch, isLongEnoughToGuard } from '../../domain/content/text-sketch.js';
import { UNKNOWN_STAMP } from '../../domain/crawl/url-state.js';
import { computeFingerprint, isErrorAddress, looksLikeErrorPage, namesOutage } from '../../domain/fetch/error-pages.js';
import { isLoginForm, looksLikeLoginUrl } from '../../domain/fetch/login-wall.js';
import type { HttpResponse } from '../../domain/fetch/outcome.js';
import { parseLifetime, readValidators } from '../../domain/fetch/validators.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import type { PushDocument } from '../../domain/push/order.js';
import { NEEDS_RENDERING } from '../../domain/render/needs-rendering.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Refusal } from '../ports/content-extractor.js';
import type { PageContent, PageReader, SitemapContent } from '../ports/page-reader.js';
import type { DocumentFacts, PageOutcome, PageReading, ReadPart } from '../ports/page-task.js';
import type { FetchedPage } from './document-steps.js';
import { isBehindProbe } from './page-links.js';
import { resolveBase, type Terms } from './page-reading.js';
import {
  detectsNearDuplicates,
  findCompiledContent,
  needsContentHash,
  needsDocumentText,
  type RequestedPage,
} from './requested-page.js';

export interface RenderFailure {
  readonly code: 'render-timeout' | 'render-memory' | 'render-crash' | 'renderer-unavailable';
  readonly detail: string;
}

/** A body with what was extracted from it. */
export interface ReadPage {
  readonly response: HttpResponse;
  readonly mediaType: string;
  readonly content: PageContent;
  readonly unread?: Refusal;
  /** What the body lists, if it is a feed. */
  readonly feed?: SitemapContent;
  /** True if the page's scripts have run. */
  readonly rendered?: boolean;
  /** Why the page could not be rendered, so that it is used as it was sent. */
  readonly renderFailure?: RenderFailure;
}

/** Creates the input of the document steps. */
export function toFetchedPage(
  page: RequestedPage,
  { response, mediaType, content, unread, rendered }: ReadPage,
  { directives, metas }: Terms,
  reader: PageReader,
): FetchedPage {
  const { task, context, url, effects, mode } = page;
  const { status, headers, body } = response;
  const { storeTextOnly, indexRedirectSources } = context.definition;
  const compiledContent = findCompiledContent(page);
  return {
    url,
    task,
    effects,
    status,
    headers,
    body,
    mediaType,
    content,
    noArchive: !directives.archive,
    terms: metas,
    textOnly: storeTextOnly,
    wantsText: context.wantsText || needsDocumentText(page, mediaType, reader),
    wantsBytes: context.wantsBytes,
    contentDefinition: compiledContent?.definition,
    readFields: compiledContent?.readFields,
    readAcl: context.readAcl,
    base: resolveBase(url.href, content),
    hashesContent: rendered === true || (needsContentHash(page, mediaType) && unread === undefined),
    rendered: mode === 'never' ? undefined : rendered === true,
    redirectSource: indexRedirectSources ? task.redirectSource : undefined,
  };
}

/** The robots directive noarchive, which is not among the metas of `Terms`. */
const NO_ARCHIVE = { name: 'noarchive', value: 'true' };

type DocumentOutcome = Extract<PageOutcome, { kind: 'document' }>;

/** @param canonical the URL that the page gives way to, if the policy accepts that URL */
export function createDocumentOutcome(
  page: RequestedPage,
  readPage: ReadPage,
  document: PushDocument,
  terms: Terms,
  canonical: string | undefined,
): DocumentOutcome {
  const { content, unread, renderFailure } = readPage;
  const allMetas = terms.directives.archive ? terms.metas : [...terms.metas, NO_ARCHIVE];
  const statement = allMetas.map(({ name, value }) => `${name}: ${value}`).join('; ');
  return {
    ...(findReasonNotToIndex(page, terms, readPage) ?? createIndexedPart(page, readPage, document)),
    kind: 'document',
    facts: collectFacts(page, readPage, document, terms),
    ...(statement === '' ? {} : { terms: statement }),
    canonical,
    unread,
    shortfall: unread ? undefined : content.shortfall,
    ocrPages: content.ocrPages,
    ...(page.task.inspect ? { reading: toReadingView(content, document) } : {}),
    needsRendering: renderFailure ? undefined : content.needsRendering,
    isMostlyCut: content.mainShare !== undefined && content.mainShare < 0.5,
    renderFailure,
  };
}

function createIndexedPart(
  page: RequestedPage,
  { content, unread, renderFailure }: ReadPage,
  document: PushDocument,
): Pick<DocumentOutcome, 'index' | 'reason' | 'document'> {
  const reason =
    renderFailure?.code ??
    (content.needsRendering === undefined
      ? ((unread ? undefined : content.shortfall?.reason) ?? 'indexed')
      : NEEDS_RENDERING);
  return { index: true, reason, document: document.stamp === page.task.stamp ? undefined : document };
}

function findReasonNotToIndex(
  page: RequestedPage,
  { prohibition }: Terms,
  readPage: ReadPage,
): { readonly index: false; readonly reason: ReasonCode } | undefined {
  const { task, context, effects } = page;
  const { unread, mediaType, feed } = readPage;
  const { index, follow } = effects;
  if (context.definition.leaveOut.unlinked && isBehindProbe(task)) return { index: false, reason: 'not-linked' };
  if (!index) return { index, reason: follow ? 'links-only' : 'no-index' };
  // Sites that serve a page for every URL do so for their sitemap, too.
  if (task.discoveredVia === 'robots') return { index: false, reason: 'links-only' };
  if (feed || isProgramType(mediaType)) return { index: false, reason: 'machine-readable' };
  const reason =
    prohibition ??
    (context.definition.whenUnreadable === 'skip' ? unread?.refused : undefined) ??
    findNobodysPage(page, readPage);
  return reason && { index: false, reason };
}

/** Why a page that answers well is nobody's document. */
function findNobodysPage(page: RequestedPage, { content, response }: ReadPage): ReasonCode | undefined {
  const { leaveOut } = page.context.definition;
  if (leaveOut.directoryListings && isDirectoryListing(content, page.url)) return 'directory-listing';
  return leaveOut.unlinked && isUnlinked(page, content, response) ? 'not-linked' : undefined;
}

/** Whether it is an error or login page to which only a redirect leads. */
function isUnlinked({ task, url }: RequestedPage, content: PageContent, { body }: HttpResponse): boolean {
  const { discoveredVia, foundOn } = task;
  if (discoveredVia !== 'redirect' || foundOn === undefined) return false;
  // If the address that redirects here is of the same kind, the page is linked under that one.
  const isLogin = !looksLikeLoginUrl(foundOn) && isLoginForm(url.href, { title: content.title, body });
  return isLogin || (isErrorAddress(url, content) && !isErrorAddress(toCrawlUrl(foundOn), content));
}

function collectFacts(
  page: RequestedPage,
  readPage: ReadPage,
  { stamp }: PushDocument,
  { directives }: Terms,
): DocumentFacts {
  const { content, mediaType, response } = readPage;
  return {
    stamp,
    simhash: content.text !== '' && detectsNearDuplicates(page) ? computeSimhash(content.text) : undefined,
    ...(page.context.definition.changeGuard.on ? collectGuardedFacts(page, content) : {}),
    fingerprint: needsFingerprint(page, content) ? computeFingerprint(content, page.url) : undefined,
    contentType: mediaType,
    title: findTitle(content, page.url.path).title.slice(0, 300),
    hasText: stamp.startsWith(CONTENT_PREFIX) ? content.text !== '' : response.body.length > 0,
    // Without validators, the next visit reads the page again, changed or not: at the end of its availability, or because
    // its text was cut.
    ...(directives.unavailableAfter === undefined && content.shortfall?.reason !== 'text-cut'
      ? readValidators(response.headers)
      : {}),
    lifetime: parseLifetime(response.headers),
  };
}

/** Whether the page is compared with its host's error page. */
function needsFingerprint({ context, task }: RequestedPage, content: PageContent): boolean {
  const { probeErrorPages } = context.definition;
  if (probeErrorPages !== 'when-suspected') return probeErrorPages === 'always';
  return task.wantsFingerprint === true || looksLikeErrorPage(content);
}

/** What has to be known of the page's text to compare it with what is indexed for it, or for a page that redirects to it. */
function collectGuardedFacts(
  { task, url }: RequestedPage,
  content: PageContent,
): Pick<DocumentFacts, 'textSketch' | 'sample'> {
  const sketch = computeTextSketch(content.text);
  const isTarget = (task.stamp === undefined || task.stamp === UNKNOWN_STAMP) && task.discoveredVia === 'redirect';
  const isCompared = task.textSketch !== undefined || task.inspect === true || isTarget;
  return {
    // A short text tells nothing about others, unless it is what a whole host may say.
    textSketch: isLongEnoughToGuard(sketch) || namesOutage(content) ? sketch : undefined,
    sample: isCompared ? createTextSample(content, url, sketch, task.textSketch) : undefined,
  };
}

/** What is shown of a page that someone inspects; its size is limited because it is sent to a browser. */
export const MAX_TEXT = 200_000;
const MAX_LIST = 500;
/** Maximum length of the text of all parts together. */
const MAX_PART_TEXT = 200_000;

export const toReadingView = (
  content: PageContent,
  { metas, text, parts, headings, chunks }: PushDocument,
): PageReading => ({
  text: (text || content.text).slice(0, MAX_TEXT).toWellFormed(),
  textLength: content.text.length,
  ...(content.language === undefined ? {} : { language: content.language }),
  metas: metas.slice(0, MAX_LIST),
  cut: (content.cut ?? []).filter((passage) => passage !== '').slice(0, MAX_LIST),
  ...(content.mainShare === undefined ? {} : { mainShare: content.mainShare }),
  ...(content.look ? { look: content.look } : {}),
  ...(headings ? { headings: headings.slice(0, MAX_LIST) } : {}),
  ...(content.markdown === undefined ? {} : { markdown: content.markdown.slice(0, MAX_TEXT).toWellFormed() }),
  ...(chunks ? { chunks: chunks.slice(0, MAX_LIST) } : {}),
  ...(parts ? { parts: toPartsView(parts) } : {}),
});

function toPartsView(parts: readonly PushDocument[]): ReadPart[] {
  let remaining = MAX_PART_TEXT;
  return parts.slice(0, MAX_LIST).map(({ uri, metas, text }) => {
    const shownText = text.slice(0, remaining).toWellFormed();
    remaining -= shownText.length;
    return { uri, metas: metas.slice(0, MAX_LIST), text: shownText };
  });
}
