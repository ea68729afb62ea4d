/** Splits a text into chunks for a language model: at headings first, then between blocks, sentences and words. */
import type { Chunk, ChunkDefinition, Heading } from './content-definition.js';

export interface Outline {
  readonly text: string;
  readonly headings: readonly Heading[];
  /** Offsets at which blocks end, in ascending order. */
  readonly blockEnds: readonly number[];
}

const MAX_CHUNKS = 10_000;

/**
 * A chunk never crosses a heading. A token is taken to be four characters in alphabetic scripts and one in Chinese,
 * Japanese and Korean, which is close enough for current models.
 */
export function splitIntoChunks(outline: Outline, definition: ChunkDefinition): Chunk[] {
  const chunks: Chunk[] = [];
  for (const section of iterateSections(outline)) {
    let start = section.start;
    let last = start;
    while (start < section.end && chunks.length < MAX_CHUNKS) {
      const end = findChunkEnd(outline, { start, end: section.end, last }, definition);
      last = end;
      addChunk(chunks, outline.text, { start, end, path: section.path });
      if (end >= section.end) break;
      start = findOverlapStart(outline.text, { start, end }, definition);
    }
  }
  return chunks;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function addChunk(chunks: Chunk[], text: string, { start, end, path }: Range & Pick<Chunk, 'path'>): void {
  const written = text.slice(start, end);
  const inner = written.trim();
  if (inner === '') return;
  const from = start + written.length - written.trimStart().length;
  chunks.push({ text: inner, path, start: from, end: from + inner.length });
}

/** Sections from one heading to the next, with the headings above each. */
function* iterateSections({ text, headings }: Outline): Generator<Range & { readonly path: readonly string[] }> {
  let open: Heading[] = [];
  let start = 0;
  for (const heading of headings) {
    if (heading.start > start) yield { start, end: heading.start, path: open.map((one) => one.text) };
    open = [...open.filter(({ level }) => level < heading.level), heading];
    start = heading.start;
  }
  if (start < text.length) yield { start, end: text.length, path: open.map((one) => one.text) };
}

/** The last good position after `last` at which to end a chunk. */
function findChunkEnd(
  { text, blockEnds }: Outline,
  { start, end, last }: Range & { readonly last: number },
  { size, unit }: ChunkDefinition,
): number {
  const most = findFurthestEnd(text, start, end, size, unit);
  if (most >= end) return end;
  const block = findLastAtMost(blockEnds, most);
  // An early end of a block does not justify a chunk of only a few words.
  const least = Math.max(last, start + ((most - start) >> 2));
  if (block > least) return block;
  return findLastSentenceEnd(text, least, most) ?? findLastWordEnd(text, least, most) ?? alignToCharacter(text, most);
}

/** The furthest position that the maximum size allows. */
function findFurthestEnd(
  text: string,
  start: number,
  end: number,
  size: number,
  unit: ChunkDefinition['unit'],
): number {
  if (unit === 'characters') return Math.min(end, start + size);
  let quarters = 0;
  for (let at = start; at < end; at++) {
    quarters += isIdeograph(text.charCodeAt(at)) ? 4 : 1;
    if (quarters > size * 4) return at;
  }
  return end;
}

/** Hangul, kana and Han; characters in higher planes are recognized by their first surrogate. */
const isIdeograph = (code: number): boolean =>
  (code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xd840 && code <= 0xd8bf);

function findLastAtMost(sorted: readonly number[], most: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= most) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1] ?? -1;
}

function findLastSentenceEnd(text: string, least: number, most: number): number | undefined {
  for (let at = most - 1; at > least; at--) {
    const char = text[at]!;
    if ('。！？'.includes(char)) return at + 1;
    if (char === ' ' && '.!?'.includes(text[at - 1]!)) return at + 1;
  }
  return undefined;
}

function findLastWordEnd(text: string, least: number, most: number): number | undefined {
  const at = text.lastIndexOf(' ', most - 1);
  return at > least ? at + 1 : undefined;
}

const alignToCharacter = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000 ? at - 1 : at;
};

/** Where the next chunk begins: at a word, within the overlap. */
function findOverlapStart(text: string, { start, end }: Range, { overlap, unit }: ChunkDefinition): number {
  if (overlap === 0) return end;
  const wanted = Math.max(start + 1, end - overlap * (unit === 'tokens' ? 4 : 1));
  const blank = text.indexOf(' ', wanted);
  return blank < 0 || blank + 1 >= end ? end : Math.max(blank + 1, start + 1);
}
