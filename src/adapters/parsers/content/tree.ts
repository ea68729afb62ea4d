/**
 * Builds a page's tree, for what the scanner cannot find and only if the configuration needs it. Tokens are those of
 * the HTML standard, as in the scanner. Tags close what they close by the standard, but nothing moves in the tree: text
 * in a table outside its cells stays there, and blocks stay inside the formatting in which they begin. Comments are left
 * out unless they may be markers.
 */
import {
  APOSTROPHE,
  BANG,
  DASH,
  EQUALS,
  endsName,
  GREATER,
  isLetter,
  isSpace,
  QUESTION,
  QUOTE,
  SLASH,
} from '../html/bytes.js';
import { BREAKS_LINE } from '../html/elements.js';
import { MARKER_ELEMENT, MARKER_SIGNS, MAX_MARKER_LENGTH } from '../html/markers.js';
import { NameTrie, ROOT, SYMBOL, WIDTH } from '../html/name-trie.js';
import { findBogusCommentEnd, findCommentEnd, findEndTag, findScriptEnd, findTagEnd } from '../html/raw-text.js';
import { ELEMENT_NAMES, type ElementKind } from './element-kinds.js';
import { type ChildNode, Comment, Document, Element, Text } from './nodes.js';
import { type Kind, OpenElements } from './open-elements.js';
import { PageAttributes, PageSource } from './page-source.js';

/** The content of deeper elements is added to their ancestor at this depth; browsers also have a limit (Blink: 512). */
const MAX_DEPTH = 500;
/** They still separate words where they are too deep to become elements. */
const SEPARATING_ELEMENTS: ReadonlySet<string> = new Set(`${BREAKS_LINE} td th`.split(' '));
/** After this many elements, the rest of the page is ignored. */
const MAX_ELEMENTS = 200_000;
/** Limit for all elements together, to protect the memory of the thread; the rest of the page is ignored. */
const MAX_ATTRIBUTES = 500_000;
/**
 * Limit for open tags, including those too deep to become elements; the rest of the page is ignored. Pages that never close
 * their fonts have thousands.
 */
const MAX_OPEN = 200_000;
/** Maximum number of bytes that are read. */
const MAX_LENGTH = 16 * 1024 * 1024;

export interface Tree {
  readonly root: Document;
  /** In document order. */
  readonly elements: readonly Element[];
  /** True if something in the page looks like a marker that excludes content. */
  readonly hasSigns: boolean;
  /** True if a limit was exceeded. */
  readonly truncated: boolean;
}

/** Every marker in a comment contains one of these, including end markers. */
const COMMENT_SIGNS = /google|index|robots|udmcomment|zoom(?:stop|restart)/i;

/** `utf8` must be valid UTF-8. `isXml` is true for XHTML, in which every tag that ends in `/>` is empty. */
export function parseTree(utf8: Buffer, isXml: boolean): Tree {
  const bytes = utf8.length > MAX_LENGTH ? utf8.subarray(0, MAX_LENGTH) : utf8;
  const builder = new TreeBuilder(bytes, isXml);
  builder.build();
  const { root, elements, hasSigns, isFull } = builder;
  return { root, elements, hasSigns, truncated: isFull || bytes !== utf8 };
}

/** Names that most pages use: they are recognized without extracting them from the page each time. */
const TAGS = new NameTrie(ELEMENT_NAMES.map((name, index) => [name, index] as const));
const ATTRIBUTES = new NameTrie(
  (
    'alt aria-controls aria-hidden aria-label aria-labelledby cellpadding cellspacing charset class colspan content data-id ' +
    'datetime dir for headers height href id itemid itemprop itemscope itemtype lang media method name onclick placeholder ' +
    'property rel role rowspan scope sizes src srcset style summary tabindex target title type value width'
  )
    .split(' ')
    .map((name) => [name, name] as const),
);

/** So many open elements at most are opened again behind a link that ends inside them. */
const MAX_REOPENED = 10;

class TreeBuilder {
  readonly root = new Document();
  readonly elements: Element[] = [];
  hasSigns = false;
  private readonly open = new OpenElements(this.root);
  private readonly source: PageSource;
  private readonly page: string;
  private readonly attributes: PageAttributes;
  /** The first attribute of the tag that was read last. */
  private firstAttribute = 0;
  private selfClosing = false;
  private lastKind = this.open.innermost.kind;

  constructor(
    private readonly bytes: Buffer,
    private readonly isXml: boolean,
  ) {
    this.source = new PageSource(bytes);
    this.page = this.source.characters;
    this.attributes = new PageAttributes(this.source);
  }

  get isFull(): boolean {
    const { elements, open, attributes } = this;
    return elements.length > MAX_ELEMENTS || open.depth > MAX_OPEN || attributes.count >= MAX_ATTRIBUTES;
  }

  build(): void {
    const { page, bytes } = this;
    let from = 0;
    let tagStart = page.indexOf('<');
    while (tagStart >= 0 && !this.isFull) {
      if (startsMarkup(bytes, tagStart)) {
        if (tagStart > from) this.addText(from, tagStart);
        from = this.readMarkup(tagStart);
        tagStart = page.indexOf('<', from);
      } else tagStart = page.indexOf('<', tagStart + 1);
    }
    if (!this.isFull && from < page.length) this.addText(from, page.length);
  }

  // Each of the following methods reads what begins at a position and returns the position after it.

  private readMarkup(position: number): number {
    const { bytes } = this;
    const next = bytes[position + 1]!;
    if (isLetter(next)) return this.readStartTag(position + 1);
    if (next === SLASH)
      return isLetter(bytes[position + 2] ?? 0)
        ? this.readEndTag(position + 2)
        : findBogusCommentEnd(bytes, position + 2);
    if (next === BANG) return this.readDeclaration(position);
    return this.readComment(position + 1, findBogusCommentEnd(bytes, position));
  }

  private readDeclaration(position: number): number {
    const { bytes, page } = this;
    if (bytes[position + 2] === DASH && bytes[position + 3] === DASH)
      return this.readComment(position + 4, findCommentEnd(bytes, position));
    if (!(this.open.innermost.isForeign || this.isXml) || !page.startsWith('[CDATA[', position + 2)) {
      return this.readComment(position + 2, findBogusCommentEnd(bytes, position));
    }
    const closeIndex = page.indexOf(']]>', position + 9);
    const end = closeIndex < 0 ? bytes.length : closeIndex;
    if (end > position + 9) this.append(new Text(this.source.slice(position + 9, end)));
    return Math.min(end + 3, bytes.length);
  }

  private readComment(start: number, end: number): number {
    if (end - start > MAX_MARKER_LENGTH + 3) return end;
    const data = this.source.slice(start, end).replace(/(?:--!?)?>$/, '');
    if (!COMMENT_SIGNS.test(data)) return end;
    this.hasSigns ||= MARKER_SIGNS.test(data);
    this.append(new Comment(data));
    return end;
  }

  private readStartTag(position: number): number {
    const end = this.readAttributes(this.readName(position));
    // An incomplete tag at the end of the input is not a tag.
    if (end < 0) return this.bytes.length;
    const { open } = this;
    let kind = this.lastKind;
    if (kind.leavesForeign || (kind.name === 'font' && this.hasFontAttribute())) open.closeForeign();
    const { isForeign } = open.innermost;
    if (kind.name === 'image' && !isForeign) kind = open.getKind('img');
    // A form inside a form is ignored, and so are the tags of a page inside a page.
    if (kind.open.length > 0 && (kind.name === 'form' || this.isPage(kind))) return end;
    if (!isForeign) {
      if (kind.endsItself) this.endElement(kind);
      open.closeFor(kind);
    }
    this.openElement(kind, this.attributes.count);
    if (kind.isVoid) return end;
    if (this.selfClosing && (this.isXml || isForeign || kind.isForeign)) open.close();
    else if (kind.contentModel !== 'markup' && !isForeign) return this.readRawText(kind, end);
    return end;
  }

  private hasFontAttribute(): boolean {
    const { attributes, firstAttribute } = this;
    return ['color', 'face', 'size'].some((name) => attributes.find(name, firstAttribute, attributes.count) >= 0);
  }

  private isPage({ name }: ElementKind): boolean {
    return !this.isXml && (name === 'body' || name === 'html');
  }

  private readRawText({ name, contentModel }: ElementKind, start: number): number {
    const { bytes, source } = this;
    let end = bytes.length;
    if (contentModel === 'script') end = findScriptEnd(bytes, start);
    else if (contentModel !== 'plaintext') end = findEndTag(bytes, start, name);
    if (end > start)
      this.append(new Text(contentModel === 'rcdata' ? source.decodeText(start, end) : source.slice(start, end)));
    return end;
  }

  private readEndTag(position: number): number {
    const end = findTagEnd(this.bytes, this.readName(position));
    if (end < 0) return this.bytes.length;
    const { open, lastKind: kind } = this;
    const { name } = kind;
    // What follows the end of a page is part of it.
    if (this.isPage(kind)) return end;
    if (name === 'p' || name === 'br') open.closeForeign();
    if (name === 'br') this.openElement(kind);
    else if (!this.endElement(kind) && name === 'p') {
      this.openElement(kind);
      open.close();
    }
    return end;
  }

  /** Returns whether there is such an element to end. */
  private endElement(kind: Kind): boolean {
    const { open } = this;
    if (kind === open.innermost.kind) {
      open.close();
      return true;
    }
    const found = open.findEnded(kind);
    if (found === 0) return false;
    if (kind.name === 'form') open.closeImplied();
    if (kind.leavesBlocksOpen && open.hasBlocksInside(found)) this.endAroundBlocks(found);
    else open.closeAt(found);
    return true;
  }

  /** What follows is in the same blocks. If it is not part of a link either, the blocks are opened again behind the link. */
  private endAroundBlocks(position: number): void {
    const { open } = this;
    const node = open.getNodeAt(position);
    const isLink = node instanceof Element && node.name === 'a' && node.hasAttribute('href');
    if (!isLink || open.depth - position > MAX_REOPENED) {
      open.endAt(position);
      return;
    }
    const blocks = open.getBlocksInside(position);
    open.closeAt(position);
    for (const { kind, node: block } of blocks)
      if (block instanceof Element)
        this.addElement(kind, block.copyTo(open.innermost.node, open.innermost.lastElement));
  }

  /** `attributesEnd` is the index after its last attribute; omitted if it has none. */
  private openElement(kind: Kind, attributesEnd = this.firstAttribute): void {
    const { innermost, depth } = this.open;
    if (depth < MAX_DEPTH) {
      const { node, lastElement } = innermost;
      this.addElement(
        kind,
        new Element(kind.name, node, lastElement, this.attributes, this.firstAttribute, attributesEnd),
      );
      return;
    }
    if (SEPARATING_ELEMENTS.has(kind.name)) this.append(new Text(' '));
    if (!kind.isVoid) this.open.push(kind, innermost.node, this.holdsForeign(kind));
  }

  private addElement(kind: Kind, element: Element): void {
    this.append(element);
    this.open.innermost.lastElement = element;
    this.elements.push(element);
    this.hasSigns ||= kind.name === MARKER_ELEMENT;
    if (!kind.isVoid) this.open.push(kind, element, this.holdsForeign(kind));
  }

  private holdsForeign(kind: Kind): boolean {
    return kind.isForeign || (this.open.innermost.isForeign && !kind.holdsHtml);
  }

  private addText(start: number, end: number): void {
    this.append(new Text(this.source.decodeText(start, end)));
  }

  private append(child: ChildNode): void {
    const { node } = this.open.innermost;
    // Most elements have only one child, and an empty array that grows would reserve space for seventeen.
    if (node.children.length === 0) node.children = [child];
    else (node.children as ChildNode[]).push(child);
  }

  private readName(from: number): number {
    const { bytes } = this;
    let position = from;
    let node = ROOT;
    for (; position < bytes.length && !endsName(bytes[position]!); position++)
      node = TAGS.next[node * WIDTH + SYMBOL[bytes[position]!]!]!;
    const index = TAGS.valueAt(node);
    this.lastKind =
      index === undefined ? this.open.getKind(this.source.slice(from, position)) : this.open.getCommonKind(index);
    return position;
  }

  /** Reads attributes by the HTML standard's rules, from the end of a tag's name; -1 if the tag is incomplete. */
  private readAttributes(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    this.firstAttribute = this.attributes.count;
    this.selfClosing = false;
    for (let position = from; position < end; ) {
      let endsWithSlash = false;
      while (position < end && (isSpace(bytes[position]!) || bytes[position] === SLASH))
        endsWithSlash = bytes[position++] === SLASH;
      if (position < end && bytes[position] === GREATER) {
        this.selfClosing = endsWithSlash;
        return position + 1;
      }
      if (position < end) position = this.readAttribute(position);
    }
    return -1;
  }

  private readAttribute(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    // The first byte belongs to the name whatever it is, even `=`.
    let position = from + 1;
    let node = ATTRIBUTES.next[ROOT * WIDTH + SYMBOL[bytes[from]!]!]!;
    for (; position < end && bytes[position] !== EQUALS && !endsName(bytes[position]!); position++)
      node = ATTRIBUTES.next[node * WIDTH + SYMBOL[bytes[position]!]!]!;
    const name = ATTRIBUTES.valueAt(node) ?? this.readUncommonName(from, position);
    while (position < end && isSpace(bytes[position]!)) position++;
    if (position < end && bytes[position] === EQUALS) {
      position++;
      while (position < end && isSpace(bytes[position]!)) position++;
      const quote = position < end ? bytes[position]! : GREATER;
      if (quote === QUOTE || quote === APOSTROPHE) {
        const start = position + 1;
        const closeIndex = this.page.indexOf(quote === QUOTE ? '"' : "'", start);
        if (closeIndex < 0) return end;
        this.addAttribute(name, start, closeIndex);
        return closeIndex + 1;
      }
      const start = position;
      while (position < end && bytes[position] !== GREATER && !isSpace(bytes[position]!)) position++;
      this.addAttribute(name, start, position);
      return position;
    }
    this.addAttribute(name, position, position);
    return position;
  }

  private addAttribute(name: string, start: number, end: number): void {
    if (this.attributes.count < MAX_ATTRIBUTES) this.attributes.add(name, start, end);
  }

  private readUncommonName(start: number, end: number): string {
    const name = this.source.slice(start, end).toLowerCase();
    this.hasSigns ||= name.startsWith('data-') && MARKER_SIGNS.test(name);
    return name;
  }
}

/** Whether a `<` begins markup; otherwise it is text. */
function startsMarkup(bytes: Buffer, position: number): boolean {
  const next = bytes[position + 1] ?? 0;
  return isLetter(next) || next === BANG || next === QUESTION || (next === SLASH && position + 2 < bytes.length);
}
