/**
 * Edits a lossless document by replacing ranges of its text; every other byte stays unchanged. New elements get the
 * indentation and line ends of their surroundings.
 */
import type { XmlDocument, XmlElement } from './document.js';
import { escapeAttribute } from './markup.js';

/** XML to insert: a string is inserted unchanged; an array of lines is indented like its surroundings. */
export type NewXml = string | readonly string[];

/** A replacement of one range of the text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies the splices, which must not overlap, and returns the new text. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let position = 0;
  for (const splice of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(position, splice.start) + splice.text;
    position = splice.end;
  }
  return result + text.slice(position);
}

const createInsertion = (offset: number, text: string): Splice => ({ start: offset, end: offset, text });

/** Range of an element with the comments that are about it: those directly above it, and those behind it on its line. */
export function findRangeWithComments({ text }: XmlDocument, element: XmlElement): Pick<XmlElement, 'start' | 'end'> {
  COMMENTS_ON_LINE.lastIndex = element.end;
  const [comments = ''] = COMMENTS_ON_LINE.exec(text) ?? [];
  let { start } = element;
  for (;;) {
    const commentEnd = start - findLineBreakBefore(text, start).length;
    const commentStart = text.startsWith('-->', commentEnd - 3) ? text.lastIndexOf('<!--', commentEnd) : -1;
    if (commentEnd === start || commentStart < 0 || findLineBreakBefore(text, commentStart) === '') break;
    start = commentStart;
  }
  return { start, end: element.end + comments.length };
}

const COMMENTS_ON_LINE = /(?:[ \t]*<!--(?:(?!-->)[^\r\n])*-->)*/y;
const MAX_INDENTATION = 200;

/** The line break before an offset, with the indentation between; empty if there is something else. */
const findLineBreakBefore = (text: string, offset: number): string =>
  /\r?\n[ \t]*$/.exec(text.slice(Math.max(0, offset - MAX_INDENTATION), offset))?.[0] ?? '';

export function insertAfter(document: XmlDocument, sibling: XmlElement, xml: NewXml): Splice {
  const indent = findIndentation(document, sibling);
  const text = formatLineBreak(document, indent) + renderXml(document, xml, indent);
  return createInsertion(findRangeWithComments(document, sibling).end, text);
}

export function insertBefore(document: XmlDocument, sibling: XmlElement, xml: NewXml): Splice {
  const indent = findIndentation(document, sibling);
  const text = renderXml(document, xml, indent) + formatLineBreak(document, indent);
  return createInsertion(findRangeWithComments(document, sibling).start, text);
}

export const replaceElement = (document: XmlDocument, element: XmlElement, xml: NewXml): Splice => ({
  start: element.start,
  end: element.end,
  text: renderXml(document, xml, findIndentation(document, element)),
});

/** Appends an element as the last child; expands `<a/>` if necessary. */
export function appendChild(document: XmlDocument, parent: XmlElement, xml: NewXml): Splice {
  const lastChild = parent.children.at(-1);
  if (lastChild) return insertAfter(document, lastChild, xml);
  const outerIndent = findIndentation(document, parent);
  const innerIndent = `${outerIndent}  `;
  const child = formatLineBreak(document, innerIndent) + renderXml(document, xml, innerIndent);
  const isEmpty = parent.contentStart === parent.contentEnd;
  const closingLineBreak = isEmpty ? formatLineBreak(document, outerIndent) : '';
  if (!parent.selfClosing) return createInsertion(parent.contentStart, child + closingLineBreak);
  const slashOffset = parent.contentStart - '/>'.length;
  const start = slashOffset - countSpacesBefore(document.text, slashOffset);
  return { start, end: parent.end, text: `>${child}${closingLineBreak}</${parent.name}>` };
}

function countSpacesBefore(text: string, offset: number): number {
  let count = 0;
  while (/\s/.test(text[offset - count - 1] ?? '')) count++;
  return count;
}

/** Removes an element, including its line unless something other than an end tag is also on it. */
export function removeElement({ text }: XmlDocument, element: Pick<XmlElement, 'start' | 'end'>): Splice {
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
    const offset = element.attributes.at(-1)?.end ?? element.start + 1 + element.name.length;
    return createInsertion(offset, value === undefined ? '' : ` ${name}="${escapeAttribute(value)}"`);
  }
  if (value === undefined) {
    const start = existing.start - countSpacesBefore(document.text, existing.start);
    return { start, end: existing.end, text: '' };
  }
  return { start: existing.valueStart - 1, end: existing.end, text: `"${escapeAttribute(value)}"` };
}

/** Returns the whitespace at the beginning of the element's line. */
function findIndentation(document: XmlDocument, element: XmlElement): string {
  const lineStart = document.text.lastIndexOf('\n', element.start - 1) + 1;
  return /^[ \t]*/.exec(document.text.slice(lineStart, element.start))?.[0] ?? '';
}

const formatLineBreak = ({ text }: XmlDocument, indent: string): string =>
  (text.includes('\r\n') ? '\r\n' : '\n') + indent;

const renderXml = (document: XmlDocument, xml: NewXml, indent: string): string =>
  typeof xml === 'string' ? xml : xml.join(formatLineBreak(document, indent));
