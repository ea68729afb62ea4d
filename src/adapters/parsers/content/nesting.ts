/** Maximum nesting depth of a JSON text, because parsing and traversing it uses the stack. */
export const MAX_NESTING = 200;

/** Returns how deeply the brackets of a JSON text are nested. */
export function measureNesting(text: string): number {
  let depth = 0;
  let maxDepth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isQuoted) {
      if (code === 0x5c) index++;
      else if (code === 0x22) isQuoted = false;
    } else if (code === 0x22) isQuoted = true;
    else if (code === 0x7b || code === 0x5b) maxDepth = Math.max(maxDepth, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return maxDepth;
}
