/** ASCII codes and byte classes that the markup readers share. */
const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const BANG = 0x21;
export const QUOTE = 0x22;
export const HASH = 0x23;
export const AMPERSAND = 0x26;
export const APOSTROPHE = 0x27;
export const DASH = 0x2d;
export const SLASH = 0x2f;
export const LESS = 0x3c;
export const EQUALS = 0x3d;
export const GREATER = 0x3e;
export const QUESTION = 0x3f;

const NAME_PART = 0;
const IS_SPACE = 1;
const ENDS_NAME = 2;

/**
 * Bits for each byte: white space of the HTML standard (tab, line feed, form feed, carriage return, space), and the end
 * of a tag's name.
 */
const BYTE_CLASSES = new Uint8Array(256).fill(NAME_PART);
for (const byte of [TAB, LINE_FEED, 0x0c, CARRIAGE_RETURN, SPACE]) BYTE_CLASSES[byte] = IS_SPACE | ENDS_NAME;
for (const byte of [SLASH, GREATER]) BYTE_CLASSES[byte] = ENDS_NAME;

export function isSpace(byte: number): boolean {
  return (BYTE_CLASSES[byte]! & IS_SPACE) !== 0;
}

/** Whether the byte is white space, `/` or `>`. */
export function endsName(byte: number): boolean {
  return BYTE_CLASSES[byte]! !== NAME_PART;
}

export function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Whether the bytes from a position on spell the lower-case `name`, ignoring case. */
export function matchesName(bytes: Uint8Array, position: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[position + i]!;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== name.charCodeAt(i)) return false;
  }
  return true;
}
