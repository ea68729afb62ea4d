/**
 * Reads a page in one pass over its UTF-8 bytes: links, base, metas, title, language and visible text. No tree is
 * built, and no byte is examined more than a fixed number of times, whatever the page. Tokens are those of the HTML
 * standard without scripting. The rules of tree construction are followed only where they affect tokens or what belongs
 * to the document: for SVG and MathML, and for templates, whose content is not part of the page (a shadow root's is).
 * Text inside `<noscript>` and `<noframes>` is left out, because it is not displayed, but its links are read.
 */
import { decodeHTML } from 'entities/decode';
import { ATTRIBUTE, Attributes } from './attributes.js';
import { BANG, DASH, isLetter, LESS, QUESTION, SLASH } from './bytes.js';
import { ELEMENTS, UNNAMED } from './elements.js';
import { ForeignContent } from './foreign-content.js';
import { MARKER_ELEMENT, MARKER_SIGNS, MAX_MARKER_LENGTH } from './markers.js';
import { END, ROOT, SYMBOL, WIDTH } from './name-trie.js';
import { collapseWhitespace, PageFacts } from './page-facts.js';
import { findBogusCommentEnd, findCommentEnd, findEndTag, findScriptEnd, findTagEnd } from './raw-text.js';
import { clip, TextBuffer } from './text-buffer.js';

const MAX_TITLE_LENGTH = 2_048;
/** In bytes, with `<!--` and `-->`: longer comments are not markers. */
const MAX_COMMENT_LENGTH = MAX_MARKER_LENGTH + 8;

export class HtmlScanner {
  readonly facts: PageFacts;
  title = '';
  /** The first `<h1>` with text. */
  heading = '';
  /** Whether an element or a comment excludes parts of the page from search engines. */
  private hasMarkingNode = false;
  private readonly attributes: Attributes;
  private readonly foreignContent: ForeignContent;
  /** The element whose tag is being read. */
  private element = UNNAMED;
  /** Open templates: `inert` if the content is not part of the page, with their depth in foreign elements. */
  private readonly templates: { readonly inert: boolean; readonly foreignDepth: number }[] = [];
  private inertTemplates = 0;
  /** The element that hides its text, until its end tag. */
  private hidingElement: string | undefined;
  /** Whether only tags that may be in the head were read. */
  private isInHead = true;
  /** Where in the text the `<h1>` begins that is being read. */
  private headingStart: number | undefined;
  /** The depth of that element in foreign elements. */
  private hiddenDepth = 0;

  /**
   * `bytes` must be valid UTF-8. `xml` is true for XHTML, in which every tag that ends in `/>` is empty. `text` is
   * begun by the scanner and finished by the caller.
   */
  constructor(
    private readonly bytes: Buffer,
    private readonly text: TextBuffer,
    private readonly options: {
      readonly maxLinks: number;
      readonly xml: boolean;
      readonly accessMetas?: readonly string[];
    },
  ) {
    this.attributes = new Attributes(bytes);
    this.foreignContent = new ForeignContent(this.attributes);
    this.facts = new PageFacts(this.attributes, options.maxLinks, options.accessMetas);
  }

  scan(): this {
    const { bytes, text } = this;
    const end = bytes.length;
    text.begin(end);
    let position = 0;
    while (position < end) {
      position = this.isVisible ? text.copy(bytes, position, end) : findNextTag(bytes, position);
      if (position < end)
        position = bytes[position] === LESS ? this.readMarkup(position) : text.appendReference(bytes, position);
    }
    return this;
  }

  /** Whether the page may contain markers that exclude parts of it from search engines. */
  get hasMarkers(): boolean {
    return this.hasMarkingNode || this.attributes.hasMarkers;
  }

  private get isVisible(): boolean {
    return this.hidingElement === undefined && this.inertTemplates === 0;
  }

  // Each of the following methods reads what begins at a position and returns the position after it.

  private readMarkup(position: number): number {
    const { bytes } = this;
    const next = bytes[position + 1] ?? 0;
    if (isLetter(next)) return this.readTag(position + 1, false);
    if (next === SLASH)
      return isLetter(bytes[position + 2] ?? 0) ? this.readTag(position + 2, true) : this.readMalformedEndTag(position);
    if (next === BANG) return this.readDeclaration(position);
    if (next === QUESTION) return this.readComment(position, findBogusCommentEnd(bytes, position));
    if (this.isVisible) this.text.appendLiteral(LESS);
    return position + 1;
  }

  private readDeclaration(position: number): number {
    const { bytes } = this;
    if (bytes[position + 2] === DASH && bytes[position + 3] === DASH)
      return this.readComment(position, findCommentEnd(bytes, position));
    const hasCdata = this.foreignContent.isActive || this.options.xml;
    if (!hasCdata || bytes.toString('latin1', position + 2, position + 9) !== '[CDATA[')
      return this.readComment(position, findBogusCommentEnd(bytes, position));
    const closeIndex = bytes.indexOf(']]>', position + 9, 'latin1');
    const end = closeIndex < 0 ? bytes.length : closeIndex;
    this.addRawText(position + 9, end);
    return Math.min(end + 3, bytes.length);
  }

  private readComment(start: number, end: number): number {
    if (end - start <= MAX_COMMENT_LENGTH && !this.hasMarkingNode)
      this.hasMarkingNode = MARKER_SIGNS.test(this.attributes.latin1.slice(start, end));
    return end;
  }

  private readTag(nameStart: number, isEndTag: boolean): number {
    const nameEnd = this.readName(nameStart);
    const { element } = this;
    const isPlain = element.isPlain && this.foreignContent.depth === 0;
    const end = isPlain ? findTagEnd(this.bytes, nameEnd, this.attributes) : this.attributes.read(nameEnd);
    // An incomplete tag at the end of the input is not a tag.
    if (end < 0) return this.bytes.length;
    if (this.isInHead && !isEndTag && !element.inHead && this.isVisible) this.isInHead = false;
    if (!element.inline && this.isVisible) {
      if (element.breaksLine) this.text.startNewLine();
      else this.text.startNewWord();
    }
    if (element.name === 'h1') this.readHeading(isEndTag);
    else if (element.name === 'pre') this.text.keepsLines = !isEndTag;
    else if (element.name === MARKER_ELEMENT) this.hasMarkingNode = true;
    if (isPlain) return end;
    const next = isEndTag ? this.readEndTag(end) : this.readStartTag(end);
    // A drawing that ends before its title, style or script does also ends that; `noscript` and `noframes` go on.
    if (this.foreignContent.depth < this.hiddenDepth && !this.hidingElement?.startsWith('no'))
      this.hidingElement = undefined;
    return next;
  }

  private readName(from: number): number {
    const { bytes } = this;
    const { next } = ELEMENTS;
    const end = bytes.length;
    let position = from;
    let node = ROOT;
    for (; position < end; position++) {
      const symbol = SYMBOL[bytes[position]!]!;
      if (symbol === END) break;
      node = next[node * WIDTH + symbol]!;
    }
    this.element = ELEMENTS.valueAt(node) ?? UNNAMED;
    return position;
  }

  /** Continues at the end of a start tag; an element that contains no markup is read as a whole. */
  private readStartTag(end: number): number {
    const { element } = this;
    const { selfClosing } = this.attributes;
    const isForeign = this.foreignContent.open(element, selfClosing);
    // SVG has links, too, but its other elements do not have the meaning of their HTML namesakes.
    const isWanted = element.needsAttributes && this.inertTemplates === 0 && (!isForeign || element.name === 'a');
    if (isWanted)
      this.facts.readStartTag(element.name, {
        foreign: isForeign,
        unseen: this.hidingElement !== undefined,
        inHead: this.isInHead && this.text.size === 0,
      });
    if (selfClosing && (isForeign || this.options.xml)) return end;
    if (isForeign) this.openForeign(element.name);
    else if (element.name === 'template') this.openTemplate();
    else if (element.name === 'noscript' || element.name === 'noframes') this.hidingElement ??= element.name;
    else if (element.contentModel !== 'markup') return this.readRawElement(end);
    return end;
  }

  private readEndTag(end: number): number {
    const { name } = this.element;
    if (name === this.hidingElement) this.hidingElement = undefined;
    if (name === 'template') this.closeTemplate();
    else if (this.foreignContent.depth > 0) this.foreignContent.close(name);
    return end;
  }

  /** `</>` is ignored, `</` at the end of the input is text, and anything else is a bogus comment. */
  private readMalformedEndTag(position: number): number {
    if (position + 2 >= this.bytes.length && this.isVisible) this.text.append('</');
    return this.readComment(position, findBogusCommentEnd(this.bytes, position + 2));
  }

  private readRawElement(start: number): number {
    const { bytes, element } = this;
    let end = bytes.length;
    if (element.contentModel === 'script') end = findScriptEnd(bytes, start);
    else if (element.contentModel !== 'plaintext') end = findEndTag(bytes, start, element.name);
    if (element.name === 'title') this.readTitle(start, end);
    else if (element.contentModel === 'rcdata') this.addRawText(start, end, decodeHTML);
    else if (element.name === 'xmp' || element.name === 'plaintext') this.addRawText(start, end);
    return end;
  }

  private openForeign(name: string): void {
    // Browsers do not show the title of a drawing as text; in MathML, a title is an element like any other.
    const isHidden = name === 'style' || name === 'script' || (name === 'title' && !this.foreignContent.isActive);
    if (!isHidden || this.hidingElement !== undefined) return;
    this.hidingElement = name;
    this.hiddenDepth = this.foreignContent.depth;
  }

  private openTemplate(): void {
    const isInert = !this.attributes.has(ATTRIBUTE.shadowrootmode);
    this.templates.push({ inert: isInert, foreignDepth: this.foreignContent.depth });
    if (isInert) this.inertTemplates++;
  }

  /** Also ends SVG and MathML that began inside the template. */
  private closeTemplate(): void {
    const template = this.templates.pop();
    if (template === undefined) return;
    this.foreignContent.closeToDepth(template.foreignDepth);
    if (template.inert) this.inertTemplates--;
  }

  /** Reads the first non-empty title, as browsers show it. */
  private readTitle(start: number, end: number): void {
    if (this.title !== '' || this.inertTemplates > 0) return;
    const rawTitle = this.bytes.toString('utf8', start, Math.min(end, start + MAX_TITLE_LENGTH * 8));
    this.title = clip(collapseWhitespace(decodeHTML(rawTitle)), MAX_TITLE_LENGTH);
  }

  private readHeading(isEndTag: boolean): void {
    if (this.heading !== '' || !this.isVisible) return;
    if (isEndTag && this.headingStart !== undefined)
      this.heading = clip(
        collapseWhitespace(this.text.read(this.headingStart, MAX_TITLE_LENGTH * 4)),
        MAX_TITLE_LENGTH,
      ).trim();
    this.headingStart = isEndTag ? undefined : this.text.size;
  }

  private addRawText(start: number, end: number, decode = (rawText: string) => rawText): void {
    if (this.isVisible) this.text.append(decode(this.bytes.toString('utf8', start, end)));
  }
}

function findNextTag(bytes: Buffer, position: number): number {
  const tagStart = bytes.indexOf(LESS, position);
  return tagStart < 0 ? bytes.length : tagStart;
}
