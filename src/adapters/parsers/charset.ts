/**
 * Finds a text's encoding and converts the text to valid UTF-8. Sources, in order: byte order mark, HTTP header,
 * declaration in the text (`<meta charset>`, XML declaration), UTF-16 markup, detection, windows-1252. Unknown labels
 * are ignored, and so are labels that the bytes clearly contradict: many servers send one encoding for all files, and
 * many templates state one for texts from another source.
 */
import { isUtf8 } from 'node:buffer';
import { getBOMEncoding, normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js';
import { detect } from 'chardet';
import { ATTRIBUTE, Attributes } from './html/attributes.js';
import { BANG, DASH, endsName, isLetter, LESS, matchesName, QUESTION, SLASH } from './html/bytes.js';
import { findBogusCommentEnd, findCommentEnd } from './html/raw-text.js';

export type TextFormat = 'html' | 'xml' | 'text';

/** Number of bytes that the HTML standard's prescan searches for a declaration. */
const PRESCAN_BYTES = 1024;
/**
 * Browsers start over if they find a declaration later; here, this many bytes of a page that is not UTF-8 are searched
 * for one instead.
 */
const LATE_PRESCAN_BYTES = 16_384;
const DETECTION_BYTES = 16_384;
const FALLBACK_ENCODING = 'windows-1252';
/** Decoding with this encoding would yield only replacement characters, so its labels are treated as unknown. */
const REPLACEMENT = 'replacement';

/** Returns the WHATWG name of the body's encoding, in lower case. `charset` is the label in the HTTP header. */
export function findEncoding(body: Buffer, charset: string | undefined, format: TextFormat): string {
  const findDeclared = (): string | undefined => findDeclaredEncoding(body.subarray(0, PRESCAN_BYTES), format);
  const believe = (encoding: string | undefined): string | undefined =>
    encoding === undefined || isContradicted(encoding, body, findDeclared) ? undefined : encoding;
  return (
    getBOMEncoding(body) ??
    believe(resolveEncoding(charset)) ??
    believe(findDeclared()) ??
    (isUtf8(body) ? 'utf-8' : undefined) ??
    believe(findDeclaredEncoding(body.subarray(0, LATE_PRESCAN_BYTES), format)) ??
    detectEncoding(format === 'text' ? body : extractNonAsciiWords(body))
  );
}

/**
 * Text in another encoding is valid UTF-8 only if each of its few letters beyond ASCII happens to be; this many are too
 * many for chance.
 */
const MIN_UTF8_CHARACTERS = 5;

/** Whether the body cannot be meant to be in the encoding that the server or the page states. */
function isContradicted(encoding: string, body: Buffer, findDeclared: () => string | undefined): boolean {
  if (encoding === 'utf-8') return !isUtf8(body) && isMostlyStray(body);
  // In UTF-16, most characters of markup have a zero byte.
  if (encoding.startsWith('utf-16')) return body.length > 1 && !body.includes(0) && isUtf8(body);
  if (!isUtf8(body)) return false;
  const count = countUtf8Characters(body, MIN_UTF8_CHARACTERS);
  return count >= MIN_UTF8_CHARACTERS || (count > 0 && findDeclared() === 'utf-8');
}

/** Whether hardly any of the bytes beyond ASCII belong to a character in UTF-8; in East Asian encodings, some do by chance. */
function isMostlyStray(body: Buffer): boolean {
  let characters = 0;
  let strays = 0;
  for (const character of body.toString('utf8'))
    if (character === '\ufffd') strays++;
    else if (character > '\x7f') characters++;
  return strays > 2 * characters;
}

/** Counts characters beyond ASCII in valid UTF-8, up to a limit. */
function countUtf8Characters(body: Buffer, limit: number): number {
  let count = 0;
  for (let index = 0; index < body.length && count < limit; index++) if (body[index]! >= 0xc2) count++;
  return count;
}

/** Returns the text in valid UTF-8 without a byte order mark; the body itself if it already has this form. */
export function toUtf8(body: Buffer, encoding: string): Buffer {
  if (encoding !== 'utf-8') return Buffer.from(new TextDecoder(encoding).decode(body));
  const text = getBOMEncoding(body) === 'utf-8' ? body.subarray(3) : body;
  return isUtf8(text) ? text : Buffer.from(text.toString('utf8'));
}

/** Returns the charset parameter of a Content-Type header. */
export function parseCharset(contentType: string | undefined): string | undefined {
  const match = /;\s*charset\s*=\s*(?:"((?:[^"\\]|\\.)*)|'?([^\s"';,]+))/is.exec(contentType ?? '');
  return (match?.[1]?.replace(/\\(.)/gs, '$1') ?? match?.[2])?.trim();
}

function findDeclaredEncoding(head: Buffer, format: TextFormat): string | undefined {
  if (format === 'text') return undefined;
  const utf16 = UTF16_MARKUP.exec(head.toString('latin1', 0, MAX_BLANK_LENGTH));
  if (utf16) return utf16[1] === undefined ? 'utf-16be' : 'utf-16le';
  const metaEncoding =
    format === 'html'
      ? resolveEncoding(findMetaCharset(head, (label) => resolveEncoding(label) !== undefined))
      : undefined;
  const declaredEncoding = metaEncoding ?? resolveEncoding(findXmlEncoding(head));
  // A declaration that could be read as ASCII cannot be in UTF-16 (HTML standard, prescan).
  if (declaredEncoding === 'utf-16le' || declaredEncoding === 'utf-16be') return 'utf-8';
  return declaredEncoding === 'x-user-defined' ? FALLBACK_ENCODING : declaredEncoding;
}

const MAX_BLANK_LENGTH = 128;
/**
 * The beginning of UTF-16 markup without a byte order mark: after white space, the first `<` and the next character,
 * each followed or preceded by a zero byte. This covers what the HTML standard's prescan and appendix F of XML 1.0
 * recognize.
 */
const UTF16_MARKUP = /^(?:(?:[\t\n\r ]\0)*(<\0[!?a-z]\0)|(?:\0[\t\n\r ])*\0<\0[!?a-z])/i;

function findXmlEncoding(head: Buffer): string | undefined {
  const declaration = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]+)["']/.exec(head.toString('latin1'));
  return declaration?.[1];
}

function resolveEncoding(label: string | undefined): string | undefined {
  const name = label === undefined ? null : normalizeEncoding(label);
  return name === null || name === REPLACEMENT ? undefined : name;
}

const MAX_SAMPLE_LENGTH = 2 * DETECTION_BYTES;

/**
 * Extracts the words that are not ASCII: element names, scripts and English menus would mislead the detector into
 * Western encodings.
 */
function extractNonAsciiWords(body: Buffer): Buffer {
  // UTF-16 and UTF-32 cannot be filtered byte by byte.
  if (body.subarray(0, DETECTION_BYTES).includes(0) || body.includes(ESCAPE)) return body;
  const text = body.toString('latin1', 0, 16 * DETECTION_BYTES).replace(/<[^<>]{0,4096}>/g, ' ');
  const words = text.match(/[^\x00-\x40]+/g)?.filter((word) => /[\x80-\xff]/.test(word)) ?? [];
  const letters = Buffer.from(words.join(' ').slice(0, MAX_SAMPLE_LENGTH), 'latin1');
  return letters.length === 0 ? body : letters;
}

/** Begins a shift sequence in ISO-2022, whose letters are ASCII bytes. */
const ESCAPE = 0x1b;

/**
 * The detector has one name for both Hebrew encodings, whose letters have the same bytes. Only windows-1255 has points,
 * dashes and quotation marks, and their bytes are not used in iso-8859-8 texts.
 */
function detectEncoding(body: Buffer): string {
  const firstNonAscii = body.findIndex((byte) => byte >= 0x80);
  // Aligned to whole code units, in case the text is UTF-16 or UTF-32.
  const start = Math.max(0, firstNonAscii - 512) & ~3;
  const encoding =
    resolveEncoding(detect(body.subarray(start, start + DETECTION_BYTES)) ?? undefined) ?? FALLBACK_ENCODING;
  return encoding === 'iso-8859-8' ? 'windows-1255' : encoding;
}

/**
 * Finds the encoding label that a page declares in `<meta>`, by the HTML standard's prescan (section 13.2.3.2).
 * @param isKnown returns whether a label names an encoding; other labels are ignored
 */
function findMetaCharset(head: Buffer, isKnown: (label: string) => boolean): string | undefined {
  const attributes = new Attributes(head);
  for (
    let position = head.indexOf(LESS);
    position >= 0 && position < head.length;
    position = head.indexOf(LESS, position)
  ) {
    const next = head[position + 1] ?? 0;
    const nameStart = next === SLASH ? position + 2 : position + 1;
    if (next === BANG && head[position + 2] === DASH && head[position + 3] === DASH)
      position = findCommentEnd(head, position);
    else if (isLetter(head[nameStart] ?? 0)) {
      position = attributes.read(findNameEnd(head, nameStart));
      if (position < 0) return undefined;
      if (next !== SLASH && isMeta(head, nameStart)) {
        const label = readMetaCharset(attributes);
        if (label !== undefined && isKnown(label)) return label;
      }
    } else if (next === BANG || next === SLASH || next === QUESTION) position = findBogusCommentEnd(head, position);
    else position++;
  }
  return undefined;
}

function findNameEnd(head: Buffer, from: number): number {
  let position = from;
  while (position < head.length && !endsName(head[position]!)) position++;
  return position;
}

function isMeta(head: Buffer, position: number): boolean {
  return matchesName(head, position, 'meta') && endsName(head[position + 4] ?? 0);
}

function readMetaCharset(attributes: Attributes): string | undefined {
  const charset = attributes.get(ATTRIBUTE.charset);
  if (charset !== undefined) return charset;
  if (attributes.get(ATTRIBUTE['http-equiv'])?.toLowerCase() !== 'content-type') return undefined;
  const match = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(attributes.get(ATTRIBUTE.content) ?? '');
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
