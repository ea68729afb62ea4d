/**
 * The configuration as a lossless document: fast-xml-parser provides the tree, and each element and attribute has its
 * range in the original text. Edits replace ranges of that text, so every other byte stays as the operator wrote it.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Place } from '../../domain/crawl/place.js';
import {
  decodeEntities,
  findMarkupFault,
  findSpecialSections,
  findUnknownReference,
  readAttributes,
  splitName,
  type XmlAttribute,
} from './markup.js';
import type { ProblemCode } from './problems.js';

export interface XmlElement {
  /** As written, prefix included. */
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  /** Namespace in force; undefined if there is none or the prefix is not declared. */
  readonly namespace: string | undefined;
  readonly parent: XmlElement | undefined;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** Its own text without that of its children, with entities resolved. */
  readonly text: string;
  readonly start: number;
  /** Offset after the element. */
  readonly end: number;
  /** Offset after the start tag. */
  readonly contentStart: number;
  /** Offset of the end tag; equal to `contentStart` for `<a/>`. */
  readonly contentEnd: number;
  readonly selfClosing: boolean;
}

export interface XmlDocument {
  readonly text: string;
  readonly root: XmlElement;
  /** The place of an offset in the text. */
  placeAt(offset: number): Place;
}

/** Thrown if the text is not XML that Crawlway accepts. */
export class XmlFault extends Error {
  override readonly name = 'XmlFault';
  constructor(
    readonly code: ProblemCode,
    message: string,
    readonly place: Place,
  ) {
    super(message);
  }
}

const PARSER = new XMLParser({
  preserveOrder: true,
  captureMetaData: true,
  // Attributes and entities are read from the text itself, because their positions are needed.
  ignoreAttributes: true,
  processEntities: false,
  parseTagValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // Paths are only needed for callbacks, which are not used; tracking them would take half of the time.
  jPath: false,
});
const RANGE = XMLParser.getMetaDataSymbol() as unknown as string;

type ParsedNode = Readonly<Record<string, unknown>>;

const OTHER_END = /^Expected closing tag '(.+)' \(opened in line (\d+), col \d+\) instead of closing tag '(.+)'\.?$/;

/** The parser's message: reworded for the most common mistake, otherwise unchanged. */
function rewordParserError(said: string): string {
  const [, open, line, end] = OTHER_END.exec(said) ?? [];
  if (open === undefined) return stripFullStop(said);
  return `</${end}> ends an element while <${open}> of line ${line} is still open: write </${open}> before it`;
}

/** @throws XmlFault with the first place that is not well-formed, not allowed, or too large. */
export function parseDocument(text: string, file: string): XmlDocument {
  const place = createPlaceFinder(text, file);
  const found = findMarkupFault(text);
  if (found) throw new XmlFault(found.code, found.message, place(found.offset));
  const validity = XMLValidator.validate(text);
  if (validity !== true) {
    const { code, msg, line, col } = validity.err;
    // The parser quotes what it takes for a name, but that may be part of a password.
    const message = code === 'InvalidAttr' && !msg.endsWith(' is repeated.') ? BAD_ATTRIBUTES : rewordParserError(msg);
    throw new XmlFault('xml-not-well-formed', message, { file, line: line || 1, column: col || 1 });
  }
  const roots = elementNodes(parseNodes(text, place));
  const root = roots[0];
  if (!root) throw new XmlFault('xml-not-well-formed', 'the file has no root element', place(0));
  const second = roots[1];
  if (second) {
    throw new XmlFault('xml-not-well-formed', 'there is a second root element', place(nodeRange(second).startIndex));
  }
  const strange = findUnknownReference(blankOutSpecialSections(text));
  if (strange >= 0) {
    const message = "'&' does not begin an entity that XML defines: write &amp;";
    throw new XmlFault('xml-not-well-formed', message, place(strange));
  }
  return { text, root: buildElement(text, root, undefined), placeAt: place };
}

function parseNodes(text: string, place: (offset: number) => Place): readonly ParsedNode[] {
  try {
    return PARSER.parse(text) as ParsedNode[];
  } catch (error) {
    throw new XmlFault('xml-not-well-formed', stripFullStop((error as Error).message), place(0));
  }
}

const BAD_ATTRIBUTES =
  'the attributes of this tag are not well-formed: write each one once, as name="value", with a space before it, and &quot; for a quote in a value';

const stripFullStop = (message: string): string => message.replace(/\.$/, '');

/**
 * Replaces comments, CDATA and processing instructions by spaces of equal length, because `&` has no special meaning
 * there.
 */
function blankOutSpecialSections(text: string): string {
  let result = '';
  let at = 0;
  for (const { start, end } of findSpecialSections(text)) {
    result += text.slice(at, start) + ' '.repeat(end - start);
    at = end;
  }
  return result + text.slice(at);
}

const nodeRange = (node: ParsedNode): { startIndex: number; endIndex: number } =>
  node[RANGE] as { startIndex: number; endIndex: number };

const nodeName = (node: ParsedNode): string => Object.keys(node)[0] ?? '';

const elementNodes = (nodes: readonly ParsedNode[]): ParsedNode[] =>
  nodes.filter((node) => nodeRange(node) !== undefined);

const NAME = /<([^\s/>]+)/y;

function buildElement(text: string, node: ParsedNode, parent: XmlElement | undefined): XmlElement {
  const { startIndex: start, endIndex: end } = nodeRange(node);
  NAME.lastIndex = start;
  const name = NAME.exec(text)?.[1] ?? nodeName(node);
  const attributes = readAttributes(text, start + 1 + name.length);
  const contentStart = text.indexOf('>', attributes.at(-1)?.end ?? start) + 1;
  const selfClosing = text[contentStart - 2] === '/';
  const parsed = node[nodeName(node)] as readonly ParsedNode[];
  const element = {
    name,
    ...splitName(name),
    namespace: undefined as string | undefined,
    parent,
    attributes,
    children: [] as XmlElement[],
    text: decodeEntities(parsed.map((child) => child['#text'] ?? '').join('')),
    start,
    end,
    contentStart,
    contentEnd: selfClosing ? contentStart : text.lastIndexOf('</', end - 1),
    selfClosing,
  };
  element.namespace = findNamespace(element, element.prefix);
  for (const child of elementNodes(parsed)) element.children.push(buildElement(text, child, element));
  return element;
}

/** The namespace of a prefix inside an element; undefined if it is not declared. */
export function findNamespace(element: Scope, prefix: string): string | undefined {
  const declaration = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
  for (let scope: Scope | undefined = element; scope; scope = scope.parent) {
    const found = scope.attributes.find((attribute) => attribute.name === declaration);
    if (found) return found.value === '' ? undefined : found.value;
  }
  return undefined;
}

type Scope = Pick<XmlElement, 'attributes' | 'parent'>;

/** Returns a function from offset to place; the table of line starts is built once. */
function createPlaceFinder(text: string, file: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const mark = text.startsWith('\uFEFF') ? 1 : 0;
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    const column = offset - (starts[low] as number) + 1 - (low === 0 ? mark : 0);
    return { file, line: low + 1, column: Math.max(1, column) };
  };
}
