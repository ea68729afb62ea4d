/**
 * Repairs what is wrong in PDFium's text of a page: unknown ligatures, accents that are separate from their letters,
 * subscripts that PDFium treats as separate lines, words that continue on the next line, gaps without
 * spaces, and Arabic and Hebrew text in the order of its positions.
 */
import { Unreadable } from '../document-content.js';
import { type Box, joinAccents, SPACING_ACCENT } from './accents.js';
import { joinLetterspacedWords, joinRotatedWords, separateWords } from './gaps.js';
import { listCharacters } from './pdf-characters.js';
import type { CodeTexts } from './pdf-encodings.js';
import { markParagraphs } from './pdf-paragraphs.js';
import type { Pdfium } from './pdfium.js';
import { RIGHT_TO_LEFT, reverseMisorderedRuns } from './right-to-left.js';

/** Maximum length of a font name in bytes. */
const MAX_FONT_NAME_LENGTH = 128;

/** Returns what the codes of each font stand for, by font name. */
type LigatureSource = () => ReadonlyMap<string, CodeTexts>;

/**
 * Where PDFium may have separated what belongs together: at line ends, and at hyphens that it does not recognize as
 * line ends.
 */
const SPLIT_WORD = /\S\r\n\S|\p{Ll}- \p{Ll}/u;

export interface RepairOptions {
  /**
   * Whether the text contains glyphs for which PDFium knows no character; the text then contains their codes, which may
   * be those of any letters.
   */
  readonly hasUnnamedGlyphs: boolean;
  /** The first character that is wanted, by PDFium's index. */
  readonly start: number;
  readonly getLigatures: LigatureSource;
}

export function repairText(pdfium: Pdfium, textPage: number, pageText: string, options: RepairOptions): string {
  if (pageText.length < 2) return options.start === 0 ? pageText : '';
  return new TextRepair(pdfium, textPage, pageText, options.getLigatures).run({
    hasUnnamedGlyphs: options.hasUnnamedGlyphs,
    hasSeparateAccents: SPACING_ACCENT.test(pageText),
    hasSplitWords: SPLIT_WORD.test(pageText),
    start: options.start,
  });
}

interface TextDefects {
  readonly hasUnnamedGlyphs: boolean;
  readonly hasSeparateAccents: boolean;
  readonly hasSplitWords: boolean;
  readonly start: number;
}

/** Characters further apart than this share of their height are not adjacent. */
const MAX_GAP_BESIDE = 0.25;

/** Relative to a character's width and to its font size: a second one like it that is printed so close is its shadow. */
const MAX_SHADOW_DISTANCE = 0.65;
const MAX_SHADOW_SHIFT = 0.15;

/** Characters of the same size on one line that are closer than this share of their width belong to one word. */
const MAX_ADJACENT_DISTANCE = 0.06;

class TextRepair {
  private texts: string[];
  /** The characters as PDFium returns them. */
  private originalTexts: readonly string[];
  /** PDFium's character indexes, which include characters that are missing from the text. */
  private pdfiumIndexes: Int32Array | undefined;
  private readonly boxes = new Map<number, Box | undefined>();

  constructor(
    private readonly pdfium: Pdfium,
    private readonly textPage: number,
    private readonly pageText: string,
    private readonly getLigatures: LigatureSource,
  ) {
    const count = pdfium._FPDFText_CountChars(textPage);
    const characters = pageText.length === count ? undefined : listCharacters(pdfium, textPage, count);
    this.originalTexts = characters?.originalTexts ?? pageText.split('');
    this.pdfiumIndexes = characters?.pdfiumIndexes;
    this.texts = [...this.originalTexts];
  }

  run({ hasUnnamedGlyphs, hasSeparateAccents, hasSplitWords, start }: TextDefects): string {
    const scratch = this.pdfium.wasmExports.malloc(BUFFER_SIZE);
    if (scratch === 0) throw new Unreadable('extract-memory', 'PDFium ran out of memory');
    try {
      this.removeShadows(scratch);
      const { texts } = this;
      if (hasUnnamedGlyphs) this.resolveUnmappedGlyphs(scratch);
      const getBox = (index: number): Box | undefined => this.getBox(index, scratch);
      const isGenerated = (index: number): boolean =>
        this.pdfium._FPDFText_IsGenerated(this.textPage, this.toPdfiumIndex(index)) === 1;
      const size = (index: number): number => this.readFontSize(index, scratch);
      const angle = (index: number): number =>
        this.pdfium._FPDFText_GetCharAngle(this.textPage, this.toPdfiumIndex(index));
      if (hasSeparateAccents) joinAccents({ texts, getBox, isGenerated, getFontSize: size });
      if (hasSplitWords) this.joinSplitWords(scratch);
      const glyphs = {
        texts,
        advances: this.readAdvances(scratch),
        getInkBox: getBox,
        size,
        angle,
        isGenerated,
      };
      separateWords(glyphs);
      joinLetterspacedWords(glyphs);
      joinRotatedWords(glyphs);
      const isRightToLeft = RIGHT_TO_LEFT.test(this.pageText);
      if (isRightToLeft) reverseMisorderedRuns(glyphs);
      markParagraphs(glyphs, isRightToLeft);
    } finally {
      this.pdfium.wasmExports.free(scratch);
    }
    const first = this.pdfiumIndexes?.findIndex((index) => index >= start) ?? start;
    return first < 0 ? '' : this.texts.slice(first).join('');
  }

  /** Removes letters that are printed twice, slightly shifted, to look bold or to have a shadow. */
  private removeShadows(scratch: number): void {
    const { texts, pdfiumIndexes } = this;
    const isKept = (_: unknown, index: number): boolean => !shadows.has(index);
    const shadows = new Set<number>();
    for (let index = 1; index < texts.length; index++)
      if (texts[index] === texts[index - 1] && !shadows.has(index - 1) && this.isShadow(index - 1, index, scratch))
        shadows.add(index);
    if (shadows.size === 0) return;
    this.pdfiumIndexes = (pdfiumIndexes ?? Int32Array.from(texts.keys())).filter(isKept);
    this.originalTexts = this.originalTexts.filter(isKept);
    this.texts = texts.filter(isKept);
  }

  private isShadow(first: number, second: number, scratch: number): boolean {
    const [firstBox, secondBox] = [this.readAdvance(first, scratch), this.readAdvance(second, scratch)];
    if (!firstBox || !secondBox || isSpace(this.texts[first]!)) return false;
    const distance = Math.hypot(secondBox.left - firstBox.left, secondBox.bottom - firstBox.bottom);
    const width = Math.min(firstBox.right - firstBox.left, firstBox.top - firstBox.bottom);
    return (
      distance > 0 &&
      distance < width * MAX_SHADOW_DISTANCE &&
      distance < this.readFontSize(first, scratch) * MAX_SHADOW_SHIFT
    );
  }

  private resolveUnmappedGlyphs(scratch: number): void {
    const { pdfium, textPage, texts } = this;
    for (let index = 0; index < texts.length; index++) {
      const code = texts[index]!.codePointAt(0)!;
      const pdfiumIndex = this.toPdfiumIndex(index);
      if (
        pdfium._FPDFText_HasUnicodeMapError(textPage, pdfiumIndex) !== 1 ||
        pdfium._FPDFText_GetUnicode(textPage, pdfiumIndex) !== code
      )
        continue;
      if (code >= SIMPLE_FONT_CODES) {
        texts[index] = ' ';
        continue;
      }
      const object = pdfium._FPDFText_GetTextObject(textPage, pdfiumIndex);
      const font = object === 0 ? 0 : pdfium._FPDFTextObj_GetFont(object);
      const ligature = font === 0 ? undefined : this.getLigatures().get(this.readFontName(font, scratch))?.get(code);
      texts[index] = ligature || (CONTROL_CHARACTER.test(texts[index]!) ? ' ' : texts[index]!);
    }
  }

  private joinSplitWords(scratch: number): void {
    const { texts } = this;
    for (const index of this.findSplitCandidates()) {
      const [text, next] = [texts[index], texts[index + 1]];
      if (text === '\r' && next === '\n') {
        if (this.isOneWord(index - 1, index + 2, scratch)) texts[index] = texts[index + 1] = '';
      } else if (text === '-' && (next === ' ' || next === '')) {
        const letter = this.findNextCharacter(index + 1);
        if (this.isHyphenated(index, letter, scratch)) texts.fill('', index, letter);
      }
    }
  }

  /** Finds where `SPLIT_WORD` may match. */
  private findSplitCandidates(): number[] {
    const { pageText, originalTexts } = this;
    const found: number[] = [];
    if (pageText.length !== originalTexts.length) return originalTexts.map((_, index) => index);
    for (let index = pageText.indexOf('\r\n', 1); index >= 0; index = pageText.indexOf('\r\n', index + 2))
      found.push(index);
    for (let index = pageText.indexOf('-', 1); index >= 0; index = pageText.indexOf('-', index + 1))
      if (pageText[index + 1] === ' ' || SPACING_ACCENT.test(pageText[index + 1] ?? '')) found.push(index);
    return found;
  }

  /** Whether the characters before and after what PDFium treats as a line end belong to one word. */
  private isOneWord(before: number, after: number, scratch: number): boolean {
    if (before < 0 || after >= this.texts.length) return false;
    const [endBox, startBox] = [this.readAdvance(before, scratch), this.readAdvance(after, scratch)];
    if (!endBox || !startBox || isFar(endBox, startBox)) return false;
    if (isAdjacent(endBox, startBox)) return true;
    const [beforeBox, afterBox] = [this.getBox(before, scratch), this.getBox(after, scratch)];
    const [beforeSize, afterSize] = [this.readFontSize(before, scratch), this.readFontSize(after, scratch)];
    if (!beforeBox || !afterBox || beforeSize === afterSize) return false;
    // The text after a subscript returns to the line.
    if (beforeSize > afterSize ? isSubscript(afterBox, beforeBox) : isSubscript(beforeBox, afterBox)) return true;
    // A single letter is a variable or a unit, whereas a raised number after a word is a footnote reference.
    return beforeSize > afterSize && this.isSingleLetter(before) && isSuperscript(afterBox, beforeBox);
  }

  /** Finds the next character after spaces and after accents that have been joined to their letters. */
  private findNextCharacter(index: number): number {
    let next = index;
    while (next < this.texts.length && (this.texts[next] === '' || isSpace(this.texts[next]!))) next++;
    return next;
  }

  /**
   * Whether the hyphen, followed by a space that PDFium does not treat as a line end, splits a word that continues with
   * the letter.
   */
  private isHyphenated(hyphen: number, letter: number, scratch: number): boolean {
    const { texts } = this;
    if (!LOWERCASE_LETTER.test(texts[hyphen - 1] ?? '') || !LOWERCASE_LETTER.test(texts[letter] ?? '')) return false;
    const [hyphenBox, letterBox] = [this.getBox(hyphen, scratch), this.getBox(letter, scratch)];
    return (
      hyphenBox !== undefined &&
      letterBox !== undefined &&
      letterBox.left <= hyphenBox.left &&
      letterBox.top <= hyphenBox.top
    );
  }

  private isSingleLetter(index: number): boolean {
    return /^\p{L}$/u.test(this.texts[index]!) && !/^[\p{L}\p{N}]$/u.test(this.texts[index - 1] ?? '');
  }

  private readFontName(font: number, scratch: number): string {
    const { pdfium } = this;
    const byteCount = pdfium._FPDFFont_GetBaseFontName(font, scratch, MAX_FONT_NAME_LENGTH);
    if (byteCount < 2 || byteCount > MAX_FONT_NAME_LENGTH) return '';
    return Buffer.from(pdfium.HEAPU8.subarray(scratch, scratch + byteCount - 1)).toString('latin1');
  }

  /** Returns the effective font size in points: the nominal size may be 1 and be scaled by the matrix. */
  private readFontSize(index: number, scratch: number): number {
    const { pdfium, textPage } = this;
    const pdfiumIndex = this.toPdfiumIndex(index);
    if (pdfiumIndex < 0) return 0;
    const size = pdfium._FPDFText_GetFontSize(textPage, pdfiumIndex);
    if (!pdfium._FPDFText_GetMatrix(textPage, pdfiumIndex, scratch)) return size;
    const offset = scratch / 4;
    return size * Math.hypot(pdfium.HEAPF32[offset + 2]!, pdfium.HEAPF32[offset + 3]!);
  }

  private toPdfiumIndex(index: number): number {
    return this.pdfiumIndexes === undefined ? index : (this.pdfiumIndexes[index] ?? -1);
  }

  private readAdvance(index: number, scratch: number): Box | undefined {
    const { pdfium } = this;
    const pdfiumIndex = this.toPdfiumIndex(index);
    if (pdfiumIndex < 0 || !pdfium._FPDFText_GetLooseCharBox(this.textPage, pdfiumIndex, scratch)) return undefined;
    const { HEAPF32 } = pdfium;
    const offset = scratch / 4;
    return {
      left: HEAPF32[offset]!,
      top: HEAPF32[offset + 1]!,
      right: HEAPF32[offset + 2]!,
      bottom: HEAPF32[offset + 3]!,
    };
  }

  private readAdvances(scratch: number): Float32Array {
    const { pdfium, textPage, originalTexts } = this;
    const advances = new Float32Array(originalTexts.length * 4).fill(Number.NaN);
    let { HEAPF32 } = pdfium;
    for (let index = 0; index < originalTexts.length; index++) {
      if (
        isSpace(originalTexts[index]!) ||
        !pdfium._FPDFText_GetLooseCharBox(textPage, this.toPdfiumIndex(index), scratch)
      )
        continue;
      // Growing the memory replaces the buffer.
      if (HEAPF32.byteLength === 0) ({ HEAPF32 } = pdfium);
      const [from, to] = [scratch / 4, index * 4];
      advances[to] = HEAPF32[from]!;
      advances[to + 1] = HEAPF32[from + 1]!;
      advances[to + 2] = HEAPF32[from + 2]!;
      advances[to + 3] = HEAPF32[from + 3]!;
    }
    return advances;
  }

  private getBox(index: number, scratch: number): Box | undefined {
    if (!this.boxes.has(index)) this.boxes.set(index, this.measureBox(index, scratch));
    return this.boxes.get(index);
  }

  private measureBox(index: number, scratch: number): Box | undefined {
    const { pdfium, textPage } = this;
    const pdfiumIndex = this.toPdfiumIndex(index);
    if (
      pdfiumIndex < 0 ||
      pdfium._FPDFText_GetUnicode(textPage, pdfiumIndex) !== this.originalTexts[index]?.codePointAt(0)
    )
      return undefined;
    const [left, right, bottom, top] = [scratch, scratch + 8, scratch + 16, scratch + 24] as const;
    if (!pdfium._FPDFText_GetCharBox(textPage, pdfiumIndex, left, right, bottom, top)) return undefined;
    const [x0, x1, y0, y1] = new Float64Array(pdfium.HEAPU8.buffer, scratch, 4);
    return { left: x0!, right: x1!, bottom: y0!, top: y1! };
  }
}

/** Characters that do not occur in text. */
const CONTROL_CHARACTER = /^[\u0001-\u0008\u000b-\u001f\u007f]$/;

/** Number of codes in simple fonts; larger codes are glyph numbers, which would be arbitrary characters. */
const SIMPLE_FONT_CODES = 256;

/** Size in bytes of the buffer for a font name or four double-precision numbers. */
const BUFFER_SIZE = MAX_FONT_NAME_LENGTH;

const isSpace = (text: string): boolean => text === ' ' || text === '\r' || text === '\n';

const LOWERCASE_LETTER = /^\p{Ll}$/u;

/**
 * Minimum distance, in character widths, between the last character of a line and the first one of the next line. Fonts
 * may have no widths.
 */
const MIN_FAR_DISTANCE = 4;
function isFar(first: Box, second: Box): boolean {
  const widest = Math.max(first.right - first.left, second.right - second.left);
  return widest > 0 && Math.max(second.left - first.right, first.left - second.right) > widest * MIN_FAR_DISTANCE;
}

/** Whether the characters are on the same line with no gap between them. */
function isAdjacent(first: Box, second: Box): boolean {
  const maxDistance = Math.min(first.right - first.left, second.right - second.left) * MAX_ADJACENT_DISTANCE;
  return [second.left - first.right, second.bottom - first.bottom, second.top - first.top].every(
    (distance) => Math.abs(distance) < maxDistance,
  );
}

function isBeside(smallBox: Box, largeBox: Box): boolean {
  const gap = Math.max(smallBox.left - largeBox.right, largeBox.left - smallBox.right);
  return Math.abs(gap) < (largeBox.top - largeBox.bottom) * MAX_GAP_BESIDE;
}

/** Whether a character is to the right of a larger one and raised, but not entirely above it. */
function isSuperscript(smallBox: Box, largeBox: Box): boolean {
  const height = largeBox.top - largeBox.bottom;
  return (
    isBeside(smallBox, largeBox) &&
    smallBox.left > (largeBox.left + largeBox.right) / 2 &&
    smallBox.bottom > largeBox.bottom + height * 0.3 &&
    smallBox.bottom < largeBox.top &&
    smallBox.top > largeBox.top
  );
}

/** Whether a character is beside a larger one and extends below it, but is not entirely below it. */
function isSubscript(smallBox: Box, largeBox: Box): boolean {
  const height = largeBox.top - largeBox.bottom;
  return (
    isBeside(smallBox, largeBox) &&
    smallBox.bottom < largeBox.bottom - height * 0.05 &&
    smallBox.top > largeBox.bottom &&
    smallBox.top < largeBox.top - height * 0.1
  );
}
