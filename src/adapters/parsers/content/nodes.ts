/**
 * The nodes of a page's tree, with as little in them as selectors and texts need: a page has thousands of each. Selectors read them
 * through an adapter (selectors.ts).
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

  /** Its attributes are those of the page from `first` up to `end`. `previous`: the element before it in the same parent. */
  constructor(
    readonly name: string,
    readonly parent: ParentNode,
    readonly previous: Element | undefined,
    private readonly page: PageAttributes,
    private readonly first: number,
    private readonly end: number,
  ) {}

  /** Those with a name that appeared before are counted, too, but not read. */
  get attributeCount(): number {
    return this.end - this.first;
  }

  /** In lower case. */
  attributeNameAt(index: number): string {
    return this.page.nameAt(this.first + index);
  }

  /** The value of the first attribute with that name (in lower case), with character references decoded. */
  getAttribute(name: string): string | undefined {
    const index = this.page.find(name, this.first, this.end);
    return index < 0 ? undefined : this.page.valueAt(index);
  }

  has(name: string): boolean {
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

/** In document order, the node itself included. The tree is not deep. */
export function* walkElements(node: ParentNode): Generator<Element> {
  const stack: ParentNode[] = [node];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (isElement(next)) yield next;
    const { children } = next;
    for (let at = children.length - 1; at >= 0; at--) {
      const child = children[at]!;
      if (isElement(child)) stack.push(child);
    }
  }
}
