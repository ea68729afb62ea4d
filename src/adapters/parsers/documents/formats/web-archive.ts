/** Reads web archives (RFC 2557, MHTML): a page with its pictures and styles, saved by a browser or exported by a program. */
import PostalMime from 'postal-mime';
import type { SyncExtractor } from '../../../../engine/ports/content-extractor.js';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { findPageExtractor } from './mail.js';

const MAX_DEPTH = 10;

export async function readWebArchive(body: Uint8Array, request: DocumentRequest): Promise<DocumentContent> {
  const archive = await PostalMime.parse(body, { attachmentEncoding: 'arraybuffer', maxNestingDepth: MAX_DEPTH }).catch(
    (error: unknown) => {
      throw new Unreadable('extract-corrupt', `the web archive cannot be read: ${String((error as Error).message)}`);
    },
  );
  const { html, text, subject, date, headers } = archive;
  if (headers.length === 0 || (html === undefined && text === undefined))
    throw new Unreadable('extract-corrupt', 'the web archive has no page');
  const content = new DocumentContent(request);
  content.title = subject ?? '';
  content.addTime('date_created', date);
  if (html === undefined) content.addBlocks(text!, '\n\n');
  else {
    const extractor = findPageExtractor('text/html') as SyncExtractor;
    const context = { ...request, url: 'about:blank', contentType: 'text/html; charset=utf-8' };
    const page = extractor.extract(Buffer.from(html), 'text/html', context);
    if ('refused' in page) throw new Unreadable(page.refused, page.detail);
    if (page.title !== '') content.title = page.title;
    content.language = page.language;
    content.addAuthor(page.metas.find(({ name }) => name === 'author')?.value);
    content.addBlocks(page.text, '\n');
    for (const { href } of page.links) content.addLink(href);
  }
  return content;
}
