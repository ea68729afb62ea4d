const LONGEST_MESSAGE = 1_000;
const LONGEST_MARKUP = 64 * 1024;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' };

/**
 * Extracts the text of an XML or HTML error body as one line. The format of the server's error element is not
 * published.
 */
export const extractText = (markup: string): string =>
  stripTags(markup.slice(0, LONGEST_MARKUP))
    .replace(/&(lt|gt|quot|apos|#39|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_MESSAGE);

/** An unclosed `<` and everything after it count as text, so that the input is searched only once. */
function stripTags(markup: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let open = markup.indexOf('<'); open >= 0; open = markup.indexOf('<', from)) {
    const close = markup.indexOf('>', open);
    if (close < 0) break;
    pieces.push(markup.slice(from, open));
    from = close + 1;
  }
  return [...pieces, markup.slice(from)].join(' ');
}
