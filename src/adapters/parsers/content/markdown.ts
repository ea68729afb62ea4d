/** A tree as Markdown (CommonMark, tables and strikethrough of GitHub). */

import type { ChildNode, Element, ParentNode } from 'domhandler';
import { isText } from 'domhandler';
import { folded, headingLevel, isInline, isUnseen } from './readable.js';
import { elementsIn, isElement } from './tree.js';

/** Characters. */
const MAX_LENGTH = 4_000_000;
const MAX_COLUMNS = 50;

/** `base`: the base of relative addresses. */
export function markdownOf(root: ParentNode, base: string): string {
  const lines = blocks(root, { base, depth: 0 }).split('\n');
  const text = lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text;
}

interface Context {
  readonly base: string;
  /** Enclosing lists and quotations: each indents its lines once more. */
  readonly depth: number;
}

/** Deeper elements are placed beside their parents. */
const MAX_DEPTH = 20;

/** Blocks are separated by blank lines; what is between them is a paragraph. */
function blocks(node: ParentNode, context: Context): string {
  const out: string[] = [];
  let line = '';
  const endLine = (): void => {
    const text = line.trim();
    if (text !== '') out.push(text);
    line = '';
  };
  for (const child of node.children) {
    if (isElement(child) && !isUnseen(child) && !isInlineTree(child)) {
      endLine();
      const block = blockOf(child, context);
      if (block.trim() !== '') out.push(block);
    } else line += inlineOf(child, context);
  }
  endLine();
  return out.join('\n\n');
}

const WITHIN_A_LINE = new Set([
  'img',
  'br',
  'input',
  'button',
  'label',
  'select',
  'textarea',
  'svg',
  'math',
  'picture',
]);

const isInlineTree = (element: Element): boolean =>
  WITHIN_A_LINE.has(element.name) ||
  (isInline(element) && element.children.every((child) => !isElement(child) || isInlineTree(child)));

function blockOf(element: Element, context: Context): string {
  const level = headingLevel(element);
  if (level !== undefined) {
    const text = inline(element, context);
    return text === '' ? '' : `${'#'.repeat(level)} ${text}`;
  }
  switch (element.name) {
    case 'ul':
    case 'ol':
    case 'menu':
      return list(element, context);
    case 'pre':
      return code(element);
    case 'blockquote':
      return quotation(element, context);
    case 'hr':
      return '---';
    case 'table':
      return table(element, context);
    case 'dt':
      return `**${inline(element, context)}**`;
    case 'dd':
      return `: ${blocks(element, context)}`;
    default:
      return blocks(element, context);
  }
}

function quotation(element: Element, context: Context): string {
  if (context.depth >= MAX_DEPTH) return blocks(element, context);
  return indented(blocks(element, { ...context, depth: context.depth + 1 }), '> ', '> ');
}

function list(element: Element, context: Context): string {
  if (context.depth >= MAX_DEPTH) return blocks(element, context);
  let number = Number(element.attribs['start'] ?? 1) || 1;
  const items = element.children.filter(isElement).map((item) => {
    const mark = element.name === 'ol' ? `${number++}. ` : '- ';
    const content =
      item.name === 'li' ? blocks(item, { ...context, depth: context.depth + 1 }) : blockOf(item, context);
    return indented(closeLists(content), mark, ' '.repeat(mark.length));
  });
  return items.filter((item) => item.trim() !== '').join('\n');
}

/** A list in an item begins on the next line. */
function closeLists(content: string): string {
  const [first = '', ...others] = content.split('\n\n');
  return others.reduce(
    (text, block) => `${text}${/^(?:-|\d{1,9}\.) /.test(block.trimStart()) ? '\n' : '\n\n'}${block}`,
    first,
  );
}

function indented(text: string, first: string, others: string): string {
  if (text === '') return '';
  return text
    .split('\n')
    .map((line, number) => (number === 0 ? first : others) + line)
    .join('\n');
}

function code(element: Element): string {
  const written = raw(element).trimEnd();
  const text = written.startsWith('\n') ? written.slice(1) : written;
  const classes = [element, ...elementsIn(element)].map(({ attribs }) => attribs['class'] ?? '').join(' ');
  const language = /\b(?:language|lang|highlight|brush)-([\w+#-]{1,30})/.exec(classes.slice(0, 500))?.[1] ?? '';
  const fence = text.includes('```') ? '~~~~' : '```';
  return `${fence}${language}\n${text}\n${fence}`;
}

function table(element: Element, context: Context): string {
  const rows: string[][] = [];
  for (const row of elementsIn(element)) {
    if (row.name !== 'tr') continue;
    const cells = row.children.filter(isElement).filter(({ name }) => name === 'td' || name === 'th');
    rows.push(cells.slice(0, MAX_COLUMNS).map((cell) => inline(cell, context).replaceAll('|', '\\|')));
  }
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  // A table with one column is used for layout.
  if (width < 2) return blocks(element, context);
  const lineOf = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, column) => cells[column] ?? '').join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [lineOf(head), `|${' --- |'.repeat(width)}`, ...body.map(lineOf)].join('\n');
}

/** On one line. */
const inline = (node: ParentNode, context: Context): string =>
  node.children
    .map((child) => inlineOf(child, context))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

function inlineOf(node: ChildNode, context: Context): string {
  if (isText(node)) return escaped(folded(node.data));
  if (!isElement(node) || isUnseen(node)) return '';
  const text = () => node.children.map((child) => inlineOf(child, context)).join('');
  switch (node.name) {
    case 'br':
      return '  \n';
    case 'strong':
    case 'b':
      return marked(text(), '**');
    case 'em':
    case 'i':
      return marked(text(), '*');
    case 'del':
    case 's':
    case 'strike':
      return marked(text(), '~~');
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return codeSpan(folded(raw(node)));
    case 'a':
      return link(node, text(), context);
    case 'img':
      return image(node, context);
    default:
      return isInline(node) ? text() : ` ${text()} `;
  }
}

/** Marks are close to their words. */
function marked(text: string, mark: string): string {
  const inner = text.trim();
  if (inner === '') return text;
  const start = text.length - text.trimStart().length > 0 ? ' ' : '';
  const end = text.length - text.trimEnd().length > 0 ? ' ' : '';
  return `${start}${mark}${inner}${mark}${end}`;
}

function codeSpan(text: string): string {
  if (text.trim() === '') return text;
  return text.includes('`') ? `\`\` ${text.trim()} \`\`` : `\`${text.trim()}\``;
}

function link(element: Element, text: string, { base }: Context): string {
  const target = addressOf(element.attribs['href'], base);
  const words = text.trim();
  if (words === '' || target === undefined) return text;
  return `[${words}](${target})`;
}

function image(element: Element, { base }: Context): string {
  const target = addressOf(element.attribs['src'], base);
  const words = folded(element.attribs['alt'] ?? '').trim();
  return target === undefined || words === '' ? escaped(words) : `![${escaped(words)}](${target})`;
}

const LONGEST_ADDRESS = 2_048;

function addressOf(written: string | undefined, base: string): string | undefined {
  if (written === undefined || written.trim() === '' || written.length > LONGEST_ADDRESS) return undefined;
  const url = URL.parse(written, base);
  return url && /^(?:https?|mailto):$/.test(url.protocol)
    ? url.href.replace(/[()]/g, (c) => (c === '(' ? '%28' : '%29'))
    : undefined;
}

/** Escapes only what would be read as markup in most places. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<]/g, '\\$&');

function raw(node: ParentNode): string {
  return node.children
    .map((child) => (isText(child) ? child.data : isElement(child) ? (child.name === 'br' ? '\n' : raw(child)) : ''))
    .join('');
}
