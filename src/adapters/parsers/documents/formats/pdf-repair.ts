/**
 * What PDFium's text of a page lacks: the letters of ligatures whose names it does not know, accents that are on their letters, subscripts
 * that are not lines of their own, and words that go on in the next line.
 */
import { type Box, joinAccents, SPACING_ACCENT } from './accents.js';
import type { CodeTexts } from './pdf-encodings.js';
import type { Pdfium } from './pdfium.js';

/** Bytes of the name of a font. */
const MOST_NAME = 128;

/** What the codes of each font stand for, by its name. */
export type Ligatures = () => ReadonlyMap<string, CodeTexts>;

/** Where PDFium may have parted what belongs together: lines, and hyphens that it does not take for the end of one. */
const PARTED = /\S\r\n\S|\p{Ll}- \p{Ll}/u;

export function repairedText(pdfium: Pdfium, text: number, page: string, ligatures: Ligatures): string {
  const isUnnamed = hasUnnamed(pdfium, text);
  const isAccented = SPACING_ACCENT.test(page);
  const isParted = PARTED.test(page);
  return isUnnamed || isAccented || isParted
    ? new Repair(pdfium, text, page, ligatures).repaired({ isUnnamed, isAccented, isParted })
    : page;
}

/** The code in its font, which may be that of any letter, stands in the text for a glyph of which PDFium knows no character. */
function hasUnnamed(pdfium: Pdfium, text: number): boolean {
  const count = pdfium._FPDFText_CountChars(text);
  for (let index = 0; index < count; index++) if (pdfium._FPDFText_HasUnicodeMapError(text, index) === 1) return true;
  return false;
}

interface Needs {
  readonly isUnnamed: boolean;
  readonly isAccented: boolean;
  readonly isParted: boolean;
}

/** Characters that are further apart than this share of their height are not adjacent. */
const BESIDE = 0.25;

class Repair {
  private readonly texts: string[];
  /** As PDFium has them. */
  private readonly written: readonly string[];
  private readonly boxes = new Map<number, Box | undefined>();

  constructor(
    private readonly pdfium: Pdfium,
    private readonly text: number,
    page: string,
    private readonly ligatures: Ligatures,
  ) {
    this.written = [...page];
    this.texts = [...this.written];
  }

  repaired({ isUnnamed, isAccented, isParted }: Needs): string {
    const { texts } = this;
    const cells = this.pdfium.wasmExports.malloc(CELLS);
    if (cells === 0) return texts.join('');
    try {
      if (isUnnamed) this.nameGlyphs(cells);
      const box = (index: number): Box | undefined => this.box(index, cells);
      if (isAccented)
        joinAccents({
          texts,
          box,
          isGenerated: (index) => this.pdfium._FPDFText_IsGenerated(this.text, this.place(index)) === 1,
          fontSize: (index) => this.fontSize(index),
        });
      if (isParted) this.joinParted(box);
    } finally {
      this.pdfium.wasmExports.free(cells);
    }
    return texts.join('');
  }

  private nameGlyphs(cells: number): void {
    const { pdfium, text, texts } = this;
    for (let index = 0; index < texts.length; index++) {
      const code = texts[index]!.codePointAt(0)!;
      const place = this.place(index);
      if (pdfium._FPDFText_HasUnicodeMapError(text, place) !== 1 || pdfium._FPDFText_GetUnicode(text, place) !== code)
        continue;
      const object = pdfium._FPDFText_GetTextObject(text, place);
      const font = object === 0 ? 0 : pdfium._FPDFTextObj_GetFont(object);
      if (font !== 0) texts[index] = this.ligatures().get(this.nameOf(font, cells))?.get(code) || texts[index]!;
    }
  }

  private joinParted(box: (index: number) => Box | undefined): void {
    const { texts } = this;
    for (let index = 1; index + 2 < texts.length; index++) {
      const [before, next] = [texts[index - 1]!, texts[index + 1]!];
      if (texts[index] === '\r' && next === '\n') {
        const [one, other] = [box(index - 1), box(index + 2)];
        const sizes = [this.fontSize(index - 1), this.fontSize(index + 2)] as const;
        // What follows a subscript is on the line again.
        const [low, character] = sizes[0] > sizes[1] ? [other, one] : [one, other];
        if (low && character && sizes[0] !== sizes[1] && isSubscript(low, character))
          texts[index] = texts[index + 1] = '';
      } else if (
        texts[index] === ' ' &&
        before === '-' &&
        /^\p{Ll}$/u.test(texts[index - 2] ?? '') &&
        /^\p{Ll}$/u.test(next)
      ) {
        const [hyphen, letter] = [box(index - 1), box(index + 1)];
        if (!hyphen || !letter || letter.left > hyphen.left || letter.top > hyphen.top) continue;
        texts[index - 1] = texts[index] = '';
      }
    }
  }

  private nameOf(font: number, cells: number): string {
    const { pdfium } = this;
    const bytes = pdfium._FPDFFont_GetBaseFontName(font, cells, MOST_NAME);
    if (bytes < 2 || bytes > MOST_NAME) return '';
    return Buffer.from(pdfium.HEAPU8.subarray(cells, cells + bytes - 1)).toString('latin1');
  }

  private fontSize(index: number): number {
    return this.pdfium._FPDFText_GetFontSize(this.text, this.place(index));
  }

  /** PDFium's number of the character, which counts those that are not in the text. */
  private place(index: number): number {
    return this.pdfium._FPDFText_GetCharIndexFromTextIndex(this.text, index);
  }

  private box(index: number, cells: number): Box | undefined {
    if (!this.boxes.has(index)) this.boxes.set(index, this.measured(index, cells));
    return this.boxes.get(index);
  }

  private measured(index: number, cells: number): Box | undefined {
    const { pdfium, text } = this;
    const place = this.place(index);
    if (place < 0 || pdfium._FPDFText_GetUnicode(text, place) !== this.written[index]?.codePointAt(0)) return undefined;
    const [left, right, bottom, top] = [cells, cells + 8, cells + 16, cells + 24] as const;
    if (!pdfium._FPDFText_GetCharBox(text, place, left, right, bottom, top)) return undefined;
    const [x0, x1, y0, y1] = new Float64Array(pdfium.HEAPU8.buffer, cells, 4);
    return { left: x0!, right: x1!, bottom: y0!, top: y1! };
  }
}

/** Bytes for the name of a font, or for four numbers of double precision. */
const CELLS = MOST_NAME;

/** Beside a larger character, and lower than its foot, but not below all of it. Superscripts are left: most are numbers of footnotes. */
function isSubscript(low: Box, character: Box): boolean {
  const height = character.top - character.bottom;
  const gap = Math.max(low.left - character.right, character.left - low.right);
  return (
    Math.abs(gap) < height * BESIDE &&
    low.bottom < character.bottom - height * 0.05 &&
    low.top > character.bottom &&
    low.top < character.top - height * 0.1
  );
}
