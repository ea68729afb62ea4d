/**
 * Reads a page in one pass over its UTF-8 bytes: links, base, metas, title, language and visible text. No tree is
 * built, and no byte is examined more than a fixed number of times, whatever the page. Tokens are those of the HTML
 * standard without scripting. The rules of tree construction are followed only where they affect tokens or what belongs
 * to the document: for SVG and MathML, and for templates, whose content is not part of the page (a shadow root's is).
 * Text inside `<noscript>` and `<noframes>` is left out, since readers do not see it, but its links count.
 */
import { decodeHTML } from 'entities/decode';
import { ATTRIBUTE, Attributes } from './attributes.js';
import { BANG, DASH, isLetter, LESS, QUESTION, SLASH } from './bytes.js';
import { ELEMENTS, UNNAMED } from './elements.js';
import { ForeignContent } from './foreign-content.js';
import { END, ROOT, SYMBOL, WIDTH } from './name-trie.js';
import { collapseWhitespace, PageFacts } from './page-facts.js';
import { findBogusCommentEnd, findCommentEnd, findEndTag, findScriptEnd, findTagEnd } from './raw-text.js';
import { clip, TextBuffer } from './text-buffer.js';

const MAX_TITLE_LENGTH = 2_048;

export class HtmlScanner {
  readonly facts: PageFacts;
  title = '';
  private readonly attributes: Attributes;
  private readonly foreign: ForeignContent;
  /** The element whose tag is being read. */
  private element = UNNAMED;
  /** Open templates: `inert` if the content is not part of the page, with their depth in foreign elements. */
  private readonly templates: { readonly inert: boolean; readonly foreignDepth: number }[] = [];
  private inertTemplates = 0;
  /** The element that hides its text, until its end tag. */
  private hiddenBy: string | undefined;
  /** The depth of that element in foreign elements. */
  private hiddenDepth = 0;

  /**
   * `bytes` must be valid UTF-8. `xml`: in XHTML, a tag that ends in `/>` is empty, whatever its name. `text` is begun
   * by the scanner and finished by the caller.
   */
  constructor(
    private readonly bytes: Buffer,
    private readonly text: TextBuffer,
    private readonly options: { readonly maxLinks: number; readonly xml: boolean },
  ) {
    this.attributes = new Attributes(bytes);
    this.foreign = new ForeignContent(this.attributes);
    this.facts = new PageFacts(this.attributes, options.maxLinks);
  }

  scan(): this {
    const { bytes, text } = this;
    const end = bytes.length;
    text.begin(end);
    let at = 0;
    while (at < end) {
      at = this.isVisible ? text.copy(bytes, at, end) : findNextTag(bytes, at);
      if (at < end) at = bytes[at] === LESS ? this.readMarkup(at) : text.appendReference(bytes, at);
    }
    return this;
  }

  private get isVisible(): boolean {
    return this.hiddenBy === undefined && this.inertTemplates === 0;
  }

  // Each of the following methods reads what begins at a position and returns the position after it.

  private readMarkup(at: number): number {
    const { bytes } = this;
    const next = bytes[at + 1] ?? 0;
    if (isLetter(next)) return this.readTag(at + 1, false);
    if (next === SLASH) return isLetter(bytes[at + 2] ?? 0) ? this.readTag(at + 2, true) : this.readOddEndTag(at);
    if (next === BANG) return this.readDeclaration(at);
    if (next === QUESTION) return findBogusCommentEnd(bytes, at);
    if (this.isVisible) this.text.appendLiteral(LESS);
    return at + 1;
  }

  private readDeclaration(at: number): number {
    const { bytes } = this;
    if (bytes[at + 2] === DASH && bytes[at + 3] === DASH) return findCommentEnd(bytes, at);
    const hasCdata = this.foreign.active || this.options.xml;
    if (!hasCdata || bytes.toString('latin1', at + 2, at + 9) !== '[CDATA[') return findBogusCommentEnd(bytes, at);
    const close = bytes.indexOf(']]>', at + 9, 'latin1');
    const end = close < 0 ? bytes.length : close;
    this.addRawText(at + 9, end);
    return Math.min(end + 3, bytes.length);
  }

  private readTag(nameStart: number, isEndTag: boolean): number {
    const nameEnd = this.readName(nameStart);
    const { element } = this;
    const plain = element.plain && this.foreign.depth === 0;
    const behind = plain ? findTagEnd(this.bytes, nameEnd) : this.attributes.read(nameEnd);
    // An incomplete tag at the end of the input is not a tag.
    if (behind < 0) return this.bytes.length;
    if (!element.inline && this.isVisible) this.text.startNewWord();
    if (plain) return behind;
    return isEndTag ? this.readEndTag(behind) : this.readStartTag(behind);
  }

  private readName(from: number): number {
    const { bytes } = this;
    const { next } = ELEMENTS;
    const end = bytes.length;
    let at = from;
    let node = ROOT;
    for (; at < end; at++) {
      const symbol = SYMBOL[bytes[at]!]!;
      if (symbol === END) break;
      node = next[node * WIDTH + symbol]!;
    }
    this.element = ELEMENTS.valueAt(node) ?? UNNAMED;
    return at;
  }

  /** Reads from the end of the tag on: an element without markup is read as a whole. */
  private readStartTag(behind: number): number {
    const { element } = this;
    const { selfClosing } = this.attributes;
    const foreign = this.foreign.open(element, selfClosing);
    // SVG has links, too, but its other elements do not have the meaning of their HTML namesakes.
    const wanted = element.wanted && this.inertTemplates === 0 && (!foreign || element.name === 'a');
    if (wanted) this.facts.readStartTag(element.name, foreign, this.hiddenBy !== undefined);
    if (selfClosing && (foreign || this.options.xml)) return behind;
    if (foreign) this.openForeign(element.name);
    else if (element.name === 'template') this.openTemplate();
    else if (element.name === 'noscript' || element.name === 'noframes') this.hiddenBy ??= element.name;
    else if (element.content !== 'markup') return this.readRawElement(behind);
    return behind;
  }

  private readEndTag(behind: number): number {
    const { name } = this.element;
    if (name === this.hiddenBy) this.hiddenBy = undefined;
    if (name === 'template') this.closeTemplate();
    else if (this.foreign.depth > 0) this.foreign.close(name);
    // A drawing that ends before its title does also ends the title.
    if (this.hiddenBy === 'title' && this.foreign.depth < this.hiddenDepth) this.hiddenBy = undefined;
    return behind;
  }

  /** `</>` is ignored, `</` at the end of the input is text, and anything else is a bogus comment. */
  private readOddEndTag(at: number): number {
    if (at + 2 >= this.bytes.length && this.isVisible) this.text.append('</');
    return findBogusCommentEnd(this.bytes, at + 2);
  }

  private readRawElement(start: number): number {
    const { bytes, element } = this;
    let end = bytes.length;
    if (element.content === 'script') end = findScriptEnd(bytes, start);
    else if (element.content !== 'plaintext') end = findEndTag(bytes, start, element.name);
    if (element.name === 'title') this.readTitle(start, end);
    else if (element.content === 'rcdata') this.addRawText(start, end, decodeHTML);
    else if (element.name === 'xmp' || element.name === 'plaintext') this.addRawText(start, end);
    return end;
  }

  private openForeign(name: string): void {
    // Browsers do not show the title of a drawing as text; in MathML, a title is an element like any other.
    const unseen = name === 'style' || name === 'script' || (name === 'title' && !this.foreign.active);
    if (!unseen || this.hiddenBy !== undefined) return;
    this.hiddenBy = name;
    this.hiddenDepth = this.foreign.depth;
  }

  private openTemplate(): void {
    const inert = !this.attributes.has(ATTRIBUTE.shadowrootmode);
    this.templates.push({ inert, foreignDepth: this.foreign.depth });
    if (inert) this.inertTemplates++;
  }

  /** Also ends SVG and MathML that began inside the template. */
  private closeTemplate(): void {
    const template = this.templates.pop();
    if (template === undefined) return;
    this.foreign.closeToDepth(template.foreignDepth);
    if (template.inert) this.inertTemplates--;
  }

  /** Reads the first non-empty title, as browsers show it. */
  private readTitle(start: number, end: number): void {
    if (this.title !== '' || this.inertTemplates > 0) return;
    const written = this.bytes.toString('utf8', start, Math.min(end, start + MAX_TITLE_LENGTH * 8));
    this.title = clip(collapseWhitespace(decodeHTML(written)), MAX_TITLE_LENGTH);
  }

  private addRawText(start: number, end: number, decode = (written: string) => written): void {
    if (this.isVisible) this.text.append(decode(this.bytes.toString('utf8', start, end)));
  }
}

function findNextTag(bytes: Buffer, at: number): number {
  const less = bytes.indexOf(LESS, at);
  return less < 0 ? bytes.length : less;
}
