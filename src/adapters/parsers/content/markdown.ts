/** Converts a tree to Markdown (CommonMark with GitHub's tables and strikethrough). */

import { type ChildNode, type Element, isElement, isText, type ParentNode, walkElements } from './nodes.js';
import { foldWhitespace, getHeadingLevel, isHidden, isInline } from './readable.js';

/** Maximum length in characters. */
const MAX_LENGTH = 4_000_000;
const MAX_COLUMNS = 50;

/** `base` is the base URL of relative addresses. */
export function toMarkdown(root: ParentNode, base: string): string {
  const lines = renderBlocks(root, { base, depth: 0, urls: { remainingLength: MAX_LENGTH } }).split('\n');
  const text = lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text;
}

interface Context {
  readonly base: string;
  /** Number of enclosing lists and quotations, each of which indents its lines. */
  readonly depth: number;
  /** How long further URLs may be together: each may be longer than the link that it is written as. */
  readonly urls: { remainingLength: number };
}

/** Lists and quotations nested more deeply than this are rendered without their marks and indents. */
const MAX_DEPTH = 20;

/** Separates blocks by blank lines; inline content between blocks becomes a paragraph. */
function renderBlocks(node: ParentNode, context: Context): string {
  const blocks: string[] = [];
  let line = '';
  const flushLine = (): void => {
    const text = line.trim();
    if (text !== '') blocks.push(text);
    line = '';
  };
  for (const child of node.children) {
    if (isElement(child) && !isHidden(child) && !isInlineTree(child)) {
      flushLine();
      const block = renderBlock(child, context);
      if (block.trim() !== '') blocks.push(block);
    } else line += renderInlineNode(child, context);
  }
  flushLine();
  return blocks.join('\n\n');
}

const INLINE_ELEMENTS = new Set([
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
  INLINE_ELEMENTS.has(element.name) ||
  (isInline(element) && element.children.every((child) => !isElement(child) || isInlineTree(child)));

function renderBlock(element: Element, context: Context): string {
  const level = getHeadingLevel(element);
  if (level !== undefined) {
    const text = renderInline(element, context);
    return text === '' ? '' : `${'#'.repeat(level)} ${text}`;
  }
  switch (element.name) {
    case 'ul':
    case 'ol':
    case 'menu':
      return renderList(element, context);
    case 'pre':
      return renderCodeBlock(element);
    case 'blockquote':
      return renderQuotation(element, context);
    case 'hr':
      return '---';
    case 'table':
      return renderTable(element, context);
    case 'dt':
      return `**${renderInline(element, context)}**`;
    case 'dd':
      return `: ${renderBlocks(element, context)}`;
    default:
      return renderBlocks(element, context);
  }
}

function renderQuotation(element: Element, context: Context): string {
  if (context.depth >= MAX_DEPTH) return renderBlocks(element, context);
  return indentLines(renderBlocks(element, { ...context, depth: context.depth + 1 }), '> ', '> ');
}

/** CommonMark knows numbers of up to nine digits. */
const MAX_ITEM_NUMBER = 900_000_000;

function renderList(element: Element, context: Context): string {
  if (context.depth >= MAX_DEPTH) return renderBlocks(element, context);
  let itemNumber = Math.trunc(Math.min(MAX_ITEM_NUMBER, Math.max(0, Number(element.getAttribute('start') ?? 1) || 1)));
  const items = element.children.filter(isElement).map((item) => {
    const mark = element.name === 'ol' ? `${itemNumber++}. ` : '- ';
    const content =
      item.name === 'li' ? renderBlocks(item, { ...context, depth: context.depth + 1 }) : renderBlock(item, context);
    return indentLines(joinItemBlocks(content), mark, ' '.repeat(mark.length));
  });
  return items.filter((item) => item.trim() !== '').join('\n');
}

/** Places a list inside an item on the next line, without a blank line before it. */
function joinItemBlocks(content: string): string {
  const [firstBlock = '', ...otherBlocks] = content.split('\n\n');
  return otherBlocks.reduce(
    (text, block) => `${text}${/^(?:-|\d{1,9}\.) /.test(block.trimStart()) ? '\n' : '\n\n'}${block}`,
    firstBlock,
  );
}

function indentLines(text: string, firstPrefix: string, otherPrefix: string): string {
  if (text === '') return '';
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? firstPrefix : otherPrefix) + line)
    .join('\n');
}

function renderCodeBlock(element: Element): string {
  const rawText = getRawText(element).trimEnd();
  const text = rawText.startsWith('\n') ? rawText.slice(1) : rawText;
  const classes = [element, ...walkElements(element)]
    .map((descendant) => descendant.getAttribute('class') ?? '')
    .join(' ');
  const language = /\b(?:language|lang|highlight|brush)-([\w+#-]{1,30})/.exec(classes.slice(0, 500))?.[1] ?? '';
  const fence = text.includes('```') ? '~~~~' : '```';
  return `${fence}${language}\n${text}\n${fence}`;
}

function renderTable(element: Element, context: Context): string {
  const rows: string[][] = [];
  for (const row of walkElements(element)) {
    if (row.name !== 'tr') continue;
    const cells = row.children.filter(isElement).filter(({ name }) => name === 'td' || name === 'th');
    rows.push(cells.slice(0, MAX_COLUMNS).map((cell) => renderInline(cell, context).replaceAll('|', '\\|')));
  }
  const width = rows.reduce((maxWidth, row) => Math.max(maxWidth, row.length), 0);
  // A table with one column is used for layout.
  if (width < 2) return renderBlocks(element, context);
  const renderRow = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, column) => cells[column] ?? '').join(' | ')} |`;
  const [headerRow = [], ...bodyRows] = rows;
  return [renderRow(headerRow), `|${' --- |'.repeat(width)}`, ...bodyRows.map(renderRow)].join('\n');
}

/** Renders the children of a node on one line. */
const renderInline = (node: ParentNode, context: Context): string =>
  node.children
    .map((child) => renderInlineNode(child, context))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

function renderInlineNode(node: ChildNode, context: Context): string {
  if (isText(node)) return escapeMarkdown(foldWhitespace(node.data));
  if (!isElement(node) || isHidden(node)) return '';
  const renderChildren = () => node.children.map((child) => renderInlineNode(child, context)).join('');
  switch (node.name) {
    case 'br':
      return '  \n';
    case 'strong':
    case 'b':
      return wrapInMark(renderChildren(), '**');
    case 'em':
    case 'i':
      return wrapInMark(renderChildren(), '*');
    case 'del':
    case 's':
    case 'strike':
      return wrapInMark(renderChildren(), '~~');
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return renderCodeSpan(foldWhitespace(getRawText(node)));
    case 'a':
      return renderLink(node, renderChildren(), context);
    case 'img':
      return renderImage(node, context);
    default:
      return isInline(node) ? renderChildren() : ` ${renderChildren()} `;
  }
}

/** Moves white space outside the marks, which must touch the words. */
function wrapInMark(text: string, mark: string): string {
  const inner = text.trim();
  if (inner === '') return text;
  const leadingSpace = text.length - text.trimStart().length > 0 ? ' ' : '';
  const trailingSpace = text.length - text.trimEnd().length > 0 ? ' ' : '';
  return `${leadingSpace}${mark}${inner}${mark}${trailingSpace}`;
}

function renderCodeSpan(text: string): string {
  if (text.trim() === '') return text;
  return text.includes('`') ? `\`\` ${text.trim()} \`\`` : `\`${text.trim()}\``;
}

function renderLink(element: Element, text: string, context: Context): string {
  const target = resolveUrl(element.getAttribute('href'), context);
  const label = text.trim();
  if (label === '' || target === undefined) return text;
  return `[${label}](${target})`;
}

function renderImage(element: Element, context: Context): string {
  const target = resolveUrl(element.getAttribute('src'), context);
  const altText = foldWhitespace(element.getAttribute('alt') ?? '').trim();
  return target === undefined || altText === '' ? escapeMarkdown(altText) : `![${escapeMarkdown(altText)}](${target})`;
}

const MAX_URL_LENGTH = 2_048;

function resolveUrl(href: string | undefined, { base, urls }: Context): string | undefined {
  if (href === undefined || href.trim() === '' || href.length > MAX_URL_LENGTH) return undefined;
  const url = URL.parse(href, base);
  if (!url || url.href.length > Math.min(MAX_URL_LENGTH, urls.remainingLength)) return undefined;
  urls.remainingLength -= url.href.length;
  return /^(?:https?|mailto):$/.test(url.protocol)
    ? url.href.replace(/[()]/g, (c) => (c === '(' ? '%28' : '%29'))
    : undefined;
}

/** Escapes only characters that would be markup in most places. */
const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<]/g, '\\$&');

function getRawText(node: ParentNode): string {
  return node.children
    .map((child) =>
      isText(child) ? child.data : isElement(child) ? (child.name === 'br' ? '\n' : getRawText(child)) : '',
    )
    .join('');
}
