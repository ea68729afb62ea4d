/** Reads structured text formats: determines which parts are text, title and links. Everything runs in linear time. */
import { type Heading, MAX_HEADING_LENGTH, MAX_HEADINGS } from '../../domain/content/content-definition.js';
import type { RawLink } from '../../engine/ports/page-reader.js';
import { MAX_NESTING, measureNesting } from './content/nesting.js';
import type { TextBuffer } from './html/text-buffer.js';

export interface StructuredText {
  readonly text: string;
  readonly title?: string;
  readonly links?: readonly RawLink[];
  readonly headings?: readonly Heading[];
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
}

const MAX_TITLE_LENGTH = 2_048;
const MAX_URL_LENGTH = 65_536;
const toLink = (href: string): RawLink => ({ href: href.trim(), kind: 'a', nofollow: false });

/**
 * Returns strings and numbers in order, without names and punctuation. Anything that is not JSON is returned unchanged.
 */
export function readJson(text: string): StructuredText {
  const values = collectJsonTexts(text);
  if (values === undefined) return { text };
  const { title, texts } = values;
  return { text: texts.join(' '), ...(title === undefined ? {} : { title: title.slice(0, MAX_TITLE_LENGTH) }) };
}

/** Reads one JSON text per line. */
export function readJsonLines(text: string): StructuredText {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return { text: lines.map((line) => readJson(line).text.replace(/[\n\r]+/g, ' ')).join('\n') };
}

const MAX_COLUMNS = 500;

/**
 * Returns a line for each row, with the cells separated by spaces, and the names in the first row as metas (`column`).
 * The format is RFC 4180 with any kind of line break.
 */
export function readTable(source: string, usualSeparator: ',' | '\t'): StructuredText {
  const text = source.replace(/\r\n?/g, '\n');
  const { separator, start } = findSeparator(text, usualSeparator);
  const rows: string[] = [];
  let cells: string[] = [];
  let columns: string[] = [];
  for (let position = start; position < text.length; ) {
    const { cell, next, endsRow } = readCell(text, position, separator);
    cells.push(cell.replaceAll('\n', ' ').trim());
    position = next;
    if (!endsRow) continue;
    if (rows.length === 0) columns = cells.filter((name) => name !== '').slice(0, MAX_COLUMNS);
    rows.push(cells.join(' '));
    cells = [];
  }
  if (cells.length > 0) rows.push(cells.join(' '));
  const fields = [
    ...columns.map((name) => ({ name: 'column', value: name.slice(0, 200) })),
    { name: 'row_count', value: String(Math.max(0, rows.length - 1)) },
  ];
  return { text: rows.join('\n'), fields };
}

/**
 * Programs write other separators than the name of the format says: a semicolon where the comma is the decimal
 * separator, tabs, bars. For Excel, some state theirs in a line before the table.
 */
function findSeparator(text: string, usual: string): { readonly separator: string; readonly start: number } {
  const [statement = '', stated] = /^"?sep=([^"\n])"?\n/i.exec(text.slice(0, 20)) ?? [];
  if (stated !== undefined) return { separator: stated, start: statement.length };
  const end = text.indexOf('\n');
  const firstLine = text.slice(0, end < 0 ? 10_000 : Math.min(end, 10_000)).replace(/"[^"]*"/g, '');
  const count = (separator: string): number => firstLine.split(separator).length;
  const separator = [usual, ',', ';', '\t', '|'].reduce((best, other) => (count(other) > count(best) ? other : best));
  return { separator, start: 0 };
}

function readCell(text: string, start: number, separator: string): { cell: string; next: number; endsRow: boolean } {
  let from = start;
  let quoted = '';
  if (text[start] === '"') {
    let end = text.indexOf('"', start + 1);
    while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
    from = end < 0 ? text.length : end + 1;
    quoted = text.slice(start + 1, end < 0 ? text.length : end).replaceAll('""', '"');
  }
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== '\n') end++;
  return { cell: quoted + text.slice(from, end), next: end + 1, endsRow: end >= text.length || text[end] === '\n' };
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S[^\n]*)|^<h([1-6])[^<>]{0,200}>([^<>]{1,500})<\/h\3>/i;
/** Below a line of text, which it makes a heading. */
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
/** Lines below which hyphens are a rule across the page: of lists, quotations, tables, code. */
const NO_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:[-*+>|]|\d{1,9}[.)]))/;
/** What a heading contains besides its text: its end, its attributes, pictures, targets of links, escapes, code, emphasis, tags. */
const HEADING_END = /(?: #+)?(?: ?\{ ?(?:[#.:-]|\/\*|[\w-]+=)[^{}]*\})?$/;
const HEADING_MARKS =
  /!\[[^[\]]*\]\([^()]*\)|\[([^[\]]*)\](?:\([^()]*\)|\[[^\]]*\])|\\([!-/:-@[-`{-~])|`+([^`]*)`+|\*+(?=\S)|(?<=\S)\*+|(?<!\w)_+(?=\S)|(?<=[^\s_])_+(?!\w)|<[^<>]*>/g;
const MAX_HEADING_SOURCE = 2_000;
/** Begins or ends a block of code, in which nothing is a heading or a link. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CODE_SPAN = /`[^`]*`/g;
const LINK_DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*(\S+)/;
const INLINE_LINK = /\]\(\s{0,9}<?([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)?)/g;
const AUTO_LINK = /<(https?:\/\/[^\s<>]+)>/g;
const HTML_LINK = /<a\s[^<>]{0,500}?\bhref\s{0,9}=\s{0,9}["']([^"'<>]+)/gi;
const FRONT_MATTER_FIELD = /^([\w-]{1,40}):[ \t]*(\S[^\n]*)/;
const DELIVERED_FIELDS = new Set(['author', 'description', 'keywords']);
const MAX_LINE_LENGTH = 100_000;

/** Returns Markdown unchanged, with the title from its front matter or first heading, its headings and its links. */
export function readMarkdown(text: string): StructuredText {
  const links: RawLink[] = [];
  const fields: { name: string; value: string }[] = [];
  let title: string | undefined;
  const frontMatter = splitFrontMatter(text);
  for (const line of frontMatter.lines) {
    const [, name = '', value = ''] = FRONT_MATTER_FIELD.exec(line) ?? [];
    const unquoted = value.trim().replace(/^["']/, '').replace(/["']$/, '');
    if (name === 'title') title = unquoted;
    else if (DELIVERED_FIELDS.has(name)) fields.push({ name, value: unquoted });
  }
  let fence: string | undefined;
  const headings: Heading[] = [];
  /** The lines before, the last of which begins at `start`. */
  let [beforePrevious, previousLine] = ['', ''];
  let [start, next] = [0, 0];
  for (const source of frontMatter.body.split(/\r?\n|\r/)) {
    const previousStart = start;
    start = next;
    next += source.length;
    next += frontMatter.body.startsWith('\r\n', next) ? 2 : 1;
    if (source.length > MAX_LINE_LENGTH) continue;
    const mark = FENCE.exec(source)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence;
    if (mark !== undefined || fence !== undefined) continue;
    const underline = findUnderline(source, previousLine, beforePrevious);
    const heading = underline ?? findHeading(source);
    if (heading && heading.text !== '') {
      title ??= heading.text;
      if (headings.length < MAX_HEADINGS) headings.push({ ...heading, start: underline ? previousStart : start });
    }
    [beforePrevious, previousLine] = [previousLine, source];
    const line = source.replace(CODE_SPAN, ' ');
    const definition = LINK_DEFINITION.exec(line)?.[1];
    if (definition !== undefined) links.push(toLink(definition));
    for (const pattern of [INLINE_LINK, AUTO_LINK, HTML_LINK])
      for (const [, href = ''] of line.matchAll(pattern)) if (href.length <= MAX_URL_LENGTH) links.push(toLink(href));
  }
  return { text: frontMatter.body, title: title?.slice(0, MAX_TITLE_LENGTH), links, headings, fields };
}

type FoundHeading = Pick<Heading, 'level' | 'text'>;

function findHeading(line: string): FoundHeading | undefined {
  const [, marks, hashed, level, element] = HEADING.exec(line) ?? [];
  const source = hashed ?? element;
  return source === undefined ? undefined : { level: marks?.length ?? Number(level), text: toPlainHeading(source) };
}

/** Returns the heading that this line makes of the previous one. Below several lines, hyphens are meant as a rule. */
function findUnderline(line: string, previous: string, beforePrevious: string): FoundHeading | undefined {
  const mark = UNDERLINE.exec(line)?.[1]?.[0];
  if (mark === undefined || previous.trim() === '' || findHeading(previous)) return undefined;
  if (mark === '-' && (beforePrevious.trim() !== '' || NO_PARAGRAPH.test(previous))) return undefined;
  return { level: mark === '=' ? 1 : 2, text: toPlainHeading(previous) };
}

const toPlainHeading = (source: string): string =>
  source
    .slice(0, MAX_HEADING_SOURCE)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(HEADING_END, '')
    .replace(HEADING_MARKS, (_, linked = '', escaped = '', code = '') => `${linked}${escaped}${code}`)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_HEADING_LENGTH)
    .toWellFormed();

function splitFrontMatter(text: string): { lines: readonly string[]; body: string } {
  if (!text.startsWith('---\n') && !text.startsWith('---\r\n')) return { lines: [], body: text };
  const end = text.indexOf('\n---', 3);
  if (end < 0 || end > 20_000) return { lines: [], body: text };
  const lineEnd = text.indexOf('\n', end + 1);
  return { lines: text.slice(4, end).split('\n'), body: lineEnd < 0 ? '' : text.slice(lineEnd + 1) };
}

/** Collects the strings and numbers of a JSON text in order, and its title; undefined if it is not JSON. */
function collectJsonTexts(text: string): { readonly texts: readonly string[]; readonly title?: string } | undefined {
  if (measureNesting(text) > MAX_NESTING) return undefined;
  let json: unknown;
  try {
    json = parseJson(text, (_, value, { source }) => (typeof value === 'number' ? source : value));
  } catch {
    return undefined;
  }
  const texts: string[] = [];
  collectTexts(json, texts);
  const titles = ['title', 'name', 'headline'].map((name) => (json as Record<string, unknown> | null)?.[name]);
  const title = titles.find(
    (candidate): candidate is string => typeof candidate === 'string' && candidate.trim() !== '',
  );
  return title === undefined ? { texts } : { texts, title: title.trim() };
}

/** Numbers are taken as they are written: a long one is often an identifier. */
const parseJson = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, context: { readonly source: string }) => unknown,
) => unknown;

function collectTexts(json: unknown, texts: string[]): void {
  if (typeof json === 'string') texts.push(json);
  else if (Array.isArray(json)) for (const entry of json) collectTexts(entry, texts);
  else if (typeof json === 'object' && json !== null)
    for (const entry of Object.values(json)) collectTexts(entry, texts);
}

export const STRUCTURED_READERS: ReadonlyMap<string, (text: string) => StructuredText> = new Map([
  ['application/json', readJson],
  ['application/x-ndjson', readJsonLines],
  ['application/jsonl', readJsonLines],
  ['text/csv', (text) => readTable(text, ',')],
  ['text/tab-separated-values', (text) => readTable(text, '\t')],
  ['text/markdown', readMarkdown],
  ['text/x-markdown', readMarkdown],
]);

/** Fills the buffer with the text; returns its headings, if they are wanted, with their positions in what is delivered. */
export function appendLines(
  { text, headings = [] }: StructuredText,
  buffer: TextBuffer,
  wantsHeadings: boolean,
): readonly Heading[] {
  const source = text.toWellFormed();
  buffer.begin(Buffer.byteLength(source), true);
  let [start, size, from] = [0, 0, 0];
  const found = (wantsHeadings ? headings : []).map((heading) => {
    buffer.append(source.slice(from, heading.start));
    from = heading.start;
    start += buffer.read(size, Number.POSITIVE_INFINITY).length;
    ({ size } = buffer);
    return { ...heading, start };
  });
  buffer.append(source.slice(from));
  return found;
}
