/** Extracts the content of a body, within the limits that ExtractionContext sets. */
import { MARKERS_ONLY } from '../../domain/content/content-definition.js';
import { DistinctLinks } from '../../domain/content/distinct-links.js';
import type { Shortfall } from '../../domain/content/shortfall.js';
import type { HttpResponse } from '../../domain/fetch/outcome.js';
import { MAX_PARTS } from '../../domain/push/parts.js';
import type { Clock } from '../ports/clock.js';
import {
  type AsyncExtractor,
  type Extraction,
  type ExtractionContext,
  ExtractorUnavailable,
  isRefusal,
  type Refusal,
} from '../ports/content-extractor.js';
import type { PageReader, RawLink } from '../ports/page-reader.js';
import { TIMED_OUT, withTimeLimit } from '../support/within.js';
import { createFailure, type FailedVisit } from './page-outcome.js';
import {
  findCompiledContent,
  needsContentHash,
  needsDocumentText,
  needsPageText,
  type RequestedPage,
} from './requested-page.js';

export interface ExtractionTools {
  readonly reader: PageReader;
  readonly clock: Pick<Clock, 'now' | 'at'>;
  /** See PageProcessor. */
  readonly onReading?: (isReading: boolean) => void;
}

/** Used as the content of a body that could not be read. */
export const NO_CONTENT: Extraction = { title: '', text: '', links: [], metas: [], robotsMetas: [], truncated: false };

/**
 * The content of a body that could not be read. What is known of the files in it stays if time or memory ran out;
 * otherwise, it is gone.
 */
export const createUnreadContent = ({ refused, detail, isPassing }: Refusal): Extraction => ({
  ...NO_CONTENT,
  parts: [],
  ...(isPassing ? { shortfall: { reason: 'text-cut', detail } } : {}),
  partsAreIncomplete: refused === 'extract-timeout' || refused === 'extract-memory',
});

const MAX_METAS = 500;
const MAX_VALUE_LENGTH = 16_384;
const MAX_TITLE_LENGTH = 16_384;

const MAX_TEXT_LENGTH = 4_000_000;
/** Someone is waiting for them. */
const MAX_INSPECTED_OCR_PAGES = 5;

/** Extracts what the crawl needs from the body of a page; fails if its extractor is unavailable. */
export async function extractContent(
  page: RequestedPage,
  { body, headers }: HttpResponse,
  mediaType: string,
  tools: ExtractionTools,
): Promise<Extraction | Refusal | FailedVisit> {
  const contentDefinition = findCompiledContent(page)?.definition;
  const { acl } = page.context.definition;
  const needsText =
    needsPageText(page) ||
    needsDocumentText(page, mediaType, tools.reader) ||
    needsContentHash(page, mediaType) ||
    contentDefinition?.chunks !== undefined;
  const context: ExtractionContext = {
    url: page.url.href,
    contentType: headers['content-type'],
    maxLinks: page.context.definition.traps.maxLinksPerPage,
    maxTextLength: needsText ? MAX_TEXT_LENGTH : 0,
    content: contentDefinition ?? (page.effects.options.content === undefined ? MARKERS_ONLY : undefined),
    wantsMetas: contentDefinition?.metas ?? true,
    repeatedBlocks: page.task.repeatedBlocks,
    accessMetas: [acl?.allowMeta, acl?.denyMeta].filter((name) => name !== undefined),
    showsCut: page.task.inspect,
    maxOcrPages: page.task.inspect ? MAX_INSPECTED_OCR_PAGES : page.task.ocr?.maxPages,
  };
  try {
    const result = await holdThread(tools, () => extract(tools, body, mediaType, context));
    if (mustWaitForOcr(page, result)) return createFailure('extractor-unavailable', OCR_LATER);
    return needsText && !isRefusal(result) ? reportMissingText(result) : result;
  } catch (error) {
    if (!(error instanceof ExtractorUnavailable)) throw error;
    return createFailure(error.code, error.message);
  }
}

const reportMissingText = (content: Extraction): Extraction =>
  content.truncated && !content.shortfall ? { ...content, shortfall: MISSING_TEXT } : content;

const MISSING_TEXT: Shortfall = {
  reason: 'text-incomplete',
  detail: 'it is damaged, or it has more text or more files than are read',
};

const OCR_LATER = 'the document has to be read by OCR again, which waits for another document or for the next day';

/** Text that was read by OCR stays until it can be replaced. */
const mustWaitForOcr = ({ task }: RequestedPage, result: Extraction | Refusal): boolean =>
  task.ocr?.maxPages === 0 && !isRefusal(result) && result.shortfall?.reason === 'no-text-layer';

/**
 * Runs work that may block the thread for a long time, and reports its beginning and end, so that other pages are not
 * blamed for it. Nothing is awaited meanwhile.
 */
export function holdThread<T>({ onReading }: ExtractionTools, work: () => T): T {
  onReading?.(true);
  try {
    return work();
  } finally {
    onReading?.(false);
  }
}

/** Returns a promise only if the extractor is asynchronous; it rejects only with ExtractorUnavailable. */
export function extract(
  tools: ExtractionTools,
  body: Uint8Array,
  mediaType: string,
  context: ExtractionContext,
): Extraction | Refusal | Promise<Extraction | Refusal> {
  const extractor = tools.reader.findExtractor(mediaType);
  if (!extractor)
    return {
      refused: 'extract-unsupported',
      detail: `no extractor reads ${describeType(mediaType, context.contentType)}${PACKED_OTHERWISE.has(mediaType) ? INSTEAD_OF_PACKED : ''}`,
    };
  if (extractor.kind === 'sync') return extractor.extract(body, mediaType, context);
  return extractWithTimeLimit(extractor, tools.clock, (signal) =>
    extractor.extract(body, mediaType, context, signal),
  ).then((result) => (isRefusal(result) ? result : applyLimits(result, context)));
}

/** Archives of formats that only a Tika server reads. */
const PACKED_OTHERWISE: ReadonlySet<string> = new Set([
  'application/x-7z-compressed',
  'application/vnd.rar',
  'application/x-xz',
  'application/x-bzip2',
]);
const INSTEAD_OF_PACKED = ': offer the files as zip or tar.gz, or have a Tika server read this media type';

/** A name that promises text. */
const TEXT_NAME = /^\s*(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml))/i;

/** Names a media type, and the text that the server calls it. */
export function describeType(mediaType: string, contentType: string | undefined): string {
  const name = TEXT_NAME.exec(contentType ?? '')?.[0].trim();
  if (name === undefined || TEXT_NAME.test(mediaType)) return mediaType;
  return `${mediaType === 'application/octet-stream' ? 'binary content' : mediaType} that the server calls ${name}`;
}

async function extractWithTimeLimit(
  { name, timeLimit }: AsyncExtractor,
  clock: ExtractionTools['clock'],
  work: (signal: AbortSignal) => Promise<Extraction | Refusal>,
): Promise<Extraction | Refusal> {
  try {
    const result = await withTimeLimit(clock, timeLimit, work);
    if (result !== TIMED_OUT) return result;
    return { refused: 'extract-timeout', detail: `the extractor ${name} took longer than ${timeLimit / 1000} s` };
  } catch (error) {
    if (error instanceof ExtractorUnavailable) throw error;
    return { refused: 'extract-corrupt', detail: `the extractor ${name} failed: ${String(error).slice(0, 1_000)}` };
  }
}

/** Cuts content from an asynchronous extractor to the limits. */
function applyLimits(extraction: Extraction, limits: ExtractionContext): Extraction {
  const { maxLinks, maxTextLength } = limits;
  const { text, links, metas, fields = [], title, parts } = extraction;
  if (parts && parts.length > MAX_PARTS)
    return applyLimits({ ...extraction, parts: parts.slice(0, MAX_PARTS) }, limits);
  const isWithinLimits =
    text.length <= maxTextLength &&
    links.length <= maxLinks &&
    title.length <= MAX_TITLE_LENGTH &&
    [metas, fields].every((list) => list.length <= MAX_METAS && list.every(isShort));
  if (isWithinLimits) return extraction;
  const distinctLinks = new DistinctLinks<RawLink>(maxLinks);
  for (const link of links) distinctLinks.add(link);
  return {
    ...extraction,
    title: title.slice(0, MAX_TITLE_LENGTH),
    text: text.slice(0, maxTextLength),
    links: distinctLinks.links,
    cutLinks: distinctLinks.cutLinks ?? extraction.cutLinks,
    metas: metas.filter(isShort).slice(0, MAX_METAS),
    accessMetas: extraction.accessMetas ?? metas,
    fields: fields.filter(isShort).slice(0, MAX_METAS),
    truncated: extraction.truncated || text.length > maxTextLength,
  };
}

const isShort = ({ name, value }: { readonly name: string; readonly value: string }): boolean =>
  name.length + value.length <= MAX_VALUE_LENGTH;
