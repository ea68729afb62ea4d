/**
 * Provides what fast-xml-parser lacks: the position of each attribute and, before parsing, a check that the text is
 * within limits and free of declarations. Everything here runs in a single pass without backtracking.
 */

/** Limits for any configuration, whoever sends it. */
export const LIMITS = { bytes: 16 * 1024 * 1024, depth: 64, elements: 500_000, tag: 65_536 } as const;

export interface MarkupFault {
  readonly offset: number;
  readonly code: 'xml-declaration-forbidden' | 'xml-not-well-formed' | 'xml-too-large';
  readonly message: string;
}

const createFault = (offset: number, code: MarkupFault['code'], message: string): MarkupFault => ({
  offset,
  code,
  message,
});

/** The first reason why the text cannot be parsed, if any. */
export function findMarkupFault(xml: string): MarkupFault | undefined {
  if (xml.length > LIMITS.bytes || Buffer.byteLength(xml) > LIMITS.bytes) {
    return createFault(0, 'xml-too-large', `the file is larger than ${LIMITS.bytes / 1024 / 1024} MiB`);
  }
  const strange = xml.search(NO_XML_CHARACTER);
  if (strange >= 0)
    return createFault(strange, 'xml-not-well-formed', `${readName(xml, strange)} is not allowed in XML: remove it`);
  let depth = 0;
  let elements = 0;
  let at = xml.indexOf('<');
  while (at >= 0) {
    const piece = readPiece(xml, at);
    if ('code' in piece) return piece;
    if (piece.kind === 'open' && ++depth > LIMITS.depth) {
      return createFault(at, 'xml-too-large', `elements are nested deeper than ${LIMITS.depth}`);
    }
    if (piece.kind === 'close') depth--;
    else if (piece.kind !== 'other' && ++elements > LIMITS.elements) {
      return createFault(at, 'xml-too-large', `there are more than ${LIMITS.elements} elements`);
    }
    at = xml.indexOf('<', piece.end);
  }
  return undefined;
}

/** Characters that XML 1.0, 2.2 does not allow, and unpaired surrogates. */
const NO_XML_CHARACTER = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

const readName = (text: string, at: number): string =>
  `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}`;

/** Comments, CDATA sections and processing instructions of a well-formed text, in order. */
export function* findSpecialSections(xml: string): Generator<{ readonly start: number; readonly end: number }> {
  let at = xml.indexOf('<');
  while (at >= 0) {
    const piece = readPiece(xml, at);
    if ('code' in piece) return;
    if (piece.kind === 'other') yield { start: at, end: piece.end };
    at = xml.indexOf('<', piece.end);
  }
}

interface Piece {
  readonly kind: 'open' | 'empty' | 'close' | 'other';
  readonly end: number;
}

function readPiece(xml: string, at: number): Piece | MarkupFault {
  if (xml.startsWith('<!--', at)) return readUntil(xml, at, '-->', 'comment');
  if (xml.startsWith('<![CDATA[', at)) return readUntil(xml, at, ']]>', 'CDATA section');
  if (xml.startsWith('<!', at)) {
    return createFault(
      at,
      'xml-declaration-forbidden',
      'document types and entity declarations are not allowed: remove it',
    );
  }
  if (xml.startsWith('<?', at)) return readUntil(xml, at, '?>', 'processing instruction');
  const close = findTagEnd(xml, at + 1);
  if (typeof close !== 'number') return close;
  if (close - at > LIMITS.tag) {
    return createFault(at, 'xml-too-large', `this tag with its attributes is longer than ${LIMITS.tag} characters`);
  }
  if (xml[at + 1] === '/') return { kind: 'close', end: close + 1 };
  return { kind: xml[close - 1] === '/' ? 'empty' : 'open', end: close + 1 };
}

function readUntil(xml: string, at: number, terminator: string, what: string): Piece | MarkupFault {
  const end = xml.indexOf(terminator, at);
  if (end < 0) return createFault(at, 'xml-not-well-formed', `this ${what} is never closed: end it with ${terminator}`);
  return { kind: 'other', end: end + terminator.length };
}

/** Offset of the `>` that ends a tag; those inside quotes do not count. */
function findTagEnd(xml: string, from: number): number | MarkupFault {
  for (let i = from; i < xml.length; i++) {
    const c = xml.charCodeAt(i);
    if (c === 62) return i;
    if (c === 60)
      return createFault(i, 'xml-not-well-formed', "'<' inside a tag: the tag before it is not closed with '>'");
    if (c === 34 || c === 39) {
      const end = xml.indexOf(xml[i] as string, i + 1);
      const less = xml.indexOf('<', i + 1);
      if (end < 0 || (less >= 0 && less < end)) {
        return end < 0
          ? createFault(i, 'xml-not-well-formed', 'this value has no closing quote')
          : createFault(less, 'xml-not-well-formed', "'<' inside a value (is a quote missing before it?): write &lt;");
      }
      i = end;
    }
  }
  return createFault(from - 1, 'xml-not-well-formed', "this tag is not closed with '>'");
}

export interface XmlAttribute {
  /** As written, prefix included. */
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  /** With entities resolved, and line ends and tabs replaced by spaces (XML 1.0, 3.3.3). */
  readonly value: string;
  /** Offset of the first character of the name. */
  readonly start: number;
  /** Offset after the closing quote. */
  readonly end: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

const ATTRIBUTE = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;

/** The attributes of the start tag whose name ends at `from`. */
export function readAttributes(xml: string, from: number): XmlAttribute[] {
  const attributes: XmlAttribute[] = [];
  ATTRIBUTE.lastIndex = from;
  for (let m = ATTRIBUTE.exec(xml); m; m = ATTRIBUTE.exec(xml)) {
    const name = m[1] as string;
    const raw = m[2] ?? m[3] ?? '';
    const end = ATTRIBUTE.lastIndex;
    const valueEnd = end - 1;
    const start = m.index + m[0].length - m[0].trimStart().length;
    const value = decodeEntities(raw.replace(/\r\n|[\r\n\t]/g, ' '));
    attributes.push({ name, ...splitName(name), value, start, end, valueStart: valueEnd - raw.length, valueEnd });
  }
  return attributes;
}

export function splitName(name: string): { prefix: string; local: string } {
  const colon = name.indexOf(':');
  return colon < 0 ? { prefix: '', local: name } : { prefix: name.slice(0, colon), local: name.slice(colon + 1) };
}

const PREDEFINED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi;

/** Resolves the five entities of XML and character references; anything else stays as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return PREDEFINED[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return isXmlCharacter(code) ? String.fromCodePoint(code) : whole;
  });
}

const isXmlCharacter = (code: number): boolean =>
  code <= 0x10ffff && !NO_XML_CHARACTER.test(String.fromCodePoint(code));

/** Offset of the first `&` that does not begin one of the references above. */
export function findUnknownReference(text: string): number {
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    const end = text.indexOf(';', at);
    const reference = end < 0 || end - at > 10 ? '' : text.slice(at, end + 1);
    if (reference === '' || decodeEntities(reference) === reference) return at;
  }
  return -1;
}

export const escapeAttribute = (value: string): string =>
  value.replace(/[&<>"\t\n\r]/g, (c) => ESCAPES[c] ?? `&#${c.charCodeAt(0)};`);

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
