/** Removes what does not count from a tree: what selectors and the page's own markers exclude. */

import type { ChildNode, Document, Element, ParentNode } from 'domhandler';
import { isComment, isText } from 'domhandler';
import type { Marker } from '../../../domain/content/content-definition.js';
import { isElement } from './tree.js';

export interface Pruning {
  readonly include: ((element: Element) => boolean) | undefined;
  readonly excluded: ReadonlySet<Element> | undefined;
  readonly markers: ReadonlySet<Marker>;
}

/**
 * Changes the tree. Returns what was cut out, if it contained text. On a page without an element to include, everything counts that
 * is not excluded.
 */
export function prune(
  root: Document,
  elements: readonly Element[],
  pruning: Pruning,
): { readonly cut: readonly ParentNode[]; readonly isCut: boolean } {
  // Selectors apply to the page as it was sent.
  const included = pruning.include && marked(elements, pruning.include);
  const { excluded } = pruning;
  const pruner = new Pruner(excluded ?? new Set(), pruning.markers);
  if (excluded?.size || pruning.markers.size > 0) pruner.prune(root, true);
  const narrowed = included !== undefined && included.size > 0;
  if (narrowed) root.children = outermost(root, included);
  return { cut: pruner.cut, isCut: narrowed || pruner.isCut };
}

export function marked(elements: readonly Element[], test: (element: Element) => boolean): Set<Element> {
  const found = new Set<Element>();
  for (const element of elements) if (test(element)) found.add(element);
  return found;
}

function outermost(node: ParentNode, wanted: ReadonlySet<Element>): ChildNode[] {
  return node.children.flatMap((child) => {
    if (!isElement(child)) return [];
    return wanted.has(child) ? [child] : outermost(child, wanted);
  });
}

/** Contained in every marker. */
const SIGNS = /googleo|nosnippet|data-elastic|data-swiftype|noindex|udmcomment/i;

/** May the page have a marker? Most have none, and need not be searched for them. */
export const hasMarkers = (utf8: Buffer): boolean => SIGNS.test(utf8.toString('latin1'));

const GOOGLE = /^\s*google(on|off)\s*:\s*(index|all)\b/i;
const NO_INDEX =
  /^\s*(?:robots\W{0,20}(?:content\W{1,20})?noindex|(?:htdig_)?noindex|udmcomment|swishcommand\s{1,20}noindex)\W*$/i;
const INDEX_AGAIN =
  /^\s*(?:\/\s*(?:robots|(?:htdig_)?noindex|udmcomment)|robots\W{0,20}(?:content\W{1,20})?index|swishcommand\s{1,20}index)\W*$/i;
/** A longer comment is not a marker. */
const LONGEST_MARKER = 100;

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

  /** Whether anything of the node is left. */
  prune(node: ParentNode, shown: boolean): boolean {
    node.children = node.children.filter((child) => this.keeps(child, shown));
    return node.children.length > 0;
  }

  private keeps(node: ChildNode, shown: boolean): boolean {
    if (isComment(node)) this.comment(node.data);
    if (isText(node)) {
      const counts = shown && !this.googleOff && !this.noIndex;
      this.isCut ||= !counts;
      return counts;
    }
    if (!isElement(node)) return shown;
    if (this.excluded.has(node)) return this.without(node);
    const shows = this.shows(node) ?? shown;
    const left = this.prune(node, shows);
    if (!shows && shown && !left) this.cut.push(node);
    return shows || left;
  }

  /** Comments inside are respected nevertheless. */
  private without(element: Element): false {
    this.cut.push(element);
    this.isCut = true;
    const comments = (node: ParentNode): void => {
      for (const child of node.children)
        if (isComment(child)) this.comment(child.data);
        else if (isElement(child)) comments(child);
    };
    comments(element);
    return false;
  }

  /** The marker of the element itself; the nearest marker counts. */
  private shows({ name, attribs }: Element): boolean | undefined {
    const { markers } = this;
    if (markers.has('noindex') && name === 'noindex') return false;
    if (markers.has('nosnippet') && attribs['data-nosnippet'] !== undefined) return false;
    if (markers.has('elastic')) {
      if (attribs['data-elastic-exclude'] !== undefined) return false;
      if (attribs['data-elastic-include'] !== undefined) return true;
    }
    if (!markers.has('swiftype')) return undefined;
    const swiftype = attribs['data-swiftype-index']?.trim().toLowerCase();
    return swiftype === 'false' ? false : swiftype === 'true' ? true : undefined;
  }

  private comment(data: string): void {
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
