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
  readonly opened: number;
  /** Offset of the `<` of the end tag; equal to `opened` if the element is empty. */
  readonly closed: number;
  readonly end: number;
  /** Text directly inside the element, without comments. */
  readonly text: string;
}

type Open = { -readonly [K in keyof XmlElement]: XmlElement[K] } & { children: XmlElement[]; full: string };

const NAME = /[^\s/>=<"']+/y;
const VALUE = /\s*=\s*("[^"]*"|'[^']*')/y;

/** Returns the outermost element; undefined if there is none. */
export function readXml(xml: string): XmlElement | undefined {
  const open: Open[] = [];
  let root: XmlElement | undefined;
  for (let at = xml.indexOf('<'); at >= 0; ) {
    const [kind, end] = parseMarkup(xml, at);
    if (kind === 'start') {
      const { element, selfClosing } = parseStartTag(xml, at);
      root ??= element;
      open.at(-1)?.children.push(element);
      if (!selfClosing) open.push(element);
      at = element.opened;
    } else if (kind === 'end') {
      const last = open.pop();
      if (last) {
        last.closed = at;
        last.end = end;
      }
      at = end;
    } else at = end;
    const next = xml.indexOf('<', at);
    const inside = open.at(-1);
    if (inside && next > at) inside.text += unescapeXml(xml.slice(at, next));
    at = next;
  }
  return root;
}

function parseMarkup(xml: string, at: number): [kind: 'start' | 'end' | 'other', end: number] {
  const endAfter = (mark: string): number => {
    const found = xml.indexOf(mark, at);
    return found < 0 ? xml.length : found + mark.length;
  };
  if (xml.startsWith('<!--', at)) return ['other', endAfter('-->')];
  if (xml.startsWith('<![CDATA[', at)) return ['other', endAfter(']]>')];
  if (xml.startsWith('<?', at)) return ['other', endAfter('?>')];
  if (xml.startsWith('<!', at)) return ['other', endAfter('>')];
  return xml.startsWith('</', at) ? ['end', endAfter('>')] : ['start', at];
}

function parseStartTag(xml: string, start: number): { element: Open; selfClosing: boolean } {
  NAME.lastIndex = start + 1;
  const full = NAME.exec(xml)?.[0] ?? '';
  const colon = full.indexOf(':');
  const attributes: XmlAttribute[] = [];
  let at = start + 1 + full.length;
  for (;;) {
    const from = at;
    while (/\s/.test(xml[at] ?? '')) at++;
    NAME.lastIndex = at;
    const name = NAME.exec(xml)?.[0];
    if (name === undefined) break;
    VALUE.lastIndex = at + name.length;
    const value = VALUE.exec(xml);
    if (!value) break;
    at = VALUE.lastIndex;
    attributes.push({ name, value: unescapeXml(value[1]!.slice(1, -1)), start: from, end: at });
  }
  const close = xml.indexOf('>', at);
  const opened = close < 0 ? xml.length : close + 1;
  const selfClosing = xml[opened - 2] === '/';
  const name = full.slice(colon + 1);
  const prefix = full.slice(0, colon + 1);
  const element = {
    name,
    prefix,
    full,
    attributes,
    children: [],
    start,
    opened,
    closed: opened,
    end: opened,
    text: '',
  };
  return { element, selfClosing };
}

export const getAttributeValue = ({ attributes }: XmlElement, name: string): string | undefined =>
  attributes.find((one) => one.name === name)?.value;

/** @param value undefined removes the attribute */
export function setAttribute(xml: string, element: XmlElement, name: string, value: string | undefined): string {
  const known = element.attributes.find((one) => one.name === name);
  if (known) {
    const written = value === undefined ? '' : `${whitespaceBefore(xml, known)}${name}="${escapeXml(value)}"`;
    return xml.slice(0, known.start) + written + xml.slice(known.end);
  }
  if (value === undefined) return xml;
  const at = element.attributes.at(-1)?.end ?? element.start + 1 + element.prefix.length + element.name.length;
  return `${xml.slice(0, at)} ${name}="${escapeXml(value)}"${xml.slice(at)}`;
}

const whitespaceBefore = (xml: string, { start, end }: XmlAttribute): string =>
  /^\s*/.exec(xml.slice(start, end))?.[0] || ' ';

export function setText(xml: string, element: XmlElement, text: string): string {
  const { opened, closed } = element;
  if (closed > opened) return xml.slice(0, opened) + escapeXml(text) + xml.slice(closed);
  return `${sliceToStartTagEnd(xml, element)}${escapeXml(text)}</${formatTagName(element)}>${xml.slice(opened)}`;
}

/** The text up to the end of the element's start tag, which an end tag may follow. */
function sliceToStartTagEnd(xml: string, { opened }: XmlElement): string {
  const head = xml.slice(0, opened);
  return head.endsWith('/>') ? `${head.slice(0, -2).trimEnd()}>` : head;
}

/** Removes an element, including its line if nothing else is on it. */
export function removeElement(xml: string, { start, end }: XmlElement): string {
  const before = xml.slice(0, start);
  const blank = /\n[ \t]*$/.exec(before);
  const alone = blank && /^[ \t]*(?:\r?\n|$)/.test(xml.slice(end));
  return (alone ? before.slice(0, blank.index) : before) + xml.slice(end);
}

/** Appends a child as the last element of its parent. */
export function appendChild(xml: string, parent: XmlElement, child: string): string {
  const indent = `${readIndent(xml, parent.start)}  `;
  const line = `\n${indent}${child}`;
  if (parent.end > parent.closed) {
    const at = xml.slice(0, parent.closed).trimEnd().length;
    return (
      xml.slice(0, at) + line + (/\n/.test(xml.slice(at, parent.closed)) ? '' : `\n${indent.slice(2)}`) + xml.slice(at)
    );
  }
  return `${sliceToStartTagEnd(xml, parent)}${line}\n${indent.slice(2)}</${formatTagName(parent)}>${xml.slice(parent.opened)}`;
}

/** Inserts a copy of the element after it, under a new name. */
export function copyElement(xml: string, element: XmlElement, name: string): string {
  const { start, end } = element;
  const own = xml.slice(start, end);
  const shifted = readXml(own);
  const copy = shifted ? setAttribute(own, shifted, 'name', name) : own;
  return `${xml.slice(0, end)}\n${readIndent(xml, start)}${copy}${xml.slice(end)}`;
}

const formatTagName = ({ prefix, name }: XmlElement): string => prefix + name;

function readIndent(xml: string, at: number): string {
  const before = xml.slice(xml.lastIndexOf('\n', at) + 1, at);
  return before.slice(before.trimEnd().length);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      if (name !== undefined) return ENTITIES[name] ?? whole;
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The prefix of a namespace with its colon, and a declaration of it if the outermost element has none. */
export function findPrefix(
  root: XmlElement,
  namespace: string,
  usual: string,
): { prefix: string; declaration: string } {
  const family = namespace.replace(/\.v\d+$/, '');
  const declared = root.attributes.find(({ name, value }) => name.startsWith('xmlns') && value.startsWith(family));
  if (declared) return { prefix: declared.name === 'xmlns' ? '' : `${declared.name.slice(6)}:`, declaration: '' };
  if (usual === '') return { prefix: root.prefix, declaration: '' };
  return { prefix: `${usual}:`, declaration: ` xmlns:${usual}="${namespace}"` };
}

/** The innermost element whose start tag contains this place. */
export function findElementAt(root: XmlElement, xml: string, line: number, column: number): XmlElement | undefined {
  let at = 0;
  for (let i = 1; i < line; i++) at = xml.indexOf('\n', at) + 1;
  at += column - 1;
  const findWithin = (element: XmlElement): XmlElement | undefined => {
    if (at < element.start || at >= element.end) return undefined;
    for (const child of element.children) {
      const found = findWithin(child);
      if (found) return found;
    }
    return element;
  };
  return findWithin(root);
}
