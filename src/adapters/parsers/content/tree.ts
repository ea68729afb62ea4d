/**
 * A page as a tree, for what the scanner cannot find: built only for pages whose configuration needs it. Tokens are those of the HTML
 * standard, as for the scanner. Of tree construction, what people rely on is followed: void elements, end tags that may be omitted,
 * SVG and MathML. Comments are left out unless they may be markers.
 */
import { isAscii } from 'node:buffer';
import { type ChildNode, Comment, Document, Element, type ParentNode, Text } from 'domhandler';
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
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
import { ELEMENT_NAMES, type ElementKind, elementKind } from './element-kinds.js';

/** Browsers put deeper elements beside their parents, too (Blink: 512). */
const MAX_DEPTH = 500;
/** What follows is ignored. */
const MAX_ELEMENTS = 200_000;
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
  /** A limit was passed. */
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

type Attributes = Record<string, string>;

/** Shared by all elements without attributes; nobody changes attributes. */
export const NONE: Attributes = {};
/** Names that most pages have, so that they need not be cut out of the page again and again. */
const TAGS = new NameTrie(ELEMENT_NAMES.map((name) => [name, name] as const));
const ATTRIBUTES = new NameTrie(
  (
    'alt aria-controls aria-hidden aria-label aria-labelledby cellpadding cellspacing charset class colspan content data-id ' +
    'datetime dir for headers height href id itemid itemprop itemscope itemtype lang media method name onclick placeholder ' +
    'property rel role rowspan scope sizes src srcset style summary tabindex target title type value width'
  )
    .split(' ')
    .map((name) => [name, name] as const),
);
const BEYOND_ASCII = /[\u0080-\u00ff]/;

/** Exists once for each page. */
interface Kind extends ElementKind {
  /** How many are open, so that an end tag without a start costs nothing. */
  open: number;
}

interface Open {
  readonly kind: Kind;
  /** Where its children go. */
  readonly node: ParentNode;
  /** What was around it. */
  readonly foreign: boolean;
}

class TreeBuilder {
  readonly root = new Document([]);
  readonly elements: Element[] = [];
  hasSigns = false;
  private readonly open: Open[] = [];
  /** By the name as written. */
  private readonly kinds = new Map<string, Kind>();
  private parent: ParentNode = this.root;
  /** Inside of SVG or MathML. */
  private foreign = false;
  /** One character for each byte: cutting from it is many times faster than decoding each piece. */
  private readonly page: string;
  private readonly ascii: boolean;
  /** Belongs to the tag that was read last. */
  private attributes = NONE;
  private selfClosing = false;
  private kindRead!: Kind;

  constructor(
    private readonly bytes: Buffer,
    private readonly xml: boolean,
  ) {
    this.page = bytes.toString('latin1');
    this.ascii = isAscii(bytes);
  }

  get isFull(): boolean {
    return this.elements.length > MAX_ELEMENTS || this.open.length > MAX_OPEN;
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
    if (!(this.foreign || this.xml) || !page.startsWith('[CDATA[', at + 2)) {
      return this.readComment(at + 2, findBogusCommentEnd(bytes, at));
    }
    const close = page.indexOf(']]>', at + 9);
    const end = close < 0 ? bytes.length : close;
    if (end > at + 9) this.appendNode(new Text(this.slice(at + 9, end)));
    return Math.min(end + 3, bytes.length);
  }

  private readComment(start: number, behind: number): number {
    if (behind - start > LONGEST_MARKER + 3) return behind;
    const data = this.slice(start, behind).replace(/(?:--!?)?>$/, '');
    if (!COMMENT_SIGNS.test(data)) return behind;
    this.hasSigns ||= SIGNS.test(data);
    this.appendNode(new Comment(data));
    return behind;
  }

  private readStartTag(at: number): number {
    const behind = this.readAttributes(this.readName(at));
    // An incomplete tag at the end of the input is not a tag.
    if (behind < 0) return this.bytes.length;
    let kind = this.kindRead;
    if (kind.name === 'image' && !this.foreign) kind = this.findKind('img');
    // A form in a form is ignored.
    if (kind.name === 'form' && kind.open > 0) return behind;
    const { foreign, selfClosing } = this;
    this.openElement(kind, this.attributes);
    if (kind.isVoid) return behind;
    if (selfClosing && (this.xml || foreign || kind.isForeign)) this.closeElement();
    else if (kind.content !== 'markup' && !foreign) return this.readRawText(kind, behind);
    return behind;
  }

  private readRawText({ name, content }: ElementKind, start: number): number {
    const { bytes } = this;
    let end = bytes.length;
    if (content === 'script') end = findScriptEnd(bytes, start);
    else if (content !== 'plaintext') end = findEndTag(bytes, start, name);
    if (end > start) {
      const written = this.slice(start, end);
      this.appendNode(new Text(content === 'rcdata' ? decodeReferences(written) : written));
    }
    return end;
  }

  private readEndTag(at: number): number {
    const behind = findTagEnd(this.bytes, this.readName(at));
    if (behind < 0) return this.bytes.length;
    const kind = this.kindRead;
    if (kind.name === 'br') this.openElement(kind, NONE);
    else if (kind.open > 0) {
      while (this.open.at(-1)!.kind !== kind) this.closeElement();
      this.closeElement();
    } else if (kind.name === 'p') {
      this.openElement(kind, NONE);
      this.closeElement();
    }
    return behind;
  }

  private openElement(kind: Kind, attributes: Attributes): void {
    const { closes } = kind;
    if (closes) while (this.open.length > 0 && closes.has(this.open.at(-1)!.kind.name)) this.closeElement();
    const element = this.open.length < MAX_DEPTH ? new Element(kind.name, attributes) : undefined;
    if (element) {
      this.appendNode(element);
      this.elements.push(element);
      this.hasSigns ||= kind.name === 'noindex';
    }
    if (kind.isVoid) return;
    const { foreign } = this;
    const node = element ?? this.parent;
    this.open.push({ kind, node, foreign });
    kind.open++;
    this.parent = node;
    if (kind.isForeign) this.foreign = true;
    else if (kind.holdsHtml) this.foreign = false;
  }

  private closeElement(): void {
    const { kind, foreign } = this.open.pop()!;
    kind.open--;
    this.foreign = foreign;
    this.parent = this.open.at(-1)?.node ?? this.root;
  }

  private findKind(written: string): Kind {
    const name = written.toLowerCase();
    const kind = this.kinds.get(name) ?? { ...elementKind(name), open: 0 };
    this.kinds.set(name, kind).set(written, kind);
    return kind;
  }

  private addText(start: number, end: number): void {
    this.appendNode(new Text(decodeReferences(this.slice(start, end))));
  }

  private appendNode(node: ChildNode): void {
    const { parent } = this;
    const { children } = parent;
    node.parent = parent;
    if (children.length === 0) {
      // Room for one: most elements have no more, and an array that grows from nothing takes room for seventeen.
      parent.children = [node];
      return;
    }
    const last = children[children.length - 1]!;
    last.next = node;
    node.prev = last;
    children.push(node);
  }

  private slice(start: number, end: number): string {
    const cut = this.page.slice(start, end);
    return this.ascii || !BEYOND_ASCII.test(cut) ? cut : this.bytes.toString('utf8', start, end);
  }

  private readName(from: number): number {
    const { bytes } = this;
    let at = from;
    let node = ROOT;
    for (; at < bytes.length && !endsName(bytes[at]!); at++) node = TAGS.next[node * WIDTH + SYMBOL[bytes[at]!]!]!;
    const written = TAGS.valueAt(node) ?? this.slice(from, at);
    this.kindRead = this.kinds.get(written) ?? this.findKind(written);
    return at;
  }

  /** By the tokenizer rules of the HTML standard, from behind the name of a tag; -1 when the input ends inside it. */
  private readAttributes(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    this.attributes = NONE;
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

  /** If an attribute appears twice, the first one counts. */
  private addAttribute(name: string, start: number, end: number): void {
    if (this.attributes === NONE) this.attributes = {};
    else if (Object.hasOwn(this.attributes, name)) return;
    const written = this.slice(start, end);
    this.attributes[name] = written.includes('&') ? decodeHTMLAttribute(written) : written;
  }

  private readOtherName(start: number, end: number): string {
    const name = this.slice(start, end).toLowerCase();
    this.hasSigns ||= name.startsWith('data-') && SIGNS.test(name);
    return name;
  }
}

const decodeReferences = (written: string): string => (written.includes('&') ? decodeHTML(written) : written);

/** A `<` before anything else is text. */
function startsMarkup(bytes: Buffer, less: number): boolean {
  const next = bytes[less + 1] ?? 0;
  return isLetter(next) || next === BANG || next === QUESTION || (next === SLASH && less + 2 < bytes.length);
}

export const isElement = (node: ChildNode | ParentNode | null): node is Element =>
  node !== null && (node.type === 'tag' || node.type === 'script' || node.type === 'style');

/** In document order, the node itself included. The tree is not deep. */
export function* elementsIn(node: ParentNode): Generator<Element> {
  const stack: (ChildNode | ParentNode)[] = [node];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (isElement(next)) yield next;
    if (!('children' in next)) continue;
    const { children } = next;
    for (let at = children.length - 1; at >= 0; at--) if (isElement(children[at]!)) stack.push(children[at]!);
  }
}
