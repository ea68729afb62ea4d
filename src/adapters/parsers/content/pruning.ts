/** Removes from a tree what selectors and the page's own markers exclude. */
import type { Marker } from '../../../domain/content/content-definition.js';
import { MAX_MARKER_LENGTH } from '../html/markers.js';
import type { PageMeasures } from './element-signs.js';
import { type ChildNode, type Document, type Element, isComment, isElement, isText, type ParentNode } from './nodes.js';
import { getHeadingLevel } from './readable.js';

export interface PruneOptions {
  readonly included: ReadonlySet<Element>;
  readonly excluded: ReadonlySet<Element>;
  readonly markers: ReadonlySet<Marker>;
}

/**
 * Prunes the tree in place and returns what was removed. If there are no elements to include, everything that is not
 * excluded is kept.
 */
export function prune(
  root: Document,
  { included, excluded, markers }: PruneOptions,
): { readonly removed: readonly ParentNode[]; readonly isCut: boolean } {
  const pruner = new Pruner(excluded, markers);
  if (markers.size > 0) pruner.prune(root, true);
  else pruner.removeExcluded();
  const isNarrowed = included.size > 0;
  if (isNarrowed) {
    const outermost: Element[] = [];
    collectOutermost(root, included, outermost);
    root.children = outermost;
  }
  return { removed: pruner.removedElements, isCut: isNarrowed || pruner.isCut };
}

function collectOutermost(node: ParentNode, included: ReadonlySet<Element>, found: Element[]): void {
  for (const child of node.children)
    if (!isElement(child)) continue;
    else if (included.has(child)) found.push(child);
    else collectOutermost(child, included, found);
}

const GOOGLE_MARKER = /^\s*google(on|off)\s*:\s*(index|all)\b/i;
const NOINDEX_START =
  /^\s*(?:robots\W{0,20}(?:content\W{1,20})?noindex|(?:htdig_|sphider_|begin[_ -])?noindex|udmcomment|swishcommand\s{1,20}noindex|stopindex|zoomstop|freefind begin no ?index)\W*$/i;
const NOINDEX_END =
  /^\s*(?:\/\s*(?:robots(?:\W{0,20}(?:content\W{1,20})?noindex)?|(?:htdig_|sphider_)?noindex|udmcomment)|end[_ -]?noindex|robots\W{0,20}(?:content\W{1,20})?index|swishcommand\s{1,20}index|startindex|zoomrestart|freefind end no ?index)\W*$/i;

class Pruner {
  readonly removedElements: Element[] = [];
  isCut = false;
  /** Set by comments that switch indexing off and on, wherever they are in the tree. */
  private googleOff = false;
  private noIndex = false;
  /** Whether elements are excluded or inside an excluded one, so that no level is walked up twice. */
  private readonly insideExcluded = new Map<Element, boolean>();

  constructor(
    private readonly excluded: ReadonlySet<Element>,
    private readonly markers: ReadonlySet<Marker>,
  ) {}

  /** Removes only excluded elements, which suffices without markers and leaves the rest of the tree unvisited. */
  removeExcluded(): void {
    const parents = new Set<ParentNode>();
    for (const element of this.excluded) {
      if (this.isInsideExcluded(element)) continue;
      parents.add(element.parent);
      this.removedElements.push(element);
      this.isCut = true;
    }
    for (const parent of parents)
      parent.children = parent.children.filter((child) => !(isElement(child) && this.excluded.has(child)));
  }

  private isInsideExcluded(element: Element): boolean {
    const passed: Element[] = [];
    let isInside = false;
    for (let node = element.parent; isElement(node) && !isInside; node = node.parent) {
      const known = this.insideExcluded.get(node);
      isInside = known ?? this.excluded.has(node);
      if (known !== undefined) break;
      passed.push(node);
    }
    for (const node of passed) this.insideExcluded.set(node, isInside);
    return isInside;
  }

  /** Prunes the children of a node; returns whether any are left. */
  prune(node: ParentNode, shown: boolean): boolean {
    node.children = node.children.filter((child) => this.pruneChild(child, shown));
    return node.children.length > 0;
  }

  private pruneChild(node: ChildNode, shown: boolean): boolean {
    if (isComment(node)) this.processComment(node.data);
    if (isText(node)) {
      const isShown = shown && !this.googleOff && !this.noIndex;
      this.isCut ||= !isShown;
      return isShown;
    }
    if (!isElement(node)) return shown;
    if (this.excluded.has(node)) {
      this.cutElement(node);
      return false;
    }
    const isVisible = this.getMarkedVisibility(node) ?? shown;
    const hasContent = this.prune(node, isVisible);
    if (!isVisible && shown && !hasContent) this.removedElements.push(node);
    return isVisible || hasContent;
  }

  /** Removes an element; markers in comments inside it still apply. */
  private cutElement(element: Element): void {
    this.removedElements.push(element);
    this.isCut = true;
    const processComments = (node: ParentNode): void => {
      for (const child of node.children)
        if (isComment(child)) this.processComment(child.data);
        else if (isElement(child)) processComments(child);
    };
    processComments(element);
  }

  /** Returns whether the element's own marker shows it; undefined if it has none and inherits its parent's. */
  private getMarkedVisibility(element: Element): boolean | undefined {
    const { markers } = this;
    if (markers.has('noindex') && element.name === 'noindex') return false;
    if (markers.has('nosnippet') && element.hasAttribute('data-nosnippet')) return false;
    if (markers.has('pagefind') && element.hasAttribute('data-pagefind-ignore')) return false;
    if (markers.has('elastic')) {
      if (element.hasAttribute('data-elastic-exclude')) return false;
      if (element.hasAttribute('data-elastic-include')) return true;
    }
    if (!markers.has('swiftype')) return undefined;
    const swiftype = element.getAttribute('data-swiftype-index')?.trim().toLowerCase();
    return swiftype === 'false' ? false : swiftype === 'true' ? true : undefined;
  }

  private processComment(data: string): void {
    if (data.length > MAX_MARKER_LENGTH) return;
    if (this.markers.has('googleoff')) {
      const google = GOOGLE_MARKER.exec(data)?.[1]?.toLowerCase();
      if (google !== undefined) this.googleOff = google === 'off';
    }
    if (!this.markers.has('noindex')) return;
    if (NOINDEX_START.test(data)) this.noIndex = true;
    else if (NOINDEX_END.test(data)) this.noIndex = false;
  }
}

/** Finds headings whose section has been removed. */
export function findEmptied(root: Element, removed: ReadonlySet<Element>, measures: PageMeasures): readonly Element[] {
  const found = new Set<Element>();
  let open: { readonly heading: Element; readonly level: number; isEmptied: boolean }[] = [];
  const close = (level: number): void => {
    for (const one of open) if (one.isEmptied && one.level >= level && one.level > 1) found.add(one.heading);
    open = open.filter((one) => one.level < level);
  };
  const visit = (node: ParentNode): void => {
    for (const child of node.children) {
      if (isText(child) && child.data.trim() !== '') open = [];
      if (!isElement(child)) continue;
      const level = getHeadingLevel(child);
      if (removed.has(child)) {
        if (measures.of(child).text > 0) for (const one of open) one.isEmptied = true;
      } else if (level === undefined) {
        if (child.name === 'img') open = [];
        visit(child);
      } else {
        close(level);
        open.push({ heading: child, level, isEmptied: false });
      }
    }
  };
  visit(root);
  close(0);
  return [...found];
}
