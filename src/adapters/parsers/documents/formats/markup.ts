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
  /** Notes and boxes, which stand within a paragraph: their text follows it. */
  readonly asideElements?: ReadonlySet<string>;
}

/** Creates a set from names that are separated by spaces. */
export const createNameSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export type Attributes = ReadonlyMap<string, string>;

/** Called with what the rules do not describe. */
export interface ElementHooks {
  /** Not called inside ignored elements. Returns false if the element is to be ignored, too. */
  onElement?(name: string, attributes: Attributes): boolean;
  onElementEnd?(name: string): void;
  /** Text that is not extracted. */
  onOtherText?(text: string): void;
}

const PARAGRAPHS = createNameSet('p h');
/** These end a line of the text, unless they are in a cell: a row is one line. */
const BLOCKS = createNameSet('p h h1 h2 h3 h4 h5 h6 li dt dd caption figcaption blockquote pre tr table-row');
const CELLS = createNameSet('tc td th table-cell');
const NO_ELEMENTS: ReadonlySet<string> = new Set();

/** Extracts text by the rules. Element names are in lower case and without prefix. */
export function extractText(xml: string, content: DocumentContent, rules: TextRules, hooks: ElementHooks = {}): void {
  const { textElements, ignoredElements, separatingElements, asideElements = NO_ELEMENTS } = rules;
  let textElementDepth = 0;
  let ignoredDepth = 0;
  /** The element that a hook ignores, and how many of its name are open. */
  let hiddenName: string | undefined;
  let hiddenCount = 0;
  const isIgnored = (): boolean => ignoredDepth > 0 || hiddenName !== undefined;
  /** The depth in text elements outside each open aside. */
  const outerDepths: number[] = [];
  let cellDepth = 0;
  let name = '';
  let attributes = new Map<string, string>();
  readXml(xml, {
    onOpenTag(elementName) {
      name = elementName;
      attributes = new Map();
      if (ignoredElements.has(elementName)) ignoredDepth++;
      if (elementName === hiddenName) hiddenCount++;
      if (asideElements.has(elementName)) {
        content.beginAside();
        outerDepths.push(textElementDepth);
        textElementDepth = 0;
      }
      if (textElements?.has(elementName)) textElementDepth++;
      if (CELLS.has(elementName)) cellDepth++;
      if (separatingElements.has(elementName)) content.endWord();
    },
    onAttribute: (attribute, value) => attributes.set(attribute, value),
    onOpenTagEnd() {
      if (isIgnored() || hooks.onElement?.(name, attributes) !== false) return;
      hiddenName = name;
      hiddenCount = 1;
    },
    onCloseTag(elementName) {
      if (ignoredElements.has(elementName) && ignoredDepth > 0) ignoredDepth--;
      if (elementName === hiddenName && --hiddenCount === 0) hiddenName = undefined;
      if (textElements?.has(elementName) && textElementDepth > 0) textElementDepth--;
      if (CELLS.has(elementName) && cellDepth > 0) cellDepth--;
      if (cellDepth === 0 && BLOCKS.has(elementName)) content.endBlock();
      else if (separatingElements.has(elementName)) content.endWord();
      if (asideElements.has(elementName) && outerDepths.length > 0) {
        textElementDepth = outerDepths.pop()!;
        content.endAside();
      }
      if (!isIgnored()) hooks.onElementEnd?.(elementName);
      if (PARAGRAPHS.has(elementName) && outerDepths.length === 0) content.addAsides();
    },
    onText(text) {
      if (isIgnored()) return;
      if (textElements === undefined || textElementDepth > 0) content.addText(text);
      else hooks.onOtherText?.(text);
    },
    isDone: () => content.isFull,
  });
  for (; outerDepths.length > 0; outerDepths.pop()) content.endAside();
}

export interface Element {
  readonly name: string;
  readonly attributes: Attributes;
  /** The text of the element itself, without that of its child elements. */
  text: string;
}

const MAX_ELEMENTS = 200_000;

/**
 * Parses a part into its elements, in the order of their start tags.
 * @param wanted names of the elements; all if missing
 */
export function parseElements(xml: string | undefined, wanted?: ReadonlySet<string>): Element[] {
  const elements: Element[] = [];
  const openElements: Element[] = [];
  let attributes = new Map<string, string>();
  if (xml === undefined) return elements;
  readXml(xml, {
    onOpenTag(name) {
      attributes = new Map();
      if (wanted && !wanted.has(name)) return;
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
