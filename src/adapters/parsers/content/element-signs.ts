/** What tells the content of a page from what surrounds it: how much text and how many links an element has, and its name. */
import { statesDiscussion } from './microdata.js';
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
    measure.isConcealed =
      element.hasAttribute('hidden') ||
      element.getAttribute('aria-hidden') === 'true' ||
      CONCEALING_STYLE.test((element.getAttribute('style') ?? '').slice(0, MAX_STYLE_LENGTH));
    if (measure.isConcealed) this.concealedLength = concealedBefore + getPlainLength(measure);
    return measure;
  }
}

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
}

export interface NameSigns {
  /** It is named after content. */
  readonly likely: boolean;
  /** It is named after something else. */
  readonly unlikely: boolean;
  /** It is named after what is never the content, however much it is: notices about cookies, dialogs. */
  readonly never: boolean;
  /** It is named after comments, which are content only where a page is made for them. */
  readonly remarks: boolean;
  /** It is named after what may be either. */
  readonly doubtful: boolean;
  /** It is named after the caption of a picture. */
  readonly caption: boolean;
  /** It is named after the author or the date. */
  readonly byline: boolean;
}

const splitWords = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const LIKELY = splitWords(
  'article articlebody body column content contents entry hentry instapaper main maincontent page post postcontent story ' +
    'storybody text blog',
);
const UNLIKELY = splitWords(
  'ad adsbygoogle adsense ads adv advert advertisement advertising adverts addthis agegate aside breadcrumb breadcrumbs ' +
    'copyright crumbs cta disclaimer foot footer jp lightbox likes login masthead menu menus modal nav navbar navigation outbrain ' +
    'pager pagination paging popular printfriendly promotion recommendation recommendations recommended register registration ' +
    'related remark rss share sharedaddy sharer shares sharing shoutbox sidebar sidebars signup skip skiplink sociable social ' +
    'sponsor sponsored sponsors submenu subnav subscribe subscription supplemental taboola toolbar topbar trending',
);
const DOUBTFUL = splitWords(
  'banner banners hidden next overlay prev previous promo promos rail tag tagcloud taglist tags teaser teasers toc widget widgets',
);
const REMARKS = splitWords('discussion livefyre replies reply respond');
const REMARK_PARTS = /comment(?!ary|at)|kommentar|disqus/;
const NEVER_PARTS = /cookie|consent|gdpr|dialog|popup|newsletter/;
const BYLINE = splitWords(
  'author authors byline credit date dateline datetime entrymeta infos meta posted postmeta published time timestamp writtenby',
);
/** `has-sidebar`, `no-sidebar`: the name of what is around it. */
const NEGATIONS = splitWords('has is no not with without');
/** Longer values of class and id are cut. */
const MAX_NAME_LENGTH = 200;

const signsByElement = new WeakMap<Element, NameSigns>();

export function readNameSigns(element: Element): NameSigns {
  const known = signsByElement.get(element);
  if (known) return known;
  const [classes, id] = ['class', 'id'].map((name) => (element.getAttribute(name) ?? '').slice(0, MAX_NAME_LENGTH));
  const signs = readWords(`${classes} ${id}`);
  signsByElement.set(element, signs);
  return signs;
}

/** Takes nothing but the class of an element for its name. */
export const ignoreId = (element: Element): unknown =>
  signsByElement.set(element, readWords((element.getAttribute('class') ?? '').slice(0, MAX_NAME_LENGTH)));

function readWords(name: string): NameSigns {
  const signs = {
    likely: false,
    unlikely: false,
    never: false,
    remarks: false,
    doubtful: false,
    caption: false,
    byline: false,
  };
  let previous = '';
  for (const word of name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z]+/)) {
    if (!NEGATIONS.has(previous)) {
      signs.likely ||= LIKELY.has(word);
      signs.never ||= NEVER_PARTS.test(word);
      signs.remarks ||= REMARKS.has(word) || REMARK_PARTS.test(word);
      signs.unlikely ||= signs.never || UNLIKELY.has(word);
      signs.doubtful ||= DOUBTFUL.has(word);
      signs.caption ||= word === 'caption';
      signs.byline ||= BYLINE.has(word);
    }
    previous = word;
  }
  return signs;
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
