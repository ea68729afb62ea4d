/** Word, Excel and PowerPoint documents (ECMA-376, Office Open XML). */
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { type Archive, openArchive } from './archive.js';
import { readCells, sharedStrings } from './cells.js';
import { elementsOf, type TextRules, textOf } from './markup.js';

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const WORDS: TextRules = {
  inside: names('t'),
  silent: names('fallback deltext instrtext'),
  separating: names('p tab br cr tc'),
};

export function readWord(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const archive = openArchive(body, /^(?:word\/(?:_rels\/)?[a-z]+\d*\.xml(?:\.rels)?|docProps\/\w+\.xml)$/i);
  const content = startedAt(archive, request, 'word/document.xml');
  const parts = ['document', 'footnotes', 'endnotes', 'comments'].map((name) => `word/${name}.xml`);
  for (const part of [...parts, ...byNumber(archive.names(/^word\/(?:header|footer)\d*\.xml$/i))]) {
    readPart(archive, part, content);
  }
  return content;
}

export function readSlides(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const wanted =
    /^(?:ppt\/(?:_rels\/)?presentation\.xml(?:\.rels)?|ppt\/(?:slides|notesSlides)\/(?:_rels\/)?\w+\.xml(?:\.rels)?|docProps\/\w+\.xml)$/i;
  const archive = openArchive(body, wanted);
  const content = startedAt(archive, request, 'ppt/presentation.xml');
  const slides = inOrder(archive, 'ppt/presentation.xml', 'sldid');
  content.field('slide_count', String(slides.length));
  for (const { part } of slides) readPart(archive, part, content);
  for (const notes of byNumber(archive.names(/^ppt\/notesSlides\/\w+\.xml$/i))) readPart(archive, notes, content);
  return content;
}

export function readSheets(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const wanted =
    /^(?:xl\/(?:_rels\/)?workbook\.xml(?:\.rels)?|xl\/sharedStrings\.xml|xl\/worksheets\/(?:_rels\/)?\w+\.xml(?:\.rels)?|docProps\/\w+\.xml)$/i;
  const archive = openArchive(body, wanted);
  const content = startedAt(archive, request, 'xl/workbook.xml');
  const strings = sharedStrings(archive.xml('xl/sharedStrings.xml'));
  const sheets = inOrder(archive, 'xl/workbook.xml', 'sheet');
  content.field('sheet_count', String(sheets.length));
  for (const { name, part } of sheets) {
    if (content.isFull) content.stopped();
    if (content.isFull) break;
    content.text(name ?? '');
    content.separate();
    readCells(archive.xml(part) ?? '', strings, content);
    linksOf(archive, part, content);
  }
  return content;
}

function startedAt(archive: Archive, request: DocumentRequest, main: string): DocumentContent {
  if (archive.names(/./).every((name) => name !== main))
    throw new Unreadable('extract-corrupt', `the archive has no ${main}`);
  const content = new DocumentContent(request);
  properties(archive, content);
  return content;
}

/** Part 2 of the standard, "Core Properties", and what programs write in addition. */
function properties(archive: Archive, content: DocumentContent): void {
  const core = new Map(elementsOf(archive.xml('docProps/core.xml')).map(({ name, text }) => [name, text]));
  content.title = core.get('title') ?? '';
  content.author(core.get('creator'));
  content.language = core.get('language');
  content.field('description', core.get('description'));
  content.field('subject', core.get('subject'));
  content.field('keywords', core.get('keywords'));
  content.field('category', core.get('category'));
  content.field('last_author', core.get('lastmodifiedby'));
  content.time('date_created', core.get('created'));
  content.time('date_modified', core.get('modified'));
  const app = new Map(elementsOf(archive.xml('docProps/app.xml')).map(({ name, text }) => [name, text]));
  content.field('page_count', app.get('pages'));
  content.field('company', app.get('company'));
  content.field('generator', app.get('application'));
  let property: string | undefined;
  for (const { name, attributes, text } of elementsOf(archive.xml('docProps/custom.xml'))) {
    if (name === 'property') property = attributes.get('name');
    else if (property !== undefined) content.field(`property_${property.slice(0, 100)}`, text);
  }
}

function readPart(archive: Archive, part: string, content: DocumentContent): void {
  const xml = archive.xml(part);
  if (xml === undefined) return;
  textOf(xml, content, WORDS);
  content.separate();
  linksOf(archive, part, content);
}

interface Relation {
  readonly type: string;
  readonly target: string;
  readonly external: boolean;
}

function relations(archive: Archive, part: string): Map<string, Relation> {
  const at = part.lastIndexOf('/');
  const elements = elementsOf(archive.xml(`${part.slice(0, at)}/_rels${part.slice(at)}.rels`));
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

function linksOf(archive: Archive, part: string, content: DocumentContent): void {
  for (const { type, target, external } of relations(archive, part).values())
    if (external && type.endsWith('/hyperlink')) content.link(target);
}

/** Slides or sheets in the order of the presentation or workbook, which is not that of their file names. */
function inOrder(archive: Archive, main: string, element: string): { name: string | undefined; part: string }[] {
  const folder = main.slice(0, main.indexOf('/'));
  const related = relations(archive, main);
  return elementsOf(archive.xml(main)).flatMap(({ name, attributes }) => {
    const target = name === element ? related.get(attributes.get('id') ?? '')?.target : undefined;
    if (target === undefined) return [];
    return [{ name: attributes.get('name'), part: target.startsWith('/') ? target.slice(1) : `${folder}/${target}` }];
  });
}

const number = (name: string): number => Number(/(\d{1,9})\.xml$/i.exec(name)?.[1] ?? 0);
const byNumber = (list: string[]): string[] => list.sort((a, b) => number(a) - number(b));
