/**
 * Repairs what is wrong in PDFium's text of a page: unknown ligatures, accents that are separate from their letters,
 * subscripts that count as lines of their own, words that continue on the next line, and gaps without spaces.
 */
import { type Box, joinAccents, SPACING_ACCENT } from './accents.js';
import { joinLetterspacedWords, separateWords } from './gaps.js';
import type { CodeTexts } from './pdf-encodings.js';
import type { Pdfium } from './pdfium.js';

/** Maximum bytes of a font name. */
const MOST_NAME = 128;

/** Returns what the codes of each font stand for, by font name. */
export type Ligatures = () => ReadonlyMap<string, CodeTexts>;

/**
 * Where PDFium may have separated what belongs together: at line ends, and at hyphens that it does not recognize as
 * line ends.
 */
const PARTED = /\S\r\n\S|\p{Ll}- \p{Ll}/u;

export function repairText(pdfium: Pdfium, text: number, page: string, ligatures: Ligatures): string {
  if (page.length < 2) return page;
  return new Repair(pdfium, text, page, ligatures).run({
    isUnnamed: hasUnmappedGlyphs(pdfium, text),
    isAccented: SPACING_ACCENT.test(page),
    isParted: PARTED.test(page),
  });
}

/**
 * Whether the text contains glyphs for which PDFium knows no character: their codes, which may be those of any letter,
 * stand in the text.
 */
function hasUnmappedGlyphs(pdfium: Pdfium, text: number): boolean {
  const count = pdfium._FPDFText_CountChars(text);
  for (let index = 0; index < count; index++) if (pdfium._FPDFText_HasUnicodeMapError(text, index) === 1) return true;
  return false;
}

interface Needs {
  readonly isUnnamed: boolean;
  readonly isAccented: boolean;
  readonly isParted: boolean;
}

/** Characters further apart than this share of their height are not adjacent. */
const BESIDE = 0.25;

/** Characters of the same size on one line that are closer than this share of their width belong to one word. */
const ADJACENT = 0.06;

class Repair {
  private readonly texts: string[];
  /** The characters as PDFium returns them. */
  private readonly written: readonly string[];
  /** PDFium's character indexes, which also count characters that are missing from the text. */
  private readonly places: Int32Array | undefined;
  private readonly boxes = new Map<number, Box | undefined>();

  constructor(
    private readonly pdfium: Pdfium,
    private readonly text: number,
    private readonly page: string,
    private readonly ligatures: Ligatures,
  ) {
    const count = pdfium._FPDFText_CountChars(text);
    const listed = page.length === count ? undefined : listCharacters(pdfium, text, count);
    this.written = listed?.written ?? page.split('');
    this.places = listed?.places;
    this.texts = [...this.written];
  }

  run({ isUnnamed, isAccented, isParted }: Needs): string {
    const { texts } = this;
    const cells = this.pdfium.wasmExports.malloc(CELLS);
    if (cells === 0) return texts.join('');
    try {
      if (isUnnamed) this.resolveUnmappedGlyphs(cells);
      const box = (index: number): Box | undefined => this.getBox(index, cells);
      const isGenerated = (index: number): boolean =>
        this.pdfium._FPDFText_IsGenerated(this.text, this.toPdfiumIndex(index)) === 1;
      const size = (index: number): number => this.readFontSize(index, cells);
      const isUpright = (index: number): boolean =>
        this.pdfium._FPDFText_GetCharAngle(this.text, this.toPdfiumIndex(index)) === 0;
      if (isAccented) joinAccents({ texts, box, isGenerated, fontSize: size });
      if (isParted) this.joinSplitWords(cells);
      const glyphs = {
        texts,
        advances: this.readAdvances(cells),
        ink: box,
        size,
        isUpright,
        isGenerated,
      };
      separateWords(glyphs);
      joinLetterspacedWords(glyphs);
    } finally {
      this.pdfium.wasmExports.free(cells);
    }
    return texts.join('');
  }

  private resolveUnmappedGlyphs(cells: number): void {
    const { pdfium, text, texts } = this;
    for (let index = 0; index < texts.length; index++) {
      const code = texts[index]!.codePointAt(0)!;
      const place = this.toPdfiumIndex(index);
      if (pdfium._FPDFText_HasUnicodeMapError(text, place) !== 1 || pdfium._FPDFText_GetUnicode(text, place) !== code)
        continue;
      if (code >= CODES) {
        texts[index] = ' ';
        continue;
      }
      const object = pdfium._FPDFText_GetTextObject(text, place);
      const font = object === 0 ? 0 : pdfium._FPDFTextObj_GetFont(object);
      const named = font === 0 ? undefined : this.ligatures().get(this.readFontName(font, cells))?.get(code);
      texts[index] = named || (CONTROL.test(texts[index]!) ? ' ' : texts[index]!);
    }
  }

  private joinSplitWords(cells: number): void {
    const { texts } = this;
    for (const index of this.findSplitCandidates()) {
      const [text, next] = [texts[index], texts[index + 1]];
      if (text === '\r' && next === '\n') {
        if (this.isOneWord(index - 1, index + 2, cells)) texts[index] = texts[index + 1] = '';
      } else if (text === '-' && (next === ' ' || next === '')) {
        const letter = this.findNextCharacter(index + 1);
        if (this.isHyphenated(index, letter, cells)) texts.fill('', index, letter);
      }
    }
  }

  /** Finds where `PARTED` may match. */
  private findSplitCandidates(): number[] {
    const { page, written } = this;
    const found: number[] = [];
    if (page.length !== written.length) return written.map((_, index) => index);
    for (let at = page.indexOf('\r\n', 1); at >= 0; at = page.indexOf('\r\n', at + 2)) found.push(at);
    for (let at = page.indexOf('-', 1); at >= 0; at = page.indexOf('-', at + 1))
      if (page[at + 1] === ' ' || SPACING_ACCENT.test(page[at + 1] ?? '')) found.push(at);
    return found;
  }

  /** Whether the characters before and after what PDFium takes for a line end belong to one word. */
  private isOneWord(before: number, after: number, cells: number): boolean {
    if (before < 0 || after >= this.texts.length) return false;
    const [end, start] = [this.readAdvance(before, cells), this.readAdvance(after, cells)];
    if (!end || !start || isFar(end, start)) return false;
    if (isAdjacent(end, start)) return true;
    const [one, other] = [this.getBox(before, cells), this.getBox(after, cells)];
    const [size, next] = [this.readFontSize(before, cells), this.readFontSize(after, cells)];
    if (!one || !other || size === next) return false;
    // The text after a subscript is on the line again.
    if (size > next ? isSubscript(other, one) : isSubscript(one, other)) return true;
    // A single letter is a variable or a unit, whereas a raised number after a word is a footnote reference.
    return size > next && this.isSingleLetter(before) && isSuperscript(other, one);
  }

  /** Finds the next character after spaces and after accents that have been joined to their letters. */
  private findNextCharacter(index: number): number {
    let next = index;
    while (next < this.texts.length && (this.texts[next] === '' || isSpace(this.texts[next]!))) next++;
    return next;
  }

  /**
   * Whether the hyphen, followed by a space that PDFium does not take for a line end, splits a word that continues with
   * the letter.
   */
  private isHyphenated(hyphen: number, letter: number, cells: number): boolean {
    const { texts } = this;
    if (!LOWER.test(texts[hyphen - 1] ?? '') || !LOWER.test(texts[letter] ?? '')) return false;
    const [end, start] = [this.getBox(hyphen, cells), this.getBox(letter, cells)];
    return end !== undefined && start !== undefined && start.left <= end.left && start.top <= end.top;
  }

  private isSingleLetter(index: number): boolean {
    return /^\p{L}$/u.test(this.texts[index]!) && !/^[\p{L}\p{N}]$/u.test(this.texts[index - 1] ?? '');
  }

  private readFontName(font: number, cells: number): string {
    const { pdfium } = this;
    const bytes = pdfium._FPDFFont_GetBaseFontName(font, cells, MOST_NAME);
    if (bytes < 2 || bytes > MOST_NAME) return '';
    return Buffer.from(pdfium.HEAPU8.subarray(cells, cells + bytes - 1)).toString('latin1');
  }

  /** The effective font size in points: the nominal size may be 1, with the matrix doing the scaling. */
  private readFontSize(index: number, cells: number): number {
    const { pdfium, text } = this;
    const place = this.toPdfiumIndex(index);
    if (place < 0) return 0;
    const size = pdfium._FPDFText_GetFontSize(text, place);
    if (!pdfium._FPDFText_GetMatrix(text, place, cells)) return size;
    const at = cells / 4;
    return size * Math.hypot(pdfium.HEAPF32[at + 2]!, pdfium.HEAPF32[at + 3]!);
  }

  private toPdfiumIndex(index: number): number {
    return this.places === undefined ? index : (this.places[index] ?? -1);
  }

  private readAdvance(index: number, cells: number): Box | undefined {
    const { pdfium } = this;
    const place = this.toPdfiumIndex(index);
    if (place < 0 || !pdfium._FPDFText_GetLooseCharBox(this.text, place, cells)) return undefined;
    const { HEAPF32 } = pdfium;
    const at = cells / 4;
    return { left: HEAPF32[at]!, top: HEAPF32[at + 1]!, right: HEAPF32[at + 2]!, bottom: HEAPF32[at + 3]! };
  }

  private readAdvances(cells: number): Float32Array {
    const { pdfium, text, written } = this;
    const advances = new Float32Array(written.length * 4).fill(Number.NaN);
    let { HEAPF32 } = pdfium;
    for (let index = 0; index < written.length; index++) {
      if (isSpace(written[index]!) || !pdfium._FPDFText_GetLooseCharBox(text, this.toPdfiumIndex(index), cells))
        continue;
      // Growing the memory replaces the buffer.
      if (HEAPF32.byteLength === 0) ({ HEAPF32 } = pdfium);
      const [from, to] = [cells / 4, index * 4];
      advances[to] = HEAPF32[from]!;
      advances[to + 1] = HEAPF32[from + 1]!;
      advances[to + 2] = HEAPF32[from + 2]!;
      advances[to + 3] = HEAPF32[from + 3]!;
    }
    return advances;
  }

  private getBox(index: number, cells: number): Box | undefined {
    if (!this.boxes.has(index)) this.boxes.set(index, this.measureBox(index, cells));
    return this.boxes.get(index);
  }

  private measureBox(index: number, cells: number): Box | undefined {
    const { pdfium, text } = this;
    const place = this.toPdfiumIndex(index);
    if (place < 0 || pdfium._FPDFText_GetUnicode(text, place) !== this.written[index]?.codePointAt(0)) return undefined;
    const [left, right, bottom, top] = [cells, cells + 8, cells + 16, cells + 24] as const;
    if (!pdfium._FPDFText_GetCharBox(text, place, left, right, bottom, top)) return undefined;
    const [x0, x1, y0, y1] = new Float64Array(pdfium.HEAPU8.buffer, cells, 4);
    return { left: x0!, right: x1!, bottom: y0!, top: y1! };
  }
}

/**
 * Lists PDFium's characters one by one with their indexes. PDFium's text lacks some of them: letters of mathematical
 * alphabets, codes without a name, and as many at its end as there are unknown ones before.
 */
function listCharacters(pdfium: Pdfium, text: number, count: number): { written: string[]; places: Int32Array } {
  const written: string[] = [];
  const places: number[] = [];
  for (let place = 0; place < Math.min(count, MOST_CHARACTERS); place++) {
    const unicode = pdfium._FPDFText_GetUnicode(text, place);
    places.push(place);
    if (unicode === HYPHEN && pdfium._FPDFText_HasUnicodeMapError(text, place) !== 1) written.push(MARK);
    else if (unicode === UNKNOWN) written.push(' ');
    else {
      // Beyond the first 65,536 characters of Unicode, PDFium returns some characters as one and others as two UTF-16
      // halves.
      const low = unicode >> 10 === HIGH ? pdfium._FPDFText_GetUnicode(text, place + 1) : 0;
      const isPair = low >> 10 === LOW;
      written.push(isPair ? String.fromCharCode(unicode, low) : String.fromCodePoint(unicode));
      if (isPair) place++;
    }
  }
  return { written, places: Int32Array.from(places) };
}

/** Maximum number of characters on one page. */
const MOST_CHARACTERS = 4_000_000;
/** The upper bits of the two halves, without the last ten. */
const HIGH = 0xd800 >> 10;
const LOW = 0xdc00 >> 10;

/**
 * The hyphen of a word that continues on the next line: as PDFium's character code, and as it appears in PDFium's text.
 */
const HYPHEN = 2;
const MARK = '\ufffe';
const UNKNOWN = 0;

/** Characters that do not occur in text. */
const CONTROL = /^[\u0001-\u0008\u000b-\u001f\u007f]$/;

/** Number of codes in simple fonts; larger codes are glyph numbers, which would be arbitrary characters. */
const CODES = 256;

/** Bytes for a font name, or for four double-precision numbers. */
const CELLS = MOST_NAME;

const isSpace = (text: string): boolean => text === ' ' || text === '\r' || text === '\n';

const LOWER = /^\p{Ll}$/u;

/**
 * Minimum distance, in character widths, between the last character of a line and the first one of the next line. Fonts
 * may have no widths.
 */
const FAR = 4;
function isFar(one: Box, other: Box): boolean {
  const widest = Math.max(one.right - one.left, other.right - other.left);
  return widest > 0 && Math.max(other.left - one.right, one.left - other.right) > widest * FAR;
}

/** Whether the characters are on the same line with no gap between them. */
function isAdjacent(one: Box, other: Box): boolean {
  const most = Math.min(one.right - one.left, other.right - other.left) * ADJACENT;
  return [other.left - one.right, other.bottom - one.bottom, other.top - one.top].every((by) => Math.abs(by) < most);
}

function isBeside(small: Box, character: Box): boolean {
  const gap = Math.max(small.left - character.right, character.left - small.right);
  return Math.abs(gap) < (character.top - character.bottom) * BESIDE;
}

/** To the right of a larger character and higher than its middle, but not entirely above it. */
function isSuperscript(high: Box, character: Box): boolean {
  const height = character.top - character.bottom;
  return (
    isBeside(high, character) &&
    high.left > (character.left + character.right) / 2 &&
    high.bottom > character.bottom + height * 0.3 &&
    high.bottom < character.top &&
    high.top > character.top
  );
}

/** Beside a larger character and lower than its foot, but not entirely below it. */
function isSubscript(low: Box, character: Box): boolean {
  const height = character.top - character.bottom;
  return (
    isBeside(low, character) &&
    low.bottom < character.bottom - height * 0.05 &&
    low.top > character.bottom &&
    low.top < character.top - height * 0.1
  );
}
