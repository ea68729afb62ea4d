/**
 * Searches a part of a page for its content. Paragraphs give credit to the elements around them; the element with most
 * credit is the content, siblings that read like it belong to it, and so does an introduction between title and
 * content. Inside it, blocks of links and what is named after something else are removed. Everything is measured once,
 * so that the time grows with the page only.
 */
import {
  getLinkShare,
  getPlainLength,
  INITIAL_SCORES,
  type Measure,
  MIN_PARAGRAPH_LENGTH,
  PageMeasures,
} from './element-signs.js';
import { type NameRules, readNameSigns, scoreName } from './name-signs.js';
import { type ChildNode, type Element, isElement, type ParentNode } from './nodes.js';
import { NoiseFinder } from './noise.js';
import { findEmptied } from './pruning.js';
import { getHeadingLevel } from './readable.js';

export interface SearchRules {
  readonly names: NameRules;
  /** Blocks inside the content are removed. */
  readonly blocks: boolean;
}

export interface SearchResult {
  readonly kept: readonly Element[];
  readonly removed: ReadonlySet<Element>;
  readonly length: number;
  readonly plainLength: number;
}

/** Shorter elements are removed for their name whatever their share of the text is. */
const MIN_TEXT_LENGTH = 140;
const splitWords = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const REMOVED_ELEMENTS = splitWords('nav footer dialog menu button select textarea object embed');
const REMOVED_ROLES = splitWords(
  'navigation banner contentinfo search menu menubar dialog alertdialog alert complementary',
);
/** Elements whose names say nothing about their content, or about that of their page. */
const UNNAMED_ELEMENTS = splitWords('h1 h2 h3 h4 h5 h6 html body main a code pre table tbody tr td th head');
/** Elements that are text, so that their credit belongs to what is around them. */
const PARAGRAPHS = splitWords('p pre blockquote td th dd dt li h2 h3 h4 h5 h6 figcaption caption summary');
/** Nothing inside these is removed. */
const OPAQUE_ELEMENTS = splitWords('pre code math svg figcaption');

const MAX_PARAGRAPH_LINK_SHARE = 0.5;
/** The element around a paragraph gets all of its credit, the next one half, and so on. */
const CREDIT_FACTORS = [1, 1 / 2, 1 / 6, 1 / 9, 1 / 12];
/** An element with a larger share of the text is not removed for its name. */
const MAX_NAMED_SHARE = 0.4;
/** A block with a larger share of the content is not removed. */
const MAX_BLOCK_SHARE = 0.6;
/** When content is spread over an element's children: how much more credit it has, and its links, which manuals have in each line. */
const SPREAD = { credit: 2, links: 0.1 };
const SPREAD_IN_MARKED = { credit: 1.5, links: 0.2 };
const MAX_BYLINE_LENGTH = 150;
const MAX_LEAD_LENGTH = 1_500;
const MAX_LEAD_LEVELS = 12;
/** Maximum number of elements that are taken from one level. */
const MAX_LEAD_ELEMENTS = 1_000;
const MIN_LEAD_CREDIT = 3;

const isPlain = ({ text, links }: Measure): boolean => text > 0 && links === 0;
const isMarkedContent = (element: Element): boolean =>
  element.name === 'main' || element.name === 'article' || element.getAttribute('role') === 'main';

/** One attempt to find the content of a page. A search is used once. */
export class ContentSearch {
  readonly removed = new Set<Element>();
  /** Without what is removed first. */
  private measures: PageMeasures;
  /** The lengths of what is removed from the content. */
  private readonly noise = { text: 0, plain: 0 };
  private readonly scores = new Map<Element, number>();
  /** The credit of all paragraphs inside an element. */
  private readonly credits = new Map<Element, number>();

  constructor(
    private readonly scope: ParentNode,
    private readonly original: PageMeasures,
    private readonly rules: SearchRules,
  ) {
    this.measures = original;
  }

  find(): SearchResult | undefined {
    const { scope, removed } = this;
    this.measures = this.removeUnlikely();
    for (const child of isElement(scope) ? [scope] : scope.children) if (isElement(child)) this.score(child);
    for (const [element, score] of this.scores)
      this.scores.set(element, score * (1 - getLinkShare(this.measures.of(element))));
    const top = this.findTop();
    if (!top) return undefined;
    const kept = [...this.findLead(top), ...this.joinSiblings(top)];
    const sum = (measure: (one: Measure) => number): number =>
      kept.reduce((total, element) => total + measure(this.measures.of(element)), 0);
    const [text, plain] = [sum((one) => one.text), sum(getPlainLength)];
    if (this.rules.blocks) {
      const finder = new NoiseFinder(this.measures, this.rules.names, removed);
      for (const element of kept) this.removeNoise(element, plain * MAX_BLOCK_SHARE, finder);
      for (const element of kept)
        for (const heading of findEmptied(element, removed, this.original)) this.removeAsNoise(heading);
    }
    return { kept, removed, length: text - this.noise.text, plainLength: plain - this.noise.plain };
  }

  /** Keeps everything but what is not content by its element or name. */
  keepWhole(): SearchResult | undefined {
    const { scope, removed } = this;
    const { whole } = this.removeUnlikely();
    const kept = isElement(scope) ? [scope] : scope.children.filter(isElement);
    return { kept, removed, length: whole.text, plainLength: getPlainLength(whole) };
  }

  private removeAsNoise(element: Element): void {
    const measure = this.measures.of(element);
    this.noise.text += measure.text;
    this.noise.plain += getPlainLength(measure);
    this.removed.add(element);
  }

  /** Removes what is not content by its element or name, and measures the rest. */
  removeUnlikely(): PageMeasures {
    this.removeUnlikelyFrom(this.scope, isElement(this.scope));
    return new PageMeasures(this.scope, this.removed);
  }

  private removeUnlikelyFrom(node: ParentNode, isInsideContent: boolean): void {
    for (const child of node.children) {
      if (!isElement(child)) continue;
      if (this.isUnlikely(child, isInsideContent) && this.isSmall(child)) this.removed.add(child);
      // Programs have comments, too.
      else if (!OPAQUE_ELEMENTS.has(child.name))
        this.removeUnlikelyFrom(child, isInsideContent || isMarkedContent(child));
    }
  }

  private isSmall(element: Element): boolean {
    const { whole } = this.original;
    const measure = this.original.of(element);
    if (measure.text < MIN_TEXT_LENGTH) return true;
    const hasTitle = whole.titles > 0 && measure.titles === whole.titles;
    if (this.rules.names !== 'none' && this.isNever(element) && !hasTitle) return true;
    return getPlainLength(measure) <= getPlainLength(whole) * MAX_NAMED_SHARE;
  }

  private isNever(element: Element): boolean {
    const { never, remarks } = readNameSigns(element);
    return never || (remarks && !this.original.isDiscussion);
  }

  private isUnlikely(element: Element, isInsideContent: boolean): boolean {
    const { name } = element;
    const measure = this.original.of(element);
    if (REMOVED_ELEMENTS.has(name) || (measure.isConcealed && !this.original.isMostlyConcealed)) return true;
    if (name === 'html' || name === 'body' || name === 'main') return false;
    if (REMOVED_ROLES.has(element.getAttribute('role') ?? '')) return true;
    if (name === 'header') return measure.headings === 0;
    // Boxes inside an article are part of it: notes, warnings.
    if (name === 'aside' && !isInsideContent) return true;
    if (this.rules.names === 'none' || UNNAMED_ELEMENTS.has(name)) return false;
    const signs = readNameSigns(element);
    const never = this.isNever(element);
    if (never || this.rules.names === 'never') return never;
    if (signs.unlikely && !signs.likely) return true;
    if (signs.doubtful && getLinkShare(measure) > 0.3) return true;
    return signs.byline && measure.text < MAX_BYLINE_LENGTH && measure.headings === 0;
  }

  /** Returns the credit of the element's paragraphs. */
  private score(element: Element): number {
    if (this.removed.has(element)) return 0;
    const { own, ownLinks, ownCommas } = this.measures.of(element);
    let credits = 0;
    if (own >= MIN_PARAGRAPH_LENGTH && ownLinks <= own * MAX_PARAGRAPH_LINK_SHARE && element.name !== 'h1') {
      // Lists of names have many commas, too.
      credits = 1 + Math.min(ownCommas, own / 50) + Math.min(own / 100, 3);
      this.giveCredit(PARAGRAPHS.has(element.name) ? element.parent : element, credits);
    }
    for (const child of element.children) if (isElement(child)) credits += this.score(child);
    this.credits.set(element, credits);
    return credits;
  }

  private giveCredit(target: ParentNode, credit: number): void {
    let node = target;
    for (const factor of CREDIT_FACTORS) {
      if (!isElement(node)) break;
      this.scores.set(node, (this.scores.get(node) ?? this.getInitialScore(node)) + credit * factor);
      if (node === this.scope) break;
      node = node.parent;
    }
  }

  private getInitialScore(element: Element): number {
    return (INITIAL_SCORES[element.name] ?? 0) + scoreName(element, this.rules.names);
  }

  private findTop(): Element | undefined {
    const { scope } = this;
    let top: Element | undefined;
    let topScore = 0;
    for (const [element, score] of this.scores)
      if (!top || score > topScore) {
        top = element;
        topScore = score;
      }
    if (!top) return isElement(scope) ? scope : undefined;
    top = this.findBetterAncestor(this.findCommonAncestor(top, topScore));
    top = this.findSpreadContent(top);
    // An only child finds its siblings at its parent.
    for (let parent = this.getParent(top); parent && this.hasOneChild(parent); parent = this.getParent(top))
      top = parent;
    return top;
  }

  /** The parent, up to the element that is searched, and never the whole page. */
  private getParent(element: Element): Element | undefined {
    const { parent } = element;
    return element !== this.scope && isElement(parent) && parent.name !== 'body' && parent.name !== 'html'
      ? parent
      : undefined;
  }

  private hasOneChild({ children }: Element): boolean {
    return children.filter((child) => isElement(child) && !this.removed.has(child)).length === 1;
  }

  /** If several elements score nearly as high, what they have in common is the content. */
  private findCommonAncestor(top: Element, topScore: number): Element {
    const others = [...this.scores].filter(([element, score]) => element !== top && score >= topScore * 0.75);
    if (others.length < 3) return top;
    const counts = new Map<Element, number>();
    for (const [element] of others.slice(0, 50))
      for (let node = this.getParent(element); node; node = this.getParent(node))
        counts.set(node, (counts.get(node) ?? 0) + 1);
    for (let node = this.getParent(top); node; node = this.getParent(node))
      if ((counts.get(node) ?? 0) >= 3) return node;
    return top;
  }

  /** Scores fall from an element to its ancestors, unless there is more content in the ancestor. */
  private findBetterAncestor(element: Element): Element {
    let last = this.scores.get(element) ?? 0;
    const least = last / 3;
    for (let node = this.getParent(element); node; node = this.getParent(node)) {
      const score = this.scores.get(node);
      if (score === undefined) continue;
      if (score < least) break;
      if (score > last) return node;
      last = score;
    }
    return element;
  }

  /** If an ancestor that is no list of links has much more content, it is spread over its children. */
  private findSpreadContent(element: Element): Element {
    const { credit, links } = isElement(this.scope) ? SPREAD_IN_MARKED : SPREAD;
    let top = element;
    for (let node = this.getParent(element); node; node = this.getParent(node))
      if (this.getCredit(node) > this.getCredit(top) * credit && getLinkShare(this.measures.of(node)) < links)
        top = node;
    return top;
  }

  private getCredit(element: Element): number {
    return this.credits.get(element) ?? 0;
  }

  /** The element, siblings that read like it, and introductions among those before it. */
  private joinSiblings(top: Element): Element[] {
    if (top === this.scope) return [top];
    const joined: Element[] = [];
    let isBefore = true;
    /** Headings and the like, which belong to what is joined after them. */
    let between: Element[] = [];
    for (const child of top.parent.children) {
      if (!isElement(child) || this.removed.has(child)) continue;
      if (child === top) isBefore = false;
      if (child === top || this.readsLike(child, top)) {
        for (const one of between) joined.push(one);
        joined.push(child);
        between = [];
      } else if ((getHeadingLevel(child) ?? 1) > 1) {
        if (joined.length === 0) between = [];
        between.push(child);
      } else if (joined.length > 0 && PARAGRAPHS.has(child.name) && isPlain(this.measures.of(child)))
        between.push(child);
      else if (isBefore) this.collectLead(child, joined);
    }
    return joined;
  }

  private readsLike(sibling: Element, top: Element): boolean {
    const topScore = this.scores.get(top) ?? 0;
    const topClass = top.getAttribute('class') ?? '';
    const bonus = topClass !== '' && sibling.getAttribute('class') === topClass ? topScore * 0.2 : 0;
    if ((this.scores.get(sibling) ?? Number.NEGATIVE_INFINITY) + bonus >= Math.max(10, topScore * 0.2)) return true;
    const measure = this.measures.of(sibling);
    const linkShare = getLinkShare(measure);
    const credit = this.getCredit(sibling);
    if (credit >= this.getCredit(top) * 0.2 && linkShare < 0.3) return true;
    if (measure.headings > 0 && credit >= MIN_LEAD_CREDIT && linkShare < 0.1) return true;
    return (sibling.name === 'p' || sibling.name === 'pre') && measure.own > 80 && linkShare < 0.25;
  }

  /** Finds text between the page's title and its content, such as an introduction. */
  private findLead(top: Element): Element[] {
    const lead: Element[] = [];
    let child = top;
    for (let level = 0; level < MAX_LEAD_LEVELS && child !== this.scope && isElement(child.parent); level++) {
      const { parent } = child;
      const before: Element[] = [];
      for (const sibling of level === 0 ? [] : parent.children) {
        if (sibling === child) break;
        this.collectLead(sibling, before);
      }
      lead.unshift(...before.slice(0, MAX_LEAD_ELEMENTS));
      if (parent.name === 'body' || parent.name === 'article' || this.measures.of(parent).titles > 0) break;
      child = parent;
    }
    return lead;
  }

  private collectLead(node: ChildNode, lead: Element[]): void {
    if (!isElement(node) || this.removed.has(node) || this.getCredit(node) < MIN_LEAD_CREDIT) return;
    const measure = this.measures.of(node);
    if (getLinkShare(measure) < 0.2 && measure.text < MAX_LEAD_LENGTH && measure.inputs === 0) lead.push(node);
    else this.collectLeadInside(node, lead);
  }

  /** A heading is taken with what is taken of its section. */
  private collectLeadInside(element: Element, lead: Element[]): void {
    let heading: Element | undefined;
    for (const child of element.children) {
      const { length } = lead;
      this.collectLead(child, lead);
      if (lead.length > length && heading) lead.splice(length, 0, heading);
      if (lead.length > length) heading = undefined;
      else if (isElement(child) && !this.removed.has(child) && (getHeadingLevel(child) ?? 1) > 1) heading = child;
    }
  }

  /** Removes blocks inside the content that do not read like it. */
  private removeNoise(node: ParentNode, maxLength: number, finder: NoiseFinder): void {
    for (const child of node.children) {
      if (!isElement(child) || this.removed.has(child)) continue;
      if (finder.isNoise(child) && getPlainLength(this.measures.of(child)) <= maxLength) this.removeAsNoise(child);
      else if (!OPAQUE_ELEMENTS.has(child.name)) this.removeNoise(child, maxLength, finder);
    }
  }
}
