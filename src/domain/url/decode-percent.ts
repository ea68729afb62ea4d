/** Decodes percent-encoded UTF-8; text that is not validly encoded, such as `100%`, is returned as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
