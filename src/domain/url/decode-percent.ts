/** Decodes percent-encoded UTF-8; text that is not validly encoded, such as `100%`, is returned as it is. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
