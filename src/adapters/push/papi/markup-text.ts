const LONGEST_MESSAGE = 1_000;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' };

/** The words of an XML or HTML error body, on one line. The form of the server's error element is not published. */
export const markupText = (markup: string): string =>
  markup
    .slice(0, 64 << 10)
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|apos|#39|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_MESSAGE);
