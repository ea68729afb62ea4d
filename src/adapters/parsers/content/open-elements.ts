/** The open elements of a page while its tree is built, and which of them a tag closes. */
import {
  BOUNDS,
  type Bound,
  type Closing,
  ELEMENT_NAMES,
  type ElementKind,
  getElementKind,
  NO_BOUND,
  SCOPE,
  type Scope,
} from './element-kinds.js';
import type { Document, Element, ParentNode } from './nodes.js';

/** An element kind and its state in the page that is being read. */
export interface Kind extends ElementKind {
  /** The positions of its open elements; empty if an end tag has no start tag. */
  readonly open: number[];
  /** What its start tag closes. */
  closesKinds: readonly KindClosing[];
  /** What its end tag closes. */
  endsKinds: KindClosing;
}

interface KindClosing {
  readonly kinds: readonly Kind[];
  readonly scope: Scope;
}

/** An open element and the state of its content. */
export interface OpenElement {
  kind: Kind;
  /** The node that gets its children: its own, or an ancestor's if it is too deep. */
  node: ParentNode;
  /** The last element among its children. */
  lastElement: Element | undefined;
  /** Some elements have one only inside SVG and MathML. */
  bound: Bound;
  /** True if its content is SVG or MathML. */
  isForeign: boolean;
  /** The position of the innermost element of HTML: its own unless it belongs to SVG or MathML. */
  htmlAt: number;
  /** True if its end tag was read, but blocks inside it are still open. */
  hasEnded: boolean;
}

const NOTHING: KindClosing = { kinds: [], scope: SCOPE.any };
const createKind = (name: string): Kind => ({
  ...getElementKind(name),
  open: [],
  closesKinds: [],
  endsKinds: NOTHING,
});
/** By the index of their names in `ELEMENT_NAMES`. One page is read at a time, so all pages of a thread share them. */
const COMMON_KINDS = ELEMENT_NAMES.map(createKind);
const COMMON_INDEXES = new Map(ELEMENT_NAMES.map((name, index) => [name, index]));
const toKindClosing = ({ names, scope }: Closing): KindClosing => ({
  kinds: COMMON_KINDS.filter(({ name }) => names.includes(name)),
  scope,
});
for (const kind of COMMON_KINDS) {
  kind.closesKinds = kind.closes.map(toKindClosing);
  kind.endsKinds = toKindClosing(kind.ends);
}
function createOtherKind(name: string): Kind {
  const kind = createKind(name);
  kind.endsKinds = { kinds: [kind], scope: kind.ends.scope };
  return kind;
}

/** They end before their form does. */
const IMPLIED_END_TAGS: ReadonlySet<string> = new Set('dd dt li optgroup option p rb rp rt rtc'.split(' '));

export class OpenElements {
  depth = 0;
  innermost: OpenElement;
  /** Begins with the document, which is never closed. Entries above `depth` are kept for reuse. */
  private readonly entries: OpenElement[];
  /** The positions of the elements with each bound. */
  private readonly bounds: readonly number[][] = BOUNDS.map(() => []);
  /** The kinds that are not common, by their names as written. */
  private readonly kinds = new Map<string, Kind>();

  constructor(root: Document) {
    for (const { open } of COMMON_KINDS) if (open.length > 0) open.length = 0;
    const kind = createKind('');
    this.innermost = {
      kind,
      node: root,
      lastElement: undefined,
      bound: NO_BOUND,
      isForeign: false,
      htmlAt: 0,
      hasEnded: false,
    };
    this.entries = [this.innermost];
  }

  getCommonKind(index: number): Kind {
    return COMMON_KINDS[index]!;
  }

  getKind(rawName: string): Kind {
    const existing = this.kinds.get(rawName);
    if (existing) return existing;
    const name = rawName.toLowerCase();
    const kind = this.kinds.get(name) ?? COMMON_KINDS[COMMON_INDEXES.get(name) ?? -1] ?? createOtherKind(name);
    this.kinds.set(name, kind).set(rawName, kind);
    return kind;
  }

  push(kind: Kind, node: ParentNode, isForeign: boolean): void {
    const parent = this.innermost;
    const bound = kind.holdsHtml && !parent.isForeign ? NO_BOUND : kind.bound;
    const position = ++this.depth;
    const htmlAt = kind.isForeign || parent.isForeign ? parent.htmlAt : position;
    const reusable = this.entries[position];
    if (reusable) {
      reusable.kind = kind;
      reusable.node = node;
      reusable.lastElement = undefined;
      reusable.bound = bound;
      reusable.isForeign = isForeign;
      reusable.htmlAt = htmlAt;
      reusable.hasEnded = false;
    }
    this.innermost = reusable ?? { kind, node, lastElement: undefined, bound, isForeign, htmlAt, hasEnded: false };
    if (!reusable) this.entries.push(this.innermost);
    kind.open.push(position);
    if (bound !== NO_BOUND) this.bounds[bound]!.push(position);
  }

  /** Closes the innermost element, and those around it that have ended. */
  close(): void {
    do {
      const { kind, bound, hasEnded } = this.innermost;
      if (!hasEnded) kind.open.pop();
      if (bound !== NO_BOUND) this.bounds[bound]!.pop();
      this.innermost = this.entries[--this.depth]!;
    } while (this.innermost.hasEnded);
  }

  /** Closes an element and all inside it. */
  closeAt(position: number): void {
    while (this.depth >= position) this.close();
  }

  /** Closes what a start tag closes. */
  closeFor(kind: Kind): void {
    for (const closing of kind.closesKinds)
      for (let found = this.find(closing); found > 0; found = this.find(closing)) this.closeAt(found);
  }

  closeForeign(): void {
    while (this.innermost.isForeign) this.close();
  }

  closeImplied(): void {
    while (IMPLIED_END_TAGS.has(this.innermost.kind.name)) this.close();
  }

  /** Returns the position of the element that an end tag ends; 0 if there is none. */
  findEnded(kind: Kind): number {
    const found = kind.open.at(-1) ?? 0;
    return found > this.innermost.htmlAt ? found : this.find(kind.endsKinds);
  }

  hasBlocksInside(position: number): boolean {
    return this.findBound(SCOPE.special) > position;
  }

  /** Returns the open elements inside that one which are more than formatting. */
  getBlocksInside(position: number): readonly Pick<OpenElement, 'kind' | 'node'>[] {
    const inside = this.entries.slice(position + 1, this.depth + 1);
    return inside.filter(({ bound }) => bound !== NO_BOUND).map(({ kind, node }) => ({ kind, node }));
  }

  getNodeAt(position: number): ParentNode {
    return this.entries[position]!.node;
  }

  /** It stays open until the elements inside it are closed, but no tag finds it. */
  endAt(position: number): void {
    const entry = this.entries[position]!;
    entry.hasEnded = true;
    entry.kind.open.pop();
  }

  private find({ kinds, scope }: KindClosing): number {
    let found = 0;
    for (const { open } of kinds) if (open.length > 0) found = Math.max(found, open[open.length - 1]!);
    if (found === 0) return 0;
    return found >= (scope ? this.findBound(scope) : this.depth) ? found : 0;
  }

  private findBound(bounds: readonly Bound[]): number {
    let found = 0;
    for (const bound of bounds) found = Math.max(found, this.bounds[bound]!.at(-1) ?? 0);
    return found;
  }
}
