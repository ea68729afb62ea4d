/** Extracts the text of a tree as the scanner does, with the positions of headings and the ends of blocks. */
import { type Heading, MAX_HEADING_LENGTH, MAX_HEADINGS } from '../../../domain/content/content-definition.js';
import { BREAKS_LINE } from '../html/elements.js';
import { removeInvisible } from '../html/text-buffer.js';
import { type ChildNode, type Element, findAnchor, isElement, isText, type ParentNode, type Text } from './nodes.js';

const INLINE_ELEMENTS = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rb rp rt rtc ruby s samp small ' +
    'span strike strong sub sup time tt u var wbr'
  ).split(' '),
);

/** Elements whose text is not displayed. */
const HIDDEN_ELEMENTS = new Set('script style template noscript noframes iframe noembed title'.split(' '));

export const isInline = ({ name }: Element): boolean => INLINE_ELEMENTS.has(name);
export const isHidden = (element: Element): boolean =>
  HIDDEN_ELEMENTS.has(element.name) && !(element.name === 'template' && element.hasAttribute('shadowrootmode'));

/** Returns 1 to 6 for `h1` to `h6`, otherwise undefined. */
export function getHeadingLevel({ name }: Element): number | undefined {
  if (name.length !== 2 || name[0] !== 'h') return undefined;
  const level = name.charCodeAt(1) - 48;
  return level >= 1 && level <= 6 ? level : undefined;
}

interface Kind {
  readonly inline?: boolean;
  readonly breaksLine?: boolean;
  readonly mayBeHidden?: boolean;
  readonly level?: number;
}

/** Combines these properties in one look-up, because most of the work on a tree is extracting texts. */
const KINDS = new Map<string, Kind>([
  ...[...INLINE_ELEMENTS].map((name) => [name, { inline: true }] as const),
  ...[...HIDDEN_ELEMENTS].map((name) => [name, { mayBeHidden: true }] as const),
  ...BREAKS_LINE.split(' ').map((name) => [name, { breaksLine: true }] as const),
  ...[1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, { level, breaksLine: true }] as const),
]);

export interface ReadableText {
  readonly text: string;
  readonly headings: readonly Heading[];
  /** Offsets in the text after which another block begins, in order. */
  readonly blockEnds: readonly number[];
}

export function extractReadableText(root: ParentNode): ReadableText {
  const collector = new TextCollector();
  for (const child of root.children) collector.visit(child);
  return collector.finish();
}

export interface MarkedText {
  readonly text: string;
  /** True if it was removed. */
  readonly cut: boolean;
}

/** Collects the text of a page in pieces before its tree is changed, so that removed pieces can be found afterwards. */
export function collectTextPieces(root: ParentNode): readonly TextPiece[] {
  const collector = new TextCollector(true);
  for (const child of root.children) collector.visit(child);
  return collector.pieces ?? [];
}

interface TextPiece {
  readonly node: ChildNode | undefined;
  readonly text: string;
}

const MAX_MARKED_TEXTS = 2_000;
const MAX_MARKED_LENGTH = 200_000;

/** Marks the pieces that are no longer in the tree. The result is limited, because it is shown to a user. */
export function markRemovedText(pieces: readonly TextPiece[], remainingRoot: ParentNode): MarkedText[] {
  const remainingNodes = collectTextNodes(remainingRoot, new Set());
  const markedTexts: { text: string; cut: boolean }[] = [];
  let length = 0;
  for (const { node, text } of pieces) {
    const last = markedTexts.at(-1);
    const cut = node === undefined ? (last?.cut ?? false) : !remainingNodes.has(node);
    if (last?.cut === cut) last.text += text;
    else if (markedTexts.length === MAX_MARKED_TEXTS) break;
    else markedTexts.push({ text, cut });
    length += text.length;
    if (length >= MAX_MARKED_LENGTH) break;
  }
  const last = markedTexts.at(-1);
  if (last) last.text = last.text.trimEnd();
  return markedTexts.filter(({ text }) => text.trim() !== '');
}

function collectTextNodes(node: ParentNode, found: Set<ChildNode>): Set<ChildNode> {
  for (const child of node.children)
    if (isText(child)) found.add(child);
    else if (isElement(child)) collectTextNodes(child, found);
  return found;
}

const extractHeading = (text: string, start: number, end: number): string =>
  text
    .slice(start, Math.min(end, start + MAX_HEADING_LENGTH))
    .trim()
    .toWellFormed();

/** How many nodes may be read for the values of one page: each value may contain all others. */
export interface ReadingBudget {
  remainingNodes: number;
}

/** The text of each node can be read this often, which is more than pages nest their elements. */
const READINGS = 50;
const FREE_NODES = 100_000;

export const createReadingBudget = (elements: number): ReadingBudget => ({
  remainingNodes: FREE_NODES + READINGS * elements,
});

export interface ElementTextOptions {
  readonly excluded?: ReadonlySet<Element> | undefined;
  /** Nothing is read after this many characters. */
  readonly maxLength?: number;
  /** Nothing is read after it is used up. */
  readonly budget?: ReadingBudget;
}

/** Returns the text of an element on one line, without the excluded elements inside it. */
export function extractElementText(node: ParentNode, options: ElementTextOptions = {}): string {
  const collector = new TextCollector(false, options);
  for (const child of node.children) collector.visit(child);
  return collector.finish(true).text;
}

/** Every run of white space except a single space. */
const WHITESPACE_RUNS = /(?:[^\S ]|[\u0085\u180e\u200b])[\s\u0085\u180e\u200b]*| [\s\u0085\u180e\u200b]+/g;
/** White space other than single spaces, or a non-ASCII character, which may be other white space or invisible. */
const MAY_NEED_FOLDING = /[^ -\x7f]| {2}/;

/** Replaces each run of white space with one space, and removes invisible characters. */
export function foldWhitespace(text: string): string {
  if (!MAY_NEED_FOLDING.test(text)) return text;
  // Most of these texts are line ends and indents between tags.
  if (text.length < 20 && text.trim() === '') return ' ';
  return removeInvisible(text).replace(WHITESPACE_RUNS, ' ');
}

class TextCollector {
  private text = '';
  private endsWithSpace = true;
  /** Whether line breaks in the page's text are shown as such. */
  private keepsLines = false;
  private readonly headings: (Omit<Heading, 'text'> & { end: number })[] = [];
  private readonly blockEnds: number[] = [];
  /** Offsets of the spaces that are line breaks. */
  private readonly lineBreaks: number[] = [];
  /** The texts with their nodes; undefined if they are not requested. */
  readonly pieces: TextPiece[] | undefined;

  constructor(
    withPieces = false,
    private readonly options: ElementTextOptions = {},
  ) {
    if (withPieces) this.pieces = [];
  }

  visit(node: ChildNode): void {
    const { budget, maxLength = Number.POSITIVE_INFINITY } = this.options;
    if (this.text.length >= maxLength || (budget && budget.remainingNodes-- <= 0)) return;
    if (isText(node)) this.appendText(node);
    else if (isElement(node)) this.visitElement(node);
  }

  private visitElement(element: Element): void {
    const kind = KINDS.get(element.name);
    const isBlock = !kind?.inline;
    if (isBlock) this.endBlock(kind?.breaksLine);
    if ((kind?.mayBeHidden && isHidden(element)) || this.options.excluded?.has(element)) return;
    const level = kind?.level;
    const heading = level === undefined ? undefined : this.openHeading(level, element);
    const { keepsLines } = this;
    this.keepsLines ||= element.name === 'pre';
    for (const child of element.children) this.visit(child);
    this.keepsLines = keepsLines;
    if (isBlock) this.endBlock(kind?.breaksLine);
    if (heading) heading.end = this.text.length;
  }

  /** @param onOneLine without line breaks between blocks */
  finish(onOneLine = false): ReadableText {
    const text = (onOneLine ? this.text : this.breakLines()).trimEnd();
    const headings = this.headings
      .map(({ end, ...one }) => ({ ...one, text: extractHeading(this.text, one.start, end) }))
      .filter((heading) => heading.text !== '');
    return { text, headings, blockEnds: this.blockEnds.filter((offset) => offset < text.length) };
  }

  private breakLines(): string {
    let text = '';
    let start = 0;
    for (const lineBreak of this.lineBreaks) {
      text += `${this.text.slice(start, lineBreak)}\n`;
      start = lineBreak + 1;
    }
    return text + this.text.slice(start);
  }

  private openHeading(level: number, node: Element): { end: number } | undefined {
    if (this.headings.length >= MAX_HEADINGS) return undefined;
    const { length } = this.text;
    const heading = { level, start: length, end: length, ...findAnchor(node) };
    this.headings.push(heading);
    return heading;
  }

  private appendText(node: Text): void {
    const lines = this.keepsLines ? node.data.split(/[\n\r]+/) : [node.data];
    for (let index = 0; index < lines.length; index++) {
      if (index > 0) this.endBlock(true);
      this.appendLine(node, lines[index]!);
    }
  }

  private appendLine(node: Text, line: string): void {
    let text = foldWhitespace(line);
    if (this.endsWithSpace && text.startsWith(' ')) text = text.slice(1);
    if (text === '') return;
    this.text += text;
    this.pieces?.push({ node, text });
    this.endsWithSpace = text.endsWith(' ');
  }

  private endBlock(breaksLine = false): void {
    if (!this.endsWithSpace) {
      this.text += ' ';
      this.pieces?.push({ node: undefined, text: ' ' });
      this.endsWithSpace = true;
    }
    const { length } = this.text;
    const { blockEnds, lineBreaks } = this;
    if (length > 0 && blockEnds[blockEnds.length - 1] !== length) blockEnds.push(length);
    if (breaksLine && length > 0 && lineBreaks[lineBreaks.length - 1] !== length - 1) lineBreaks.push(length - 1);
  }
}
