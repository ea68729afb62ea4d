const MAX_MESSAGE_LENGTH = 1_000;
const MAX_MARKUP_LENGTH = 64 * 1024;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' };

/**
 * Extracts all text of an XML or HTML error body as one line, because the format of the server's errors is not
 * published.
 */
export const extractText = (markup: string): string =>
  stripTags(markup.slice(0, MAX_MARKUP_LENGTH))
    .replace(/&(lt|gt|quot|apos|#39|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_MESSAGE_LENGTH);

/** Treats an unclosed `<` and everything after it as text, so that the input is searched only once. */
function stripTags(markup: string): string {
  const textParts: string[] = [];
  let textStart = 0;
  for (let tagStart = markup.indexOf('<'); tagStart >= 0; tagStart = markup.indexOf('<', textStart)) {
    const tagEnd = markup.indexOf('>', tagStart);
    if (tagEnd < 0) break;
    textParts.push(markup.slice(textStart, tagStart));
    textStart = tagEnd + 1;
  }
  return [...textParts, markup.slice(textStart)].join(' ');
}
