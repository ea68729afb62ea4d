/**
 * Parses the configuration into a lossless document: fast-xml-parser provides the tree, and each element and attribute
 * has its range in the original text. Edits replace ranges of that text, so every other byte stays as the operator
 * wrote it.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Place } from '../../domain/crawl/place.js';
import { ITEMS_PER_STEP, runAtOnce, type Steps } from '../../domain/steps.js';
import {
  decodeEntities,
  findSpecialSections,
  findUnknownReference,
  readAttributes,
  scanMarkup,
  splitName,
  type XmlAttribute,
} from './markup.js';
import { createPlaceFinder, type Piece, splitText } from './pieces.js';
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
function rewordParserError(message: string, firstLine: number): string {
  const [, openName, line, endName] = MISMATCHED_END_TAG.exec(message) ?? [];
  if (openName === undefined) return stripFullStop(message);
  return `</${endName}> does not match <${openName}>, which is opened in line ${Number(line) + firstLine - 1}: write </${openName}> before it`;
}

/** @throws XmlFault with the place of the first part that is not well-formed, not allowed, or too large */
export const parseDocument = (text: string, file: string): XmlDocument => runAtOnce(parseDocumentInSteps(text, file));

/** Long lists of elements are parsed piece by piece; a fault is that of the whole text, in which it may be another one. */
export function* parseDocumentInSteps(
  text: string,
  file: string,
  elementsPerPiece = ITEMS_PER_STEP,
): Steps<XmlDocument> {
  try {
    return yield* parsePieces(text, file, elementsPerPiece);
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    return yield* parsePieces(text, file, Number.POSITIVE_INFINITY);
  }
}

/** Parses runs of elements by themselves, beside a frame in which comments stand for them. */
function* parsePieces(text: string, file: string, elementsPerPiece: number): Steps<XmlDocument> {
  const findPlace = createPlaceFinder(text, file);
  if (text.trim() === '') throw new XmlFault('xml-not-well-formed', 'the file is empty', findPlace(0));
  const runs = scanMarkup(text, elementsPerPiece);
  if ('code' in runs) throw new XmlFault(runs.code, runs.message, findPlace(runs.offset));
  const [frame, ...pieces] = yield* splitText(text, runs, findPlace);
  yield* checkPieces([frame, ...pieces]);
  const roots = filterElementNodes(parseNodes(frame.text, findPlace));
  const rootNode = roots[0];
  if (!rootNode) throw new XmlFault('xml-not-well-formed', 'the file has no root element', findPlace(0));
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
  const root = buildElement(text, rootNode, undefined, 0);
  const parents = runs.map(({ start }) => findInnermost(root, start));
  for (const [i, parent] of parents.entries()) {
    yield;
    const { text: pieceText, offset } = pieces[i] as Piece;
    const [run] = parseNodes(pieceText, findPlace);
    const nodes = run?.r as readonly ParsedNode[];
    parent.text += collectText(nodes);
    for (const node of filterElementNodes(nodes)) parent.children.push(buildElement(text, node, parent, offset));
  }
  for (const { children } of new Set(parents)) children.sort((a, b) => a.start - b.start);
  return { text, root, placeAt: findPlace };
}

/** @throws XmlFault for the first fault of a piece */
function* checkPieces(pieces: readonly Piece[]): Steps<void> {
  for (const { text, place } of pieces) {
    if (place !== pieces[0]?.place) yield;
    const validity = XMLValidator.validate(text);
    if (validity === true) continue;
    const { code, msg, line, col } = validity.err;
    // The parser quotes what it takes to be a name, but that may be part of a password.
    const isAboutAttributes = code === 'InvalidAttr' && !msg.endsWith(' is repeated.');
    const message = isAboutAttributes ? BAD_ATTRIBUTES : rewordParserError(msg, place.line);
    const column = (col || 1) + (line > 1 ? 0 : place.column - 1);
    const faultPlace = { file: place.file, line: (line || 1) + place.line - 1, column };
    throw new XmlFault('xml-not-well-formed', message, faultPlace);
  }
}

function findInnermost(element: BuiltElement, offset: number): BuiltElement {
  const child = element.children.find(({ start, end }) => start < offset && offset < end);
  return child ? findInnermost(child as BuiltElement, offset) : element;
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

type BuiltElement = XmlElement & { text: string; readonly children: XmlElement[] };

/** @param offset offset in the text of what the node was parsed from */
function buildElement(text: string, node: ParsedNode, parent: XmlElement | undefined, offset: number): BuiltElement {
  const range = getNodeRange(node);
  const start = range.startIndex + offset;
  const end = range.endIndex + offset;
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
    text: collectText(childNodes),
    start,
    end,
    contentStart,
    contentEnd: selfClosing ? contentStart : text.lastIndexOf('</', end - 1),
    selfClosing,
  };
  element.namespace = findNamespace(element, element.prefix);
  for (const child of filterElementNodes(childNodes)) element.children.push(buildElement(text, child, element, offset));
  return element;
}

const collectText = (nodes: readonly ParsedNode[]): string =>
  decodeEntities(nodes.map((node) => node['#text'] ?? '').join(''));

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
