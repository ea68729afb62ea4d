/** The formats that are read in the page thread. To add one, see docs/architecture.md, "Seams". */
import { needsHeadings } from '../../domain/content/content-definition.js';
import { DistinctLinks } from '../../domain/content/distinct-links.js';
import { findRenderingReason, LITTLE_TEXT } from '../../domain/render/needs-rendering.js';
import { resolveBaseUrl } from '../../domain/url/canonicalize.js';
import type { ContentExtractor, Extraction, ExtractionContext } from '../../engine/ports/content-extractor.js';
import type { RawLink, ReadLimits } from '../../engine/ports/page-reader.js';
import { toBuffer } from './bytes.js';
import { findEncoding, parseCharset, toUtf8 } from './charset.js';
import { getContentReader, type Reading } from './content/content-reader.js';
import { collectMetas, findJsonLdItems, findSiteNames } from './content/json-ld.js';
import { HtmlScanner } from './html/html-scanner.js';
import type { PageFacts } from './html/page-facts.js';
import { findScriptSigns } from './html/script-signs.js';
import { extractStateText } from './html/state-text.js';
import { TextBuffer } from './html/text-buffer.js';
import { determineLanguage } from './language.js';
import { SAMPLE_BYTES } from './language-detection.js';
import { appendLines, readJson, STRUCTURED_READERS } from './text-formats.js';
import { readXmlDocument } from './xml-document.js';
import '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

const EMPTY_EXTRACTION: Extraction = { title: '', text: '', links: [], metas: [], robotsMetas: [], truncated: false };

/** The extractors reuse their working memory from page to page, so each thread needs its own list. */
export function createBuiltInExtractors(): readonly ContentExtractor[] {
  const buffer = new TextBuffer();
  return [
    {
      kind: 'sync',
      name: 'html',
      mediaTypes: ['text/html', 'application/xhtml+xml', 'application/vnd.wap.xhtml+xml'],
      extract: (body, mediaType, context) => extractHtml(toBuffer(body), mediaType, context, buffer),
    },
    {
      kind: 'sync',
      name: 'xml',
      mediaTypes: [/^(?:text|application)\/xml$|\+xml$/],
      extract: (body, _, context) => extractXml(toBuffer(body), context, buffer),
    },
    {
      kind: 'sync',
      name: 'structured text',
      mediaTypes: [...STRUCTURED_READERS.keys(), /^application\/[\w.+-]+\+json$/],
      extract: (body, mediaType, context) => extractStructuredText(toBuffer(body), mediaType, context, buffer),
    },
    {
      kind: 'sync',
      name: 'text',
      mediaTypes: [
        /^text\/(?!rtf$)|^application\/(?:json|javascript|x-javascript|x-ndjson|yaml|x-yaml|toml|sql)$|\+json$/,
      ],
      extract: (body, _, context) => extractText(toBuffer(body), context, buffer),
    },
  ];
}

/**
 * Returns a function that finds the first extractor in the list that accepts a media type. Media types are untrusted
 * input, so only a limited number of results is remembered.
 */
export function createExtractorFinder(
  extractors: readonly ContentExtractor[],
): (mediaType: string) => ContentExtractor | undefined {
  const cache = new Map<string, ContentExtractor | undefined>();
  return (mediaType) => {
    const cached = cache.get(mediaType);
    if (cached || cache.has(mediaType)) return cached;
    const extractor = extractors.find(({ mediaTypes }) =>
      mediaTypes.some((type) => (typeof type === 'string' ? type === mediaType : type.test(mediaType))),
    );
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(mediaType, extractor);
    return extractor;
  };
}

const MAX_CACHED = 1_000;

function extractHtml(body: Buffer, mediaType: string, context: ExtractionContext, buffer: TextBuffer): Extraction {
  const { maxLinks, maxTextLength, accessMetas } = context;
  const encoding = findEncoding(body, parseCharset(context.contentType), 'html');
  const options = { maxLinks, accessMetas, xml: mediaType !== 'text/html' };
  const utf8 = toUtf8(body, encoding);
  const { facts, title, heading, hasMarkers } = new HtmlScanner(utf8, buffer, options).scan();
  const renderingReason = buffer.size > LITTLE_TEXT ? undefined : resolveRenderingReason(utf8, facts, buffer);
  const language = determineLanguage([facts.lang, facts.contentLanguage], () => buffer.sampleMiddle(SAMPLE_BYTES));
  const { text, truncated } = buffer.finish(maxTextLength);
  const { metas, robotsMetas, base } = facts;
  const links = encodeQueries(facts.links, encoding);
  const { cutLinks: omittedLinks } = facts;
  const page = { base, xml: options.xml, text, hasMarkers };
  const { microdata = [], ...reading } = extractConfiguredContent(utf8, context, page);
  const items = facts.hasLinkedData ? findJsonLdItems(utf8) : [];
  const linkedData = context.wantsMetas ? collectMetas(items) : [];
  return {
    encoding,
    title,
    ...(title === '' && heading !== '' ? { firstHeading: heading } : {}),
    ...(items.length === 0 ? {} : { siteNames: findSiteNames(items) }),
    text,
    language,
    base,
    links,
    cutLinks: omittedLinks && { ...omittedLinks, samples: encodeQueries(omittedLinks.samples, encoding) },
    metas,
    accessMetas: accessMetas && facts.accessMetas,
    robotsMetas,
    ...(context.wantsMetas ? { structured: [...linkedData, ...microdata] } : {}),
    ...reading,
    truncated: truncated || reading.truncated === true,
    ...(renderingReason === undefined ? {} : { needsRendering: renderingReason }),
  };
}

/**
 * Returns why a page with almost no text needs its scripts. Text that the page contains as data for its scripts is read
 * as its own.
 */
function resolveRenderingReason(utf8: Buffer, facts: PageFacts, buffer: TextBuffer): string | undefined {
  if (!/<(?:script|iframe)/i.test(utf8.toString('latin1', 0, 1 << 20))) return undefined;
  const reason = findRenderingReason(findScriptSigns(utf8, facts, buffer.size));
  if (reason === undefined) return undefined;
  const stateText = extractStateText(utf8);
  if (stateText === undefined) return reason;
  buffer.startNewWord();
  buffer.append(stateText);
  return undefined;
}

/** Extracts what the configuration selects on the page, which replaces what the scanner found. */
function extractConfiguredContent(
  utf8: Buffer,
  context: ExtractionContext,
  { base, xml, text, hasMarkers }: { base: string | undefined; xml: boolean; text: string; hasMarkers: boolean },
): Partial<Reading> {
  if (!context.content) return {};
  const { maxTextLength, repeatedBlocks, showsCut = false } = context;
  const reading = getContentReader(context.content).read({
    utf8,
    xml,
    base: resolveBaseUrl(context.url, base),
    ...{ maxTextLength, hasMarkers, showsCut, repeatedBlocks },
  });
  // A page whose text is displayed by scripts contains it as data, which is not part of the tree.
  return reading.text === '' && !reading.isCut ? { ...reading, text } : reading;
}

function extractXml(body: Buffer, context: ExtractionContext, buffer: TextBuffer): Extraction {
  const encoding = findEncoding(body, parseCharset(context.contentType), 'xml');
  const utf8 = toUtf8(body, encoding);
  buffer.begin(utf8.length);
  const { title, author, language, fields, links, cutLinks } = readXmlDocument(
    utf8.toString('utf8'),
    context.maxLinks,
    buffer,
  );
  return {
    ...extractTextOnly(encoding, context, buffer, language),
    title,
    links,
    cutLinks,
    fields,
    metas: author === undefined ? [] : [{ name: 'author', value: author }],
  };
}

function extractText(body: Buffer, context: ExtractionContext, buffer: TextBuffer): Extraction {
  const encoding = findEncoding(body, parseCharset(context.contentType), 'text');
  const utf8 = toUtf8(body, encoding);
  buffer.begin(utf8.length, true);
  buffer.append(utf8);
  return extractTextOnly(encoding, context, buffer);
}

function extractStructuredText(
  body: Buffer,
  mediaType: string,
  context: ExtractionContext,
  buffer: TextBuffer,
): Extraction {
  const encoding = findEncoding(body, parseCharset(context.contentType), 'text');
  const structured = (STRUCTURED_READERS.get(mediaType) ?? readJson)(toUtf8(body, encoding).toString('utf8'));
  const { title = '', links = [], fields } = structured;
  const headings = appendLines(structured, buffer, needsHeadings(context.content));
  const distinctLinks = new DistinctLinks<RawLink>(context.maxLinks);
  for (const link of links) distinctLinks.add(link);
  const extraction = extractTextOnly(encoding, context, buffer);
  const shownHeadings = headings.filter(({ start }) => start < extraction.text.length);
  return {
    ...extraction,
    title,
    ...(shownHeadings.length === 0 ? {} : { headings: shownHeadings }),
    links: distinctLinks.links,
    cutLinks: distinctLinks.cutLinks,
    ...(fields ? { fields } : {}),
  };
}

function extractTextOnly(
  encoding: string,
  limits: ReadLimits,
  buffer: TextBuffer,
  declaredLanguage?: string,
): Extraction {
  const language = determineLanguage([declaredLanguage], () => buffer.sampleMiddle(SAMPLE_BYTES));
  const { text, truncated } = buffer.finish(limits.maxTextLength);
  return { ...EMPTY_EXTRACTION, encoding, text, language, truncated };
}

/** The special-query percent-encode set of the URL standard. */
const ESCAPED_CHARACTERS = ' "#\'<>';
/** Maximum number of characters that are encoded per page: each takes microseconds, and a page may contain millions. */
const MAX_ENCODED_LENGTH = 1_000_000;
const UNICODE_ENCODING = /^utf-/;

/**
 * Encodes the queries of links to ASCII if the page is not in a Unicode encoding. Browsers send queries in the page's
 * encoding (URL standard, query state), which is what the server understands; paths are UTF-8 on every page.
 */
function encodeQueries(links: readonly RawLink[], encoding: string): readonly RawLink[] {
  if (UNICODE_ENCODING.test(encoding)) return links;
  let remaining = MAX_ENCODED_LENGTH;
  return links.map((link) => {
    const href = remaining > 0 ? encodeQuery(link.href, encoding) : link.href;
    if (href === link.href) return link;
    remaining -= href.length;
    return { ...link, href };
  });
}

function encodeQuery(href: string, encoding: string): string {
  const start = href.indexOf('?') + 1;
  const hash = href.indexOf('#');
  if (start === 0 || (hash >= 0 && hash < start) || /^[\x00-\x7f]*$/.test(href)) return href;
  const end = hash < 0 ? href.length : hash;
  const query = href.slice(start, end).replace(/[\t\n\r]/g, '');
  return href.slice(0, start) + percentEncodeAfterEncoding(encoding, query, ESCAPED_CHARACTERS) + href.slice(end);
}
