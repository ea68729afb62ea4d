/**
 * A page as a tree, for what the scanner cannot find: built only for pages whose configuration needs it. Tokens are those of the HTML
 * standard, as for the scanner. Of tree construction, what people rely on is followed: void elements, end tags that may be omitted,
 * SVG and MathML. Comments are left out unless they may be markers.
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
import { NameTrie, ROOT, SYMBOL, WIDTH } from '../html/name-trie.js';
import { findBogusCommentEnd, findCommentEnd, findEndTag, findScriptEnd, findTagEnd } from '../html/raw-text.js';
import { ELEMENT_NAMES, type ElementKind, getElementKind } from './element-kinds.js';
import { type ChildNode, Comment, Document, Element, type ParentNode, Text } from './nodes.js';
import { PageAttributes, PageSource } from './page-source.js';

/** Browsers put deeper elements beside their parents, too (Blink: 512). */
const MAX_DEPTH = 500;
/** What follows is ignored. */
const MAX_ELEMENTS = 200_000;
/** Of all elements together; what follows is ignored. A page of nothing else would fill the memory of its thread. */
const MAX_ATTRIBUTES = 500_000;
/** Open tags, those included that are too deep to make an element; what follows is ignored. */
const MAX_OPEN = 5_000;
/** Bytes of markup. */
const MAX_LENGTH = 16 * 1024 * 1024;

export interface Tree {
  readonly root: Document;
  /** In document order. */
  readonly elements: readonly Element[];
  /** Something in it looks like a marker of what does not count. */
  readonly hasSigns: boolean;
  /** A limit was exceeded. */
  readonly truncated: boolean;
}

/** Contained in every marker. */
export const SIGNS = /googleo|nosnippet|data-elastic|data-swiftype|noindex|udmcomment/i;
/** A longer comment is not a marker; `robots` begins the end of one that needs no sign. */
const COMMENT_SIGNS = /google|index|robots|udmcomment/i;
export const LONGEST_MARKER = 100;

/** `utf8`: valid UTF-8. `xml`: in XHTML a tag that ends in `/>` is empty, whatever its name. */
export function parseTree(utf8: Buffer, xml: boolean): Tree {
  const bytes = utf8.length > MAX_LENGTH ? utf8.subarray(0, MAX_LENGTH) : utf8;
  const builder = new TreeBuilder(bytes, xml);
  builder.build();
  const { root, elements, hasSigns, isFull } = builder;
  return { root, elements, hasSigns, truncated: isFull || bytes !== utf8 };
}

/** Names that most pages have, so that they need not be cut out of the page again and again. */
const COMMON_KINDS = ELEMENT_NAMES.map(getElementKind);
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

/** Exists once for each page. */
interface Kind extends ElementKind {
  /** How many are open, so that an end tag without a start costs nothing. */
  open: number;
}

const DOCUMENT: Kind = { ...getElementKind(''), open: 1 };

/** An open element, and what is known of its content so far. */
interface Open {
  kind: Kind;
  /** Where its children go. */
  node: ParentNode;
  /** The last element among its children. */
  last: Element | undefined;
  /** Is its content SVG or MathML? */
  foreign: boolean;
}

class TreeBuilder {
  readonly root = new Document();
  readonly elements: Element[] = [];
  hasSigns = false;
  /** The document first, which is never closed. Entries above `depth` are kept to be used again. */
  private readonly open: Open[] = [{ kind: DOCUMENT, node: this.root, last: undefined, foreign: false }];
  private depth = 0;
  private innermost = this.open[0]!;
  /** By the index of their names in `ELEMENT_NAMES`. */
  private readonly commonKinds: Kind[] = [];
  /** The others, by the name as written. */
  private readonly kinds = new Map<string, Kind>();
  private readonly source: PageSource;
  private readonly page: string;
  private readonly attributes: PageAttributes;
  /** The first attribute of the tag that was read last. */
  private firstAttribute = 0;
  private selfClosing = false;
  private kindRead = DOCUMENT;

  constructor(
    private readonly bytes: Buffer,
    private readonly xml: boolean,
  ) {
    this.source = new PageSource(bytes);
    this.page = this.source.characters;
    this.attributes = new PageAttributes(this.source);
  }

  get isFull(): boolean {
    const { elements, depth, attributes } = this;
    return elements.length > MAX_ELEMENTS || depth > MAX_OPEN || attributes.count >= MAX_ATTRIBUTES;
  }

  build(): void {
    const { page, bytes } = this;
    let from = 0;
    let less = page.indexOf('<');
    while (less >= 0 && !this.isFull) {
      if (startsMarkup(bytes, less)) {
        if (less > from) this.addText(from, less);
        from = this.readMarkup(less);
        less = page.indexOf('<', from);
      } else less = page.indexOf('<', less + 1);
    }
    if (!this.isFull && from < page.length) this.addText(from, page.length);
  }

  // Each of the following reads what begins at a position and returns the position after it.

  private readMarkup(at: number): number {
    const { bytes } = this;
    const next = bytes[at + 1]!;
    if (isLetter(next)) return this.readStartTag(at + 1);
    if (next === SLASH)
      return isLetter(bytes[at + 2] ?? 0) ? this.readEndTag(at + 2) : findBogusCommentEnd(bytes, at + 2);
    if (next === BANG) return this.readDeclaration(at);
    return this.readComment(at + 1, findBogusCommentEnd(bytes, at));
  }

  private readDeclaration(at: number): number {
    const { bytes, page } = this;
    if (bytes[at + 2] === DASH && bytes[at + 3] === DASH) return this.readComment(at + 4, findCommentEnd(bytes, at));
    if (!(this.innermost.foreign || this.xml) || !page.startsWith('[CDATA[', at + 2)) {
      return this.readComment(at + 2, findBogusCommentEnd(bytes, at));
    }
    const close = page.indexOf(']]>', at + 9);
    const end = close < 0 ? bytes.length : close;
    if (end > at + 9) this.append(new Text(this.source.slice(at + 9, end)));
    return Math.min(end + 3, bytes.length);
  }

  private readComment(start: number, behind: number): number {
    if (behind - start > LONGEST_MARKER + 3) return behind;
    const data = this.source.slice(start, behind).replace(/(?:--!?)?>$/, '');
    if (!COMMENT_SIGNS.test(data)) return behind;
    this.hasSigns ||= SIGNS.test(data);
    this.append(new Comment(data));
    return behind;
  }

  private readStartTag(at: number): number {
    const behind = this.readAttributes(this.readName(at));
    // An incomplete tag at the end of the input is not a tag.
    if (behind < 0) return this.bytes.length;
    const { foreign } = this.innermost;
    let kind = this.kindRead;
    if (kind.name === 'image' && !foreign) kind = this.findKind('img');
    // A form in a form is ignored.
    if (kind.name === 'form' && kind.open > 0) return behind;
    this.openElement(kind, this.attributes.count);
    if (kind.isVoid) return behind;
    if (this.selfClosing && (this.xml || foreign || kind.isForeign)) this.closeElement();
    else if (kind.content !== 'markup' && !foreign) return this.readRawText(kind, behind);
    return behind;
  }

  private readRawText({ name, content }: ElementKind, start: number): number {
    const { bytes, source } = this;
    let end = bytes.length;
    if (content === 'script') end = findScriptEnd(bytes, start);
    else if (content !== 'plaintext') end = findEndTag(bytes, start, name);
    if (end > start) this.append(new Text(content === 'rcdata' ? source.text(start, end) : source.slice(start, end)));
    return end;
  }

  private readEndTag(at: number): number {
    const behind = findTagEnd(this.bytes, this.readName(at));
    if (behind < 0) return this.bytes.length;
    const kind = this.kindRead;
    if (kind.name === 'br') this.openElement(kind);
    else if (kind.open > 0) {
      while (this.innermost.kind !== kind) this.closeElement();
      this.closeElement();
    } else if (kind.name === 'p') {
      this.openElement(kind);
      this.closeElement();
    }
    return behind;
  }

  /** `attributesEnd`: behind its attributes; absent: it has none. */
  private openElement(kind: Kind, attributesEnd = this.firstAttribute): void {
    const { closes } = kind;
    if (closes) while (closes.has(this.innermost.kind.name)) this.closeElement();
    const parent = this.innermost;
    let { node } = parent;
    if (this.depth < MAX_DEPTH) {
      const { firstAttribute } = this;
      const element = new Element(kind.name, node, parent.last, this.attributes, firstAttribute, attributesEnd);
      this.append(element);
      parent.last = element;
      this.elements.push(element);
      this.hasSigns ||= kind.name === 'noindex';
      node = element;
    }
    if (!kind.isVoid) this.enter(kind, node, kind.isForeign || (parent.foreign && !kind.holdsHtml));
  }

  private enter(kind: Kind, node: ParentNode, foreign: boolean): void {
    const known = this.open[++this.depth];
    if (known) {
      known.kind = kind;
      known.node = node;
      known.last = undefined;
      known.foreign = foreign;
    }
    this.innermost = known ?? { kind, node, last: undefined, foreign };
    if (!known) this.open.push(this.innermost);
    kind.open++;
  }

  private closeElement(): void {
    this.innermost.kind.open--;
    this.innermost = this.open[--this.depth]!;
  }

  private findCommonKind(index: number): Kind {
    this.commonKinds[index] ??= { ...COMMON_KINDS[index]!, open: 0 };
    return this.commonKinds[index];
  }

  private findKind(written: string): Kind {
    const known = this.kinds.get(written);
    if (known) return known;
    const name = written.toLowerCase();
    const kind = this.kinds.get(name) ?? { ...getElementKind(name), open: 0 };
    this.kinds.set(name, kind).set(written, kind);
    return kind;
  }

  private addText(start: number, end: number): void {
    this.append(new Text(this.source.text(start, end)));
  }

  private append(child: ChildNode): void {
    const { node } = this.innermost;
    // Room for one: most elements have no more, and an array that grows from nothing takes room for seventeen.
    if (node.children.length === 0) node.children = [child];
    else (node.children as ChildNode[]).push(child);
  }

  private readName(from: number): number {
    const { bytes } = this;
    let at = from;
    let node = ROOT;
    for (; at < bytes.length && !endsName(bytes[at]!); at++) node = TAGS.next[node * WIDTH + SYMBOL[bytes[at]!]!]!;
    const index = TAGS.valueAt(node);
    this.kindRead = index === undefined ? this.findKind(this.source.slice(from, at)) : this.findCommonKind(index);
    return at;
  }

  /** By the tokenizer rules of the HTML standard, from behind the name of a tag; -1 when the input ends inside it. */
  private readAttributes(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    this.firstAttribute = this.attributes.count;
    this.selfClosing = false;
    for (let at = from; at < end; ) {
      let slash = false;
      while (at < end && (isSpace(bytes[at]!) || bytes[at] === SLASH)) slash = bytes[at++] === SLASH;
      if (at < end && bytes[at] === GREATER) {
        this.selfClosing = slash;
        return at + 1;
      }
      if (at < end) at = this.readAttribute(at);
    }
    return -1;
  }

  private readAttribute(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    // The first byte belongs to the name whatever it is, even `=`.
    let at = from + 1;
    let node = ATTRIBUTES.next[ROOT * WIDTH + SYMBOL[bytes[from]!]!]!;
    for (; at < end && bytes[at] !== EQUALS && !endsName(bytes[at]!); at++)
      node = ATTRIBUTES.next[node * WIDTH + SYMBOL[bytes[at]!]!]!;
    const name = ATTRIBUTES.valueAt(node) ?? this.readOtherName(from, at);
    while (at < end && isSpace(bytes[at]!)) at++;
    if (at < end && bytes[at] === EQUALS) {
      at++;
      while (at < end && isSpace(bytes[at]!)) at++;
      const quote = at < end ? bytes[at]! : GREATER;
      if (quote === QUOTE || quote === APOSTROPHE) {
        const start = at + 1;
        const close = this.page.indexOf(quote === QUOTE ? '"' : "'", start);
        if (close < 0) return end;
        this.addAttribute(name, start, close);
        return close + 1;
      }
      const start = at;
      while (at < end && bytes[at] !== GREATER && !isSpace(bytes[at]!)) at++;
      this.addAttribute(name, start, at);
      return at;
    }
    this.addAttribute(name, at, at);
    return at;
  }

  private addAttribute(name: string, start: number, end: number): void {
    if (this.attributes.count < MAX_ATTRIBUTES) this.attributes.add(name, start, end);
  }

  private readOtherName(start: number, end: number): string {
    const name = this.source.slice(start, end).toLowerCase();
    this.hasSigns ||= name.startsWith('data-') && SIGNS.test(name);
    return name;
  }
}

/** A `<` before anything else is text. */
function startsMarkup(bytes: Buffer, less: number): boolean {
  const next = bytes[less + 1] ?? 0;
  return isLetter(next) || next === BANG || next === QUESTION || (next === SLASH && less + 2 < bytes.length);
}
