/** Texts, spreadsheets and presentations of OpenDocument (ISO/IEC 26300). */
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { type Archive, openArchive } from './archive.js';
import { elementsOf, type TextRules, textOf } from './markup.js';

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const WORDS: TextRules = {
  inside: names('p h'),
  silent: names('tracked-changes'),
  separating: names('p h s tab line-break'),
};

export function readOpenDocument(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const archive = openArchive(body, /^(?:(?:content|meta)\.xml|META-INF\/manifest\.xml)$/);
  if (/encryption-data/.test(archive.xml('META-INF/manifest.xml') ?? ''))
    throw new Unreadable('extract-encrypted', 'the document is encrypted');
  const xml = archive.xml('content.xml');
  if (xml === undefined) throw new Unreadable('extract-corrupt', 'the archive has no content.xml');
  const content = new DocumentContent(request);
  properties(archive, content);
  const isSpreadsheet = request.mediaType.includes('spreadsheet');
  let sheets = 0;
  let slides = 0;
  textOf(xml, content, WORDS, (name, attributes) => {
    if (name === 'a') content.link(attributes.get('href') ?? '');
    else if (name === 'page') slides++;
    else if (name === 'table' && isSpreadsheet) {
      sheets++;
      content.separate();
      content.text(attributes.get('name') ?? '');
      content.separate();
    }
  });
  if (isSpreadsheet) content.field('sheet_count', String(sheets));
  if (slides > 0) content.field('slide_count', String(slides));
  return content;
}

function properties(archive: Archive, content: DocumentContent): void {
  const elements = elementsOf(archive.xml('meta.xml'));
  const value = (wanted: string): string | undefined => elements.find(({ name }) => name === wanted)?.text;
  content.title = value('title') ?? '';
  content.author(value('initial-creator') ?? value('creator'));
  content.language = value('language');
  content.field('description', value('description'));
  content.field('subject', value('subject'));
  for (const { name, text } of elements) if (name === 'keyword') content.field('keywords', text);
  content.field('last_author', value('creator'));
  content.time('date_created', value('creation-date'));
  content.time('date_modified', value('date'));
  content.field('generator', value('generator'));
  const pages = elements.find(({ name }) => name === 'document-statistic')?.attributes.get('page-count');
  content.field('page_count', pages);
  for (const { name, attributes, text } of elements)
    if (name === 'user-defined') content.field(`property_${attributes.get('name')?.slice(0, 100)}`, text);
}
