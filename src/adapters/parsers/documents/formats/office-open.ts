/** Reads Word, Excel and PowerPoint documents (ECMA-376, Office Open XML). */
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { type Archive, openArchive } from './archive.js';
import { readCells, readSharedStrings } from './cells.js';
import { extractText, parseElements, type TextRules } from './markup.js';

const nameSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const WORDS: TextRules = {
  inside: nameSet('t'),
  silent: nameSet('fallback deltext instrtext'),
  separating: nameSet('p tab br cr tc'),
};

export function readWord(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const archive = openArchive(body, /^(?:word\/(?:_rels\/)?[a-z]+\d*\.xml(?:\.rels)?|docProps\/\w+\.xml)$/i);
  const content = startDocument(archive, request, 'word/document.xml');
  const parts = ['document', 'footnotes', 'endnotes', 'comments'].map((name) => `word/${name}.xml`);
  for (const part of [...parts, ...sortByNumber(archive.findNames(/^word\/(?:header|footer)\d*\.xml$/i))]) {
    readPart(archive, part, content);
  }
  return content;
}

export function readSlides(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const wanted =
    /^(?:ppt\/(?:_rels\/)?presentation\.xml(?:\.rels)?|ppt\/(?:slides|notesSlides)\/(?:_rels\/)?\w+\.xml(?:\.rels)?|docProps\/\w+\.xml)$/i;
  const archive = openArchive(body, wanted);
  const content = startDocument(archive, request, 'ppt/presentation.xml');
  const slides = listParts(archive, 'ppt/presentation.xml', 'sldid');
  content.addField('slide_count', String(slides.length));
  for (const { part } of slides) readPart(archive, part, content);
  for (const notes of sortByNumber(archive.findNames(/^ppt\/notesSlides\/\w+\.xml$/i)))
    readPart(archive, notes, content);
  return content;
}

export function readSheets(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const wanted =
    /^(?:xl\/(?:_rels\/)?workbook\.xml(?:\.rels)?|xl\/sharedStrings\.xml|xl\/worksheets\/(?:_rels\/)?\w+\.xml(?:\.rels)?|docProps\/\w+\.xml)$/i;
  const archive = openArchive(body, wanted);
  const content = startDocument(archive, request, 'xl/workbook.xml');
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

function startDocument(archive: Archive, request: DocumentRequest, main: string): DocumentContent {
  if (archive.findNames(/./).every((name) => name !== main))
    throw new Unreadable('extract-corrupt', `the archive has no ${main}`);
  const content = new DocumentContent(request);
  readProperties(archive, content);
  return content;
}

/** Reads the core properties (part 2 of the standard) and what programs write in addition. */
function readProperties(archive: Archive, content: DocumentContent): void {
  const core = new Map(parseElements(archive.readXml('docProps/core.xml')).map(({ name, text }) => [name, text]));
  content.title = core.get('title') ?? '';
  content.addAuthor(core.get('creator'));
  content.language = core.get('language');
  content.addField('description', core.get('description'));
  content.addField('subject', core.get('subject'));
  content.addField('keywords', core.get('keywords'));
  content.addField('category', core.get('category'));
  content.addField('last_author', core.get('lastmodifiedby'));
  content.addTime('date_created', core.get('created'));
  content.addTime('date_modified', core.get('modified'));
  const app = new Map(parseElements(archive.readXml('docProps/app.xml')).map(({ name, text }) => [name, text]));
  content.addField('page_count', app.get('pages'));
  content.addField('company', app.get('company'));
  content.addField('generator', app.get('application'));
  let property: string | undefined;
  for (const { name, attributes, text } of parseElements(archive.readXml('docProps/custom.xml'))) {
    if (name === 'property') property = attributes.get('name');
    else if (property !== undefined) content.addField(`property_${property.slice(0, 100)}`, text);
  }
}

function readPart(archive: Archive, part: string, content: DocumentContent): void {
  const xml = archive.readXml(part);
  if (xml === undefined) return;
  extractText(xml, content, WORDS);
  content.endWord();
  addLinks(archive, part, content);
}

interface Relation {
  readonly type: string;
  readonly target: string;
  readonly external: boolean;
}

function readRelations(archive: Archive, part: string): Map<string, Relation> {
  const at = part.lastIndexOf('/');
  const elements = parseElements(archive.readXml(`${part.slice(0, at)}/_rels${part.slice(at)}.rels`));
  return new Map(
    elements.flatMap(({ name, attributes }) =>
      name === 'relationship'
        ? [
            [
              attributes.get('id') ?? '',
              {
                type: attributes.get('type') ?? '',
                target: attributes.get('target') ?? '',
                external: attributes.get('targetmode') === 'External',
              },
            ] as const,
          ]
        : [],
    ),
  );
}

function addLinks(archive: Archive, part: string, content: DocumentContent): void {
  for (const { type, target, external } of readRelations(archive, part).values())
    if (external && type.endsWith('/hyperlink')) content.addLink(target);
}

/** Lists slides or sheets in the order of the presentation or workbook, which differs from that of their file names. */
function listParts(archive: Archive, main: string, element: string): { name: string | undefined; part: string }[] {
  const folder = main.slice(0, main.indexOf('/'));
  const related = readRelations(archive, main);
  return parseElements(archive.readXml(main)).flatMap(({ name, attributes }) => {
    const target = name === element ? related.get(attributes.get('id') ?? '')?.target : undefined;
    if (target === undefined) return [];
    return [{ name: attributes.get('name'), part: target.startsWith('/') ? target.slice(1) : `${folder}/${target}` }];
  });
}

const fileNumber = (name: string): number => Number(/(\d{1,9})\.xml$/i.exec(name)?.[1] ?? 0);
const sortByNumber = (list: string[]): string[] => list.sort((a, b) => fileNumber(a) - fileNumber(b));
