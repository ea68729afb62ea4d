/** The text of a tree as the scanner gives it, and where in it headings are and blocks end. */
import type { Heading } from '../../../domain/content/content-definition.js';
import { type ChildNode, type Element, isElement, isText, type ParentNode, type Text } from './nodes.js';

const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rb rp rt rtc ruby s samp small ' +
    'span strike strong sub sup time tt u var wbr'
  ).split(' '),
);

/** Elements whose text readers do not see. */
const UNSEEN = new Set('script style template noscript noframes iframe noembed title'.split(' '));

export const isInline = ({ name }: Element): boolean => INLINE.has(name);
export const isHidden = (element: Element): boolean =>
  UNSEEN.has(element.name) && !(element.name === 'template' && element.has('shadowrootmode'));

/** 1 to 6 for `h1` to `h6`, else undefined. */
export function getHeadingLevel({ name }: Element): number | undefined {
  if (name.length !== 2 || name[0] !== 'h') return undefined;
  const level = name.charCodeAt(1) - 48;
  return level >= 1 && level <= 6 ? level : undefined;
}

interface Kind {
  readonly inline?: boolean;
  readonly unseen?: boolean;
  readonly level?: number;
}

/** All of this in one look-up: most work on a tree is about texts. */
const KINDS = new Map<string, Kind>([
  ...[...INLINE].map((name) => [name, { inline: true }] as const),
  ...[...UNSEEN].map((name) => [name, { unseen: true }] as const),
  ...[1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, { level }] as const),
]);

export interface ReadableText {
  readonly text: string;
  readonly headings: readonly Heading[];
  /** Offsets in the text after which another block begins, in order. */
  readonly blockEnds: readonly number[];
}

const MAX_HEADINGS = 5_000;

export function extractReadableText(root: ParentNode): ReadableText {
  const collector = new Collector();
  for (const child of root.children) collector.visit(child);
  return collector.finish();
}

export interface MarkedText {
  readonly text: string;
  /** It does not count. */
  readonly cut: boolean;
}

/** The text of a page piece by piece, taken before its tree is changed, so that what is left of it can be determined afterwards. */
export function collectTextPieces(root: ParentNode): readonly TextPiece[] {
  const collector = new Collector(true);
  for (const child of root.children) collector.visit(child);
  return collector.pieces ?? [];
}

interface TextPiece {
  readonly node: ChildNode | undefined;
  readonly text: string;
}

const MAX_MARKED = 2_000;
const MAX_MARKED_LENGTH = 200_000;

/** The pieces by what of them is still in the tree; bounded, since a person looks at it. */
export function markRemovedText(pieces: readonly TextPiece[], left: ParentNode): MarkedText[] {
  const kept = collectTextNodes(left, new Set());
  const marked: { text: string; cut: boolean }[] = [];
  let length = 0;
  for (const { node, text } of pieces) {
    const last = marked.at(-1);
    const cut = node === undefined ? (last?.cut ?? false) : !kept.has(node);
    if (last?.cut === cut) last.text += text;
    else if (marked.length === MAX_MARKED) break;
    else marked.push({ text, cut });
    length += text.length;
    if (length >= MAX_MARKED_LENGTH) break;
  }
  const last = marked.at(-1);
  if (last) last.text = last.text.trimEnd();
  return marked.filter(({ text }) => text.trim() !== '');
}

function collectTextNodes(node: ParentNode, found: Set<ChildNode>): Set<ChildNode> {
  for (const child of node.children)
    if (isText(child)) found.add(child);
    else if (isElement(child)) collectTextNodes(child, found);
  return found;
}

/** The text of one element on a line, but for what is excluded inside of it. */
export function extractElementText(node: ParentNode, excluded?: ReadonlySet<Element>): string {
  const collector = new Collector(false, excluded);
  for (const child of node.children) collector.visit(child);
  return collector.finish().text;
}

/** Every run of blanks but a single space. */
const BLANKS = /(?:[^\S ]|[\u0085\u180e\u200b])[\s\u0085\u180e\u200b]*| [\s\u0085\u180e\u200b]+/g;
/** A blank other than single spaces, or something beyond ASCII, which may contain other blanks and soft hyphens. */
const MAY_NEED_FOLDING = /[^ -\x7f]| {2}/;

/** One space for each run of white space, and no soft hyphens. */
export function collapseWhitespace(text: string): string {
  if (!MAY_NEED_FOLDING.test(text)) return text;
  // Most are line ends and indents between tags.
  if (text.length < 20 && text.trim() === '') return ' ';
  return (text.includes('\u00ad') ? text.replaceAll('\u00ad', '') : text).replace(BLANKS, ' ');
}

class Collector {
  private text = '';
  private endsBlank = true;
  private readonly headings: { readonly level: number; readonly start: number; end: number }[] = [];
  private readonly blockEnds: number[] = [];
  /** Where each text is, if that is requested. */
  readonly pieces: TextPiece[] | undefined;

  constructor(
    withPieces = false,
    private readonly excluded?: ReadonlySet<Element>,
  ) {
    if (withPieces) this.pieces = [];
  }

  visit(node: ChildNode): void {
    if (isText(node)) this.appendText(node);
    else if (isElement(node)) this.visitElement(node);
  }

  private visitElement(element: Element): void {
    const kind = KINDS.get(element.name);
    const block = !kind?.inline;
    if (block) this.separate();
    if ((kind?.unseen && isHidden(element)) || this.excluded?.has(element)) return;
    const level = kind?.level;
    const heading = level === undefined ? undefined : this.openHeading(level);
    for (const child of element.children) this.visit(child);
    if (block) this.separate();
    if (heading) heading.end = this.text.length;
  }

  finish(): ReadableText {
    const text = this.text.trimEnd();
    const headings = this.headings
      .map(({ level, start, end }) => ({ level, text: text.slice(start, end).trim(), start }))
      .filter((heading) => heading.text !== '');
    return { text, headings, blockEnds: this.blockEnds.filter((at) => at < text.length) };
  }

  private openHeading(level: number): { end: number } | undefined {
    if (this.headings.length >= MAX_HEADINGS) return undefined;
    const { length } = this.text;
    const heading = { level, start: length, end: length };
    this.headings.push(heading);
    return heading;
  }

  private appendText(node: Text): void {
    let text = collapseWhitespace(node.data);
    if (this.endsBlank && text.startsWith(' ')) text = text.slice(1);
    if (text === '') return;
    this.text += text;
    this.pieces?.push({ node, text });
    this.endsBlank = text.endsWith(' ');
  }

  private separate(): void {
    if (!this.endsBlank) {
      this.text += ' ';
      this.pieces?.push({ node: undefined, text: ' ' });
      this.endsBlank = true;
    }
    const { length } = this.text;
    const { blockEnds } = this;
    if (length > 0 && blockEnds[blockEnds.length - 1] !== length) blockEnds.push(length);
  }
}
