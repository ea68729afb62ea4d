/**
 * What the codes of a PDF's fonts stand for, by the names of their glyphs (ISO 32000-1, 9.6.6). PDFium knows the names of single characters;
 * fonts that TeX prepares call their ligatures `f_i` and `T_h`, and of those it gives the code. No function of PDFium has the names, so they
 * are looked for in the file, and only when a text has such codes.
 */
import { inflateSync } from 'node:zlib';

/** Bytes of a file, of one of its objects, and of what all its object streams unpack to; beyond these nothing is searched. */
const MOST_FILE = 64 * 1024 * 1024;
const MOST_OBJECT = 64 * 1024;
const MOST_UNPACKED = 32 * 1024 * 1024;
const MOST_FONTS = 1_000;
/** Fonts with encodings have at most this many. */
const CODES = 256;
const LIGATURES = new Set(['ff', 'fi', 'fl', 'ffi', 'ffl', 'IJ', 'ij']);

/** The text of each code. */
export type CodeTexts = ReadonlyMap<number, string>;

/** By the name of the font (`BaseFont`), without the tag of a subset. Where two fonts of one name disagree about a code, neither is believed. */
export function readLigatures(file: Uint8Array): ReadonlyMap<string, CodeTexts> {
  const fonts = new Map<string, Map<number, string>>();
  if (file.byteLength > MOST_FILE) return fonts;
  const objects = readObjects(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  const encodings = new Map<string, CodeTexts>();
  let left = MOST_FONTS;
  for (const object of objects.values()) {
    const name = /\/BaseFont\s*\/(?:[A-Z]{6}\+)?([^\s/<>[\]()]{1,127})/.exec(object)?.[1];
    if (name === undefined || left-- <= 0) continue;
    const reference = /\/Encoding\s+(\d{1,10})\s+\d{1,5}\s+R\b/.exec(object)?.[1];
    const encoding = reference === undefined ? object : (objects.get(Number(reference)) ?? '');
    const differences = encodings.get(encoding) ?? parseDifferences(encoding);
    encodings.set(encoding, differences);
    const texts = fonts.get(name) ?? new Map<number, string>();
    for (const [code, text] of differences) texts.set(code, (texts.get(code) ?? text) === text ? text : '');
    fonts.set(name, texts);
  }
  return fonts;
}

/** `[27 /f_i /f_l 31 /T_h]`: a number is the code of the name after it, and each further name has the next code. */
function parseDifferences(object: string): CodeTexts {
  const written = /\/Differences\s*\[([^\][]*)\]/.exec(object)?.[1] ?? '';
  const found = new Map<number, string>();
  let code = 0;
  for (const [token] of written.matchAll(/\d{1,3}(?!\d)|\/[^\s/]{0,127}/g)) {
    if (!token.startsWith('/')) code = Number(token);
    else if (code < CODES) {
      // PDFium knows plain letters: a subset that has one at a code of another's ligature does not disagree with it.
      if (!/^\/[A-Za-z]$/.test(token)) found.set(code, textOfGlyph(token.slice(1)));
      code++;
    }
  }
  return found;
}

/**
 * A name is that of its characters, joined by `_`, and what follows a full stop is the variant (Adobe Glyph List Specification,
 * 2). Empty for glyphs that are not letters.
 */
export function textOfGlyph(name: string): string {
  const parts = name.split('.', 1)[0]!.split('_');
  return parts.every((part) => /^[A-Za-z]$/.test(part) || LIGATURES.has(part)) ? parts.join('') : '';
}

/** Fonts and encodings by their numbers, those in object streams (7.5.7) too. No byte is examined twice. */
function readObjects(file: Buffer): ReadonlyMap<number, string> {
  const objects = new Map<number, string>();
  const keepIfNeeded = (number: number, object: string): void => {
    if (/\/(?:BaseFont|Differences)\b/.test(object)) objects.set(number, object);
  };
  let room = MOST_UNPACKED;
  let next = 0;
  for (let at = file.indexOf(' obj'); at >= 0; at = file.indexOf(' obj', next)) {
    const start = at + ' obj'.length;
    next = start;
    const number = /(?:^|\s)(\d{1,10}) \d{1,5}$/.exec(file.toString('latin1', Math.max(0, at - 18), at))?.[1];
    if (number === undefined) continue;
    next = indexOrEnd(file, 'endobj', start);
    const [dictionary] = file.toString('latin1', start, Math.min(next, start + MOST_OBJECT)).split('stream', 1);
    if (!/\/ObjStm\b/.test(dictionary!)) {
      keepIfNeeded(Number(number), dictionary!);
      continue;
    }
    const streamAt = start + dictionary!.length + 'stream'.length;
    const streamEnd = indexOrEnd(file, 'endstream', streamAt);
    next = Math.max(next, streamEnd);
    const unpacked = unpack(file.subarray(streamAt + (file[streamAt] === 13 ? 2 : 1), streamEnd), room);
    room -= unpacked.length;
    for (const [inner, text] of readInnerObjects(unpacked, dictionary!)) keepIfNeeded(inner, text);
  }
  return objects;
}

function indexOrEnd(file: Buffer, text: string, from: number): number {
  const index = file.indexOf(text, from);
  return index < 0 ? file.length : index;
}

function unpack(stream: Buffer, room: number): string {
  try {
    return room > 0 ? inflateSync(stream, { maxOutputLength: room }).toString('latin1') : '';
  } catch {
    // Packed otherwise, encrypted, or too large: without its fonts the text stays as it is.
    return '';
  }
}

/** The stream begins with a number and an offset for each object; the offsets count from `First`, and go up. */
function readInnerObjects(stream: string, dictionary: string): [number, string][] {
  const first = Number(/\/First\s+(\d{1,10})/.exec(dictionary)?.[1] ?? Number.NaN);
  if (!(first <= stream.length)) return [];
  const numbers = stream.slice(0, first).trim().split(/\s+/).map(Number);
  const found: [number, string][] = [];
  let last = first;
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const start = first + numbers[index + 1]!;
    const end = index + 3 < numbers.length ? first + numbers[index + 3]! : stream.length;
    if (!(start >= last && end >= start)) break;
    found.push([numbers[index]!, stream.slice(start, Math.min(end, start + MOST_OBJECT))]);
    last = end;
  }
  return found;
}
