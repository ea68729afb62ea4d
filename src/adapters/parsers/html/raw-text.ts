/** Finds where a tag, a comment, a CDATA section or an element without markup ends (HTML standard, section 13.2.5). */
import { APOSTROPHE, BANG, DASH, EQUALS, GREATER, isSpace, LESS, matchesName, QUOTE, SLASH } from './bytes.js';

/** Returns the position after the comment that begins at a position; the end of the input if it is not closed. */
export function findCommentEnd(bytes: Buffer, position: number): number {
  const contentStart = position + 4;
  if (bytes[contentStart] === GREATER) return contentStart + 1;
  if (bytes[contentStart] === DASH && bytes[contentStart + 1] === GREATER) return contentStart + 2;
  for (
    let closeIndex = bytes.indexOf(GREATER, contentStart);
    closeIndex >= 0;
    closeIndex = bytes.indexOf(GREATER, closeIndex + 1)
  ) {
    const dashesStart = bytes[closeIndex - 1] === BANG ? closeIndex - 3 : closeIndex - 2;
    if (dashesStart >= contentStart && bytes[dashesStart] === DASH && bytes[dashesStart + 1] === DASH)
      return closeIndex + 1;
  }
  return bytes.length;
}

/**
 * Returns the position after the tag whose name ends at `from`, or -1 if the input ends inside it. Applies the
 * standard's attribute rules to a tag whose attributes are not needed; `noteDash` is told each dash in a name.
 */
export function findTagEnd(bytes: Buffer, from: number, notes?: { noteDash(position: number): void }): number {
  const end = bytes.length;
  let hasName = false;
  for (let position = from; position < end; position++) {
    const byte = bytes[position]!;
    if (byte === GREATER) return position + 1;
    if (byte === EQUALS && hasName) {
      position = findValueEnd(bytes, position + 1) - 1;
      hasName = false;
    } else if (byte === SLASH) hasName = false;
    else if (!isSpace(byte)) {
      hasName = true; // an `=` that does not follow a name begins one
      if (byte === DASH) notes?.noteDash(position);
    }
  }
  return -1;
}

/** Returns the position after the attribute value that follows an `=`. */
function findValueEnd(bytes: Buffer, from: number): number {
  const end = bytes.length;
  let position = from;
  while (position < end && isSpace(bytes[position]!)) position++;
  const quote = position < end ? bytes[position]! : GREATER;
  if (quote === QUOTE || quote === APOSTROPHE) {
    position++;
    while (position < end && bytes[position] !== quote) position++;
    return position + 1;
  }
  while (position < end && bytes[position] !== GREATER && !isSpace(bytes[position]!)) position++;
  return position;
}

/** Returns the position after the next `>`: the end of a doctype, a processing instruction or a bogus comment. */
export function findBogusCommentEnd(bytes: Buffer, position: number): number {
  const closeIndex = bytes.indexOf(GREATER, position);
  return closeIndex < 0 ? bytes.length : closeIndex + 1;
}

/** Returns the position of the `</name` that closes rawtext or rcdata; the end of the input if there is none. */
export function findEndTag(bytes: Buffer, position: number, name: string): number {
  for (let tagStart = bytes.indexOf(LESS, position); tagStart >= 0; tagStart = bytes.indexOf(LESS, tagStart + 1)) {
    if (bytes[tagStart + 1] === SLASH && matchesWord(bytes, tagStart + 2, name)) return tagStart;
  }
  return bytes.length;
}

/**
 * Returns the position of the `</script` that closes a script. Inside `<!-- … -->`, a script may contain
 * `<script>…</script>`, whose end tag does not close it.
 */
export function findScriptEnd(bytes: Buffer, from: number): number {
  const end = bytes.length;
  let inComment = false;
  let inNestedScript = false;
  for (let position = from; position < end; position++) {
    const byte = bytes[position];
    if (byte === DASH && inComment && bytes[position + 1] === DASH && bytes[position + 2] === GREATER) {
      inComment = inNestedScript = false;
    } else if (byte === LESS && bytes[position + 1] === SLASH && matchesWord(bytes, position + 2, 'script')) {
      if (!inNestedScript) return position;
      inNestedScript = false;
    } else if (byte === LESS && inComment && matchesWord(bytes, position + 1, 'script')) {
      inNestedScript = true;
    } else if (byte === LESS && !inComment && matchesName(bytes, position + 1, '!--')) {
      inComment = true;
      position++; // the dashes may also be part of `-->`
    }
  }
  return end;
}

function matchesWord(bytes: Buffer, position: number, name: string): boolean {
  if (!matchesName(bytes, position, name)) return false;
  const next = bytes[position + name.length];
  return next === GREATER || next === SLASH || (next !== undefined && isSpace(next));
}
