/** Reads Word, Excel and PowerPoint documents (ECMA-376, Office Open XML). */
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { type Archive, openArchive } from './archive.js';
import { readCells, readSharedStrings } from './cells.js';
import { createNameSet, extractText, parseElements, type TextRules } from './markup.js';

const TEXT_RULES: TextRules = {
  textElements: createNameSet('t'),
  ignoredElements: createNameSet('fallback deltext instrtext'),
  separatingElements: createNameSet('p tab br cr tc'),
};

export function readWord(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const archive = openArchive(body, /^(?:word\/(?:_rels\/)?[a-z]+\d*\.xml(?:\.rels)?|docProps\/\w+\.xml)$/i);
  const content = createContent(archive, request, 'word/document.xml');
  const parts = ['document', 'footnotes', 'endnotes', 'comments'].map((name) => `word/${name}.xml`);
  for (const part of [...parts, ...sortByNumber(archive.findEntryNames(/^word\/(?:header|footer)\d*\.xml$/i))]) {
    readPart(archive, part, content);
  }
  return content;
}

export function readSlides(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const namePattern =
    /^(?:ppt\/(?:_rels\/)?presentation\.xml(?:\.rels)?|ppt\/(?:slides|notesSlides)\/(?:_rels\/)?\w+\.xml(?:\.rels)?|docProps\/\w+\.xml)$/i;
  const archive = openArchive(body, namePattern);
  const content = createContent(archive, request, 'ppt/presentation.xml');
  const slides = listParts(archive, 'ppt/presentation.xml', 'sldid');
  content.addField('slide_count', String(slides.length));
  for (const { part } of slides) readPart(archive, part, content);
  for (const notes of sortByNumber(archive.findEntryNames(/^ppt\/notesSlides\/\w+\.xml$/i)))
    readPart(archive, notes, content);
  return content;
}

export function readSheets(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const namePattern =
    /^(?:xl\/(?:_rels\/)?workbook\.xml(?:\.rels)?|xl\/sharedStrings\.xml|xl\/worksheets\/(?:_rels\/)?\w+\.xml(?:\.rels)?|docProps\/\w+\.xml)$/i;
  const archive = openArchive(body, namePattern);
  const content = createContent(archive, request, 'xl/workbook.xml');
  const strings = readSharedStrings(archive.readXml('xl/sharedStrings.xml'));
  const sheets = listParts(archive, 'xl/workbook.xml', 'sheet');
  content.addField('sheet_count', String(sheets.length));
  for (const { name, part } of sheets) {
    if (content.isFull) content.markTruncated();
    if (content.isFull) break;
    content.addText(name ?? '');
    content.endWord();
    readCells(archive.readXml(part) ?? '', strings, content);
    addLinks(archive, part, content);
  }
  return content;
}

function createContent(archive: Archive, request: DocumentRequest, mainPart: string): DocumentContent {
  if (archive.findEntryNames(/./).every((name) => name !== mainPart))
    throw new Unreadable('extract-corrupt', `the archive has no ${mainPart}`);
  const content = new DocumentContent(request);
  readProperties(archive, content);
  return content;
}

/** Reads the core properties (part 2 of the standard) and those that programs add. */
function readProperties(archive: Archive, content: DocumentContent): void {
  const coreProperties = new Map(
    parseElements(archive.readXml('docProps/core.xml')).map(({ name, text }) => [name, text]),
  );
  content.title = coreProperties.get('title') ?? '';
  content.addAuthor(coreProperties.get('creator'));
  content.language = coreProperties.get('language');
  content.addField('description', coreProperties.get('description'));
  content.addField('subject', coreProperties.get('subject'));
  content.addField('keywords', coreProperties.get('keywords'));
  content.addField('category', coreProperties.get('category'));
  content.addField('last_author', coreProperties.get('lastmodifiedby'));
  content.addTime('date_created', coreProperties.get('created'));
  content.addTime('date_modified', coreProperties.get('modified'));
  const appProperties = new Map(
    parseElements(archive.readXml('docProps/app.xml')).map(({ name, text }) => [name, text]),
  );
  content.addField('page_count', appProperties.get('pages'));
  content.addField('company', appProperties.get('company'));
  content.addField('generator', appProperties.get('application'));
  let property: string | undefined;
  for (const { name, attributes, text } of parseElements(archive.readXml('docProps/custom.xml'))) {
    if (name === 'property') property = attributes.get('name');
    else if (property !== undefined) content.addField(`property_${property.slice(0, 100)}`, text);
  }
}

function readPart(archive: Archive, part: string, content: DocumentContent): void {
  const xml = archive.readXml(part);
  if (xml === undefined) return;
  extractText(xml, content, TEXT_RULES);
  content.endWord();
  addLinks(archive, part, content);
}

interface Relation {
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

function readRelations(archive: Archive, part: string): Map<string, Relation> {
  const slash = part.lastIndexOf('/');
  const elements = parseElements(archive.readXml(`${part.slice(0, slash)}/_rels${part.slice(slash)}.rels`));
  return new Map(
    elements.flatMap(({ name, attributes }) =>
      name === 'relationship'
        ? [
            [
              attributes.get('id') ?? '',
              {
                type: attributes.get('type') ?? '',
                target: attributes.get('target') ?? '',
                isExternal: attributes.get('targetmode') === 'External',
              },
            ] as const,
          ]
        : [],
    ),
  );
}

function addLinks(archive: Archive, part: string, content: DocumentContent): void {
  for (const { type, target, isExternal } of readRelations(archive, part).values())
    if (isExternal && type.endsWith('/hyperlink')) content.addLink(target);
}

/** Lists slides or sheets in the order of the presentation or workbook, which differs from that of their file names. */
function listParts(
  archive: Archive,
  mainPart: string,
  elementName: string,
): { name: string | undefined; part: string }[] {
  const folder = mainPart.slice(0, mainPart.indexOf('/'));
  const relations = readRelations(archive, mainPart);
  return parseElements(archive.readXml(mainPart)).flatMap(({ name, attributes }) => {
    const target = name === elementName ? relations.get(attributes.get('id') ?? '')?.target : undefined;
    if (target === undefined) return [];
    return [{ name: attributes.get('name'), part: target.startsWith('/') ? target.slice(1) : `${folder}/${target}` }];
  });
}

const getFileNumber = (name: string): number => Number(/(\d{1,9})\.xml$/i.exec(name)?.[1] ?? 0);
const sortByNumber = (list: string[]): string[] => list.sort((a, b) => getFileNumber(a) - getFileNumber(b));
