/**
 * The content hash of a document: of two versions with the same hash, only one is pushed. A page's hash covers what is
 * delivered: text, title, metas, fields, and headings, Markdown and chunks if they are on. A different file size or modification date alone does not count as a
 * change. A separate part covers the page's links, so that new links are followed on a page whose text has not changed.
 * For any other document, the hash covers its bytes; with `changeDetection="bytes"`, for pages, too. A page that still
 * has such a hash when the setting changes is considered unchanged until its bytes change.
 */
import { type ContentDefinition, changesDocuments } from '../../domain/content/content-definition.js';
import { isPage } from '../../domain/content/document-types.js';
import { CONTENT_PREFIX, FACTS_LENGTH, LINKS_LENGTH, SCAN_MARKS } from '../../domain/content/exact-duplicates.js';
import type { Meta, PushDocument } from '../../domain/push/order.js';
import type { PageContent } from '../ports/page-reader.js';
import { type DocumentDraft, deliversText, type FetchedPage } from './document-steps.js';

/** Returns a hexadecimal digest; for a string, that of its UTF-8 bytes. */
export type Digest = (content: Uint8Array | string) => string;

/** These may differ between two versions of the same content. */
const FILE_METAS = new Set(['file_size', 'lastmodifieddate']);

const listFacts = (metas: readonly Meta[]): string[] => metas.map(({ name, value }) => `${name}\0${value}`);

/** Returns `page.task.stamp` if the document has not changed since that version. */
export function hashContent(
  page: FetchedPage,
  draft: DocumentDraft,
  digest: Digest,
  parts: readonly PushDocument[] = [],
): string {
  const knownStamp = page.task.stamp;
  if (!page.hashesContent) return hashBytes(page, draft, digest, parts);
  // A change of the setting alone is not worth pushing everything again.
  const coversBytes = knownStamp !== undefined && !knownStamp.startsWith(CONTENT_PREFIX);
  if (coversBytes && !changesDocuments(page.contentDefinition) && hashBytes(page, draft, digest) === knownStamp)
    return knownStamp;
  const content = `${CONTENT_PREFIX}${hashExtractedContent(page, draft, digest, parts)}`;
  if (knownStamp?.startsWith(content) && knownStamp.length === content.length + LINKS_LENGTH) return knownStamp;
  return content + hashLinks(page.content, digest);
}

/** Leaves out the metas of the head, which are part of the bytes. */
function hashBytes(
  page: FetchedPage,
  draft: DocumentDraft,
  digest: Digest,
  parts: readonly PushDocument[] = [],
): string {
  const { contentMetas } = draft;
  const { contentDefinition, mediaType, body } = page;
  const settings =
    contentDefinition && changesDocuments(contentDefinition) && isPage(mediaType)
      ? [stringifyWithoutPlaces(contentDefinition)]
      : [];
  return hashBodyAndFacts(
    body,
    [
      ...listFacts(contentMetas),
      ...listTextSettings(page),
      ...listCut(page),
      ...settings,
      ...listGivenTextSettings(draft),
      ...listDocumentForms(page),
      ...listFiles(page, parts),
    ].join('\0'),
    digest,
    findScanMark(page),
  );
}

/** The files within a document, which are in its bytes, but may be read now and not have been before. */
const listFiles = ({ content }: FetchedPage, parts: readonly PushDocument[]): string[] =>
  content.parts?.some(({ file }) => file) ? parts.map(({ stamp }) => stamp) : [];

/** Body and facts have separate digests, so that they need not be copied into one buffer. */
const hashBodyAndFacts = (body: Uint8Array | string, facts: string, digest: Digest, mark = ''): string =>
  digest(body) + (mark + digest(facts)).slice(0, FACTS_LENGTH);

/** Text that was read by OCR is a change after none, although the bytes are the same. */
function findScanMark({ content }: FetchedPage): string {
  const reason = content.shortfall?.reason;
  return reason === 'no-text-layer' || reason === 'text-by-ocr' ? SCAN_MARKS[reason] : '';
}

function hashExtractedContent(
  page: FetchedPage,
  draft: DocumentDraft,
  digest: Digest,
  parts: readonly PushDocument[],
): string {
  const { contentMetas, headMetas } = draft;
  const { text } = page.content;
  const settings = [
    ...listTextSettings(page),
    ...listFormSettings(page),
    ...listForms(page, draft, digest),
    ...parts.map(({ stamp }) => stamp),
    ...listGivenTextSettings(draft),
  ];
  return hashBodyAndFacts(
    copyOnOneLine(text),
    joinFacts(contentMetas) + joinFacts(headMetas) + settings.join('\0'),
    digest,
  );
}

/** Moving a line break changes nothing in a text, and two texts that differ in nothing else are duplicates. */
export const onOneLine = (text: string): string => text.replaceAll('\n', ' ');

/** In characters; longer texts are rare. */
const MAX_COPIED = 65_536;
/** With up to 3 bytes a character. */
const COPY = Buffer.allocUnsafeSlow(3 * MAX_COPIED);
const COPIED_WORDS = new Int32Array(COPY.buffer);

/** The UTF-8 bytes of the text on one line, until the next call, which takes a quarter of the time of another string. */
function copyOnOneLine(text: string): Uint8Array {
  if (text.length > MAX_COPIED) return Buffer.from(onOneLine(text));
  const length = COPY.write(text);
  for (let i = 0; i < length >> 2; i++) if (hasLineFeed(COPIED_WORDS[i]!)) replaceLineFeeds(4 * i, 4 * i + 4);
  replaceLineFeeds(length & ~3, length);
  return COPY.subarray(0, length);
}

/** Whether one of the four bytes of a word is a line feed: a zero byte, once combined with line feeds, borrows (Mycroft 1987). */
function hasLineFeed(word: number): boolean {
  const zero = word ^ 0x0a0a0a0a;
  return ((zero - 0x01010101) & ~zero & 0x80808080) !== 0;
}

function replaceLineFeeds(start: number, end: number): void {
  for (let i = start; i < end; i++) if (COPY[i] === LINE_FEED) COPY[i] = SPACE;
}
const LINE_FEED = 0x0a;
const SPACE = 0x20;

function joinFacts(metas: readonly Meta[]): string {
  let facts = '';
  for (const { name, value } of metas) if (!FILE_METAS.has(name)) facts += `${name}\0${value}\0`;
  return facts;
}

/** A page whose text is delivered instead of its bytes is a different document. */
const listTextSettings = (page: FetchedPage): string[] => (deliversText(page) ? ['text only'] : []);

/** The whole text of a document is a change after a part of it, although its bytes are the same. */
const listCut = ({ content }: FetchedPage): string[] => (content.shortfall?.reason === 'text-cut' ? ['text cut'] : []);

const listGivenTextSettings = ({ givenText }: DocumentDraft): string[] =>
  givenText === undefined ? [] : ['given text', givenText];

/** A newly requested form of the text is a change. */
function listFormSettings({ contentDefinition }: FetchedPage): string[] {
  if (!contentDefinition?.headings && !contentDefinition?.markdown && !contentDefinition?.chunks) return [];
  const { headings, markdown, chunks } = contentDefinition;
  return [JSON.stringify({ headings, markdown, chunks })];
}

/** To be changed with what is delivered of a chunk besides its text. */
const CHUNK_FORM = 'id, anchor';

/** The headings and chunks of a document depend on its bytes alone. */
function listDocumentForms({ contentDefinition, content, mediaType }: FetchedPage): string[] {
  if (!contentDefinition || isPage(mediaType)) return [];
  const { headings, chunks } = contentDefinition;
  return [
    ...(chunks ? [JSON.stringify(chunks), CHUNK_FORM] : []),
    ...(content.headings || content.chunks ? [`headings ${headings}`] : []),
  ];
}

/** What else is delivered of the page: a moved link or a new heading is a change even if the text is the same. */
function listForms({ content }: FetchedPage, { givenText }: DocumentDraft, digest: Digest): string[] {
  const { headings, markdown, chunks } = content;
  if (givenText !== undefined || (!headings && markdown === undefined && !chunks)) return [];
  const plainChunks = chunks?.map((chunk) => ({ ...chunk, text: onOneLine(chunk.text) }));
  return [digest(JSON.stringify([headings, markdown, plainChunks, ...(chunks ? [CHUNK_FORM] : [])]))];
}

const stringifyWithoutPlaces = (contentDefinition: ContentDefinition): string =>
  JSON.stringify(contentDefinition, (key, value: unknown) => (key === 'place' ? undefined : value));

/** Whether the page's links are those it had when it got that hash. */
export function hasSameLinks(knownStamp: string | undefined, content: PageContent, digest: Digest): boolean {
  if (knownStamp === undefined) return false;
  return !knownStamp.startsWith(CONTENT_PREFIX) || knownStamp.endsWith(hashLinks(content, digest));
}

function hashLinks({ base, links, robotsMetas }: PageContent, digest: Digest): string {
  const lines = [base ?? ''];
  for (const { agent, directives } of robotsMetas) lines.push(`${agent}:${directives}`);
  // Most links are plain; only the others need a description, which ends in another character than a line.
  let lineStart = '';
  for (const { href, kind, nofollow } of links) {
    if (kind === 'a' && !nofollow) {
      lines.push(lineStart === '' ? href : lineStart + href);
      lineStart = '';
    } else lineStart += `${href}\n${kind}${nofollow ? '!' : ''}\r`;
  }
  lines.push(lineStart);
  return digest(lines.join('\n')).slice(0, LINKS_LENGTH);
}
