/**
 * Finds what the codes of a PDF's fonts stand for, by their glyph names (ISO 32000-1, 9.6.6). PDFium knows the glyph
 * names of individual characters; fonts prepared by TeX call their ligatures `f_i` or `T_h`, for which PDFium returns
 * the code. No PDFium function returns glyph names, so they are looked up in the file, and only if a text has such
 * codes.
 */
import { inflateSync } from 'node:zlib';

/**
 * Maximum bytes that are searched: of a file, of one of its objects, and of all its unpacked object streams together.
 */
const MOST_FILE = 64 * 1024 * 1024;
const MOST_OBJECT = 64 * 1024;
const MOST_UNPACKED = 32 * 1024 * 1024;
const MOST_FONTS = 1_000;
/** Fonts with encodings have at most this many codes. */
const CODES = 256;
const LIGATURES = new Set(['ff', 'fi', 'fl', 'ffi', 'ffl', 'IJ', 'ij']);

/** The text for each code. */
export type CodeTexts = ReadonlyMap<number, string>;

/**
 * Reads the ligatures by font name (`BaseFont`), without the subset tag. If two fonts of the same name disagree about a
 * code, neither is believed.
 */
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

/**
 * Parses `[27 /f_i /f_l 31 /T_h]`: a number is the code of the name after it, and each further name has the next code.
 */
function parseDifferences(object: string): CodeTexts {
  const written = /\/Differences\s*\[([^\][]*)\]/.exec(object)?.[1] ?? '';
  const found = new Map<number, string>();
  let code = 0;
  for (const [token] of written.matchAll(/\d{1,3}(?!\d)|\/[^\s/]{0,127}/g)) {
    if (!token.startsWith('/')) code = Number(token);
    else if (code < CODES) {
      // PDFium knows plain letters, so a subset with a plain letter at the code of another subset's ligature does not
      // contradict it.
      if (!/^\/[A-Za-z]$/.test(token)) found.set(code, glyphNameToText(token.slice(1)));
      code++;
    }
  }
  return found;
}

/**
 * The text of a glyph name, which consists of the names of its characters joined by `_`, and of a variant after a full
 * stop (Adobe Glyph List Specification, 2). Empty for glyphs that are not letters.
 */
export function glyphNameToText(name: string): string {
  const parts = name.split('.', 1)[0]!.split('_');
  return parts.every((part) => /^[A-Za-z]$/.test(part) || LIGATURES.has(part)) ? parts.join('') : '';
}

/** Reads fonts and encodings by object number, including those in object streams (7.5.7). No byte is examined twice. */
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
    next = findIndexOrEnd(file, 'endobj', start);
    const [dictionary] = file.toString('latin1', start, Math.min(next, start + MOST_OBJECT)).split('stream', 1);
    if (!/\/ObjStm\b/.test(dictionary!)) {
      keepIfNeeded(Number(number), dictionary!);
      continue;
    }
    const streamAt = start + dictionary!.length + 'stream'.length;
    const streamEnd = findIndexOrEnd(file, 'endstream', streamAt);
    next = Math.max(next, streamEnd);
    const unpacked = inflateStream(file.subarray(streamAt + (file[streamAt] === 13 ? 2 : 1), streamEnd), room);
    room -= unpacked.length;
    for (const [inner, text] of readInnerObjects(unpacked, dictionary!)) keepIfNeeded(inner, text);
  }
  return objects;
}

function findIndexOrEnd(file: Buffer, text: string, from: number): number {
  const index = file.indexOf(text, from);
  return index < 0 ? file.length : index;
}

function inflateStream(stream: Buffer, room: number): string {
  try {
    return room > 0 ? inflateSync(stream, { maxOutputLength: room }).toString('latin1') : '';
  } catch {
    // Compressed in another way, encrypted, or too large: without its fonts, the text stays unchanged.
    return '';
  }
}

/** The stream begins with a number and an offset for each object; the offsets are relative to `First` and ascending. */
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
