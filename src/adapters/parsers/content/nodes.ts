/**
 * The nodes of a page's tree. They contain only what selectors and texts need, because a page has thousands of them.
 * Selectors read them through an adapter (selectors.ts).
 */
import { toFragment } from '../../../domain/push/parts.js';
import type { PageAttributes } from './page-source.js';

export type ChildNode = Element | Text | Comment;
export type ParentNode = Document | Element;

const NO_CHILDREN: readonly ChildNode[] = [];

export class Document {
  constructor(public children: readonly ChildNode[] = NO_CHILDREN) {}
}

export class Element {
  children: readonly ChildNode[] = NO_CHILDREN;

  /** Its attributes are the page's from `first` up to `end`; `previous` is the previous element of the same parent. */
  constructor(
    readonly name: string,
    readonly parent: ParentNode,
    readonly previous: Element | undefined,
    private readonly page: PageAttributes,
    private readonly first: number,
    private readonly end: number,
  ) {}

  /** Includes repeated attributes, whose values are ignored. */
  get attributeCount(): number {
    return this.end - this.first;
  }

  /** Returns the name in lower case. */
  getAttributeNameAt(index: number): string {
    return this.page.getNameAt(this.first + index);
  }

  /** Returns the value of the first attribute with that lower-case name, with character references decoded. */
  getAttribute(name: string): string | undefined {
    const index = this.page.find(name, this.first, this.end);
    return index < 0 ? undefined : this.page.getValueAt(index);
  }

  hasAttribute(name: string): boolean {
    return this.page.find(name, this.first, this.end) >= 0;
  }

  /** Returns an element with the same name and attributes and without content. */
  copyTo(parent: ParentNode, previous: Element | undefined): Element {
    return new Element(this.name, parent, previous, this.page, this.first, this.end);
  }
}

export class Text {
  constructor(readonly data: string) {}
}

export class Comment {
  constructor(readonly data: string) {}
}

export const isElement = (node: ChildNode | ParentNode): node is Element => node instanceof Element;
export const isText = (node: ChildNode | ParentNode): node is Text => node instanceof Text;
export const isComment = (node: ChildNode | ParentNode): node is Comment => node instanceof Comment;

/** Yields the elements in document order, including the node itself. */
export function* walkElements(node: ParentNode): Generator<Element> {
  const stack: ParentNode[] = [node];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (isElement(next)) yield next;
    const { children } = next;
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index]!;
      if (isElement(child)) stack.push(child);
    }
  }
}

/** How many elements inside a heading, and around it, are looked at. */
const MAX_INSIDE = 20;
const MAX_AROUND = 3;

/**
 * Finds the fragment of the page's URL that leads to a heading. The id is that of the heading, of something in it, of the
 * section that it begins, or of an empty element before it, as programs for documentation write them.
 */
export function findAnchor(heading: Element): { readonly anchor?: string } {
  const anchor = findInside(heading) ?? findAround(heading);
  return anchor === undefined ? {} : { anchor };
}

function findInside(heading: Element): string | undefined {
  let count = 0;
  for (const element of walkElements(heading)) {
    const anchor = readAnchor(element);
    if (anchor !== undefined) return anchor;
    if (++count > MAX_INSIDE) break;
  }
  return undefined;
}

function findAround(heading: Element): string | undefined {
  let element = heading;
  for (let level = 0; level < MAX_AROUND; level++) {
    const { previous, parent } = element;
    if (previous) return previous.children.length === 0 ? readAnchor(previous) : undefined;
    if (!isSection(parent)) return undefined;
    const anchor = readAnchor(parent);
    if (anchor !== undefined) return anchor;
    element = parent;
  }
  return undefined;
}

const isSection = (node: ParentNode): node is Element =>
  isElement(node) && /^(?:section|div|article|header|hgroup|li|dt)$/.test(node.name);

/** An `a` without a text of its own links to the heading that it belongs to. */
function readAnchor(element: Element): string | undefined {
  const isLink = element.name === 'a';
  const own = toFragment(element.getAttribute('id')) ?? (isLink ? toFragment(element.getAttribute('name')) : undefined);
  if (own !== undefined || !isLink || element.children.length > 0) return own;
  return /^#([!-~]{1,200})$/.exec(element.getAttribute('href') ?? '')?.[1];
}
