/** Converts a tree to Markdown (CommonMark with GitHub's tables and strikethrough). */
import { type ChildNode, type Element, isElement, isText, type ParentNode, walkElements } from './nodes.js';
import { foldWhitespace, getHeadingLevel, isHidden, isInline } from './readable.js';
import { isNumbersOnly } from './reading-aids.js';

/** Maximum length in characters. */
const MAX_LENGTH = 4_000_000;
const MAX_COLUMNS = 50;
/** A hard line break. The other spelling, two spaces, is lost where lines are trimmed. */
const LINE_BREAK = '\\\n';

/** `base` is the base URL of relative addresses. */
export function toMarkdown(root: ParentNode, base: string): string {
  const lines = renderBlocks(root, { base, depth: 0, urls: { remainingLength: MAX_LENGTH }, marks: NO_MARKS }).split(
    '\n',
  );
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
  /** Marks and links around inline content; inside themselves, they have no meaning and are left out. */
  readonly marks: ReadonlySet<string>;
}

const NO_MARKS: ReadonlySet<string> = new Set();

/** Lists and quotations nested more deeply than this are rendered without their marks and indents. */
const MAX_DEPTH = 20;

/** Separates blocks by blank lines; inline content between blocks becomes a paragraph. */
function renderBlocks(node: ParentNode, context: Context): string {
  const blocks: string[] = [];
  collectBlocks(node, context, blocks);
  return blocks.join('\n\n');
}

function collectBlocks(node: ParentNode, context: Context, blocks: string[]): void {
  let line = '';
  const flushLine = (): void => {
    const text = toParagraph(line);
    if (text !== '') blocks.push(text);
    line = '';
  };
  for (const child of node.children) {
    if (isElement(child) && !isHidden(child) && !isInlineTree(child)) {
      flushLine();
      const block = renderBlock(child, context);
      if (block === undefined) collectBlocks(child, context, blocks);
      else if (block.trim() !== '') blocks.push(block);
    } else line += renderInlineNode(child, context);
  }
  flushLine();
}

/** What would begin a heading, a quotation or a list if it stood at the start of a line. */
const BLOCK_START = /^(?:(#{1,6}(?=\s|$)|[+-](?=\s|$)|>|~{3}|[-=]{2,}$)|(\d{1,9})([.)](?=\s|$)))/gm;

/** Several line breaks separate paragraphs; those at the ends have no meaning. */
function toParagraph(line: string): string {
  if (!line.includes(LINE_BREAK)) return line.trim().replace(BLOCK_START, '$2\\$1$3');
  const lines = line.split(LINE_BREAK).map((one) => one.trim().replace(BLOCK_START, '$2\\$1$3'));
  let text = '';
  let separator = '';
  for (const one of lines) {
    if (one === '') separator &&= '\n\n';
    else text += separator + one;
    if (one !== '') separator = LINE_BREAK;
  }
  return text;
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

/** Remembered, because it is asked for each level of nested elements. */
const inlineTrees = new WeakMap<Element, boolean>();

function isInlineTree(element: Element): boolean {
  const known = inlineTrees.get(element);
  if (known !== undefined) return known;
  const result =
    INLINE_ELEMENTS.has(element.name) ||
    (isInline(element) && element.children.every((child) => !isElement(child) || isInlineTree(child)));
  inlineTrees.set(element, result);
  return result;
}

/** Returns undefined if the element is nothing by itself: its children are blocks of its parent. */
function renderBlock(element: Element, context: Context): string | undefined {
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
      return renderCodeBlock(element, context);
    case 'blockquote':
      return renderQuotation(element, context);
    case 'hr':
      return '---';
    case 'table':
      return renderTable(element, context);
    case 'dt':
      return `**${renderInline(element, context)}**`;
    case 'dd':
      return context.depth >= MAX_DEPTH
        ? undefined
        : `: ${renderBlocks(element, { ...context, depth: context.depth + 1 })}`;
    default:
      return undefined;
  }
}

function renderQuotation(element: Element, context: Context): string | undefined {
  if (context.depth >= MAX_DEPTH) return undefined;
  return indentLines(renderBlocks(element, { ...context, depth: context.depth + 1 }), '> ', '> ');
}

/** CommonMark knows numbers of up to nine digits. */
const MAX_ITEM_NUMBER = 900_000_000;

function renderList(element: Element, context: Context): string | undefined {
  if (context.depth >= MAX_DEPTH) return undefined;
  let itemNumber = Math.trunc(Math.min(MAX_ITEM_NUMBER, Math.max(0, Number(element.getAttribute('start') ?? 1) || 1)));
  // Text between the items is invalid, but browsers show it.
  const children = element.children.filter((child) => isElement(child) || (isText(child) && child.data.trim() !== ''));
  const items = children.map((item) => {
    const mark = element.name === 'ol' ? `${itemNumber++}. ` : '- ';
    const inner = { ...context, depth: context.depth + 1 };
    const content = isElement(item)
      ? ((item.name === 'li' ? undefined : renderBlock(item, inner)) ?? renderBlocks(item, inner))
      : toParagraph(renderInlineNode(item, inner));
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

/** Maximum number of links that are listed after a block of code. */
const MAX_CODE_LINKS = 200;

/** Code has no links in Markdown, so each different one follows the block. */
function renderCodeLinks(element: Element, context: Context): string {
  const links = new Map<string, string>();
  for (const link of walkElements(element)) {
    if (link.name !== 'a' || links.size === MAX_CODE_LINKS) continue;
    const target = resolveUrl(link.getAttribute('href'), context);
    const label = escapeMarkdown(foldWhitespace(getRawText(link)).trim());
    if (target !== undefined && label !== '' && !links.has(target)) links.set(target, `[${label}](${target})`);
  }
  return links.size === 0 ? '' : `\n\n${[...links.values()].join(', ')}`;
}

function renderCodeBlock(element: Element, context: Context): string {
  const rawText = getRawText(element).trimEnd();
  const text = rawText.startsWith('\n') ? rawText.slice(1) : rawText;
  const classes = [element, ...walkElements(element)]
    .map((descendant) => descendant.getAttribute('class') ?? '')
    .join(' ');
  const language = /\b(?:language|lang|highlight|brush)-([\w+#-]{1,30})/.exec(classes.slice(0, 500))?.[1] ?? '';
  const fence = text.includes('```') ? '~~~~' : '```';
  return `${fence}${language}\n${text}\n${fence}${renderCodeLinks(element, context)}`;
}

function renderTable(element: Element, context: Context): string | undefined {
  const cellsOfRows = findRows(element).map((row) =>
    row.children
      .filter(isElement)
      .filter(({ name }) => name === 'td' || name === 'th')
      .slice(0, MAX_COLUMNS),
  );
  const width = cellsOfRows.reduce((maxWidth, { length }) => Math.max(maxWidth, length), 0);
  // A table with one column is used for layout.
  if (width < 2) return undefined;
  const [captionElement] = element.children.filter((child) => isElement(child) && child.name === 'caption');
  const caption = captionElement ? `${renderBlocks(captionElement as Element, context)}\n\n` : '';
  const isLayout = cellsOfRows.some((cells) => cells.some((cell) => findBlock(cell) !== undefined));
  if (isLayout) return caption + cellsOfRows.map((cells) => renderCells(cells, context)).join('\n\n');
  const rows = cellsOfRows.map((cells) => cells.map((cell) => renderInline(cell, context).replaceAll('|', '\\|')));
  const renderRow = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, column) => cells[column] ?? '').join(' | ')} |`;
  const [headerRow = [], ...bodyRows] = rows;
  const table = [renderRow(headerRow), `|${' --- |'.repeat(width)}`, ...bodyRows.map(renderRow)].join('\n');
  return caption + table;
}

/** The first block in a cell that has no place in a line of text: a table with one is used for layout. */
function findBlock(cell: Element): string | undefined {
  for (const element of walkElements(cell)) {
    if (element.name === 'table') return 'table';
    if (element.name === 'pre' && getRawText(element).trim().includes('\n')) return 'pre';
    if (cell.name === 'td' && getHeadingLevel(element) !== undefined) return 'heading';
  }
  return undefined;
}

/** Renders the cells of a row one after the other. */
function renderCells(cells: readonly Element[], context: Context): string {
  const hasCode = cells.length > 1 && cells.some((cell) => findBlock(cell) === 'pre');
  return cells
    .filter((cell) => !hasCode || !isNumbersOnly(cell))
    .map((cell) => renderBlocks(cell, context))
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The rows of a table without those of the tables in its cells. */
const findRows = (node: ParentNode): Element[] => {
  const rows: Element[] = [];
  const visit = ({ children }: ParentNode): void => {
    for (const child of children)
      if (!isElement(child) || child.name === 'table') continue;
      else if (child.name === 'tr') rows.push(child);
      else visit(child);
  };
  visit(node);
  return rows;
};

/** The strings are joined when they are read, not copied at each level. */
function renderInlineNodes(nodes: readonly ChildNode[], context: Context): string {
  let text = '';
  for (const node of nodes) text += renderInlineNode(node, context);
  return text;
}

/** Renders the children of a node on one line. */
const renderInline = (node: ParentNode, context: Context): string =>
  renderInlineNodes(node.children, context).replaceAll(LINE_BREAK, ' ').replace(/\s+/g, ' ').trim();

function renderInlineNode(node: ChildNode, context: Context): string {
  if (isText(node)) return escapeMarkdown(foldWhitespace(node.data));
  if (!isElement(node) || isHidden(node)) return '';
  const renderChildren = () => renderInlineNodes(node.children, context);
  switch (node.name) {
    case 'br':
      return LINE_BREAK;
    case 'strong':
    case 'b':
      return renderMarked(node, '**', context);
    case 'em':
    case 'i':
      return renderMarked(node, '*', context);
    case 'del':
    case 's':
    case 'strike':
      return renderMarked(node, '~~', context);
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return renderCodeSpan(foldWhitespace(getRawText(node)));
    case 'a':
      return renderLink(node, context);
    case 'img':
      return renderImage(node, context);
    default:
      return isInline(node) ? renderChildren() : ` ${renderChildren()} `;
  }
}

/** Moves white space outside the marks, which must touch the words. */
function renderMarked({ children }: Element, mark: string, context: Context): string {
  if (context.marks.has(mark)) return renderInlineNodes(children, context);
  const text = renderInlineNodes(children, { ...context, marks: new Set([...context.marks, mark]) });
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

function renderLink(element: Element, context: Context): string {
  if (context.marks.has('[')) return renderInlineNodes(element.children, context);
  const text = renderInlineNodes(element.children, { ...context, marks: new Set([...context.marks, '[']) });
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

function getRawText({ children }: ParentNode): string {
  let text = '';
  for (const child of children)
    if (isText(child)) text += child.data;
    else if (isElement(child)) text += child.name === 'br' ? '\n' : getRawText(child);
  return text;
}
