/** Finds where a tag, a comment, a CDATA section or an element without markup ends (HTML standard, section 13.2.5). */
import { APOSTROPHE, BANG, DASH, EQUALS, GREATER, isSpace, LESS, matchesName, QUOTE, SLASH } from './bytes.js';

/** Position after the comment whose `<!--` is at `at`; the end of the input if the comment is not closed. */
export function findCommentEnd(bytes: Buffer, at: number): number {
  const body = at + 4;
  if (bytes[body] === GREATER) return body + 1;
  if (bytes[body] === DASH && bytes[body + 1] === GREATER) return body + 2;
  for (let close = bytes.indexOf(GREATER, body); close >= 0; close = bytes.indexOf(GREATER, close + 1)) {
    const dashes = bytes[close - 1] === BANG ? close - 3 : close - 2;
    if (dashes >= body && bytes[dashes] === DASH && bytes[dashes + 1] === DASH) return close + 1;
  }
  return bytes.length;
}

/**
 * Position after the tag whose name ends at `from`, or -1 if the input ends inside it. It applies the standard's
 * attribute rules to a tag whose attributes are not needed.
 */
export function findTagEnd(bytes: Buffer, from: number): number {
  const end = bytes.length;
  let named = false;
  for (let at = from; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === GREATER) return at + 1;
    if (byte === EQUALS && named) {
      at = findValueEnd(bytes, at + 1) - 1;
      named = false;
    } else if (byte === SLASH) named = false;
    else if (!isSpace(byte)) named = true; // an `=` that does not follow a name begins one
  }
  return -1;
}

/** Position after the attribute value that follows an `=`. */
function findValueEnd(bytes: Buffer, from: number): number {
  const end = bytes.length;
  let at = from;
  while (at < end && isSpace(bytes[at]!)) at++;
  const quote = at < end ? bytes[at]! : GREATER;
  if (quote === QUOTE || quote === APOSTROPHE) {
    at++;
    while (at < end && bytes[at] !== quote) at++;
    return at + 1;
  }
  while (at < end && bytes[at] !== GREATER && !isSpace(bytes[at]!)) at++;
  return at;
}

/** Position after the next `>`: the end of a doctype, a processing instruction or a bogus comment. */
export function findBogusCommentEnd(bytes: Buffer, at: number): number {
  const close = bytes.indexOf(GREATER, at);
  return close < 0 ? bytes.length : close + 1;
}

/** Position of the `</name` that closes rawtext or rcdata begun before `at`; the end of the input if there is none. */
export function findEndTag(bytes: Buffer, at: number, name: string): number {
  for (let less = bytes.indexOf(LESS, at); less >= 0; less = bytes.indexOf(LESS, less + 1)) {
    if (bytes[less + 1] === SLASH && matchesWord(bytes, less + 2, name)) return less;
  }
  return bytes.length;
}

/**
 * Position of the `</script` that closes a script. Inside `<!-- … -->`, a script may contain `<script>…</script>`,
 * whose end tag does not close it.
 */
export function findScriptEnd(bytes: Buffer, from: number): number {
  const end = bytes.length;
  let commented = false;
  let nested = false;
  for (let at = from; at < end; at++) {
    const byte = bytes[at];
    if (byte === DASH && commented && bytes[at + 1] === DASH && bytes[at + 2] === GREATER) {
      commented = nested = false;
    } else if (byte === LESS && bytes[at + 1] === SLASH && matchesWord(bytes, at + 2, 'script')) {
      if (!nested) return at;
      nested = false;
    } else if (byte === LESS && commented && matchesWord(bytes, at + 1, 'script')) {
      nested = true;
    } else if (byte === LESS && !commented && matchesName(bytes, at + 1, '!--')) {
      commented = true;
      at++; // the dashes may also be part of `-->`
    }
  }
  return end;
}

function matchesWord(bytes: Buffer, at: number, name: string): boolean {
  if (!matchesName(bytes, at, name)) return false;
  const next = bytes[at + name.length];
  return next === GREATER || next === SLASH || (next !== undefined && isSpace(next));
}
