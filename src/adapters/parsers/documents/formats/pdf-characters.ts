/** The characters of a page as PDFium knows them. */
import type { Pdfium } from './pdfium.js';

export interface UnnamedGlyphs {
  readonly count: number;
  /** Those whose codes cannot be their characters either. */
  readonly lost: number;
}

/** Counts the glyphs of which the file does not tell what characters they are. */
export function countUnnamedGlyphs(pdfium: Pdfium, textPage: number, start: number): UnnamedGlyphs {
  const characters = pdfium._FPDFText_CountChars(textPage);
  let count = 0;
  let lost = 0;
  for (let index = start; index < characters; index++) {
    if (pdfium._FPDFText_HasUnicodeMapError(textPage, index) !== 1) continue;
    count++;
    const code = pdfium._FPDFText_GetUnicode(textPage, index);
    if (code < FIRST_PRINTABLE || code > LAST_ASCII) lost++;
  }
  return { count, lost };
}

/** Fonts without names of characters often have the codes of ASCII. */
const FIRST_PRINTABLE = 0x20;
const LAST_ASCII = 0x7e;

/**
 * Lists PDFium's characters one by one with their indexes. PDFium's text lacks some of them: letters of mathematical
 * alphabets, codes without a name, and at its end as many as there are unknown ones before.
 */
export function listCharacters(
  pdfium: Pdfium,
  textPage: number,
  count: number,
): { originalTexts: string[]; pdfiumIndexes: Int32Array } {
  const originalTexts: string[] = [];
  const pdfiumIndexes: number[] = [];
  for (let pdfiumIndex = 0; pdfiumIndex < Math.min(count, MAX_CHARACTERS); pdfiumIndex++) {
    const unicode = pdfium._FPDFText_GetUnicode(textPage, pdfiumIndex);
    pdfiumIndexes.push(pdfiumIndex);
    if (unicode === HYPHEN && pdfium._FPDFText_HasUnicodeMapError(textPage, pdfiumIndex) !== 1)
      originalTexts.push(HYPHEN_MARK);
    else if (unicode === UNKNOWN) originalTexts.push(' ');
    else {
      // Beyond the first 65,536 characters of Unicode, PDFium returns some characters as one and others as two UTF-16
      // halves.
      const low = unicode >> 10 === HIGH_SURROGATE_BITS ? pdfium._FPDFText_GetUnicode(textPage, pdfiumIndex + 1) : 0;
      const isPair = low >> 10 === LOW_SURROGATE_BITS;
      originalTexts.push(isPair ? String.fromCharCode(unicode, low) : String.fromCodePoint(unicode));
      if (isPair) pdfiumIndex++;
    }
  }
  return { originalTexts, pdfiumIndexes: Int32Array.from(pdfiumIndexes) };
}

/** Maximum number of characters on one page. */
const MAX_CHARACTERS = 4_000_000;
/** The upper bits of the two halves, without the last ten. */
const HIGH_SURROGATE_BITS = 0xd800 >> 10;
const LOW_SURROGATE_BITS = 0xdc00 >> 10;

/**
 * The hyphen of a word that continues on the next line: as PDFium's character code, and as it appears in PDFium's text.
 */
const HYPHEN = 2;
const HYPHEN_MARK = '\ufffe';
const UNKNOWN = 0;
