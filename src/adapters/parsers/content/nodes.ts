/**
 * The nodes of a page's tree. They contain only what selectors and texts need, because a page has thousands of them.
 * Selectors read them through an adapter (selectors.ts).
 */
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

export function removeElements(elements: readonly Element[]): void {
  const removed = new Set<ChildNode>(elements);
  for (const parent of new Set(elements.map((element) => element.parent)))
    parent.children = parent.children.filter((child) => !removed.has(child));
}
