/**
 * Parses the configuration into a lossless document: fast-xml-parser provides the tree, and each element and attribute
 * has its range in the original text. Edits replace ranges of that text, so every other byte stays as the operator
 * wrote it.
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
  /** The element's own text with entities resolved, without the text of its children. */
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
  /** Returns the line and column of an offset in the text. */
  placeAt(offset: number): Place;
}

/** Thrown if the text is not well-formed XML or exceeds what Crawlway accepts. */
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
  // Paths are needed only for callbacks, which are not used; tracking them would double the time.
  jPath: false,
});
const RANGE = XMLParser.getMetaDataSymbol() as unknown as string;

type ParsedNode = Readonly<Record<string, unknown>>;

const MISMATCHED_END_TAG =
  /^Expected closing tag '([^']+)' \(opened in line (\d+), col \d+\) instead of closing tag '([^']+)'\.?$/;

/** Rewords the parser's message for the most common mistake; returns other messages without their full stop. */
function rewordParserError(message: string): string {
  const [, openName, line, endName] = MISMATCHED_END_TAG.exec(message) ?? [];
  if (openName === undefined) return stripFullStop(message);
  return `</${endName}> does not match <${openName}>, which is opened in line ${line}: write </${openName}> before it`;
}

/** @throws XmlFault with the place of the first part that is not well-formed, not allowed, or too large */
export function parseDocument(text: string, file: string): XmlDocument {
  const findPlace = createPlaceFinder(text, file);
  const fault = findMarkupFault(text);
  if (fault) throw new XmlFault(fault.code, fault.message, findPlace(fault.offset));
  const validity = XMLValidator.validate(text);
  if (validity !== true) {
    const { code, msg, line, col } = validity.err;
    // The parser quotes what it takes to be a name, but that may be part of a password.
    const message = code === 'InvalidAttr' && !msg.endsWith(' is repeated.') ? BAD_ATTRIBUTES : rewordParserError(msg);
    throw new XmlFault('xml-not-well-formed', message, { file, line: line || 1, column: col || 1 });
  }
  const roots = filterElementNodes(parseNodes(text, findPlace));
  const root = roots[0];
  if (!root) throw new XmlFault('xml-not-well-formed', 'the file has no root element', findPlace(0));
  const secondRoot = roots[1];
  if (secondRoot) {
    throw new XmlFault(
      'xml-not-well-formed',
      'there is a second root element',
      findPlace(getNodeRange(secondRoot).startIndex),
    );
  }
  const unknownReference = findUnknownReference(blankOutSpecialSections(text));
  if (unknownReference >= 0) {
    const message = "'&' does not begin an entity that XML defines: write &amp;";
    throw new XmlFault('xml-not-well-formed', message, findPlace(unknownReference));
  }
  return { text, root: buildElement(text, root, undefined), placeAt: findPlace };
}

function parseNodes(text: string, findPlace: (offset: number) => Place): readonly ParsedNode[] {
  try {
    return PARSER.parse(text) as ParsedNode[];
  } catch (error) {
    throw new XmlFault('xml-not-well-formed', stripFullStop((error as Error).message), findPlace(0));
  }
}

const BAD_ATTRIBUTES =
  'the attributes of this tag are not well-formed: write each one once, as name="value", with a space before it, and &quot; for a quote in a value';

const stripFullStop = (message: string): string => message.replace(/\.$/, '');

/**
 * Replaces comments, CDATA sections and processing instructions with as many spaces, because `&` has no special meaning
 * in them.
 */
function blankOutSpecialSections(text: string): string {
  let result = '';
  let position = 0;
  for (const { start, end } of findSpecialSections(text)) {
    result += text.slice(position, start) + ' '.repeat(end - start);
    position = end;
  }
  return result + text.slice(position);
}

const getNodeRange = (node: ParsedNode): { startIndex: number; endIndex: number } =>
  node[RANGE] as { startIndex: number; endIndex: number };

const getNodeName = (node: ParsedNode): string => Object.keys(node)[0] ?? '';

const filterElementNodes = (nodes: readonly ParsedNode[]): ParsedNode[] =>
  nodes.filter((node) => getNodeRange(node) !== undefined);

const TAG_NAME = /<([^\s/>]+)/y;

function buildElement(text: string, node: ParsedNode, parent: XmlElement | undefined): XmlElement {
  const { startIndex: start, endIndex: end } = getNodeRange(node);
  TAG_NAME.lastIndex = start;
  const name = TAG_NAME.exec(text)?.[1] ?? getNodeName(node);
  const attributes = readAttributes(text, start + 1 + name.length);
  const contentStart = text.indexOf('>', attributes.at(-1)?.end ?? start) + 1;
  const selfClosing = text[contentStart - 2] === '/';
  const childNodes = node[getNodeName(node)] as readonly ParsedNode[];
  const element = {
    name,
    ...splitName(name),
    namespace: undefined as string | undefined,
    parent,
    attributes,
    children: [] as XmlElement[],
    text: decodeEntities(childNodes.map((child) => child['#text'] ?? '').join('')),
    start,
    end,
    contentStart,
    contentEnd: selfClosing ? contentStart : text.lastIndexOf('</', end - 1),
    selfClosing,
  };
  element.namespace = findNamespace(element, element.prefix);
  for (const child of filterElementNodes(childNodes)) element.children.push(buildElement(text, child, element));
  return element;
}

/** Returns the namespace of a prefix inside an element; undefined if the prefix is not declared. */
export function findNamespace(element: Scope, prefix: string): string | undefined {
  const declaration = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
  for (let scope: Scope | undefined = element; scope; scope = scope.parent) {
    const found = scope.attributes.find((attribute) => attribute.name === declaration);
    if (found) return found.value === '' ? undefined : found.value;
  }
  return undefined;
}

type Scope = Pick<XmlElement, 'attributes' | 'parent'>;

/** Returns a function that converts an offset to a place. The table of line starts is built only once. */
export function createPlaceFinder(text: string, file: string): (offset: number) => Place {
  const lineStarts = [0];
  for (let lineBreak = text.indexOf('\n'); lineBreak >= 0; lineBreak = text.indexOf('\n', lineBreak + 1))
    lineStarts.push(lineBreak + 1);
  const bomLength = text.startsWith('\uFEFF') ? 1 : 0;
  return (offset) => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lineStarts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    const column = offset - (lineStarts[low] as number) + 1 - (low === 0 ? bomLength : 0);
    return { file, line: low + 1, column: Math.max(1, column) };
  };
}
