/**
 * Keeps track of SVG and MathML, where the rules of HTML do not hold: a `<title>` names a drawing, `<style>` and
 * `<script>` have no text mode of their own, CDATA sections are text. Some of their elements hold HTML again.
 */
import type { Attributes } from './attributes.js';
import type { Element } from './elements.js';

const SVG_HOLDS_HTML = new Set(['foreignobject', 'desc', 'title']);
const MATH_HOLDS_TEXT = new Set(['mi', 'mo', 'mn', 'ms', 'mtext']);
const HTML_ENCODINGS = new Set(['text/html', 'application/xhtml+xml']);

/** A stretch of foreign elements, or one of HTML inside them. */
interface Stretch {
  /** The root (`svg`, `math`), or the foreign element that holds the HTML. */
  readonly name: string;
  readonly html: boolean;
  /** Roots of the same stretch that are open. */
  depth: number;
}

export class ForeignContent {
  readonly #stretches: Stretch[] = [];
  /** The rules of foreign content hold here. */
  active = false;

  constructor(private readonly attributes: Attributes) {}

  /** A start tag was read, with its attributes. Returns whether the element belongs to SVG or MathML. */
  open(element: Element, selfClosing: boolean): boolean {
    if (this.active && this.#leaves(element)) this.#pop();
    const isRoot = element.name === 'svg' || element.name === 'math';
    if (!this.active && !isRoot) return false;
    if (selfClosing) return true;
    const top = this.#stretches.at(-1);
    if (isRoot && this.active) top!.depth++;
    else if (isRoot) this.#push({ name: element.name, html: false, depth: 1 });
    else if (this.#holdsHtml(element, top!.name)) this.#push({ name: element.name, html: true, depth: 1 });
    return true;
  }

  close(name: string): void {
    const top = this.#stretches.at(-1);
    if (top === undefined) return;
    if (top.html && name === top.name) this.#pop();
    else if (name === 'svg' || name === 'math') {
      if (top.html) this.#pop();
      if (--this.#stretches.at(-1)!.depth === 0) this.#pop();
    } else if (this.active && (name === 'p' || name === 'br')) this.#pop();
  }

  #leaves(element: Element): boolean {
    if (element.name !== 'font') return element.leavesForeign;
    return this.attributes.has('color') || this.attributes.has('face') || this.attributes.has('size');
  }

  #holdsHtml(element: Element, root: string): boolean {
    if (root === 'svg') return SVG_HOLDS_HTML.has(element.name);
    if (MATH_HOLDS_TEXT.has(element.name)) return true;
    if (element.name !== 'annotation-xml') return false;
    return HTML_ENCODINGS.has(this.attributes.get('encoding')?.toLowerCase() ?? '');
  }

  #push(stretch: Stretch): void {
    this.#stretches.push(stretch);
    this.active = !stretch.html;
  }

  #pop(): void {
    this.#stretches.pop();
    const top = this.#stretches.at(-1);
    this.active = top !== undefined && !top.html;
  }
}
