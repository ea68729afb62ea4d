/**
 * Finds a text's encoding and converts it to valid UTF-8. Order: byte order mark, HTTP header, declaration inside (`<meta
 * charset>`, XML declaration), markup in UTF-16, detection, windows-1252. Unknown labels are ignored.
 */
import { isUtf8 } from 'node:buffer';
import { getBOMEncoding, normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js';
import { detect } from 'chardet';
import { findMetaCharset } from './html/meta-charset.js';

export type TextFormat = 'html' | 'xml' | 'text';

/** How far the HTML standard looks for a declaration before it reads the page. */
const PRESCAN_BYTES = 1024;
/** Browsers start again when they find a declaration later; here it is searched for in a page that is not UTF-8. */
const LATE_PRESCAN_BYTES = 16_384;
const DETECTION_BYTES = 16_384;
const FALLBACK = 'windows-1252';
/** A text of replacement characters only is useless: its labels count as unknown. */
const REPLACEMENT = 'replacement';

/** WHATWG name of the body's encoding, in lower case. `charset` is the label in the HTTP header. */
export function findEncoding(body: Buffer, charset: string | undefined, format: TextFormat): string {
  return (
    getBOMEncoding(body) ??
    resolveEncoding(charset) ??
    findDeclaredEncoding(body.subarray(0, PRESCAN_BYTES), format) ??
    (isUtf8(body) ? 'utf-8' : undefined) ??
    findDeclaredEncoding(body.subarray(0, LATE_PRESCAN_BYTES), format) ??
    detectEncoding(format === 'text' ? body : extractNonAsciiWords(body))
  );
}

/** The text in valid UTF-8 without byte order mark; the body itself if it already is. */
export function toUtf8(body: Buffer, encoding: string): Buffer {
  if (encoding !== 'utf-8') return Buffer.from(new TextDecoder(encoding).decode(body));
  const text = getBOMEncoding(body) === 'utf-8' ? body.subarray(3) : body;
  return isUtf8(text) ? text : Buffer.from(text.toString('utf8'));
}

/** The charset parameter of a Content-Type header. */
export function parseCharset(contentType: string | undefined): string | undefined {
  const found = /;\s*charset\s*=\s*(?:"((?:[^"\\]|\\.)*)|'?([^\s"';,]+))/is.exec(contentType ?? '');
  return (found?.[1]?.replace(/\\(.)/gs, '$1') ?? found?.[2])?.trim();
}

function findDeclaredEncoding(head: Buffer, format: TextFormat): string | undefined {
  if (format === 'text') return undefined;
  const wide = WIDE_MARKUP.exec(head.toString('latin1', 0, LONGEST_BLANK));
  if (wide) return wide[1] === undefined ? 'utf-16be' : 'utf-16le';
  const inMarkup =
    format === 'html'
      ? resolveEncoding(findMetaCharset(head, (label) => resolveEncoding(label) !== undefined))
      : undefined;
  const declared = inMarkup ?? resolveEncoding(findXmlEncoding(head));
  // What could be read as ASCII so far is not UTF-16 (HTML standard, prescan).
  if (declared === 'utf-16le' || declared === 'utf-16be') return 'utf-8';
  return declared === 'x-user-defined' ? FALLBACK : declared;
}

const LONGEST_BLANK = 128;
/**
 * Begin of markup in UTF-16 without a byte order mark: after blanks, the first `<` and what follows, each with a zero byte after
 * or before it. This covers what the HTML standard's prescan and appendix F of XML 1.0 recognize.
 */
const WIDE_MARKUP = /^(?:(?:[\t\n\r ]\0)*(<\0[!?a-z]\0)|(?:\0[\t\n\r ])*\0<\0[!?a-z])/i;

function findXmlEncoding(head: Buffer): string | undefined {
  const declaration = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]+)["']/.exec(head.toString('latin1'));
  return declaration?.[1];
}

function resolveEncoding(label: string | undefined): string | undefined {
  const name = label === undefined ? null : normalizeEncoding(label);
  return name === null || name === REPLACEMENT ? undefined : name;
}

const LONGEST_LETTERS = 2 * DETECTION_BYTES;

/** The words that are not ASCII: names of elements, scripts and English menus make the detector think of Western text. */
function extractNonAsciiWords(body: Buffer): Buffer {
  // Nothing can be removed byte by byte from UTF-16 and UTF-32.
  if (body.subarray(0, DETECTION_BYTES).includes(0) || body.includes(ESCAPE)) return body;
  const text = body.toString('latin1', 0, 16 * DETECTION_BYTES).replace(/<[^<>]{0,4096}>/g, ' ');
  const words = text.match(/[^\x00-\x40]+/g)?.filter((word) => /[\x80-\xff]/.test(word)) ?? [];
  const letters = Buffer.from(words.join(' ').slice(0, LONGEST_LETTERS), 'latin1');
  return letters.length === 0 ? body : letters;
}

/** Begins a shift in ISO-2022, whose letters are ASCII. */
const ESCAPE = 0x1b;

/**
 * The detector has one name for both Hebrew encodings, whose letters are the same bytes. Points, dashes and quotation marks are in
 * windows-1255 only, and nobody who writes iso-8859-8 uses the bytes that they have there.
 */
function detectEncoding(body: Buffer): string {
  const first = body.findIndex((byte) => byte >= 0x80);
  // Whole code units also when the text is UTF-16 or UTF-32.
  const start = Math.max(0, first - 512) & ~3;
  const found = resolveEncoding(detect(body.subarray(start, start + DETECTION_BYTES)) ?? undefined) ?? FALLBACK;
  return found === 'iso-8859-8' ? 'windows-1255' : found;
}
