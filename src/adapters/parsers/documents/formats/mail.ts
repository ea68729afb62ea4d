/** E-mail messages (RFC 5322, MIME). */
import PostalMime, { type Address } from 'postal-mime';
import type { ContentExtractor, SyncExtractor } from '../../../../engine/ports/content-extractor.js';
import { builtInExtractors, extractorFinder } from '../../extractors.js';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';

const MOST_DEPTH = 50;
const MOST_HEADERS = 1024 * 1024;

let finder: ((mediaType: string) => ContentExtractor | undefined) | undefined;

export async function readMail(body: Uint8Array, request: DocumentRequest): Promise<DocumentContent> {
  const mail = await PostalMime.parse(body, {
    attachmentEncoding: 'arraybuffer',
    maxNestingDepth: MOST_DEPTH,
    maxHeadersSize: MOST_HEADERS,
  }).catch((error: unknown) => {
    throw new Unreadable('extract-corrupt', `the message cannot be read: ${String((error as Error).message)}`);
  });
  if (mail.headers.length === 0) throw new Unreadable('extract-corrupt', 'the message has no header');
  const content = new DocumentContent(request);
  content.title = mail.subject ?? '';
  content.author(mail.from && named(mail.from));
  for (const address of mail.to ?? []) content.field('recipient', named(address));
  for (const address of mail.cc ?? []) content.field('recipient', named(address));
  content.time('date_created', mail.date);
  content.field('message_id', mail.messageId);
  for (const { filename, mimeType } of mail.attachments) content.field('attachment', filename ?? mimeType);
  if (mail.text) content.text(mail.text);
  else if (mail.html) htmlPart(mail.html, content, request);
  for (const url of (mail.text ?? '').match(/https?:\/\/[^\s<>"')\]]+/g) ?? []) content.link(url);
  return content;
}

const named = ({ name, address }: Address): string =>
  name && address ? `${name} <${address}>` : name || address || '';

/** Read like a page. */
function htmlPart(html: string, content: DocumentContent, request: DocumentRequest): void {
  finder ??= extractorFinder(builtInExtractors());
  const reader = finder('text/html') as SyncExtractor;
  const context = { ...request, url: 'about:blank', contentType: 'text/html; charset=utf-8' };
  const read = reader.extract(Buffer.from(html), 'text/html', context);
  if ('refused' in read) return;
  content.text(read.text);
  for (const { href } of read.links) content.link(href);
}
