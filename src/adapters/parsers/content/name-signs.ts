/** What the class and id of an element say about it. */
import type { Element } from './nodes.js';
import { getHeadingLevel } from './readable.js';

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
    'copyright crumbs cta disclaimer editsection foot footer jp lightbox likes login masthead menu menus modal nav navbar navigation outbrain ' +
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
/** `has-sidebar`, `anchorWithStickyNavbar`: the name of what is around or beside it. */
const NEGATIONS = splitWords('has is no not with without');
/** Longer values of class and id are cut. */
export const MAX_NAME_LENGTH = 200;

/** What classes and ids say counts; `never`: only that it is never the content. */
export type NameRules = 'all' | 'never' | 'none';

const NAME_SCORE = 25;

export function scoreName(element: Element, names: NameRules): number {
  if (names !== 'all') return 0;
  const { likely, unlikely } = readNameSigns(element);
  return NAME_SCORE * (Number(likely) - Number(unlikely));
}

const signsByElement = new WeakMap<Element, NameSigns>();

export function readNameSigns(element: Element): NameSigns {
  const known = signsByElement.get(element);
  if (known) return known;
  const attributes = hasOwnWords(element) ? ['class'] : ['class', 'id'];
  const signs = readWords(
    attributes.map((name) => (element.getAttribute(name) ?? '').slice(0, MAX_NAME_LENGTH)).join(' '),
  );
  signsByElement.set(element, signs);
  return signs;
}

/** Whether its id is made of its words: `<h2 id="login">` is about logging in. */
const hasOwnWords = (element: Element): boolean =>
  element.name === 'dt' || element.name === 'summary' || getHeadingLevel(element) !== undefined;

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
  for (const one of name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/\s+/))
    for (const word of one.split(/[^a-z]+/)) {
      if (NEGATIONS.has(word)) break;
      signs.likely ||= LIKELY.has(word);
      signs.never ||= NEVER_PARTS.test(word);
      signs.remarks ||= REMARKS.has(word) || REMARK_PARTS.test(word);
      signs.unlikely ||= signs.never || UNLIKELY.has(word);
      signs.doubtful ||= DOUBTFUL.has(word);
      signs.caption ||= word === 'caption';
      signs.byline ||= BYLINE.has(word);
    }
  return signs;
}
