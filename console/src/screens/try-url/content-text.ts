/** The `Content` elements of a crawler as texts that are edited separately and tried out before they are saved. */

import type { Part } from '../configuration/part.js';
import { createPart, findOwnPrefix } from '../configuration/part-text.js';
import {
  appendChild,
  getAttributeValue,
  parseXml,
  removeElement,
  setAttribute,
  type XmlElement,
} from '../configuration/xml-tree.js';

export interface ContentPart extends Part {
  /** Empty if the element applies to all pages. */
  readonly name: string;
  readonly isNew: boolean;
}

/** Lists the Content elements of the crawler, preceded by a new one if none applies to all pages. */
export function listContentParts(xml: string, crawler: string): ContentPart[] {
  const element = parseXml(xml)?.children.find(
    (child) => child.name === 'Crawler' && getAttributeValue(child, 'name') === crawler,
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

/** Labels for the attributes that say where a field comes from. */
export const SOURCE_LABELS = {
  select: 'CSS selector',
  jsonld: 'JSON-LD path',
  meta: 'meta',
  url: 'part of the URL',
} as const;
export type Source = keyof typeof SOURCE_LABELS;

export const findSource = (field: XmlElement): Source =>
  (Object.keys(SOURCE_LABELS) as Source[]).find((attribute) => getAttributeValue(field, attribute) !== undefined) ??
  'select';

/** Whether a selector or field is still incomplete. */
export function isUnfinished(element: XmlElement): boolean {
  const isSet = (name: string): boolean => (getAttributeValue(element, name) ?? '').trim() !== '';
  if (element.name === 'Include' || element.name === 'Exclude') return !isSet('select');
  return element.name === 'Field' && !(isSet('name') && isSet(findSource(element)));
}

const findUnfinishedElements = (text: string): readonly XmlElement[] =>
  (parseXml(text)?.children ?? []).filter(isUnfinished);

/** Replaces unfinished parts with spaces, so that the positions of errors match the original text. */
export function blankUnfinishedElements(text: string): string {
  let result = text;
  for (const { start, end } of findUnfinishedElements(text))
    result = result.slice(0, start) + result.slice(start, end).replace(/[^\n]/g, ' ') + result.slice(end);
  return result;
}

/** Removes unfinished parts from the text before it is saved. */
export function removeUnfinishedElements(text: string): string {
  const [unfinishedElement] = findUnfinishedElements(text);
  return unfinishedElement ? removeUnfinishedElements(removeElement(text, unfinishedElement)) : text;
}

/** @param values undefined removes an attribute */
export function setAttributes(
  text: string,
  index: number,
  values: Readonly<Record<string, string | undefined>>,
): string {
  let result = text;
  for (const [name, value] of Object.entries(values)) {
    const element = parseXml(result)?.children[index];
    if (element) result = setAttribute(result, element, name, value);
  }
  return result;
}

export function addElement(text: string, name: 'Include' | 'Exclude' | 'Field'): string {
  const root = parseXml(text);
  if (!root) return text;
  const attributes = name === 'Field' ? ' name="" select=""' : ' select=""';
  return appendChild(text, root, `<${root.prefix}${name}${attributes}/>`);
}

export function removeChild(text: string, index: number): string {
  const element = parseXml(text)?.children[index];
  return element ? removeElement(text, element) : text;
}
