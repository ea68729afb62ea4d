/** Removes what does not count from a tree: what selectors and the page's own markers exclude. */

import type { Marker } from '../../../domain/content/content-definition.js';
import { type ChildNode, type Document, type Element, isComment, isElement, isText, type ParentNode } from './nodes.js';
import { LONGEST_MARKER, SIGNS } from './tree.js';

export interface Pruning {
  readonly included: ReadonlySet<Element>;
  readonly excluded: ReadonlySet<Element>;
  readonly markers: ReadonlySet<Marker>;
}

/**
 * Changes the tree. Returns what was cut out, if it contained text. On a page without an element to include, everything counts that
 * is not excluded.
 */
export function prune(
  root: Document,
  { included, excluded, markers }: Pruning,
): { readonly cut: readonly ParentNode[]; readonly isCut: boolean } {
  const pruner = new Pruner(excluded, markers);
  if (markers.size > 0) pruner.prune(root, true);
  else pruner.removeExcluded();
  const narrowed = included.size > 0;
  if (narrowed) root.children = findOutermost(root, included);
  return { cut: pruner.cut, isCut: narrowed || pruner.isCut };
}

function findOutermost(node: ParentNode, wanted: ReadonlySet<Element>): ChildNode[] {
  return node.children.flatMap((child) => {
    if (!isElement(child)) return [];
    return wanted.has(child) ? [child] : findOutermost(child, wanted);
  });
}

/** May the page have a marker? Most have none, and need not be searched for them. */
export const hasMarkers = (utf8: Buffer): boolean => SIGNS.test(utf8.toString('latin1'));

const GOOGLE = /^\s*google(on|off)\s*:\s*(index|all)\b/i;
const NO_INDEX =
  /^\s*(?:robots\W{0,20}(?:content\W{1,20})?noindex|(?:htdig_)?noindex|udmcomment|swishcommand\s{1,20}noindex)\W*$/i;
const INDEX_AGAIN =
  /^\s*(?:\/\s*(?:robots|(?:htdig_)?noindex|udmcomment)|robots\W{0,20}(?:content\W{1,20})?index|swishcommand\s{1,20}index)\W*$/i;

class Pruner {
  readonly cut: Element[] = [];
  isCut = false;
  /** Comments switch indexing off and on, wherever they are in the tree. */
  private googleOff = false;
  private noIndex = false;

  constructor(
    private readonly excluded: ReadonlySet<Element>,
    private readonly markers: ReadonlySet<Marker>,
  ) {}

  /** Without markers, this is all there is to do: the rest of the tree is not looked at. */
  removeExcluded(): void {
    const parents = new Set<ParentNode>();
    for (const element of this.excluded) {
      if (this.isInsideExcluded(element)) continue;
      parents.add(element.parent);
      this.cut.push(element);
      this.isCut = true;
    }
    for (const parent of parents)
      parent.children = parent.children.filter((child) => !(isElement(child) && this.excluded.has(child)));
  }

  private isInsideExcluded(element: Element): boolean {
    for (let node = element.parent; isElement(node); node = node.parent) if (this.excluded.has(node)) return true;
    return false;
  }

  /** Whether anything of the node is left. */
  prune(node: ParentNode, shown: boolean): boolean {
    node.children = node.children.filter((child) => this.pruneChild(child, shown));
    return node.children.length > 0;
  }

  private pruneChild(node: ChildNode, shown: boolean): boolean {
    if (isComment(node)) this.processComment(node.data);
    if (isText(node)) {
      const counts = shown && !this.googleOff && !this.noIndex;
      this.isCut ||= !counts;
      return counts;
    }
    if (!isElement(node)) return shown;
    if (this.excluded.has(node)) {
      this.cutElement(node);
      return false;
    }
    const shows = this.findVisibilityMarker(node) ?? shown;
    const left = this.prune(node, shows);
    if (!shows && shown && !left) this.cut.push(node);
    return shows || left;
  }

  /** Markers in comments inside the element still count. */
  private cutElement(element: Element): void {
    this.cut.push(element);
    this.isCut = true;
    const processComments = (node: ParentNode): void => {
      for (const child of node.children)
        if (isComment(child)) this.processComment(child.data);
        else if (isElement(child)) processComments(child);
    };
    processComments(element);
  }

  /** The marker of the element itself; the nearest marker counts. */
  private findVisibilityMarker(element: Element): boolean | undefined {
    const { markers } = this;
    if (markers.has('noindex') && element.name === 'noindex') return false;
    if (markers.has('nosnippet') && element.has('data-nosnippet')) return false;
    if (markers.has('elastic')) {
      if (element.has('data-elastic-exclude')) return false;
      if (element.has('data-elastic-include')) return true;
    }
    if (!markers.has('swiftype')) return undefined;
    const swiftype = element.getAttribute('data-swiftype-index')?.trim().toLowerCase();
    return swiftype === 'false' ? false : swiftype === 'true' ? true : undefined;
  }

  private processComment(data: string): void {
    if (data.length > LONGEST_MARKER) return;
    if (this.markers.has('googleoff')) {
      const google = GOOGLE.exec(data)?.[1]?.toLowerCase();
      if (google !== undefined) this.googleOff = google === 'off';
    }
    if (!this.markers.has('noindex')) return;
    if (NO_INDEX.test(data)) this.noIndex = true;
    else if (INDEX_AGAIN.test(data)) this.noIndex = false;
  }
}
