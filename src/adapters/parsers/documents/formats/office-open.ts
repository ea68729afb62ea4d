/** Reads Excel workbooks and PowerPoint presentations (ECMA-376, SpreadsheetML and PresentationML). */
import type { DocumentContent, DocumentRequest } from '../document-content.js';
import { SlideTitle } from '../document-headings.js';
import { readCells, readSharedStrings } from './cells.js';
import { NumberFormats, readCellStyles } from './number-formats.js';
import { type OfficePackage, openPackage, TEXT_RULES } from './office-package.js';

export function readSlides(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const office = openPackage(body, request, 'ppt/presentation.xml');
  const { content } = office;
  const slides = office.listParts('sldid', /^ppt\/slides\/[^/]+\.xml$/i);
  content.addField('slide_count', String(slides.length));
  const titles = new Map(slides.map(({ part }) => [part, readSlide(office, part)]));
  for (const { part } of slides)
    for (const { type, target } of office.readRelations(part).values())
      if (type === 'notesslide') {
        content.addHeading(1, content.position, titles.get(part) ?? '');
        office.readText(target, TEXT_RULES);
      }
  return content;
}

const TITLES: ReadonlySet<string | undefined> = new Set(['title', 'ctrTitle']);

/** Reads a slide; returns its title. */
function readSlide(office: OfficePackage, part: string): string {
  const title = new SlideTitle(office.content);
  let isTitle = false;
  office.readText(part, TEXT_RULES, {
    onElement(name, attributes) {
      if (name === 'sp') isTitle = false;
      else if (name === 'ph') isTitle = TITLES.has(attributes.get('type'));
      else if (name === 'txbody' && isTitle) title.begin();
      return true;
    },
    onElementEnd(name) {
      if (name === 'txbody') title.end();
    },
  });
  return title.text;
}

export function readSheets(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const office = openPackage(body, request, 'xl/workbook.xml');
  const { archive, content } = office;
  const formats = new NumberFormats(
    /<(?:\w+:)?workbookPr\b[^<>]{0,2000}\bdate1904="(?:1|true)"/.test(archive.readXml(office.mainPart) ?? ''),
  );
  const context = {
    strings: readSharedStrings(archive.readXml(office.findPart('sharedstrings') ?? 'xl/sharedStrings.xml')),
    styles: readCellStyles(archive.readXml(office.findPart('styles') ?? 'xl/styles.xml'), formats),
    formats,
  };
  const sheets = office.listParts('sheet', /^xl\/worksheets\/[^/]+\.xml$/i);
  content.addField('sheet_count', String(sheets.length));
  for (const { name, part } of sheets) {
    if (content.isFull) content.markTruncated();
    if (content.isFull) break;
    content.addText(name ?? '');
    content.endWord();
    readCells(archive.readXml(part, true) ?? '', context, content);
    office.followAll(office.readRelations(part));
  }
  if (archive.isCut) content.markTruncated();
  return content;
}
