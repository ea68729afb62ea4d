/** What PDFium's text of a page lacks: the letters of ligatures whose names it does not know, and accents that are on their letters. */
import { type Box, joinAccents, SPACING_ACCENT } from './accents.js';
import type { CodeTexts } from './pdf-encodings.js';
import type { Pdfium } from './pdfium.js';

/** A code of the font stands in the text when PDFium knows no character for it. U+0002 is its mark of a hyphenated word. */
const UNNAMED = /[\u0001\u0003-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
/** Bytes of the name of a font. */
const MOST_NAME = 128;

/** What the codes of each font stand for, by its name. */
export type Ligatures = () => ReadonlyMap<string, CodeTexts>;

/** A page with neither, which is almost every one, costs two searches. */
export function repairedText(pdfium: Pdfium, text: number, page: string, ligatures: Ligatures): string {
  const isUnnamed = UNNAMED.test(page);
  const isAccented = SPACING_ACCENT.test(page);
  return isUnnamed || isAccented ? new Repair(pdfium, text, page, ligatures).repaired(isUnnamed, isAccented) : page;
}

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

  repaired(isUnnamed: boolean, isAccented: boolean): string {
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
          fontSize: (index) => this.pdfium._FPDFText_GetFontSize(this.text, this.place(index)),
        });
    } finally {
      this.pdfium.wasmExports.free(cells);
    }
    return texts.join('');
  }

  private nameGlyphs(cells: number): void {
    const { pdfium, text, texts } = this;
    for (let index = 0; index < texts.length; index++) {
      if (!UNNAMED.test(texts[index]!)) continue;
      const code = texts[index]!.codePointAt(0)!;
      const place = this.place(index);
      if (pdfium._FPDFText_GetUnicode(text, place) !== code || pdfium._FPDFText_HasUnicodeMapError(text, place) !== 1)
        continue;
      const object = pdfium._FPDFText_GetTextObject(text, place);
      const font = object === 0 ? 0 : pdfium._FPDFTextObj_GetFont(object);
      if (font !== 0) texts[index] = this.ligatures().get(this.nameOf(font, cells))?.get(code) || texts[index]!;
    }
  }

  private nameOf(font: number, cells: number): string {
    const { pdfium } = this;
    const bytes = pdfium._FPDFFont_GetBaseFontName(font, cells, MOST_NAME);
    if (bytes < 2 || bytes > MOST_NAME) return '';
    return Buffer.from(pdfium.HEAPU8.subarray(cells, cells + bytes - 1)).toString('latin1');
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
