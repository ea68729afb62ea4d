/** Reads structured text formats: determines which parts are text, title and links. Everything runs in linear time. */
import type { RawLink } from '../../engine/ports/page-reader.js';
import { collectJsonTexts } from './content/json-texts.js';

export interface StructuredText {
  readonly text: string;
  readonly title?: string;
  readonly links?: readonly RawLink[];
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
}

const LONGEST_TITLE = 2_048;
const LONGEST_ADDRESS = 65_536;
const toLink = (href: string): RawLink => ({ href: href.trim(), kind: 'a', nofollow: false });

/**
 * Returns strings and numbers in order, without names and punctuation. Anything that is not JSON is returned unchanged.
 */
export function readJson(text: string): StructuredText {
  const values = collectJsonTexts(text);
  if (values === undefined) return { text };
  const { title, texts } = values;
  return { text: texts.join(' '), ...(title === undefined ? {} : { title: title.slice(0, LONGEST_TITLE) }) };
}

/** Reads one JSON text per line. */
export function readJsonLines(text: string): StructuredText {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return { text: lines.map((line) => readJson(line).text).join(' ') };
}

const MAX_COLUMNS = 500;

/**
 * Returns the cells separated by spaces, and the names in the first line as metas (`column`). The format is RFC 4180
 * with any kind of line break.
 */
export function readTable(text: string, separator: ',' | '\t'): StructuredText {
  const cells: string[] = [];
  const columns: string[] = [];
  let rows = 0;
  let at = 0;
  const separatorOf = separator === ',' && isSemicolonTable(text) ? ';' : separator;
  while (at < text.length) {
    const { cell, next, endsRow } = readCell(text, at, separatorOf);
    if (rows === 0 && columns.length < MAX_COLUMNS && cell.trim() !== '') columns.push(cell.trim().slice(0, 200));
    cells.push(cell);
    if (endsRow) rows++;
    at = next;
  }
  const fields = [
    ...columns.map((value) => ({ name: 'column', value })),
    { name: 'row_count', value: String(Math.max(0, rows - 1)) },
  ];
  return { text: cells.join(' '), fields };
}

/** In locales where the comma is the decimal separator, programs write semicolons. */
function isSemicolonTable(text: string): boolean {
  const end = text.indexOf('\n');
  const head = text.slice(0, end < 0 ? 10_000 : Math.min(end, 10_000));
  return head.split(';').length > head.split(',').length;
}

function readCell(text: string, at: number, separator: string): { cell: string; next: number; endsRow: boolean } {
  let from = at;
  let quoted = '';
  if (text[at] === '"') {
    let end = text.indexOf('"', at + 1);
    while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
    from = end < 0 ? text.length : end + 1;
    quoted = text.slice(at + 1, end < 0 ? text.length : end).replaceAll('""', '"');
  }
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== '\n') end++;
  return { cell: quoted + text.slice(from, end), next: end + 1, endsRow: end >= text.length || text[end] === '\n' };
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(\S[^\n]*)/;
const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*(\S+)/;
const INLINE_LINK = /\]\(\s{0,9}<?([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)?)/g;
const AUTO_LINK = /<(https?:\/\/[^\s<>]+)>/g;
const FACT = /^([\w-]{1,40}):[ \t]*(\S[^\n]*)/;
const DELIVERED = new Set(['author', 'description', 'keywords']);
const MAX_LINE = 100_000;

/** Returns Markdown unchanged, with the title from its front matter or first heading, and its links. */
export function readMarkdown(text: string): StructuredText {
  const links: RawLink[] = [];
  const fields: { name: string; value: string }[] = [];
  let title: string | undefined;
  const front = splitFrontMatter(text);
  for (const line of front.lines) {
    const [, name = '', value = ''] = FACT.exec(line) ?? [];
    const plain = value.trim().replace(/^["']/, '').replace(/["']$/, '');
    if (name === 'title') title = plain;
    else if (DELIVERED.has(name)) fields.push({ name, value: plain });
  }
  for (const line of front.body.split('\n')) {
    if (line.length > MAX_LINE) continue;
    title ??= HEADING.exec(line)?.[1]?.replaceAll('#', '').trim();
    const definition = DEFINITION.exec(line)?.[1];
    if (definition !== undefined) links.push(toLink(definition));
    for (const expression of [INLINE_LINK, AUTO_LINK])
      for (const [, href = ''] of line.matchAll(expression))
        if (href.length <= LONGEST_ADDRESS) links.push(toLink(href));
  }
  return { text: front.body, title: title?.slice(0, LONGEST_TITLE), links, fields };
}

function splitFrontMatter(text: string): { lines: readonly string[]; body: string } {
  if (!text.startsWith('---\n') && !text.startsWith('---\r\n')) return { lines: [], body: text };
  const end = text.indexOf('\n---', 3);
  if (end < 0 || end > 20_000) return { lines: [], body: text };
  const behind = text.indexOf('\n', end + 1);
  return { lines: text.slice(4, end).split('\n'), body: behind < 0 ? '' : text.slice(behind + 1) };
}
