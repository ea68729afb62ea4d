/**
 * Provides what fast-xml-parser lacks: the position of each attribute and, before parsing, a check that the text is
 * within limits and free of declarations. Everything here runs in a single pass without backtracking.
 */

import { type ElementRun, RunFinder } from './pieces.js';

/** Limits that apply to every configuration. */
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

/**
 * Finds the first reason why the text must not be parsed. If there is none, finds runs of that many elements or
 * a few more, so that long lists can be parsed piece by piece; a short text has none. Runs follow from the nesting of tags alone, whose
 * names may still be wrong.
 */
export function scanMarkup(xml: string, elementsPerRun: number): MarkupFault | readonly ElementRun[] {
  if (xml.length > LIMITS.bytes || Buffer.byteLength(xml) > LIMITS.bytes) {
    return createFault(0, 'xml-too-large', `the file is larger than ${LIMITS.bytes / 1024 / 1024} MiB`);
  }
  const invalidOffset = xml.search(INVALID_CHARACTER);
  if (invalidOffset >= 0)
    return createFault(
      invalidOffset,
      'xml-not-well-formed',
      `${formatCodeUnit(xml, invalidOffset)} is not allowed in XML: remove it`,
    );
  const runs = new RunFinder(xml, elementsPerRun);
  let elementCount = 0;
  let offset = xml.indexOf('<');
  while (offset >= 0) {
    const token = readToken(xml, offset);
    if ('code' in token) return token;
    if (token.kind === 'open' && runs.open(offset) > LIMITS.depth) {
      return createFault(offset, 'xml-too-large', `elements are nested deeper than ${LIMITS.depth}`);
    }
    if (token.kind === 'close') runs.close(token.end);
    else if (token.kind !== 'other' && ++elementCount > LIMITS.elements) {
      return createFault(offset, 'xml-too-large', `there are more than ${LIMITS.elements} elements`);
    }
    if (token.kind === 'empty') runs.add(offset, token.end, 1);
    offset = xml.indexOf('<', token.end);
  }
  return runs.found.sort((a, b) => a.start - b.start);
}

/** Matches characters that XML 1.0, section 2.2, does not allow, and unpaired surrogates. */
const INVALID_CHARACTER = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

const formatCodeUnit = (text: string, offset: number): string =>
  `U+${text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, '0')}`;

/** Finds the comments, CDATA sections and processing instructions of a well-formed text, in order. */
export function* findSpecialSections(xml: string): Generator<{ readonly start: number; readonly end: number }> {
  let offset = xml.indexOf('<');
  while (offset >= 0) {
    const token = readToken(xml, offset);
    if ('code' in token) return;
    if (token.kind === 'other') yield { start: offset, end: token.end };
    offset = xml.indexOf('<', token.end);
  }
}

interface MarkupToken {
  readonly kind: 'open' | 'empty' | 'close' | 'other';
  readonly end: number;
}

function readToken(xml: string, offset: number): MarkupToken | MarkupFault {
  if (xml.startsWith('<!--', offset)) return readUntil(xml, offset, '-->', 'comment');
  if (xml.startsWith('<![CDATA[', offset)) return readUntil(xml, offset, ']]>', 'CDATA section');
  if (xml.startsWith('<!', offset)) {
    return createFault(
      offset,
      'xml-declaration-forbidden',
      'document type and entity declarations are not allowed: remove this one',
    );
  }
  if (xml.startsWith('<?', offset)) return readUntil(xml, offset, '?>', 'processing instruction');
  const tagEnd = findTagEnd(xml, offset + 1);
  if (typeof tagEnd !== 'number') return tagEnd;
  if (tagEnd - offset > LIMITS.tag) {
    return createFault(offset, 'xml-too-large', `this tag with its attributes is longer than ${LIMITS.tag} characters`);
  }
  if (xml[offset + 1] === '/') return { kind: 'close', end: tagEnd + 1 };
  return { kind: xml[tagEnd - 1] === '/' ? 'empty' : 'open', end: tagEnd + 1 };
}

function readUntil(xml: string, offset: number, terminator: string, sectionName: string): MarkupToken | MarkupFault {
  const end = xml.indexOf(terminator, offset);
  if (end < 0)
    return createFault(offset, 'xml-not-well-formed', `this ${sectionName} is never closed: end it with ${terminator}`);
  return { kind: 'other', end: end + terminator.length };
}

/** Returns the offset of the `>` that ends a tag, ignoring those inside quotes. */
function findTagEnd(xml: string, from: number): number | MarkupFault {
  for (let i = from; i < xml.length; i++) {
    const c = xml.charCodeAt(i);
    if (c === 62) return i;
    if (c === 60)
      return createFault(i, 'xml-not-well-formed', "'<' inside a tag: the preceding tag is not closed with '>'");
    if (c === 34 || c === 39) {
      const end = xml.indexOf(xml[i] as string, i + 1);
      const tagStart = xml.indexOf('<', i + 1);
      if (end < 0 || (tagStart >= 0 && tagStart < end)) {
        return end < 0
          ? createFault(i, 'xml-not-well-formed', 'this value has no closing quote')
          : createFault(
              tagStart,
              'xml-not-well-formed',
              "'<' inside a value (is a quote missing before it?): write &lt;",
            );
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
  /** With entities resolved, and line ends and tabs replaced with spaces (XML 1.0, section 3.3.3). */
  readonly value: string;
  /** Offset of the first character of the name. */
  readonly start: number;
  /** Offset after the closing quote. */
  readonly end: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

const ATTRIBUTE = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;

/** Reads the attributes of the start tag whose name ends at `from`. */
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

const PREDEFINED_ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi;

/** Resolves the five entities of XML and character references; anything else stays as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return PREDEFINED_ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return isXmlCharacter(code) ? String.fromCodePoint(code) : whole;
  });
}

const isXmlCharacter = (code: number): boolean =>
  code <= 0x10ffff && !INVALID_CHARACTER.test(String.fromCodePoint(code));

/** Returns the offset of the first `&` that does not begin such an entity or reference; -1 if there is none. */
export function findUnknownReference(text: string): number {
  for (let offset = text.indexOf('&'); offset >= 0; offset = text.indexOf('&', offset + 1)) {
    const end = text.indexOf(';', offset);
    const reference = end < 0 || end - offset > 10 ? '' : text.slice(offset, end + 1);
    if (reference === '' || decodeEntities(reference) === reference) return offset;
  }
  return -1;
}

export const escapeAttribute = (value: string): string =>
  value.replace(/[&<>"\t\n\r]/g, (c) => ESCAPES[c] ?? `&#${c.charCodeAt(0)};`);

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
