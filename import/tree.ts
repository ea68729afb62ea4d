/** Parses XML and YAML into one kind of tree, for products whose settings may be in either format. */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { load } from 'js-yaml';
import { ImportError, type ImportFile } from './model.js';

export interface Node {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Node[];
}

type ParsedElement = Record<string, unknown> & { ':@'?: Record<string, unknown> };

const MAX_DEPTH = 100;
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  cdataPropName: '#cdata',
  // Only predefined entities are processed, because the files are untrusted; a document type with entities is rejected
  // below.
  processEntities: true,
});

/** @throws ImportError if the text is not well-formed, or has a document type with entities */
export function parseXml({ name, text }: ImportFile): Node {
  const xml = text.replace(/^\uFEFF/, '').replace(/<!DOCTYPE[^[>]{0,1000}>/i, '');
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml))
    throw new ImportError(`${name}: a document type with entities is not supported`);
  const validation = XMLValidator.validate(xml, { allowBooleanAttributes: true });
  if (validation !== true) throw new ImportError(`${name}:${validation.err.line}: ${validation.err.msg}`);
  const roots = (parser.parse(xml) as ParsedElement[]).flatMap((element) => toNodes(element, 0));
  const root = roots.find((node) => !node.name.startsWith('?'));
  if (!root) throw new ImportError(`${name}: the file contains no XML element`);
  return root;
}

function toNodes(parsed: ParsedElement, depth: number): Node[] {
  if (depth > MAX_DEPTH) throw new ImportError(`elements are nested more than ${MAX_DEPTH} levels deep`);
  const name = Object.keys(parsed).find((key) => key !== ':@' && !key.startsWith('#'));
  if (name === undefined) return [];
  const content = parsed[name] as ParsedElement[];
  const text = content
    .map((child) => (child['#cdata'] ? joinText(child['#cdata']) : String(child['#text'] ?? '')))
    .join('')
    .trim();
  const attributes = Object.fromEntries(Object.entries(parsed[':@'] ?? {}).map(([key, value]) => [key, String(value)]));
  return [{ name, attributes, text, children: content.flatMap((child) => toNodes(child, depth + 1)) }];
}

const joinText = (content: unknown): string =>
  (content as ParsedElement[]).map((child) => String(child['#text'] ?? '')).join('');

/** Parses YAML: mappings become elements, lists several elements with the same name, and scalars text. */
export function parseYaml({ name, text }: ImportFile): Node {
  return toNode('root', parseYamlValue({ name, text }), 0);
}

export function parseYamlValue({ name, text }: ImportFile): unknown {
  let value: unknown;
  try {
    value = load(text);
  } catch (error) {
    throw new ImportError(`${name}: ${(error as Error).message.split('\n')[0]}`);
  }
  checkSize(value, name);
  return value;
}

/** Aliases may repeat a value that repeats another one, so that a short file stands for any number of values. */
const MAX_VALUES = 1_000_000;

function checkSize(root: unknown, name: string): void {
  const open = [root];
  for (let count = 0; open.length > 0; count++) {
    if (count + open.length > MAX_VALUES)
      throw new ImportError(`${name}: with its aliases, the file has more than ${MAX_VALUES} values`);
    const value = open.pop();
    if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) open.push(child);
  }
}

function toNode(name: string, value: unknown, depth: number): Node {
  if (depth > MAX_DEPTH) throw new ImportError(`values are nested more than ${MAX_DEPTH} levels deep`);
  if (value === null || typeof value !== 'object') {
    return { name, attributes: {}, text: value === null || value === undefined ? '' : String(value), children: [] };
  }
  const children = Object.entries(value).flatMap(([key, child]) =>
    Array.isArray(child) ? child.map((item) => toNode(key, item, depth + 1)) : [toNode(key, child, depth + 1)],
  );
  return { name, attributes: {}, text: '', children };
}

/** Finds the node itself and all descendants that have one of the names, in document order. */
export function findAll(node: Node, ...names: readonly string[]): Node[] {
  const found = node.children.flatMap((child) => findAll(child, ...names));
  return names.includes(node.name) ? [node, ...found] : found;
}

export const findFirst = (node: Node, ...names: readonly string[]): Node | undefined =>
  node.children.flatMap((child) => findAll(child, ...names))[0];

/** Finds the value of the attribute with the name or, if there is none, the text of the child with the name. */
export const findSetting = (node: Node, name: string): string | undefined =>
  node.attributes[name] ?? node.children.find((child) => child.name === name)?.text;
