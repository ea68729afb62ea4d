/**
 * Hides secrets in comments, CDATA sections and processing instructions of a configuration. A commented-out part may be
 * a sink with its password, whole or in pieces that no parser accepts, so all of it is hidden unless it parses as
 * elements without any secret, or as words that mention none. The comment's number identifies its placeholder.
 */
import { findUserInfoRanges } from '../../domain/redact.js';
import { parseDocument, type XmlElement, XmlFault } from './document.js';
import { findSpecialSections } from './markup.js';
import { PLACEHOLDER } from './placeholder.js';
import { findSecretRanges, findSecretTextRanges, suggestsSecret } from './secret-ranges.js';
import type { Splice } from './splice.js';

interface Inside {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function hideComments(xml: string): Splice[] {
  const hidden = findCommentsToHide(xml);
  return hidden.map(({ start, end }, index) => ({ start, end, text: createPlaceholder(index, hidden.length) }));
}

/**
 * The comments of `current` that belong in place of the hidden ones with the same number, if there are equally many.
 */
export function restoreComments(xml: string, current: string): Splice[] {
  const known = findCommentsToHide(current);
  const byPlaceholder = new Map(known.map(({ text }, index) => [createPlaceholder(index, known.length).trim(), text]));
  const splices: Splice[] = [];
  for (const { start, end, text } of readSectionContents(xml)) {
    const original = byPlaceholder.get(text.trim());
    if (original !== undefined) splices.push({ start, end, text: original });
  }
  return splices;
}

const createPlaceholder = (index: number, count: number): string => ` ${PLACEHOLDER} hidden ${index + 1} of ${count} `;

const PLACEHOLDER_ALONE = /^\s*\*{8} hidden \d+ of \d+\s*$/;

const findCommentsToHide = (xml: string): Inside[] =>
  [...readSectionContents(xml)].filter(({ text }) => !PLACEHOLDER_ALONE.test(text) && mayContainSecret(text));

function* readSectionContents(xml: string): Generator<Inside> {
  for (const special of findSpecialSections(xml)) {
    const text = xml.slice(special.start, special.end);
    const [open, close] = text.startsWith('<!--') ? [4, 3] : text.startsWith('<?') ? [targetLength(text), 2] : [9, 3];
    const [start, end] = [special.start + open, special.end - close];
    yield { start, end, text: xml.slice(start, end) };
  }
}

/** Length of `<?name` in a processing instruction. */
const targetLength = (text: string): number => /^<\?[^\s?]*/.exec(text)?.[0].length ?? 2;

function mayContainSecret(text: string): boolean {
  if (findUserInfoRanges(text).length > 0 || text.includes('PRIVATE KEY')) return true;
  // `name = value`, `name: value`, `name value`: in words and in pieces of elements, it is not clear where a value
  // ends.
  if ([...text.matchAll(/[\w.-]{2,64}(?=\s{0,9}[=:])/g)].some(([name]) => suggestsSecret(name))) return true;
  return text.includes('<') && elementsMayContainSecret(text);
}

function elementsMayContainSecret(text: string): boolean {
  const fragment = `<x>${text}</x>`;
  try {
    return containsSecret(parseDocument(fragment, 'comment').root, fragment);
  } catch (error) {
    if (error instanceof XmlFault) return true;
    throw error;
  }
}

const containsSecret = (element: XmlElement, text: string): boolean =>
  element.attributes.some((attribute) => findSecretRanges(element, attribute, text).length > 0) ||
  findSecretTextRanges(element, text).length > 0 ||
  element.children.some((child) => containsSecret(child, text));
