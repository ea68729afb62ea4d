/**
 * Keeps track of SVG and MathML, where the rules of HTML do not apply: a `<title>` names a drawing, `<style>` and
 * `<script>` have no text mode of their own, and CDATA sections are text. Some of their elements contain HTML again.
 */
import { ATTRIBUTE, type Attributes } from './attributes.js';
import type { Element } from './elements.js';

const SVG_HOLDS_HTML = new Set(['foreignobject', 'desc', 'title']);
const MATH_HOLDS_TEXT = new Set(['mi', 'mo', 'mn', 'ms', 'mtext']);
const HTML_ENCODINGS = new Set(['text/html', 'application/xhtml+xml']);

type Root = 'svg' | 'math';

/** A stretch of open foreign roots, or of HTML inside the foreign element `holder`. */
type Stretch =
  | { readonly html: true; readonly holder: string }
  | { readonly html: false; readonly roots: Root[]; readonly openCounts: Record<Root, number> };

export class ForeignContent {
  private readonly stretches: Stretch[] = [];
  /** True where the rules of foreign content apply. */
  isActive = false;

  constructor(private readonly attributes: Attributes) {}

  /** Number of open stretches, including those of HTML inside SVG and MathML; 0 outside. */
  get depth(): number {
    return this.stretches.length;
  }

  closeToDepth(depth: number): void {
    while (this.stretches.length > depth) this.pop();
  }

  /**
   * To be called after a start tag and its attributes were read. Returns whether the element belongs to SVG or MathML.
   */
  open(element: Element, selfClosing: boolean): boolean {
    if (this.isActive && this.leavesForeignContent(element)) this.pop();
    const { name } = element;
    const root = name === 'svg' || name === 'math' ? name : undefined;
    if (!this.isActive && root === undefined) return false;
    if (selfClosing) return true;
    if (root !== undefined) this.openRoot(root);
    else if (this.containsHtml(name)) this.push({ html: true, holder: name });
    return true;
  }

  /** To be called after an end tag was read while foreign elements are open. */
  close(name: string): void {
    const top = this.stretches.at(-1)!;
    if (top.html && name === top.holder) this.pop();
    else if (name === 'svg' || name === 'math') this.closeRoot(name);
    else if (this.isActive && (name === 'p' || name === 'br')) this.pop();
  }

  private openRoot(root: Root): void {
    if (!this.isActive) this.push({ html: false, roots: [], openCounts: { svg: 0, math: 0 } });
    const top = this.stretches.at(-1)!;
    if (top.html) return;
    top.roots.push(root);
    top.openCounts[root]++;
  }

  /** Closes the innermost root with that name and the roots inside it. */
  private closeRoot(root: Root): void {
    const foreignStretch = this.stretches.findLast((stretch) => !stretch.html);
    if (foreignStretch === undefined || foreignStretch.openCounts[root] === 0) return;
    if (!this.isActive) this.pop();
    let closedRoot: Root;
    do {
      closedRoot = foreignStretch.roots.pop()!;
      foreignStretch.openCounts[closedRoot]--;
    } while (closedRoot !== root);
    if (foreignStretch.roots.length === 0) this.pop();
  }

  private leavesForeignContent(element: Element): boolean {
    if (element.name !== 'font') return element.leavesForeign;
    const { attributes } = this;
    return attributes.has(ATTRIBUTE.color) || attributes.has(ATTRIBUTE.face) || attributes.has(ATTRIBUTE.size);
  }

  private containsHtml(name: string): boolean {
    const top = this.stretches.at(-1)!;
    // `<math>` inside SVG is an element of SVG, and vice versa.
    if (!top.html && top.roots[0] === 'svg') return SVG_HOLDS_HTML.has(name);
    if (MATH_HOLDS_TEXT.has(name)) return true;
    if (name !== 'annotation-xml') return false;
    return HTML_ENCODINGS.has(this.attributes.get(ATTRIBUTE.encoding)?.toLowerCase() ?? '');
  }

  private push(stretch: Stretch): void {
    this.stretches.push(stretch);
    this.isActive = !stretch.html;
  }

  private pop(): void {
    this.stretches.pop();
    const top = this.stretches.at(-1);
    this.isActive = top !== undefined && !top.html;
  }
}
