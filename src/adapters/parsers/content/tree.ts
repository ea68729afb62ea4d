/** A page as a tree, for what the scanner cannot find: built only for pages whose configuration needs it. */
import { type ChildNode, type Document, DomHandler, type Element, type ParentNode } from 'domhandler';
import { Parser } from 'htmlparser2';

/** Browsers put deeper elements beside their parents, too (Blink: 512). */
const MAX_DEPTH = 500;
/** What follows is ignored. */
const MAX_ELEMENTS = 200_000;
/** The parser takes longer for each tag the more are open: what follows this many is ignored. */
const MAX_OPEN = 5_000;
/** Characters that the parser gets at a time. */
const PIECE = 32_768;
/** Characters of markup. */
const MAX_LENGTH = 16 * 1024 * 1024;

export interface Tree {
  readonly root: Document;
  /** In document order. */
  readonly elements: readonly Element[];
  /** A limit was passed. */
  readonly truncated: boolean;
}

export function treeOf(html: string, xml: boolean): Tree {
  const builder = new BoundedBuilder();
  const parser = new Parser(builder, { xmlMode: false, recognizeSelfClosing: xml, recognizeCDATA: xml });
  let at = 0;
  for (; at < html.length && at < MAX_LENGTH && !builder.full; at += PIECE) parser.write(html.slice(at, at + PIECE));
  parser.end();
  return { root: builder.root, elements: builder.made, truncated: at < html.length || builder.full };
}

class BoundedBuilder extends DomHandler {
  readonly made: Element[] = [];
  /** Open tags that made no element. */
  private skipped = 0;

  get full(): boolean {
    return this.made.length > MAX_ELEMENTS || this.skipped > MAX_OPEN;
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.made.length > MAX_ELEMENTS || this.tagStack.length > MAX_DEPTH) {
      this.skipped++;
      return;
    }
    super.onopentag(name, attributes);
    this.made.push(this.tagStack.at(-1) as Element);
  }

  override onclosetag(): void {
    if (this.skipped > 0) this.skipped--;
    else super.onclosetag();
  }

  override ontext(data: string): void {
    if (this.made.length <= MAX_ELEMENTS) super.ontext(data);
  }
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
