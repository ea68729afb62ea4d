/** Reads OpenDocument texts, spreadsheets and presentations (ISO/IEC 26300). */
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { SlideTitle } from '../document-headings.js';
import { type Archive, openArchive } from './archive.js';
import { createNameSet, extractText, parseElements, type TextRules } from './markup.js';

const TEXT_RULES: TextRules = {
  textElements: createNameSet('p h header-decl footer-decl'),
  ignoredElements: createNameSet('tracked-changes'),
  separatingElements: createNameSet('p h s tab line-break header-decl footer-decl'),
  // Their authors, dates and numbers are outside of paragraphs.
  asideElements: createNameSet('note annotation text-box'),
};
/** The text boxes of slides and drawings stand beside each other, not in paragraphs. */
const DRAWING_RULES: TextRules = { ...TEXT_RULES, asideElements: createNameSet('note annotation') };
/** Headers and footers of pages, without the fields that differ from page to page. */
const PAGE_RULES: TextRules = {
  textElements: createNameSet('header header-left header-first footer footer-left footer-first'),
  ignoredElements: createNameSet('sheet-name page-number page-count date time file-name tracked-changes'),
  separatingElements: createNameSet('p h s tab line-break'),
};
/** What slides show of their master, without the fields and placeholders that each of them fills in. */
const MASTER_RULES: TextRules = {
  textElements: createNameSet('p h'),
  ignoredElements: createNameSet('notes handout-master page-number page-count date-time date time file-name'),
  separatingElements: createNameSet('p h s tab line-break'),
};
/** Classes of shapes on masters that have a text of their own. */
const TEXT_CLASSES: ReadonlySet<string | undefined> = new Set([undefined, 'header', 'footer']);
const MAX_OBJECTS = 1_000;

export function readOpenDocument(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const archive = request.mediaType.endsWith('flat-xml') ? openFlatDocument(body) : openArchive(body);
  if (/encryption-data/.test(archive.readXml('META-INF/manifest.xml') ?? ''))
    throw new Unreadable('extract-encrypted', 'the document is encrypted');
  const isSpreadsheet = request.mediaType.includes('spreadsheet');
  const xml = archive.readXml('content.xml', isSpreadsheet);
  if (xml === undefined) throw new Unreadable('extract-corrupt', 'the archive has no content.xml');
  const content = new DocumentContent(request);
  if (archive.isDamaged || archive.isCut) content.markTruncated();
  readProperties(archive, content);
  const isDrawing = /presentation|graphics/.test(request.mediaType);
  let sheetCount = 0;
  let slideCount = 0;
  const objects = new Set<string>();
  const masters = new Set<string | undefined>();
  let title: SlideTitle | undefined;
  const readContent = (part: string, partXml: string, isWhole: boolean): void =>
    extractText(partXml, content, isDrawing ? DRAWING_RULES : TEXT_RULES, {
      onElement(name, attributes) {
        if (name === 'frame' && attributes.get('class') === 'title') title?.begin();
        if (name === 'h') content.beginHeading(Number.parseInt(attributes.get('outline-level') ?? '', 10) || 1);
        else if (name === 'a') content.addLink(attributes.get('href') ?? '');
        else if (name === 'object') readObject(part, attributes.get('href') ?? '');
        else if (name === 'page' && isWhole) {
          slideCount++;
          content.addAsides();
          title = new SlideTitle(content);
          masters.add(attributes.get('master-page-name'));
        } else if (name === 'table' && isSpreadsheet && isWhole) {
          sheetCount++;
          content.endBlock();
          content.addText(attributes.get('name') ?? '');
          content.endBlock();
        }
        // On slides, the stored text of a number is that of a placeholder.
        return name !== 'page-number' || slideCount === 0;
      },
      onElementEnd(name) {
        if (name === 'h') content.endHeading();
        else if (name === 'frame') title?.end();
      },
    });
  /** Reads a chart or a table in a folder of its own, after the paragraph in which it stands. */
  const readObject = (part: string, href: string): void => {
    const name = `${href.replace(/^\.\//, '')}/content.xml`;
    const objectXml = objects.has(name) || objects.size >= MAX_OBJECTS ? undefined : archive.readXml(name);
    if (objectXml === undefined || part !== 'content.xml') return;
    objects.add(name);
    content.beginAside();
    readContent(name, objectXml, false);
    content.endAside();
  };
  readContent('content.xml', xml, true);
  content.endBlock();
  content.addHeading(1, content.position, '');
  readPages(archive.readXml('styles.xml') ?? '', content, slideCount > 0 ? masters : undefined);
  if (isSpreadsheet) content.addField('sheet_count', String(sheetCount));
  if (slideCount > 0) content.addField('slide_count', String(slideCount));
  return content;
}

/** Reads what is on the pages of a text, or what slides show of their masters. */
function readPages(styles: string, content: DocumentContent, masters?: ReadonlySet<string | undefined>): void {
  if (masters)
    extractText(styles, content, MASTER_RULES, {
      onElement: (name, attributes) =>
        name === 'master-page'
          ? masters.has(attributes.get('name'))
          : TEXT_CLASSES.has(attributes.get('class')) && attributes.get('placeholder') !== 'true',
    });
  else
    extractText(styles, content, PAGE_RULES, {
      onElement: (name, attributes) => !PAGE_RULES.textElements!.has(name) || attributes.get('display') !== 'false',
    });
}

/** A flat document has everything in one file: styles are not read from it, so that their headers are read once. */
function openFlatDocument(body: Uint8Array): Pick<Archive, 'readXml' | 'isDamaged' | 'isCut'> {
  const xml = new TextDecoder().decode(body);
  if (!/<(?:\w+:)?document[\s>]/.test(xml.slice(0, 8_192)))
    throw new Unreadable('extract-corrupt', 'the document is not in flat OpenDocument format');
  const metaEnd = xml.indexOf('</office:meta>');
  const parts = new Map([
    ['content.xml', xml],
    ['meta.xml', metaEnd < 0 ? '' : xml.slice(0, metaEnd)],
  ]);
  return { isDamaged: false, isCut: false, readXml: (name) => parts.get(name) };
}

function readProperties(archive: Pick<Archive, 'readXml'>, content: DocumentContent): void {
  const elements = parseElements(archive.readXml('meta.xml'));
  const findValue = (elementName: string): string | undefined =>
    elements.find(({ name }) => name === elementName)?.text;
  content.title = findValue('title') ?? '';
  content.addAuthor(findValue('initial-creator') ?? findValue('creator'));
  content.language = findValue('language');
  content.addField('description', findValue('description'));
  content.addField('subject', findValue('subject'));
  for (const { name, text } of elements) if (name === 'keyword') content.addField('keywords', text);
  content.addField('last_author', findValue('creator'));
  content.addTime('date_created', findValue('creation-date'));
  content.addTime('date_modified', findValue('date'));
  content.addField('generator', findValue('generator'));
  const pageCount = elements.find(({ name }) => name === 'document-statistic')?.attributes.get('page-count');
  content.addField('page_count', pageCount);
  for (const { name, attributes, text } of elements)
    if (name === 'user-defined') content.addField(`property_${attributes.get('name')?.slice(0, 100)}`, text);
}
