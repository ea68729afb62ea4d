/** What Word documents and RTF have in common: instructions of fields, the characters of the Symbol font, levels of headings. */

/** The URL to which a field leads, by its instruction: `HYPERLINK "https://…" \l "bookmark"`. */
export function findFieldLink(instruction: string): string | undefined {
  const match = /^\s*HYPERLINK\s+(?:"([^"]+)"|([^\s"\\][^\s"]*))/i.exec(instruction);
  if (!match) return undefined;
  const [address, quoted, plain] = match;
  const [flags = '', bookmark] = instruction.slice(address.length).split('"', 2);
  const fragment = bookmark && /\\l$/i.test(flags.trimEnd()) ? `#${bookmark}` : '';
  return `${(quoted ?? plain)!.trim()}${fragment}`;
}

/** The Symbol font from code 0x20 on (Adobe's encoding); a blank stands for parts of brackets and unused codes. */
const SYMBOL_CHARACTERS =
  ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ ' +
  `${' '.repeat(32)}€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…  ↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑          〉∫`;
/** Fonts of pictures: none of their characters is part of a word. */
const PICTURE_FONT = /wingdings|webdings|dingbats|marlett/i;
/** Codes of symbol fonts are shifted into this private area of Unicode. */
const PRIVATE_AREA = 0xf000;

/** The text of a character that is given by its font and its code. */
export function symbolToText(font: string, code: number): string {
  if (!(code > 0x1f && code <= 0xffff) || PICTURE_FONT.test(font)) return ' ';
  const isShifted = code >= PRIVATE_AREA && code <= PRIVATE_AREA + 0xff;
  const ownCode = isShifted ? code - PRIVATE_AREA : code;
  if (/^symbol/i.test(font.trim())) return SYMBOL_CHARACTERS[ownCode - 0x20] ?? ' ';
  return isShifted ? ' ' : String.fromCharCode(code);
}

/** The text above which a field prints its reading: phonetic guides of Japanese, which older documents have as formulas. */
export const findGuidedText = (instruction: string): string =>
  /^\s*EQ\s.{0,500}?\\o\\ad\s?\(\\s\\up[^()]{0,20}\([^()]{0,200}\)[,;]([^()]{1,200})\)/is.exec(instruction)?.[1] ?? '';

/** The level of a paragraph that is not a heading. */
export const BODY_TEXT = 10;

/** Outline levels are 0 to 8, and 9 for body text. */
export function toHeadingLevel(outlineLevel: string | number | undefined): number | undefined {
  const level = Number.parseInt(String(outlineLevel), 10) + 1;
  return level >= 1 && level <= BODY_TEXT ? level : undefined;
}

export function findLevelInName(name = ''): number | undefined {
  const digit = /^heading ?([1-9])$/i.exec(name)?.[1];
  return digit === undefined ? undefined : Number(digit);
}
