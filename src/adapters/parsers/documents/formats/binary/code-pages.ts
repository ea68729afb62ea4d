/** Decodes text in the code pages of Windows, DOS and the Macintosh. */
import { TextDecoder } from '@exodus/bytes/encoding.js';
import iconv from 'iconv-lite';

export const WESTERN = 1252;

/** WHATWG names by code page; Windows code pages without an entry are `windows-N`. */
const ENCODINGS: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1200: 'utf-16le',
  1201: 'utf-16be',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  21866: 'koi8-u',
  20932: 'euc-jp',
  50220: 'iso-2022-jp',
  51932: 'euc-jp',
  51949: 'euc-kr',
  54936: 'gb18030',
  65001: 'utf-8',
  866: 'ibm866',
  874: 'windows-874',
  // Excel's names for the Macintosh's and the Western code page.
  32768: 'macintosh',
  32769: 'windows-1252',
};

/** Names in iconv-lite of code pages that the WHATWG standard does not have; those of DOS are `cpN`. */
const MAC_CODE_PAGES: Readonly<Record<number, string>> = {
  10006: 'macgreek',
  10010: 'macromania',
  10017: 'macukraine',
  10029: 'maccenteuro',
  10079: 'maciceland',
  10081: 'macturkish',
};
/** DOS code pages are in this range; 866 and 874 are in the WHATWG standard. */
const DOS_CODE_PAGES: readonly [first: number, last: number] = [437, 869];

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** Decodes bytes; those of an unknown code page are read as windows-1252. */
export function decodeCodePage(bytes: Uint8Array, codePage: number): string {
  const extraName = findExtraName(codePage);
  if (extraName !== undefined) return iconv.decode(bytes, extraName);
  const encoding = findEncodingName(codePage);
  let decoder = decoders.get(encoding);
  if (!decoder) {
    decoder = new TextDecoder(encoding);
    decoders.set(encoding, decoder);
  }
  return decoder.decode(bytes);
}

function findExtraName(codePage: number): string | undefined {
  if (MAC_CODE_PAGES[codePage] !== undefined) return MAC_CODE_PAGES[codePage];
  const isDos = codePage >= DOS_CODE_PAGES[0] && codePage <= DOS_CODE_PAGES[1] && ENCODINGS[codePage] === undefined;
  return isDos && iconv.encodingExists(`cp${codePage}`) ? `cp${codePage}` : undefined;
}

/** Returns the WHATWG name of a code page's encoding. */
export function findEncodingName(codePage: number): string {
  if (ENCODINGS[codePage] !== undefined) return ENCODINGS[codePage];
  if (codePage >= 1250 && codePage <= 1258) return `windows-${codePage}`;
  const isoPart = codePage - 28590;
  return (isoPart >= 2 && isoPart <= 10) || (isoPart >= 13 && isoPart <= 16) ? `iso-8859-${isoPart}` : 'windows-1252';
}

/** Code pages by the primary language of a Windows language identifier; others are Western. */
const LANGUAGE_CODE_PAGES: Readonly<Record<number, number>> = {
  1: 1256,
  2: 1251,
  4: 936,
  5: 1250,
  8: 1253,
  13: 1255,
  14: 1250,
  17: 932,
  18: 949,
  21: 1250,
  24: 1250,
  25: 1251,
  26: 1250,
  27: 1250,
  30: 874,
  31: 1254,
  32: 1256,
  34: 1251,
  35: 1251,
  36: 1250,
  37: 1257,
  38: 1257,
  39: 1257,
  41: 1256,
  42: 1258,
  47: 1251,
};

/** Returns the code page of programs in a language ([MS-LCID]). */
export const findCodePageOfLanguage = (languageId: number): number =>
  languageId === 0x0404 || languageId === 0x0c04 ? 950 : (LANGUAGE_CODE_PAGES[languageId & 0x3ff] ?? WESTERN);

/** Code pages by the character set of a font (Windows' LOGFONT), where it is not Western. */
const CHARSET_CODE_PAGES: Readonly<Record<number, number>> = {
  77: 10000,
  78: 932,
  79: 949,
  80: 936,
  81: 950,
  85: 10006,
  86: 10081,
  88: 10029,
  89: 10007,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};

/** Returns the code page of a font's text; undefined for Western fonts and symbols. */
export const findCodePageOfCharset = (charset: number): number | undefined => CHARSET_CODE_PAGES[charset];
