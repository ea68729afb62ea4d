/** Extracts text and facts from the XML parts of documents. */
import { readXml } from '../../xml-reader.js';
import type { DocumentContent } from '../document-content.js';

export interface TextRules {
  /** Only text inside one of these elements counts; undefined if all text does. */
  readonly inside?: ReadonlySet<string>;
  /** Nothing inside one of these elements counts. */
  readonly silent: ReadonlySet<string>;
  /** A word ends where one of these elements begins or ends. */
  readonly separating: ReadonlySet<string>;
}

type Attributes = ReadonlyMap<string, string>;

/** Element names are in lower case and without prefix. */
export function extractText(
  xml: string,
  content: DocumentContent,
  rules: TextRules,
  onElement?: (name: string, attributes: Attributes) => void,
): void {
  let inside = 0;
  let silent = 0;
  let name = '';
  let attributes = new Map<string, string>();
  readXml(xml, {
    onOpenTag(opened) {
      name = opened;
      attributes = new Map();
      if (rules.silent.has(opened)) silent++;
      if (rules.inside?.has(opened)) inside++;
      if (rules.separating.has(opened)) content.endWord();
    },
    onAttribute: (attribute, value) => attributes.set(attribute, value),
    onOpenTagEnd: () => onElement?.(name, attributes),
    onCloseTag(closed) {
      if (rules.silent.has(closed) && silent > 0) silent--;
      if (rules.inside?.has(closed) && inside > 0) inside--;
      if (rules.separating.has(closed)) content.endWord();
    },
    onText(piece) {
      if (silent === 0 && (rules.inside === undefined || inside > 0)) content.addText(piece);
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

const MOST_ELEMENTS = 50_000;

/** Parses a small part into its elements, in the order of their start tags. */
export function parseElements(xml: string | undefined): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  let attributes = new Map<string, string>();
  if (xml === undefined) return elements;
  readXml(xml, {
    onOpenTag(name) {
      attributes = new Map();
      const element = { name, attributes, text: '' };
      elements.push(element);
      if (open.length < 100) open.push(element);
    },
    onAttribute: (name, value) => attributes.set(name, value),
    onOpenTagEnd() {},
    onCloseTag(name) {
      if (open.at(-1)?.name === name) open.pop();
    },
    onText(piece) {
      const element = open.at(-1);
      if (element && element.text.length < 100_000) element.text += piece;
    },
    isDone: () => elements.length >= MOST_ELEMENTS,
  });
  return elements;
}
