/** Extracts text and facts from the XML parts of documents. */
import { readXml } from '../../xml-reader.js';
import type { DocumentContent } from '../document-content.js';

export interface TextRules {
  /** Only text inside these elements is extracted; undefined if all text is. */
  readonly textElements?: ReadonlySet<string>;
  /** Text inside these elements is ignored. */
  readonly ignoredElements: ReadonlySet<string>;
  /** A word ends where one of these elements begins or ends. */
  readonly separatingElements: ReadonlySet<string>;
}

/** Creates a set from names that are separated by spaces. */
export const createNameSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));

type Attributes = ReadonlyMap<string, string>;

/** Extracts text by the rules. Element names are in lower case and without prefix. */
export function extractText(
  xml: string,
  content: DocumentContent,
  rules: TextRules,
  onElement?: (name: string, attributes: Attributes) => void,
): void {
  let textElementDepth = 0;
  let ignoredDepth = 0;
  let name = '';
  let attributes = new Map<string, string>();
  readXml(xml, {
    onOpenTag(elementName) {
      name = elementName;
      attributes = new Map();
      if (rules.ignoredElements.has(elementName)) ignoredDepth++;
      if (rules.textElements?.has(elementName)) textElementDepth++;
      if (rules.separatingElements.has(elementName)) content.endWord();
    },
    onAttribute: (attribute, value) => attributes.set(attribute, value),
    onOpenTagEnd: () => onElement?.(name, attributes),
    onCloseTag(elementName) {
      if (rules.ignoredElements.has(elementName) && ignoredDepth > 0) ignoredDepth--;
      if (rules.textElements?.has(elementName) && textElementDepth > 0) textElementDepth--;
      if (rules.separatingElements.has(elementName)) content.endWord();
    },
    onText(text) {
      if (ignoredDepth === 0 && (rules.textElements === undefined || textElementDepth > 0)) content.addText(text);
    },
    isDone: () => content.isFull,
  });
}

export interface Element {
  readonly name: string;
  readonly attributes: Attributes;
  /** The text of the element itself, without that of its child elements. */
  text: string;
}

const MAX_ELEMENTS = 50_000;

/** Parses a small part into its elements, in the order of their start tags. */
export function parseElements(xml: string | undefined): Element[] {
  const elements: Element[] = [];
  const openElements: Element[] = [];
  let attributes = new Map<string, string>();
  if (xml === undefined) return elements;
  readXml(xml, {
    onOpenTag(name) {
      attributes = new Map();
      const element = { name, attributes, text: '' };
      elements.push(element);
      if (openElements.length < 100) openElements.push(element);
    },
    onAttribute: (name, value) => attributes.set(name, value),
    onOpenTagEnd() {},
    onCloseTag(name) {
      if (openElements.at(-1)?.name === name) openElements.pop();
    },
    onText(text) {
      const element = openElements.at(-1);
      if (element && element.text.length < 100_000) element.text += text;
    },
    isDone: () => elements.length >= MAX_ELEMENTS,
  });
  return elements;
}
