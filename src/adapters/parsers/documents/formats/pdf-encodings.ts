/**
 * Finds what the codes of a PDF's fonts stand for, by their glyph names (ISO 32000-1, 9.6.6). PDFium knows the glyph
 * names of individual characters; fonts prepared by TeX call their ligatures `f_i` or `T_h`, for which PDFium returns
 * the code. No PDFium function returns glyph names, so they are looked up in the file, and only if a text has such
 * codes.
 */
import { inflateSync } from 'node:zlib';

/**
 * Maximum number of bytes that are searched: in a file, in one of its objects, and in all its unpacked object streams
 * together.
 */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_OBJECT_BYTES = 64 * 1024;
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
const MAX_FONTS = 1_000;
/** Fonts with encodings have at most this many codes. */
const MAX_CODES = 256;
const LIGATURES = new Set(['ff', 'fi', 'fl', 'ffi', 'ffl', 'IJ', 'ij']);

/** Maps each character code to its text. */
export type CodeTexts = ReadonlyMap<number, string>;

/**
 * Reads the ligatures by font name (`BaseFont`), without the subset tag. If two fonts of the same name disagree about a
 * code, neither is used.
 */
export function readLigatures(file: Uint8Array): ReadonlyMap<string, CodeTexts> {
  const fonts = new Map<string, Map<number, string>>();
  if (file.byteLength > MAX_FILE_BYTES) return fonts;
  const body = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const objects = readObjects(body, /\/(?:BaseFont|Differences)\b/);
  const encodings = new Map<string, CodeTexts>();
  let remainingFonts = MAX_FONTS;
  for (const object of objects.values()) {
    const name = /\/BaseFont\s*\/(?:[A-Z]{6}\+)?([^\s/<>[\]()]{1,127})/.exec(object)?.[1];
    if (name === undefined || remainingFonts-- <= 0) continue;
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
  const list = /\/Differences\s*\[([^\][]*)\]/.exec(object)?.[1] ?? '';
  const texts = new Map<number, string>();
  let code = 0;
  for (const [token] of list.matchAll(/\d{1,3}(?!\d)|\/[^\s/]{0,127}/g)) {
    if (!token.startsWith('/')) code = Number(token);
    else if (code < MAX_CODES) {
      // PDFium knows plain letters, so a subset with a plain letter at the code of another subset's ligature does not
      // contradict it.
      if (!/^\/[A-Za-z]$/.test(token)) texts.set(code, glyphNameToText(token.slice(1)));
      code++;
    }
  }
  return texts;
}

/**
 * Returns the text of a glyph name, which consists of the names of its characters joined by `_`, and of a variant after
 * a full stop (Adobe Glyph List Specification, 2). Empty for glyphs that are not letters.
 */
export function glyphNameToText(name: string): string {
  const parts = name.split('.', 1)[0]!.split('_');
  return parts.every((part) => /^[A-Za-z]$/.test(part) || LIGATURES.has(part)) ? parts.join('') : '';
}

/** Reads objects of a kind by their number, including those in object streams (7.5.7). No byte is examined twice. */
export function readObjects(file: Buffer, kind: RegExp): ReadonlyMap<number, string> {
  const objects = new Map<number, string>();
  const keepIfNeeded = (number: number, object: string): void => {
    if (kind.test(object)) objects.set(number, object);
  };
  let remaining = MAX_UNPACKED_BYTES;
  let nextPosition = 0;
  for (let position = file.indexOf(' obj'); position >= 0; position = file.indexOf(' obj', nextPosition)) {
    const start = position + ' obj'.length;
    nextPosition = start;
    const number = /(?:^|\s)(\d{1,10}) \d{1,5}$/.exec(
      file.toString('latin1', Math.max(0, position - 18), position),
    )?.[1];
    if (number === undefined) continue;
    nextPosition = findIndexOrEnd(file, 'endobj', start);
    const [dictionary] = file
      .toString('latin1', start, Math.min(nextPosition, start + MAX_OBJECT_BYTES))
      .split('stream', 1);
    if (!/\/ObjStm\b/.test(dictionary!)) {
      keepIfNeeded(Number(number), dictionary!);
      continue;
    }
    const streamStart = start + dictionary!.length + 'stream'.length;
    const streamEnd = findIndexOrEnd(file, 'endstream', streamStart);
    nextPosition = Math.max(nextPosition, streamEnd);
    const unpacked = inflateStream(
      file.subarray(streamStart + (file[streamStart] === 13 ? 2 : 1), streamEnd),
      remaining,
    );
    remaining -= unpacked.length;
    for (const [innerNumber, text] of readInnerObjects(unpacked, dictionary!)) keepIfNeeded(innerNumber, text);
  }
  return objects;
}

function findIndexOrEnd(file: Buffer, text: string, from: number): number {
  const index = file.indexOf(text, from);
  return index < 0 ? file.length : index;
}

function inflateStream(stream: Buffer, maxLength: number): string {
  try {
    return maxLength > 0 ? inflateSync(stream, { maxOutputLength: maxLength }).toString('latin1') : '';
  } catch {
    // The stream is compressed in another way, encrypted, or too large: without its fonts, the text stays unchanged.
    return '';
  }
}

/** A stream begins with the number and offset of each object; the offsets are relative to `First` and ascending. */
function readInnerObjects(stream: string, dictionary: string): [number, string][] {
  const firstOffset = Number(/\/First\s+(\d{1,10})/.exec(dictionary)?.[1] ?? Number.NaN);
  if (!(firstOffset <= stream.length)) return [];
  const numbers = stream.slice(0, firstOffset).trim().split(/\s+/).map(Number);
  const objects: [number, string][] = [];
  let previousEnd = firstOffset;
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const start = firstOffset + numbers[index + 1]!;
    const end = index + 3 < numbers.length ? firstOffset + numbers[index + 3]! : stream.length;
    if (!(start >= previousEnd && end >= start)) break;
    objects.push([numbers[index]!, stream.slice(start, Math.min(end, start + MAX_OBJECT_BYTES))]);
    previousEnd = end;
  }
  return objects;
}
