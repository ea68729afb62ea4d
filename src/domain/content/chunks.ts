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
 * A chunk never extends across a heading. A token is assumed to be four characters in alphabetic scripts, two in those of
 * South and Southeast Asia, and one in Chinese, Japanese and Korean, which is close enough for current models.
 */
export function splitIntoChunks(outline: Outline, definition: ChunkDefinition): Chunk[] {
  const chunks: Chunk[] = [];
  for (const section of iterateSections(outline)) {
    let start = section.start;
    let last = start;
    while (start < section.end && chunks.length < MAX_CHUNKS) {
      const end = findChunkEnd(outline, { start, end: section.end, last }, definition);
      last = end;
      addChunk(chunks, outline.text, { ...section, start, end });
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

type Section = Range & Pick<Chunk, 'path' | 'anchor'>;

function addChunk(chunks: Chunk[], text: string, { start, end, path, anchor }: Section): void {
  const raw = text.slice(start, end);
  const trimmed = raw.trim();
  if (trimmed === '') return;
  const trimmedStart = start + raw.length - raw.trimStart().length;
  const range = { start: trimmedStart, end: trimmedStart + trimmed.length };
  chunks.push({ text: trimmed, path, ...range, ...(anchor === undefined ? {} : { anchor }) });
}

/**
 * Iterates over the sections from one heading to the next, with the headings above each. A heading directly above another
 * one of a lower level does not begin a section of its own: nobody looks for a text that says "Reference" and nothing else.
 */
function* iterateSections({ text, headings }: Outline): Generator<Section> {
  let openHeadings: Heading[] = [];
  let start = 0;
  const describe = (end: number): Section => ({
    ...{ start, end, path: openHeadings.flatMap((heading) => heading.text || []) },
    anchor: openHeadings.findLast(({ anchor }) => anchor !== undefined)?.anchor,
  });
  for (const heading of headings) {
    const last = openHeadings.at(-1);
    const isBare = last !== undefined && last.level < heading.level && hasNoText(text, last, heading.start);
    if (heading.start > start && !isBare) yield describe(heading.start);
    openHeadings = [...openHeadings.filter(({ level }) => level < heading.level), heading];
    if (!isBare) ({ start } = heading);
  }
  if (start < text.length) yield describe(text.length);
}

/** Whether nothing follows the heading up to the end of its section. */
const hasNoText = (text: string, heading: Heading, end: number): boolean =>
  end - heading.start <= 2 * heading.text.length + MAX_MARKS &&
  text.slice(heading.start, end).replace(MARKS, '').length <= heading.text.replace(MARKS, '').length;

/** Blanks, and the marks of Markdown, around a heading; a line below it is usually as long. */
const MARKS = /[\s#=*_`-]+/g;
const MAX_MARKS = 20;

/** The best position at which to end a chunk, after `last`, the end of the previous one. */
function findChunkEnd(
  { text, blockEnds }: Outline,
  { start, end, last }: Range & { readonly last: number },
  { size, unit }: ChunkDefinition,
): number {
  const maxEnd = findFurthestEnd(text, start, end, size, unit);
  if (maxEnd >= end) return end;
  const blockEnd = findLastAtMost(blockEnds, maxEnd);
  // A block that ends early must not leave a chunk of only a few words.
  const minEnd = Math.max(last, start + ((maxEnd - start) >> 2));
  if (blockEnd > minEnd) return blockEnd;
  return (
    findLastSentenceEnd(text, minEnd, maxEnd) ??
    findLastWordEnd(text, minEnd, maxEnd) ??
    findLastSegmentEnd(text, minEnd, maxEnd) ??
    alignToCharacter(text, maxEnd)
  );
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
  let quarterTokens = 0;
  for (let index = start; index < end; index++) {
    quarterTokens += countQuarterTokens(text.charCodeAt(index));
    if (quarterTokens > size * 4) return index;
  }
  return end;
}

/** The furthest position before `end` from which the text up to there has at most this size. */
function findFurthestStart(text: string, end: number, size: number, unit: ChunkDefinition['unit']): number {
  if (unit === 'characters') return end - size;
  let quarterTokens = 0;
  for (let index = end; index > 0; index--) {
    quarterTokens += countQuarterTokens(text.charCodeAt(index - 1));
    if (quarterTokens > size * 4) return index;
  }
  return 0;
}

/**
 * Hangul, kana, Han and their punctuation count most; characters in higher planes, such as emoji, are recognized by their
 * first surrogate.
 */
function countQuarterTokens(code: number): number {
  if (code < 0x900) return 1;
  if (code < 0x1100 || (code >= 0x1780 && code < 0x1800)) return 2;
  const isWide =
    (code >= 0x3000 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0xd83c && code <= 0xd8bf) ||
    (code >= 0xff00 && code <= 0xffef);
  return isWide ? 4 : 1;
}

function findLastAtMost(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1] ?? -1;
}

const isBlank = (char: string | undefined): boolean => char === ' ' || char === '\n';

const CLOSING = '"\'”’»)]』」）】';

/** Finds the end of a sentence with the quotation marks and brackets that close behind it. */
function findLastSentenceEnd(text: string, minEnd: number, maxEnd: number): number | undefined {
  for (let index = maxEnd - 1; index > minEnd; index--) {
    const isWide = '。！？'.includes(text[index]!);
    if (!isWide && !isBlank(text[index])) continue;
    let end = index + 1;
    if (isWide) while (end < maxEnd && CLOSING.includes(text[end]!)) end++;
    let last = index - 1;
    while (!isWide && last > minEnd && CLOSING.includes(text[last]!)) last--;
    if (isWide || '.!?…।؟۔'.includes(text[last]!)) return end;
  }
  return undefined;
}

function findLastWordEnd(text: string, minEnd: number, maxEnd: number): number | undefined {
  // A search in the whole text would take quadratic time if it contains no space.
  for (let index = maxEnd - 1; index > minEnd; index--) if (isBlank(text[index])) return index + 1;
  return undefined;
}

/** Finds words where no spaces separate them, as in Thai and Chinese, and keeps letters together with their marks. */
const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' });
/** Number of characters before and after the end of a chunk in which words are found. */
const MAX_SEGMENTED = { before: 100, after: 20 };

function findLastSegmentEnd(text: string, minEnd: number, maxEnd: number): number | undefined {
  const start = Math.max(minEnd, maxEnd - MAX_SEGMENTED.before);
  let end: number | undefined;
  for (const { index } of SEGMENTER.segment(text.slice(start, maxEnd + MAX_SEGMENTED.after))) {
    if (start + index > maxEnd) break;
    if (index > 0) end = start + index;
  }
  return end;
}

const alignToCharacter = (text: string, index: number): number => {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code < 0xe000 ? index - 1 : index;
};

/** The start of the next chunk: the beginning of a word within the overlap. */
function findOverlapStart(text: string, { start, end }: Range, { overlap, unit }: ChunkDefinition): number {
  if (overlap === 0) return end;
  const earliestStart = Math.max(start + 1, findFurthestStart(text, end, overlap, unit));
  for (let index = earliestStart; index + 1 < end; index++) {
    if (isBlank(text[index])) return index + 1;
    if (UNSPACED.test(text[index]!)) return findSegmentStart(text, index, end);
  }
  return end;
}

/** Letters of the scripts without spaces between words; beyond the basic plane, their first halves. */
const UNSPACED =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\ud840-\ud88d]/u;

function findSegmentStart(text: string, from: number, end: number): number {
  const start = Math.max(0, from - MAX_SEGMENTED.after);
  const segments = SEGMENTER.segment(text.slice(start, Math.min(end, from + MAX_SEGMENTED.before)));
  for (const { index, isWordLike } of segments) if (isWordLike && start + index >= from) return start + index;
  return end;
}
