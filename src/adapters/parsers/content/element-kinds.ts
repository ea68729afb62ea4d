/** What the tree builder needs to know about an element with a given name. */
import { type ContentModel, getContentModel } from '../html/elements.js';

export interface ElementKind {
  readonly name: string;
  /** True if it has no content and no end tag. */
  readonly isVoid: boolean;
  readonly contentModel: ContentModel;
  /** Names of the elements that its start tag closes while they are the innermost open ones. */
  readonly closes: ReadonlySet<string> | undefined;
  /** True for `svg` and `math`. */
  readonly isForeign: boolean;
  /** True if its content is HTML even inside SVG and MathML. */
  readonly holdsHtml: boolean;
}

const splitWords = (text: string): readonly string[] => text.split(' ');

const VOID_ELEMENTS = new Set(
  splitWords(
    'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr',
  ),
);
const HTML_HOLDING_ELEMENTS = new Set(splitWords('mi mo mn ms mtext annotation-xml foreignobject desc title'));

/** End tags that may be omitted (HTML standard, section 13.1.2.4), as htmlparser2 implements them. */
const OMITTED_END_TAGS: readonly (readonly [string, string])[] = [
  ['tr', 'tr th td'],
  ['th', 'th'],
  ['td', 'thead th td'],
  ['body', 'head link script'],
  ['a', 'a'],
  ['li', 'li'],
  ['h1 h2 h3 h4 h5 h6', 'h1 h2 h3 h4 h5 h6 p'],
  ['select input output button datalist textarea', 'input option optgroup select button datalist textarea'],
  ['option', 'option'],
  ['optgroup', 'optgroup option'],
  ['dd dt', 'dd dt'],
  ['p address article aside blockquote details div dl fieldset figcaption figure footer form header hr main nav', 'p'],
  ['ol pre section table ul', 'p'],
  ['rt rp', 'rt rp'],
  ['tbody tfoot', 'thead tbody'],
];
const CLOSED_BY_START_TAG = new Map(
  OMITTED_END_TAGS.flatMap(([names, closedNames]) =>
    splitWords(names).map((name) => [name, new Set(splitWords(closedNames))]),
  ),
);

export const getElementKind = (name: string): ElementKind => ({
  name,
  isVoid: VOID_ELEMENTS.has(name),
  contentModel: name === 'noframes' ? 'rawtext' : getContentModel(name),
  closes: CLOSED_BY_START_TAG.get(name),
  isForeign: name === 'svg' || name === 'math',
  holdsHtml: HTML_HOLDING_ELEMENTS.has(name),
});

/** Names of the HTML elements that pages use. */
export const ELEMENT_NAMES = splitWords(
  'a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col ' +
    'colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form frame ' +
    'frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark ' +
    'math menu meta meter nav nobr noframes noindex noscript object ol optgroup option output p param path picture pre ' +
    'progress q rp rt ruby s samp script section select slot small source span strike strong style sub summary sup svg ' +
    'table tbody td template textarea tfoot th thead time title tr track tt u ul use var video wbr',
);
