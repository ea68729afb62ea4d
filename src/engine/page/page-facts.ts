/** Collects the facts and the document of a page that was read. */
import { computeSimhash } from '../../domain/content/simhash.js';
import { computeFingerprint } from '../../domain/fetch/error-pages.js';
import { parseLifetime } from '../../domain/fetch/stated-lifetime.js';
import { readValidators } from '../../domain/fetch/validators.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import type { PushDocument } from '../../domain/push/order.js';
import { NEEDS_RENDERING } from '../../domain/render/needs-rendering.js';
import type { Refusal } from '../ports/content-extractor.js';
import type { PageContent, PageReader } from '../ports/page-reader.js';
import type { DocumentFacts, PageOutcome } from '../ports/page-task.js';
import type { FetchedPage } from './document-steps.js';
import {
  detectsNearDuplicates,
  findCompiledContent,
  type JudgedUrl,
  needsContentHash,
  needsDocumentText,
} from './judged-url.js';
import { isSitemapName } from './page-links.js';
import type { HttpResponse } from './page-outcome.js';
import { resolveBase, type Terms } from './page-reading.js';
import { toReadingView } from './reading-view.js';
import type { RenderFailure } from './rendering.js';

/** A body with what was extracted from it. */
export interface ReadPage {
  readonly response: HttpResponse;
  readonly mediaType: string;
  readonly content: PageContent;
  readonly unread?: Refusal;
  /** True if the page's scripts have run. */
  readonly rendered?: boolean;
  /** Why the page could not be rendered, so that it is used as it was sent. */
  readonly renderFailure?: RenderFailure;
}

/** Creates the input of the document steps. */
export function toFetchedPage(
  page: JudgedUrl,
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
    redirectSource: indexRedirectSources && task.discoveredVia === 'redirect' ? task.foundOn : undefined,
  };
}

/** The robots directive noarchive, which is not among the metas of `Terms`. */
const NO_ARCHIVE = { name: 'noarchive', value: 'true' };

type DocumentOutcome = Extract<PageOutcome, { kind: 'document' }>;

/** @param canonical the URL that the page gives way to, if the policy accepts that URL */
export function createDocumentOutcome(
  page: JudgedUrl,
  readPage: ReadPage,
  document: PushDocument,
  terms: Terms,
  canonical: string | undefined,
): DocumentOutcome {
  const { content, unread, renderFailure } = readPage;
  const allMetas = terms.directives.archive ? terms.metas : [...terms.metas, NO_ARCHIVE];
  const statement = allMetas.map(({ name, value }) => `${name}: ${value}`).join('; ');
  return {
    ...(findReasonNotToIndex(page, terms, unread) ?? createIndexedPart(page, readPage, document)),
    kind: 'document',
    facts: collectFacts(page, readPage, document, terms),
    ...(statement === '' ? {} : { terms: statement }),
    canonical,
    unread,
    ...(page.task.inspect ? { reading: toReadingView(content, document) } : {}),
    needsRendering: renderFailure ? undefined : content.needsRendering,
    renderFailure,
  };
}

function createIndexedPart(
  page: JudgedUrl,
  { content, renderFailure }: ReadPage,
  document: PushDocument,
): Pick<DocumentOutcome, 'index' | 'reason' | 'document'> {
  const reason = renderFailure?.code ?? (content.needsRendering === undefined ? 'indexed' : NEEDS_RENDERING);
  return { index: true, reason, document: document.stamp === page.task.stamp ? undefined : document };
}

function findReasonNotToIndex(
  { task, context, url, effects }: JudgedUrl,
  { prohibition }: Terms,
  unread: Refusal | undefined,
): { readonly index: false; readonly reason: ReasonCode } | undefined {
  const { index, follow } = effects;
  if (!index) return { index, reason: follow ? 'links-only' : 'no-index' };
  // Sites that serve a page for every URL do so for their sitemap, too.
  if (task.discoveredVia === 'robots' && isSitemapName(url.path)) return { index: false, reason: 'links-only' };
  const reason = prohibition ?? (context.definition.whenUnreadable === 'skip' ? unread?.refused : undefined);
  return reason && { index: false, reason };
}

function collectFacts(
  page: JudgedUrl,
  readPage: ReadPage,
  { stamp }: PushDocument,
  { directives }: Terms,
): DocumentFacts {
  const { content, mediaType, response } = readPage;
  return {
    stamp,
    simhash: content.text !== '' && detectsNearDuplicates(page) ? computeSimhash(content.text) : undefined,
    fingerprint: page.context.definition.probeErrorPages ? computeFingerprint(content, page.url) : undefined,
    contentType: mediaType,
    title: content.title.slice(0, 300),
    // Without validators, the visit at the end of the page's availability reads it again, changed or not.
    ...(directives.unavailableAfter === undefined ? readValidators(response.headers) : {}),
    lifetime: parseLifetime(response.headers),
  };
}
