/**
 * The elements of a configuration with their positions in the text, and edits to individual values that leave
 * everything else byte for byte the same. It reads text that the server has already accepted; in text that is not
 * well-formed XML, it finds fewer elements, and the server reports what is wrong.
 */

export interface XmlAttribute {
  /** As written, with its prefix. */
  readonly name: string;
  readonly value: string;
  /** From the space before the name to the end of the closing quote. */
  readonly start: number;
  readonly end: number;
}

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** With its colon; empty if there is none. */
  readonly prefix: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** Offset of `<`. */
  readonly start: number;
  /** Offset after the `>` of the start tag. */
  readonly contentStart: number;
  /** Offset of the `<` of the end tag; equal to `contentStart` if the element is empty. */
  readonly contentEnd: number;
  readonly end: number;
  /** Text directly inside the element, without comments. */
  readonly text: string;
}

type OpenElement = { -readonly [K in keyof XmlElement]: XmlElement[K] } & { children: XmlElement[]; full: string };

const NAME = /[^\s/>=<"']+/y;
const CDATA_START = '<![CDATA[';
const CDATA_END = ']]>';
const VALUE = /\s*=\s*("[^"]*"|'[^']*')/y;

/** Returns the outermost element; undefined if there is none. */
export function parseXml(xml: string): XmlElement | undefined {
  const openElements: OpenElement[] = [];
  const addText = (text: string): void => {
    const enclosingElement = openElements.at(-1);
    if (enclosingElement) enclosingElement.text += text;
  };
  let root: XmlElement | undefined;
  for (let position = xml.indexOf('<'); position >= 0; ) {
    const [kind, end] = parseMarkup(xml, position);
    if (kind === 'start') {
      const { element, selfClosing } = parseStartTag(xml, position);
      root ??= element;
      openElements.at(-1)?.children.push(element);
      if (!selfClosing) openElements.push(element);
      position = element.contentStart;
    } else if (kind === 'end') {
      const closedElement = openElements.pop();
      if (closedElement) {
        closedElement.contentEnd = position;
        closedElement.end = end;
      }
      position = end;
    } else {
      if (kind === 'cdata') addText(xml.slice(position + CDATA_START.length, end - CDATA_END.length));
      position = end;
    }
    const next = xml.indexOf('<', position);
    if (next > position) addText(unescapeXml(xml.slice(position, next)));
    position = next;
  }
  return root;
}

function parseMarkup(xml: string, position: number): [kind: 'start' | 'end' | 'cdata' | 'other', end: number] {
  const findEndAfter = (mark: string): number => {
    const found = xml.indexOf(mark, position);
    return found < 0 ? xml.length : found + mark.length;
  };
  if (xml.startsWith('<!--', position)) return ['other', findEndAfter('-->')];
  if (xml.startsWith(CDATA_START, position)) return ['cdata', findEndAfter(CDATA_END)];
  if (xml.startsWith('<?', position)) return ['other', findEndAfter('?>')];
  if (xml.startsWith('<!', position)) return ['other', findEndAfter('>')];
  return xml.startsWith('</', position) ? ['end', findEndAfter('>')] : ['start', position];
}

function parseStartTag(xml: string, start: number): { element: OpenElement; selfClosing: boolean } {
  NAME.lastIndex = start + 1;
  const qualifiedName = NAME.exec(xml)?.[0] ?? '';
  const colon = qualifiedName.indexOf(':');
  const attributes: XmlAttribute[] = [];
  let position = start + 1 + qualifiedName.length;
  for (;;) {
    const attributeStart = position;
    while (/\s/.test(xml[position] ?? '')) position++;
    NAME.lastIndex = position;
    const name = NAME.exec(xml)?.[0];
    if (name === undefined) break;
    VALUE.lastIndex = position + name.length;
    const value = VALUE.exec(xml);
    if (!value) break;
    position = VALUE.lastIndex;
    attributes.push({ name, value: unescapeXml(value[1]!.slice(1, -1)), start: attributeStart, end: position });
  }
  const closePosition = xml.indexOf('>', position);
  const contentStart = closePosition < 0 ? xml.length : closePosition + 1;
  const selfClosing = xml[contentStart - 2] === '/';
  const name = qualifiedName.slice(colon + 1);
  const prefix = qualifiedName.slice(0, colon + 1);
  const element: OpenElement = {
    name,
    prefix,
    full: qualifiedName,
    attributes,
    children: [],
    start,
    contentStart,
    contentEnd: contentStart,
    end: contentStart,
    text: '',
  };
  return { element, selfClosing };
}

export const getAttributeValue = ({ attributes }: XmlElement, name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name)?.value;

/** @param value undefined removes the attribute */
export function setAttribute(xml: string, element: XmlElement, name: string, value: string | undefined): string {
  const existing = element.attributes.find((attribute) => attribute.name === name);
  if (existing) {
    const attributeText =
      value === undefined ? '' : `${getWhitespaceBefore(xml, existing)}${name}="${escapeXml(value)}"`;
    return xml.slice(0, existing.start) + attributeText + xml.slice(existing.end);
  }
  if (value === undefined) return xml;
  const position = element.attributes.at(-1)?.end ?? element.start + 1 + element.prefix.length + element.name.length;
  return `${xml.slice(0, position)} ${name}="${escapeXml(value)}"${xml.slice(position)}`;
}

const getWhitespaceBefore = (xml: string, { start, end }: XmlAttribute): string =>
  /^\s*/.exec(xml.slice(start, end))?.[0] || ' ';

export function setText(xml: string, element: XmlElement, text: string): string {
  const { contentStart, contentEnd } = element;
  if (contentEnd > contentStart) return xml.slice(0, contentStart) + escapeXml(text) + xml.slice(contentEnd);
  return `${sliceToStartTagEnd(xml, element)}${escapeXml(text)}</${formatTagName(element)}>${xml.slice(contentStart)}`;
}

/** The text up to the end of the element's start tag, which is no longer self-closing. */
function sliceToStartTagEnd(xml: string, { contentStart }: XmlElement): string {
  const head = xml.slice(0, contentStart);
  return head.endsWith('/>') ? `${head.slice(0, -2).trimEnd()}>` : head;
}

/** Removes an element, including its line if nothing else is on it. */
export function removeElement(xml: string, { start, end }: XmlElement): string {
  const before = xml.slice(0, start);
  const indentMatch = /\n[ \t]*$/.exec(before);
  const isAlone = indentMatch && /^[ \t]*(?:\r?\n|$)/.test(xml.slice(end));
  return (isAlone ? before.slice(0, indentMatch.index) : before) + xml.slice(end);
}

/** Appends a child as the last element of its parent. */
export function appendChild(xml: string, parent: XmlElement, child: string): string {
  const indent = `${readIndent(xml, parent.start)}  `;
  const line = `\n${indent}${child}`;
  if (parent.end > parent.contentEnd) {
    const position = xml.slice(0, parent.contentEnd).trimEnd().length;
    return (
      xml.slice(0, position) +
      line +
      (/\n/.test(xml.slice(position, parent.contentEnd)) ? '' : `\n${indent.slice(2)}`) +
      xml.slice(position)
    );
  }
  return `${sliceToStartTagEnd(xml, parent)}${line}\n${indent.slice(2)}</${formatTagName(parent)}>${xml.slice(parent.contentStart)}`;
}

/** Inserts a copy of the element after it, under a new name. */
export function copyElement(xml: string, element: XmlElement, name: string): string {
  const { start, end } = element;
  const elementXml = xml.slice(start, end);
  const copiedElement = parseXml(elementXml);
  const copy = copiedElement ? setAttribute(elementXml, copiedElement, 'name', name) : elementXml;
  return `${xml.slice(0, end)}\n${readIndent(xml, start)}${copy}${xml.slice(end)}`;
}

const formatTagName = ({ prefix, name }: XmlElement): string => prefix + name;

function readIndent(xml: string, position: number): string {
  const before = xml.slice(xml.lastIndexOf('\n', position) + 1, position);
  return before.slice(before.trimEnd().length);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi,
    (reference, hex?: string, decimal?: string, name?: string) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      if (name !== undefined) return ENTITIES[name] ?? reference;
      return code <= 0x10ffff ? String.fromCodePoint(code) : reference;
    },
  );

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The prefix of a namespace with its colon, and its declaration if the outermost element does not contain one. */
export function findPrefix(
  root: XmlElement,
  namespace: string,
  defaultPrefix: string,
): { prefix: string; declaration: string } {
  const family = namespace.replace(/\.v\d+$/, '');
  const declaringAttribute = root.attributes.find(
    ({ name, value }) => name.startsWith('xmlns') && value.startsWith(family),
  );
  if (declaringAttribute)
    return {
      prefix: declaringAttribute.name === 'xmlns' ? '' : `${declaringAttribute.name.slice(6)}:`,
      declaration: '',
    };
  if (defaultPrefix === '') return { prefix: root.prefix, declaration: '' };
  return { prefix: `${defaultPrefix}:`, declaration: ` xmlns:${defaultPrefix}="${namespace}"` };
}

/** The innermost element that contains this position. */
export function findElementAt(root: XmlElement, xml: string, line: number, column: number): XmlElement | undefined {
  let offset = 0;
  for (let i = 1; i < line; i++) offset = xml.indexOf('\n', offset) + 1;
  offset += column - 1;
  const findWithin = (element: XmlElement): XmlElement | undefined => {
    if (offset < element.start || offset >= element.end) return undefined;
    for (const child of element.children) {
      const found = findWithin(child);
      if (found) return found;
    }
    return element;
  };
  return findWithin(root);
}
