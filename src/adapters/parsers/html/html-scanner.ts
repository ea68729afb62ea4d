/**
 * Reads a page in one pass over its UTF-8 bytes: links, base, metas, title, language and visible text. No tree is
 * built; no byte is looked at more than a fixed number of times, whatever the page.
 *
 * Tokens are those of the HTML standard without scripting. Of tree construction only what decides about tokens or about
 * what belongs to the document is followed: SVG and MathML, and templates, whose content is no part of the page (a
 * shadow root's is). Text inside `<noscript>` is left out, since readers do not see it; its links count.
 */
import { decodeHTML } from 'entities/decode';
import { ATTRIBUTE, Attributes } from './attributes.js';
import { BANG, DASH, isLetter, LESS, QUESTION, SLASH } from './bytes.js';
import { ELEMENTS, type Element, UNNAMED } from './elements.js';
import { ForeignContent } from './foreign-content.js';
import { END, ROOT, SYMBOL, WIDTH } from './name-trie.js';
import { fold, PageFacts } from './page-facts.js';
import { bogusCommentEnd, commentEnd, endTagStart, scriptEnd, tagEnd } from './raw-text.js';
import { clip, TextBuffer } from './text-buffer.js';

const MAX_TITLE_LENGTH = 2_048;

export class HtmlScanner {
  readonly facts: PageFacts;
  title = '';
  readonly #attributes: Attributes;
  readonly #foreign: ForeignContent;
  #at = 0;
  /** Open templates: is the content no part of the page, and how deep in foreign elements do they stand? */
  readonly #templates: { readonly inert: boolean; readonly foreignDepth: number }[] = [];
  #inertTemplates = 0;
  /** The element whose text is not seen, until its end tag. */
  #hiddenBy: string | undefined;

  /**
   * `bytes` are valid UTF-8. `xml`: in XHTML a tag that ends in `/>` is empty, whatever its name.
   * `text` is begun by the scanner and finished by the caller.
   */
  constructor(
    private readonly bytes: Buffer,
    private readonly text: TextBuffer,
    private readonly options: { readonly maxLinks: number; readonly xml: boolean },
  ) {
    this.#attributes = new Attributes(bytes);
    this.#foreign = new ForeignContent(this.#attributes);
    this.facts = new PageFacts(this.#attributes, options.maxLinks);
  }

  scan(): this {
    const { bytes, text } = this;
    text.begin(bytes.length);
    while (this.#at < bytes.length) {
      if (this.#hiddenBy === undefined && this.#inertTemplates === 0) {
        this.#at = text.copy(bytes, this.#at, bytes.length);
      } else {
        const less = bytes.indexOf(LESS, this.#at);
        this.#at = less < 0 ? bytes.length : less;
      }
      if (this.#at >= bytes.length) break;
      if (bytes[this.#at] === LESS) this.#markup();
      else this.#at = text.reference(bytes, this.#at);
    }
    return this;
  }

  #markup(): void {
    const { bytes } = this;
    const next = bytes[this.#at + 1] ?? 0;
    if (isLetter(next)) this.#tag(this.#at + 1, false);
    else if (next === SLASH && isLetter(bytes[this.#at + 2] ?? 0)) this.#tag(this.#at + 2, true);
    else if (next === SLASH) this.#oddEndTag();
    else if (next === BANG) this.#declaration();
    else if (next === QUESTION) this.#at = bogusCommentEnd(bytes, this.#at);
    else {
      if (this.#visible) this.text.literal(LESS);
      this.#at++;
    }
  }

  get #visible(): boolean {
    return this.#hiddenBy === undefined && this.#inertTemplates === 0;
  }

  #declaration(): void {
    const { bytes } = this;
    const at = this.#at;
    if (bytes[at + 2] === DASH && bytes[at + 3] === DASH) this.#at = commentEnd(bytes, at);
    else if ((this.#foreign.active || this.options.xml) && bytes.toString('latin1', at + 2, at + 9) === '[CDATA[') {
      const close = bytes.indexOf(']]>', at + 9, 'latin1');
      this.#rawText(at + 9, close < 0 ? bytes.length : close);
      this.#at = close < 0 ? bytes.length : close + 3;
    } else this.#at = bogusCommentEnd(bytes, at);
  }

  /** Reads a tag's name from `from`; leaves the position behind it. */
  #name(from: number): Element {
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
    this.#at = at;
    return ELEMENTS.valueAt(node) ?? UNNAMED;
  }

  #tag(nameStart: number, isEndTag: boolean): void {
    const element = this.#name(nameStart);
    const plain = element.plain && this.#foreign.depth === 0;
    const behind = plain ? tagEnd(this.bytes, this.#at) : this.#attributes.read(this.#at);
    this.#at = behind < 0 ? this.bytes.length : behind;
    // What the input ends in the middle of is no tag.
    if (behind < 0) return;
    if (!element.inline && this.#visible) this.text.separate();
    if (plain) return;
    if (isEndTag) this.#endTag(element);
    else this.#startTag(element);
  }

  #startTag(element: Element): void {
    const { selfClosing } = this.#attributes;
    const foreign = this.#foreign.open(element, selfClosing);
    const inDocument = this.#inertTemplates === 0;
    // SVG has links too; nothing else in it is what its name says in HTML.
    if (element.wanted && inDocument && (!foreign || element.name === 'a')) this.facts.tag(element.name);
    if (selfClosing && (foreign || this.options.xml)) return;
    if (foreign) this.#openForeign(element.name);
    else if (element.name === 'template') this.#openTemplate();
    else if (element.name === 'noscript') this.#hiddenBy ??= 'noscript';
    else if (element.content !== 'markup') this.#withoutMarkup(element);
  }

  #openForeign(name: string): void {
    if (name === 'style' || name === 'script') this.#hiddenBy ??= name;
  }

  #openTemplate(): void {
    const inert = !this.#attributes.has(ATTRIBUTE.shadowrootmode);
    this.#templates.push({ inert, foreignDepth: this.#foreign.depth });
    if (inert) this.#inertTemplates++;
  }

  /** Ends SVG and MathML that began inside the template too. */
  #closeTemplate(): void {
    const template = this.#templates.pop();
    if (template === undefined) return;
    this.#foreign.leaveTo(template.foreignDepth);
    if (template.inert) this.#inertTemplates--;
  }

  #endTag(element: Element): void {
    if (element.name === this.#hiddenBy) this.#hiddenBy = undefined;
    if (element.name === 'template') this.#closeTemplate();
    else if (this.#foreign.depth > 0) this.#foreign.close(element.name);
  }

  /** `</>` is nothing, `</` at the end of the input is text, anything else is a bogus comment. */
  #oddEndTag(): void {
    if (this.#at + 2 >= this.bytes.length && this.#visible) this.text.append('</');
    this.#at = bogusCommentEnd(this.bytes, this.#at + 2);
  }

  #withoutMarkup(element: Element): void {
    const { bytes } = this;
    const start = this.#at;
    let end = bytes.length;
    if (element.content === 'script') end = scriptEnd(bytes, start);
    else if (element.content !== 'plaintext') end = endTagStart(bytes, start, element.name);
    this.#at = end;
    if (element.name === 'title') this.#readTitle(start, end);
    else if (element.content === 'rcdata') this.#rawText(start, end, decodeHTML);
    else if (element.name === 'xmp' || element.name === 'plaintext') this.#rawText(start, end);
  }

  /** The first title that says something, as browsers show it. */
  #readTitle(start: number, end: number): void {
    if (this.title !== '' || this.#inertTemplates > 0) return;
    const written = this.bytes.toString('utf8', start, Math.min(end, start + MAX_TITLE_LENGTH * 8));
    this.title = clip(fold(decodeHTML(written)), MAX_TITLE_LENGTH);
  }

  #rawText(start: number, end: number, decode = (written: string) => written): void {
    if (this.#visible) this.text.append(decode(this.bytes.toString('utf8', start, end)));
  }
}
