/** Reads Visio drawings (MS-VSDX): the names of the pages, and the texts of the shapes on them. */
import type { DocumentContent, DocumentRequest } from '../document-content.js';
import { createNameSet, parseElements, type TextRules } from './markup.js';
import { type OfficePackage, openPackage } from './office-package.js';

const SHAPE_RULES: TextRules = {
  textElements: createNameSet('text commententry'),
  ignoredElements: createNameSet(''),
  separatingElements: createNameSet('text commententry'),
};
const MAX_PAGES = 10_000;

export function readVisio(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const office = openPackage(body, request, 'visio/document.xml', new Map());
  const { content } = office;
  const pages = listPages(office);
  content.addField('page_count', String(pages.length));
  for (const { name, part } of pages) {
    if (content.isFull) break;
    content.addText(name ?? '');
    content.endBlock();
    office.readText(part, SHAPE_RULES, {
      onElement(element, attributes) {
        if (element === 'cell' && attributes.get('n') === 'Address') content.addLink(attributes.get('v') ?? '');
        return true;
      },
    });
  }
  const comments = office.findPart('comments');
  if (comments !== undefined) office.readText(comments, SHAPE_RULES);
  return content;
}

/** Lists the pages in their order: each has a name, and an element with its relation. */
function listPages(office: OfficePackage): { name: string | undefined; part: string }[] {
  const list = office.findPart('pages') ?? 'visio/pages/pages.xml';
  const relations = office.readRelations(list);
  let pageName: string | undefined;
  const pages: { name: string | undefined; part: string }[] = [];
  for (const { name, attributes } of parseElements(office.archive.readXml(list))) {
    if (name === 'page') pageName = attributes.get('name');
    const relation = name === 'rel' ? relations.get(attributes.get('id') ?? '') : undefined;
    if (relation && !relation.isExternal && pages.length < MAX_PAGES)
      pages.push({ name: pageName, part: relation.target });
  }
  return pages;
}
