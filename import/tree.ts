/**
 * Parses XML, YAML, JSON and lists of lines into one kind of tree, in which every part knows its line and whether a
 * reader has dealt with it.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { EVENT_ID, getScalarValue, load, parseEvents } from 'js-yaml';
import { ImportError, type ImportFile, type ImportReport } from './model.js';
import { Node } from './node.js';

export { Node };

const MAX_DEPTH = 100;
/** Aliases may repeat a value that repeats another one, so that a short file stands for any number of values. */
const MAX_VALUES = 1_000_000;

/** The line that an offset is on; asked for in ascending order, or any other. */
function createLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

type ParsedElement = Record<string, unknown> & { ':@'?: Record<string, unknown> };

const parser = new XMLParser({
  preserveOrder: true,
  captureMetaData: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  allowBooleanAttributes: true,
  trimValues: true,
  cdataPropName: '#cdata',
  // Only predefined entities are processed, because the files are untrusted; a document type with entities is rejected
  // below.
  processEntities: true,
});
const RANGE = XMLParser.getMetaDataSymbol() as unknown as string;

/** @throws ImportError if the text is not well-formed, or has a document type with entities */
export function parseXml({ name, text, places }: ImportFile, report: ImportReport): Node {
  // What is removed leaves its lines behind.
  const xml = text
    .replace(/^\uFEFF/, '')
    .replace(/<!DOCTYPE[^[>]{0,1000}>/i, (doctype) => doctype.replace(/[^\n]/g, ' '));
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml))
    throw new ImportError(
      `${name}: a document type with entities is not supported: remove it, and write what the entities stand for`,
    );
  const validation = XMLValidator.validate(xml.trimStart(), { allowBooleanAttributes: true });
  if (validation !== true) throw new ImportError(`${name}:${validation.err.line}: ${validation.err.msg}`);
  const findLine = createLineFinder(xml);
  const place = (offset: number): string => places?.[findLine(offset) - 1] ?? `${name}:${findLine(offset)}`;
  const roots = parse(name, xml).flatMap((element) => toNodes(element, 0, place));
  const root = roots.find((node) => !node.name.startsWith('?'));
  if (!root) throw new ImportError(`${name} contains no XML element`);
  return report.addInput(name, root);
}

/** The parser itself refuses elements that are nested too deeply. */
function parse(name: string, xml: string): ParsedElement[] {
  try {
    return parser.parse(xml) as ParsedElement[];
  } catch (error) {
    throw new ImportError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function toNodes(parsed: ParsedElement, depth: number, place: (offset: number) => string): Node[] {
  if (depth > MAX_DEPTH) throw new ImportError(`elements are nested more than ${MAX_DEPTH} levels deep`);
  const name = Object.keys(parsed).find((key) => key !== ':@' && !key.startsWith('#'));
  if (name === undefined) return [];
  const content = parsed[name] as ParsedElement[];
  const text = content
    .map((child) => (child['#cdata'] ? joinText(child['#cdata']) : String(child['#text'] ?? '')))
    .join('')
    .trim();
  const where = place((parsed[RANGE] as { startIndex: number } | undefined)?.startIndex ?? 0);
  const attributes = Object.entries(parsed[':@'] ?? {}).map(([key, value]) => new Node(key, String(value), [], where));
  const children = content.flatMap((child) => toNodes(child, depth + 1, place));
  return [new Node(name, text, children, where, attributes)];
}

const joinText = (content: unknown): string =>
  (content as ParsedElement[]).map((child) => String(child['#text'] ?? '')).join('');

/**
 * Parses YAML and JSON: mappings become elements, lists several elements with the same name, and scalars text as it is
 * written.
 */
export function parseYaml({ name, text }: ImportFile, report: ImportReport): Node {
  // Tabs may indent JSON, but not YAML.
  const source = text.replace(/^\uFEFF/, '').replace(/^\t+/gm, (tabs) => ' '.repeat(tabs.length));
  try {
    load(source);
  } catch (error) {
    throw new ImportError(`${name}: ${(error as Error).message.split('\n')[0]}`);
  }
  const root = new YamlReader(name, source).read();
  return report.addInput(name, root ?? new Node('root', '', [], `${name}:1`));
}

type YamlEvent = ReturnType<typeof parseEvents>[number];
type Named = Pick<Extract<YamlEvent, { type: typeof EVENT_ID.SCALAR }>, 'anchorStart' | 'anchorEnd'>;

class YamlReader {
  private readonly events: readonly YamlEvent[];
  private readonly anchors = new Map<string, readonly Node[]>();
  private readonly findLine: (offset: number) => number;
  private position = 0;
  private valueCount = 0;

  constructor(
    private readonly file: string,
    private readonly source: string,
  ) {
    this.events = parseEvents(source, {});
    this.findLine = createLineFinder(source);
  }

  read(): Node | undefined {
    while (this.events[this.position]?.type === EVENT_ID.DOCUMENT) this.position++;
    return this.readValue('root', this.at(0), 0)[0];
  }

  private readonly at = (offset: number): string => `${this.file}:${this.findLine(offset)}`;

  /** Several nodes for a list. */
  private readValue(name: string, place: string, depth: number): Node[] {
    if (depth > MAX_DEPTH) throw new ImportError(`values are nested more than ${MAX_DEPTH} levels deep`);
    const event = this.events[this.position++];
    if (!event || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return [];
    if (event.type === EVENT_ID.ALIAS) return this.repeat(name, this.getName(event));
    const nodes = this.readContent(event, name, place, depth);
    if (event.anchorStart >= 0) this.anchors.set(this.getName(event), nodes);
    this.count(1);
    return nodes;
  }

  private readContent(event: YamlEvent, name: string, place: string, depth: number): Node[] {
    if (event.type === EVENT_ID.SCALAR) {
      const text = getScalarValue(this.source, event);
      const isNull = event.fast && /^(?:~|null)?$/i.test(text);
      return [new Node(name, isNull ? '' : text, [], event.valueStart < 0 ? place : this.at(event.valueStart))];
    }
    if (event.type === EVENT_ID.SEQUENCE) {
      const items: Node[] = [];
      while (!this.isAtEnd()) for (const item of this.readValue(name, place, depth + 1)) items.push(item);
      this.position++;
      return depth === 0 ? [new Node(name, '', items, place)] : items;
    }
    const children: Node[] = [];
    const merged: Node[] = [];
    while (!this.isAtEnd()) {
      const isMerge = this.isMergeKey();
      for (const child of this.readEntry(place, depth)) (isMerge ? merged : children).push(child);
    }
    this.position++;
    // What a mapping says itself goes before what it merges, wherever the key stands.
    const names = new Set(children.map((child) => child.name));
    children.push(...merged.filter((child) => !names.has(child.name)));
    const start = event.type === EVENT_ID.MAPPING && event.start >= 0 ? this.at(event.start) : place;
    return [new Node(name, '', children, start)];
  }

  private readEntry(outerPlace: string, depth: number): readonly Node[] {
    const key = this.events[this.position];
    if (key?.type !== EVENT_ID.SCALAR) {
      this.readValue('key', outerPlace, depth + 1);
      return this.readValue('?', outerPlace, depth + 1);
    }
    this.position++;
    const name = getScalarValue(this.source, key);
    const value = this.readValue(name, this.at(key.valueStart), depth + 1);
    return name === '<<' ? value.flatMap(({ children }) => children) : value;
  }

  private isMergeKey(): boolean {
    const key = this.events[this.position];
    return key?.type === EVENT_ID.SCALAR && getScalarValue(this.source, key) === '<<';
  }

  private repeat(name: string, anchor: string): Node[] {
    const nodes = (this.anchors.get(anchor) ?? []).map((node) => copyNode(node, name));
    this.count(nodes.reduce((sum, node) => sum + countNodes(node), 0));
    return nodes;
  }

  private count(values: number): void {
    this.valueCount += values;
    if (this.valueCount > MAX_VALUES)
      throw new ImportError(`${this.file}: with its aliases, the file has more than ${MAX_VALUES} values`);
  }

  private isAtEnd(): boolean {
    const event = this.events[this.position];
    return event === undefined || event.type === EVENT_ID.POP;
  }

  private readonly getName = ({ anchorStart, anchorEnd }: Named): string =>
    this.source.slice(anchorStart, anchorEnd).replace(/^[&*]/, '');
}

/** The parts are shared: what is reported at one place is reported at all. */
const copyNode = ({ text, children, place, attributeNodes }: Node, name: string): Node =>
  new Node(name, text, children, place, attributeNodes);

function countNodes({ children }: Node): number {
  let count = 1;
  for (const child of children) {
    count += countNodes(child);
    if (count > MAX_VALUES) break;
  }
  return count;
}

/** Parses a list: each line that is neither blank nor a comment becomes a child with its text. */
export function parseList({ name, text }: ImportFile, report: ImportReport): Node {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line, index) => {
      const trimmedLine = line.trim();
      return trimmedLine === '' || trimmedLine.startsWith('#')
        ? []
        : [new Node('line', trimmedLine, [], `${name}:${index + 1}`)];
    });
  return report.addInput(name, new Node('list', '', lines, `${name}:1`));
}

/** Finds the node itself and all descendants that have one of the names, in document order. */
export function findAll(node: Node, ...names: readonly string[]): Node[] {
  const found = node.children.flatMap((child) => findAll(child, ...names));
  return names.includes(node.name) ? [node, ...found] : found;
}

export const findFirst = (node: Node, ...names: readonly string[]): Node | undefined =>
  node.children.flatMap((child) => findAll(child, ...names))[0];

/** Finds the value of the attribute with the name or, if there is none, the text of the child with the name. */
export const findSetting = (node: Node, name: string): string | undefined => node.find(name)?.text;
