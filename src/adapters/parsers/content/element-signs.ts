/** What tells the content of a page from what surrounds it: how much text and how many links an element has. */
import { statesDiscussion } from './microdata.js';
import { MAX_NAME_LENGTH } from './name-signs.js';
import { type Element, isElement, isText, type ParentNode } from './nodes.js';
import { foldWhitespace, isHidden, isInline } from './readable.js';

export interface Measure {
  /** Number of characters of its text, and of those in links. Chinese characters and the like count twice. */
  text: number;
  links: number;
  /** The same of its own text, without that of blocks inside it; only of blocks. */
  own: number;
  ownLinks: number;
  /** Number of commas in its own text, and in all of it. */
  ownCommas: number;
  commas: number;
  paragraphs: number;
  /** Number of `h1` and `h2`, and of `h1` alone. */
  headings: number;
  titles: number;
  inputs: number;
  images: number;
  /** Number of `pre`. */
  codes: number;
  /** True if it is not displayed. */
  isConcealed: boolean;
}

const createMeasure = (): Measure => ({
  text: 0,
  links: 0,
  own: 0,
  ownLinks: 0,
  ownCommas: 0,
  commas: 0,
  paragraphs: 0,
  headings: 0,
  titles: 0,
  inputs: 0,
  images: 0,
  codes: 0,
  isConcealed: false,
});

export const getLinkShare = ({ text, links }: Measure): number => (text === 0 ? 0 : links / text);
export const getPlainLength = ({ text, links }: Measure): number => text - links;

/** Minimum number of characters of a text that reads like a sentence. */
export const MIN_PARAGRAPH_LENGTH = 25;
const COMMAS = /[,،、，﹐︐︑;；。]/g;
const WIDE_CHARACTERS = /[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]/g;
const CONCEALING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;
const TEXTLESS_INPUTS = /^(?:hidden|checkbox|radio)$/i;
/** Share of the text that is most of it. */
const MOSTLY = 0.75;
const MAX_STYLE_LENGTH = 200;
const NO_ELEMENTS: ReadonlySet<Element> = new Set();

/** The measures of the elements of a tree, each taken once. */
export class PageMeasures {
  readonly mains: Element[] = [];
  readonly articles: Element[] = [];
  readonly whole: Readonly<Measure>;
  hasParagraphs = false;
  /** True if most of its text is shown by scripts only, one section at a time. */
  readonly isMostlyConcealed: boolean;
  private concealedLength = 0;
  private discussion: boolean | undefined;
  private readonly measures = new Map<ParentNode, Measure>();

  constructor(
    private readonly root: ParentNode,
    private readonly removed: ReadonlySet<Element> = NO_ELEMENTS,
  ) {
    this.whole = isElement(root) ? this.measureElement(root, createMeasure(), false) : this.measureBlock(root, false);
    this.isMostlyConcealed = this.concealedLength > getPlainLength(this.whole) * MOSTLY;
  }

  /** True if the page says that it is a thread of a forum, or a question with its answers. */
  get isDiscussion(): boolean {
    this.discussion ??= statesDiscussion(this.root);
    return this.discussion;
  }

  of(node: ParentNode): Readonly<Measure> {
    return this.measures.get(node) ?? NOTHING;
  }

  private measureBlock(node: ParentNode, isLinked: boolean): Measure {
    const measure = createMeasure();
    this.measureChildren(node, measure, measure, isLinked);
    this.hasParagraphs ||= isElement(node) && measure.own >= MIN_PARAGRAPH_LENGTH;
    return measure;
  }

  /** `block`: the innermost block around the node, to which its inline content belongs. */
  private measureChildren(node: ParentNode, measure: Measure, block: Measure, isLinked: boolean): void {
    this.measures.set(node, measure);
    for (const child of node.children)
      if (isText(child)) addText(child.data, measure, block, isLinked);
      else if (isElement(child) && !isHidden(child) && !this.removed.has(child))
        addChild(measure, child, this.measureElement(child, block, isLinked));
  }

  private measureElement(element: Element, block: Measure, isInLink: boolean): Measure {
    const { name } = element;
    if (name === 'main' || element.getAttribute('role') === 'main') this.mains.push(element);
    else if (name === 'article') this.articles.push(element);
    const concealedBefore = this.concealedLength;
    const isLinked = isInLink || (name === 'a' && element.hasAttribute('href'));
    let measure: Measure;
    if (isInline(element)) {
      measure = createMeasure();
      this.measureChildren(element, measure, block, isLinked);
    } else measure = this.measureBlock(element, isLinked);
    measure.isConcealed = isConcealed(element) && !opensOnRequest(element);
    if (measure.isConcealed) this.concealedLength = concealedBefore + getPlainLength(measure);
    return measure;
  }
}

const isConcealed = (element: Element): boolean =>
  element.hasAttribute('hidden') ||
  element.getAttribute('aria-hidden') === 'true' ||
  CONCEALING_STYLE.test((element.getAttribute('style') ?? '').slice(0, MAX_STYLE_LENGTH));

/** Names of what a reader opens in the text: a tab, a part that is folded up, a formula for screen readers. */
const OPENED_PARTS = /accordion|collaps|expand|spoiler|toggle|tab-?(?:pane|content|item)|tabs?-?panel|mathml/i;

const opensOnRequest = (element: Element): boolean =>
  element.getAttribute('role') === 'tabpanel' ||
  element.getAttribute('hidden') === 'until-found' ||
  OPENED_PARTS.test((element.getAttribute('class') ?? '').slice(0, MAX_NAME_LENGTH));

const NOTHING: Readonly<Measure> = createMeasure();

function addText(data: string, measure: Measure, block: Measure, isLinked: boolean): void {
  const text = foldWhitespace(data);
  if (text === '' || text === ' ') return;
  const wide = /[\u2e80-\uffff]/.test(text) ? (text.match(WIDE_CHARACTERS)?.length ?? 0) : 0;
  const length = text.length + wide;
  const commas = text.match(COMMAS)?.length ?? 0;
  measure.text += length;
  measure.commas += commas;
  block.own += length;
  block.ownCommas += commas;
  if (!isLinked) return;
  measure.links += length;
  block.ownLinks += length;
}

function addChild(measure: Measure, element: Element, child: Measure): void {
  const { name } = element;
  measure.text += child.text;
  measure.links += child.links;
  measure.commas += child.commas;
  measure.paragraphs += child.paragraphs + Number(name === 'p');
  measure.headings += child.headings + Number(name === 'h1' || name === 'h2');
  measure.titles += child.titles + Number(name === 'h1');
  measure.inputs +=
    child.inputs + Number(name === 'input' && !TEXTLESS_INPUTS.test(element.getAttribute('type') ?? ''));
  measure.images += child.images + Number(name === 'img');
  measure.codes += child.codes + Number(name === 'pre');
}

export const INITIAL_SCORES: Readonly<Record<string, number>> = {
  ...{ div: 5, article: 5, section: 5, main: 5, pre: 3, td: 3, blockquote: 3 },
  ...{ address: -3, ol: -3, ul: -3, dl: -3, dd: -3, dt: -3, li: -3, form: -3 },
  ...{ h2: -5, h3: -5, h4: -5, h5: -5, h6: -5, th: -5 },
};
/** The name of the photographer or the agency. */
export const PHOTO_CREDIT =
  /©|\(c\)|\bphotos?\b|\bfotos?\b|getty|reuters|\bquelle|\bcredit|courtesy|\bAFP\b|\bEPA\b|shutterstock|istock|unsplash|pixabay/i;
/** A notice at the end of a page. */
export const COPYRIGHT =
  /^[^\p{L}]*(?:©|\(c\)|copyright\b)|all rights reserved|alle rechte vorbehalten|tous droits réservés/iu;
