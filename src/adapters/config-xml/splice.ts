/**
 * Changes to a lossless document as replacements of ranges of its text; everything else stays byte for byte the same.
 * New elements get the indentation and line ends of their neighbours.
 */
import type { XmlDocument, XmlElement } from './document.js';
import { escapeAttribute } from './markup.js';

/** XML to insert: a string is inserted unchanged; lines get the indentation and line ends of their surroundings. */
export type NewXml = string | readonly string[];

/** A replacement of one range of the text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all splices applied; they must not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const splice of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

const createInsertion = (at: number, text: string): Splice => ({ start: at, end: at, text });

export function insertAfter(document: XmlDocument, sibling: XmlElement, xml: NewXml): Splice {
  const indent = findIndentation(document, sibling);
  return createInsertion(sibling.end, lineBreak(document, indent) + renderXml(document, xml, indent));
}

export function insertBefore(document: XmlDocument, sibling: XmlElement, xml: NewXml): Splice {
  const indent = findIndentation(document, sibling);
  return createInsertion(sibling.start, renderXml(document, xml, indent) + lineBreak(document, indent));
}

export const replaceElement = (document: XmlDocument, element: XmlElement, xml: NewXml): Splice => ({
  start: element.start,
  end: element.end,
  text: renderXml(document, xml, findIndentation(document, element)),
});

/** Appends an element as the last child; expands `<a/>` if necessary. */
export function appendChild(document: XmlDocument, parent: XmlElement, xml: NewXml): Splice {
  const last = parent.children.at(-1);
  if (last) return insertAfter(document, last, xml);
  const outer = findIndentation(document, parent);
  const inner = `${outer}  `;
  const child = lineBreak(document, inner) + renderXml(document, xml, inner);
  const isEmpty = parent.contentStart === parent.contentEnd;
  const closing = isEmpty ? lineBreak(document, outer) : '';
  if (!parent.selfClosing) return createInsertion(parent.contentStart, child + closing);
  const slash = parent.contentStart - '/>'.length;
  const start = slash - countSpacesBefore(document.text, slash);
  return { start, end: parent.end, text: `>${child}${closing}</${parent.name}>` };
}

function countSpacesBefore(text: string, offset: number): number {
  let count = 0;
  while (/\s/.test(text[offset - count - 1] ?? '')) count++;
  return count;
}

/** Removes an element, including its line if nothing else except an end tag is on it. */
export function removeElement({ text }: XmlDocument, element: XmlElement): Splice {
  let start = element.start;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--;
  let end = element.end;
  while (text[end] === ' ' || text[end] === '\t') end++;
  const ownsLine = text[start - 1] === '\n' && /^(?:\r?\n|<\/)/.test(text.slice(end, end + 2));
  if (!ownsLine) return { start: element.start, end: element.end, text: '' };
  return { start: start - (text[start - 2] === '\r' ? 2 : 1), end, text: '' };
}

/** Sets or adds an attribute, or removes it if the value is undefined. */
export function setAttribute(
  document: XmlDocument,
  element: XmlElement,
  name: string,
  value: string | undefined,
): Splice {
  const existing = element.attributes.find((attribute) => attribute.name === name);
  if (!existing) {
    const at = element.attributes.at(-1)?.end ?? element.start + 1 + element.name.length;
    return createInsertion(at, value === undefined ? '' : ` ${name}="${escapeAttribute(value)}"`);
  }
  if (value === undefined) {
    const start = existing.start - countSpacesBefore(document.text, existing.start);
    return { start, end: existing.end, text: '' };
  }
  return { start: existing.valueStart - 1, end: existing.end, text: `"${escapeAttribute(value)}"` };
}

/** The whitespace at the start of the element's line. */
export function findIndentation(document: XmlDocument, element: XmlElement): string {
  const line = document.text.lastIndexOf('\n', element.start - 1) + 1;
  return /^[ \t]*/.exec(document.text.slice(line, element.start))?.[0] ?? '';
}

const lineBreak = ({ text }: XmlDocument, indent: string): string => (text.includes('\r\n') ? '\r\n' : '\n') + indent;

const renderXml = (document: XmlDocument, xml: NewXml, indent: string): string =>
  typeof xml === 'string' ? xml : xml.join(lineBreak(document, indent));
