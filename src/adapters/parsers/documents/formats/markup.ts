/** Text and facts from the XML parts of documents. */
import { readXml } from '../../xml-reader.js';
import type { DocumentContent } from '../document-content.js';

export interface TextRules {
  /** Only text inside one of these counts; undefined: all text does. */
  readonly inside?: ReadonlySet<string>;
  /** Nothing inside one of these counts. */
  readonly silent: ReadonlySet<string>;
  /** A word ends where one of these begins or ends. */
  readonly separating: ReadonlySet<string>;
}

type Attributes = ReadonlyMap<string, string>;

/** Names come in lower case and without prefix. */
export function textOf(
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
    open(opened) {
      name = opened;
      attributes = new Map();
      if (rules.silent.has(opened)) silent++;
      if (rules.inside?.has(opened)) inside++;
      if (rules.separating.has(opened)) content.separate();
    },
    attribute: (attribute, value) => attributes.set(attribute, value),
    opened: () => onElement?.(name, attributes),
    close(closed) {
      if (rules.silent.has(closed) && silent > 0) silent--;
      if (rules.inside?.has(closed) && inside > 0) inside--;
      if (rules.separating.has(closed)) content.separate();
    },
    text(piece) {
      if (silent === 0 && (rules.inside === undefined || inside > 0)) content.text(piece);
    },
    done: () => content.isFull,
  });
}

export interface Element {
  readonly name: string;
  readonly attributes: Attributes;
  /** Text of the element itself, without that of its child elements. */
  text: string;
}

const MOST_ELEMENTS = 50_000;

/** The elements of a small part, in the order of their start tags. */
export function elementsOf(xml: string | undefined): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  let attributes = new Map<string, string>();
  if (xml === undefined) return elements;
  readXml(xml, {
    open(name) {
      attributes = new Map();
      const element = { name, attributes, text: '' };
      elements.push(element);
      if (open.length < 100) open.push(element);
    },
    attribute: (name, value) => attributes.set(name, value),
    opened() {},
    close(name) {
      if (open.at(-1)?.name === name) open.pop();
    },
    text(piece) {
      const element = open.at(-1);
      if (element && element.text.length < 100_000) element.text += piece;
    },
    done: () => elements.length >= MOST_ELEMENTS,
  });
  return elements;
}
