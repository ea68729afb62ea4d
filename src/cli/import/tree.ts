/** XML and YAML as one kind of tree, for products whose settings may be in either. */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { load } from 'js-yaml';
import { ImportError, type ImportFile } from './model.js';

export interface Node {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Node[];
}

type Parsed = Record<string, unknown> & { ':@'?: Record<string, unknown> };

const MOST_DEPTH = 100;
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  cdataPropName: '#cdata',
  // Only predefined entities are processed, because the files are untrusted; entities of a document type are rejected
  // below.
  processEntities: true,
});

/** @throws ImportError if the text is not well-formed, or has a document type with entities */
export function parseXml({ name, text }: ImportFile): Node {
  const clean = text.replace(/^\uFEFF/, '').replace(/<!DOCTYPE[^[>]{0,1000}>/i, '');
  if (/<!(?:DOCTYPE|ENTITY)/i.test(clean))
    throw new ImportError(`${name}: a document type with entities is not supported`);
  const valid = XMLValidator.validate(clean, { allowBooleanAttributes: true });
  if (valid !== true) throw new ImportError(`${name}:${valid.err.line}: ${valid.err.msg}`);
  const roots = (parser.parse(clean) as Parsed[]).flatMap((one) => toNodes(one, 0));
  const root = roots.find((one) => !one.name.startsWith('?'));
  if (!root) throw new ImportError(`${name}: no element`);
  return root;
}

function toNodes(parsed: Parsed, depth: number): Node[] {
  if (depth > MOST_DEPTH) throw new ImportError('elements are nested too deeply');
  const name = Object.keys(parsed).find((key) => key !== ':@' && !key.startsWith('#'));
  if (name === undefined) return [];
  const content = parsed[name] as Parsed[];
  const text = content
    .map((one) => (one['#cdata'] ? formatContent(one['#cdata']) : String(one['#text'] ?? '')))
    .join('')
    .trim();
  const attributes = Object.fromEntries(Object.entries(parsed[':@'] ?? {}).map(([key, value]) => [key, String(value)]));
  return [{ name, attributes, text, children: content.flatMap((one) => toNodes(one, depth + 1)) }];
}

const formatContent = (content: unknown): string =>
  (content as Parsed[]).map((one) => String(one['#text'] ?? '')).join('');

/** Mappings become elements, lists become several elements with the same name, and scalars become text. */
export function parseYaml({ name, text }: ImportFile): Node {
  return toNode('root', parseYamlValue({ name, text }), 0);
}

export function parseYamlValue({ name, text }: ImportFile): unknown {
  try {
    return load(text);
  } catch (error) {
    throw new ImportError(`${name}: ${(error as Error).message.split('\n')[0]}`);
  }
}

function toNode(name: string, value: unknown, depth: number): Node {
  if (depth > MOST_DEPTH) throw new ImportError('values are nested too deeply');
  if (value === null || typeof value !== 'object') {
    return { name, attributes: {}, text: value === null || value === undefined ? '' : String(value), children: [] };
  }
  const children = Object.entries(value).flatMap(([key, one]) =>
    Array.isArray(one) ? one.map((item) => toNode(key, item, depth + 1)) : [toNode(key, one, depth + 1)],
  );
  return { name, attributes: {}, text: '', children };
}

/** The node itself and all descendants with that name (or one of several), in order. */
export function findAll(node: Node, ...names: readonly string[]): Node[] {
  const found = node.children.flatMap((child) => findAll(child, ...names));
  return names.includes(node.name) ? [node, ...found] : found;
}

export const findFirst = (node: Node, ...names: readonly string[]): Node | undefined =>
  node.children.flatMap((child) => findAll(child, ...names))[0];

/** The value of an attribute, or the text of a child, with that name. */
export const findSetting = (node: Node, name: string): string | undefined =>
  node.attributes[name] ?? node.children.find((child) => child.name === name)?.text;
