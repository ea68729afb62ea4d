/** Reads web archives (RFC 2557, MHTML): a page with its pictures and styles, saved by a browser or exported by a program. */
import PostalMime from 'postal-mime';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { readPage } from './mail.js';

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
    const page = readPage(Buffer.from(html), 'text/html', request, 'text/html; charset=utf-8');
    if ('refused' in page) throw new Unreadable(page.refused, page.detail);
    if (page.title !== '') content.title = page.title;
    content.language = page.language;
    content.addAuthor(page.metas.find(({ name }) => name === 'author')?.value);
    content.addLines(page.text, page.headings);
    for (const { href } of page.links) content.addLink(href);
  }
  return content;
}
