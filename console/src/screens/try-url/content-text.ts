/** The `Content` element of a crawler as a text that is edited separately and tried out before it is put back. */

import type { Part } from '../configuration/part.js';
import { createPart, findOwnPrefix } from '../configuration/part-text.js';
import {
  appendChild,
  getAttributeValue,
  readXml,
  removeElement,
  setAttribute,
  type XmlElement,
} from '../configuration/xml-tree.js';

export interface ContentPart extends Part {
  /** Empty if it applies to all pages. */
  readonly name: string;
  readonly isNew: boolean;
}

/** The Content elements of the crawler, and a new one if none applies to all pages. */
export function contentParts(xml: string, crawler: string): ContentPart[] {
  const element = readXml(xml)?.children.find(
    (one) => one.name === 'Crawler' && getAttributeValue(one, 'name') === crawler,
  );
  const parts = (element?.children ?? [])
    .filter(({ name }) => name === 'Content')
    .map((content): ContentPart => {
      const start = content.start - (/(?<=\n)[ \t]*$/.exec(xml.slice(0, content.start))?.[0].length ?? 0);
      const name = getAttributeValue(content, 'name') ?? '';
      return {
        before: xml.slice(0, start),
        text: xml.slice(start, content.end),
        after: xml.slice(content.end),
        name,
        isNew: false,
      };
    });
  if (parts.some(({ name }) => name === '')) return parts;
  const { prefix, declaration } = findOwnPrefix(xml);
  return [{ ...createPart(xml, `    <${prefix}:Content${declaration}/>`, crawler), name: '', isNew: true }, ...parts];
}

/** Labels for the attributes that name a source. */
export const SOURCES = {
  select: 'CSS selector',
  jsonld: 'JSON-LD path',
  meta: 'meta',
  url: 'part of the URL',
} as const;
export type Source = keyof typeof SOURCES;

export const findSource = (field: XmlElement): Source =>
  (Object.keys(SOURCES) as Source[]).find((one) => getAttributeValue(field, one) !== undefined) ?? 'select';

/** Whether a selector or field has only been begun. */
export function isUnfinished(element: XmlElement): boolean {
  const isSet = (name: string): boolean => (getAttributeValue(element, name) ?? '').trim() !== '';
  if (element.name === 'Include' || element.name === 'Exclude') return !isSet('select');
  return element.name === 'Field' && !(isSet('name') && isSet(findSource(element)));
}

const findUnfinished = (text: string): readonly XmlElement[] => (readXml(text)?.children ?? []).filter(isUnfinished);

/** Replaces unfinished parts by spaces, so that the positions of errors are those in the original text. */
export function blankUnfinished(text: string): string {
  let result = text;
  for (const { start, end } of findUnfinished(text))
    result = result.slice(0, start) + result.slice(start, end).replace(/[^\n]/g, ' ') + result.slice(end);
  return result;
}

/** The text as it is saved, without unfinished parts. */
export function removeUnfinished(text: string): string {
  const [unfinished] = findUnfinished(text);
  return unfinished ? removeUnfinished(removeElement(text, unfinished)) : text;
}

/** @param values undefined removes an attribute */
export function setAttributes(
  text: string,
  index: number,
  values: Readonly<Record<string, string | undefined>>,
): string {
  let result = text;
  for (const [name, value] of Object.entries(values)) {
    const element = readXml(result)?.children[index];
    if (element) result = setAttribute(result, element, name, value);
  }
  return result;
}

export function addElement(text: string, name: 'Include' | 'Exclude' | 'Field'): string {
  const root = readXml(text);
  if (!root) return text;
  const attributes = name === 'Field' ? ' name="" select=""' : ' select=""';
  return appendChild(text, root, `<${root.prefix}${name}${attributes}/>`);
}

export function removeChild(text: string, index: number): string {
  const element = readXml(text)?.children[index];
  return element ? removeElement(text, element) : text;
}
