/**
 * Hides secrets in comments, CDATA sections and processing instructions of a configuration. A comment may contain a
 * sink with its password, complete or as a fragment that cannot be parsed. Its text is therefore hidden unless it is
 * prose that mentions no secret or parses as elements without one. Each placeholder contains the comment's number.
 */
import { findUserInfoRanges } from '../../domain/redact.js';
import { parseDocument, type XmlElement, XmlFault } from './document.js';
import { findSpecialSections } from './markup.js';
import { PLACEHOLDER } from './placeholder.js';
import { findSecretRanges, findSecretTextRanges, suggestsSecret } from './secret-ranges.js';
import type { Splice } from './splice.js';

interface SectionContent {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function createHidingSplices(xml: string): Splice[] {
  const comments = findCommentsToHide(xml);
  return comments.map(({ start, end }, index) => ({ start, end, text: createPlaceholder(index, comments.length) }));
}

/**
 * Returns splices that replace the placeholders in `xml` with the comments of `current` that have the same number. The
 * total number of hidden comments must match, too.
 */
export function createRestoringSplices(xml: string, current: string): Splice[] {
  const comments = findCommentsToHide(current);
  const byPlaceholder = new Map(
    comments.map(({ text }, index) => [createPlaceholder(index, comments.length).trim(), text]),
  );
  const splices: Splice[] = [];
  for (const { start, end, text } of readSectionContents(xml)) {
    const original = byPlaceholder.get(text.trim());
    if (original !== undefined) splices.push({ start, end, text: original });
  }
  return splices;
}

const createPlaceholder = (index: number, count: number): string => ` ${PLACEHOLDER} hidden ${index + 1} of ${count} `;

const PLACEHOLDER_ALONE = /^\s*\*{8} hidden \d+ of \d+\s*$/;

const findCommentsToHide = (xml: string): SectionContent[] =>
  [...readSectionContents(xml)].filter(({ text }) => !PLACEHOLDER_ALONE.test(text) && mayContainSecret(text));

function* readSectionContents(xml: string): Generator<SectionContent> {
  for (const section of findSpecialSections(xml)) {
    const text = xml.slice(section.start, section.end);
    const [prefixLength, suffixLength] = text.startsWith('<!--')
      ? [4, 3]
      : text.startsWith('<?')
        ? [getTargetLength(text), 2]
        : [9, 3];
    const [start, end] = [section.start + prefixLength, section.end - suffixLength];
    yield { start, end, text: xml.slice(start, end) };
  }
}

/** Returns the length of `<?name` in a processing instruction. */
const getTargetLength = (text: string): number => /^<\?[^\s?]*/.exec(text)?.[0].length ?? 2;

function mayContainSecret(text: string): boolean {
  if (findUserInfoRanges(text).length > 0 || text.includes('PRIVATE KEY')) return true;
  // In prose and in fragments of elements, it is unclear where the value in `name = value` or `name: value` ends, so
  // only the name is examined.
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
