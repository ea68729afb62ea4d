/** Reads e-mail messages (RFC 5322, MIME). */
import PostalMime, { type Address } from 'postal-mime';
import { MARKERS_ONLY } from '../../../../domain/content/content-definition.js';
import type {
  ContentExtractor,
  Extraction,
  Refusal,
  SyncExtractor,
} from '../../../../engine/ports/content-extractor.js';
import { createBuiltInExtractors, createExtractorFinder } from '../../extractors.js';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';

const MAX_DEPTH = 50;
const MAX_HEADERS_SIZE = 1024 * 1024;

let findExtractor: ((mediaType: string) => ContentExtractor | undefined) | undefined;

/** Finds the extractor of a page or text. */
export function findPageExtractor(mediaType: string): ContentExtractor | undefined {
  findExtractor ??= createExtractorFinder(createBuiltInExtractors());
  return findExtractor(mediaType);
}

export async function readMail(body: Uint8Array, request: DocumentRequest): Promise<DocumentContent> {
  const mail = await PostalMime.parse(body, {
    attachmentEncoding: 'arraybuffer',
    maxNestingDepth: MAX_DEPTH,
    maxHeadersSize: MAX_HEADERS_SIZE,
    // Attached messages are documents of their own, too; otherwise their texts belong to the message.
    forceRfc822Attachments: request.members,
  }).catch((error: unknown) => {
    throw new Unreadable('extract-corrupt', `the message cannot be read: ${String((error as Error).message)}`);
  });
  if (mail.headers.length === 0) throw new Unreadable('extract-corrupt', 'the message has no header');
  const content = new DocumentContent(request);
  content.title = mail.subject ?? '';
  content.addAuthor(mail.from && formatAddress(mail.from));
  for (const address of mail.to ?? []) content.addField('recipient', formatAddress(address));
  for (const address of mail.cc ?? []) content.addField('recipient', formatAddress(address));
  content.addTime('date_created', mail.date);
  content.addField('message_id', mail.messageId);
  for (const [index, { filename, mimeType, content: bytes }] of mail.attachments.entries()) {
    content.addField('attachment', filename ?? mimeType);
    const file = typeof bytes === 'string' ? Buffer.from(bytes) : new Uint8Array(bytes as ArrayBuffer);
    const path = filename ?? `attachment-${index + 1}${mimeType === 'message/rfc822' ? '.eml' : ''}`;
    content.addMember({ path, size: file.byteLength, contentType: mimeType, open: () => file });
  }
  // Newsletters have a text part without a text.
  if (mail.text?.trim()) content.addBlocks(mail.text, '\n\n');
  else if (mail.html) readHtmlPart(mail.html, content, request);
  addLinksOfText(mail.text ?? '', content);
  return content;
}

/** Adds the URLs in a plain text. */
export function addLinksOfText(text: string, content: DocumentContent): void {
  for (const [url] of text.matchAll(/https?:\/\/[^\s<>"')\]]+/g)) content.addLink(url);
}

const formatAddress = ({ name, address }: Address): string =>
  name && address ? `${name} <${address}>` : name || address || '';

/** Reads an HTML part like a page. */
export function readHtmlPart(html: string, content: DocumentContent, request: DocumentRequest): void {
  const page = readPage(Buffer.from(html), 'text/html', request, 'text/html; charset=utf-8');
  if ('refused' in page) return;
  content.addLines(page.text, page.headings);
  for (const { href } of page.links) content.addLink(href);
}

const HEADINGS_ONLY = { ...MARKERS_ONLY, markers: [], headings: true };

/** Reads a page or text that is a part of a document, or a file in it. */
export function readPage(
  body: Uint8Array,
  mediaType: string,
  request: DocumentRequest,
  contentType?: string,
): Extraction | Refusal {
  const extractor = findPageExtractor(mediaType) as SyncExtractor;
  const content = request.headings ? HEADINGS_ONLY : undefined;
  return extractor.extract(body, mediaType, { ...request, content, url: 'about:blank', contentType });
}
