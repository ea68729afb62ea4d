/**
 * What the tree builder needs to know about an element with a given name: which open elements its tags close, by the
 * HTML standard's tree construction ("in body", and what tables need of the other insertion modes).
 */
import { type ContentModel, getContentModel, LEAVES_FOREIGN } from '../html/elements.js';

/**
 * Elements behind which tags do not look for what they close: those of "special" elements that a list item may close, as
 * all others below, lists, buttons, what separates its content from what is around it, as cells do, and tables.
 */
const BOUND = { none: 0, loose: 1, special: 2, list: 3, button: 4, block: 5, table: 6 } as const;
export type Bound = (typeof BOUND)[keyof typeof BOUND];
export const NO_BOUND = BOUND.none;
export const BOUNDS: readonly Bound[] = Object.values(BOUND);

/** How far an element is looked for among the open ones: up to the innermost of these. */
export const SCOPE = {
  any: [],
  special: [BOUND.loose, BOUND.special, BOUND.list, BOUND.button, BOUND.block, BOUND.table],
  item: [BOUND.special, BOUND.list, BOUND.button, BOUND.block, BOUND.table],
  block: [BOUND.block, BOUND.table],
  list: [BOUND.list, BOUND.block, BOUND.table],
  button: [BOUND.button, BOUND.block, BOUND.table],
  table: [BOUND.table],
} as const satisfies Record<string, readonly Bound[]>;
/** Undefined for the innermost open element alone. */
export type Scope = readonly Bound[] | undefined;
const INNERMOST: Scope = undefined;

export interface Closing {
  readonly names: readonly string[];
  readonly scope: Scope;
}

export interface ElementKind {
  readonly name: string;
  /** True if it has no content and no end tag. */
  readonly isVoid: boolean;
  readonly contentModel: ContentModel;
  /** The elements that its start tag closes. */
  readonly closes: readonly Closing[];
  /** Its start tag ends an open element of the same name as an end tag would. */
  readonly endsItself: boolean;
  /** The elements of which its end tag closes the innermost. */
  readonly ends: Closing;
  readonly bound: Bound;
  /** Its end tag does not end the blocks inside it. */
  readonly leavesBlocksOpen: boolean;
  /** True for `svg` and `math`. */
  readonly isForeign: boolean;
  /** True if its content is HTML even inside SVG and MathML. */
  readonly holdsHtml: boolean;
  /** Its start tag ends SVG and MathML. */
  readonly leavesForeign: boolean;
}

const splitWords = (text: string): readonly string[] => text.split(' ');
const setOf = (...texts: readonly string[]): ReadonlySet<string> => new Set(texts.flatMap(splitWords));

const VOID_ELEMENTS = setOf(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr',
);
const HTML_HOLDING = 'mi mo mn ms mtext annotation-xml foreignobject desc title';
const HTML_HOLDING_ELEMENTS = setOf(HTML_HOLDING);
const LEAVES_FOREIGN_ELEMENTS = setOf(LEAVES_FOREIGN);

const HEADINGS = 'h1 h2 h3 h4 h5 h6';
const CELLS = 'td th caption colgroup';
const ROWS = `${CELLS} tr`;
const BLOCKS =
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup ' +
  'listing main menu nav ol pre search section summary ul';
const FORMATTING = setOf('a b big code em font i nobr s small strike strong tt u');
const ENDS_ITSELF = setOf('a button nobr');
/** Of an element in several lines, the last one counts. */
const BOUND_OF = new Map(
  (
    [
      [BLOCKS, BOUND.special],
      [
        `${HEADINGS} tr tbody thead tfoot colgroup body dd dt form frameset head iframe li noembed noframes`,
        BOUND.special,
      ],
      ['noscript plaintext script select style textarea xmp', BOUND.special],
      ['address div p', BOUND.loose],
      ['ol ul', BOUND.list],
      ['button', BOUND.button],
      [`applet caption marquee object td th ${HTML_HOLDING}`, BOUND.block],
      ['html table template', BOUND.table],
    ] as const
  ).flatMap(([names, bound]) => splitWords(names).map((name) => [name, bound] as const)),
);

/** Which start tags close which elements. Some rules for forms are simpler than the standard's. */
const START_TAGS: readonly (readonly [names: string, closed: string, Scope])[] = [
  ['li', 'li', SCOPE.item],
  ['dd dt', 'dd dt', SCOPE.item],
  [`${BLOCKS} ${HEADINGS} dd dt form hr li p plaintext table xmp`, 'p', SCOPE.button],
  [HEADINGS, HEADINGS, INNERMOST],
  [CELLS, CELLS, SCOPE.table],
  ['tr', ROWS, SCOPE.table],
  ['thead tbody tfoot', `${ROWS} thead tbody tfoot`, SCOPE.table],
  ['body', 'head', SCOPE.any],
  ['button datalist input output select textarea', 'option optgroup select', INNERMOST],
  ['option', 'option', INNERMOST],
  ['optgroup', 'optgroup option', INNERMOST],
  ['rb rp rt rtc', 'rb rp rt', INNERMOST],
];
/**
 * Where end tags look for their element. Drawings, heads and what is for browsers without scripts end in any case, so
 * that a missing end tag inside does not hide the page; so does what markers exclude.
 */
const END_TAGS: readonly (readonly [names: string, Scope])[] = [
  [
    `${BLOCKS} ${HEADINGS} a applet b big button code dd dt em font form i marquee nobr object s select small`,
    SCOPE.block,
  ],
  ['strike strong tt u', SCOPE.block],
  ['li', SCOPE.list],
  ['p', SCOPE.button],
  [`${ROWS} table tbody tfoot thead`, SCOPE.table],
  ['head math noindex noscript svg template', SCOPE.any],
];

const CLOSED_BY_START_TAG = new Map<string, Closing[]>();
for (const [names, closed, scope] of START_TAGS)
  for (const name of splitWords(names)) {
    const closings = CLOSED_BY_START_TAG.get(name) ?? [];
    CLOSED_BY_START_TAG.set(name, [...closings, { names: splitWords(closed), scope }]);
  }
const END_SCOPES = new Map(END_TAGS.flatMap(([names, scope]) => splitWords(names).map((name) => [name, scope])));

export const getElementKind = (name: string): ElementKind => ({
  name,
  isVoid: VOID_ELEMENTS.has(name),
  contentModel: name === 'noframes' ? 'rawtext' : getContentModel(name),
  closes: CLOSED_BY_START_TAG.get(name) ?? [],
  endsItself: ENDS_ITSELF.has(name),
  ends: {
    names: /^h[1-6]$/.test(name) ? splitWords(HEADINGS) : [name],
    scope: END_SCOPES.get(name) ?? SCOPE.special,
  },
  bound: BOUND_OF.get(name) ?? NO_BOUND,
  leavesBlocksOpen: FORMATTING.has(name) || name === 'form',
  isForeign: name === 'svg' || name === 'math',
  holdsHtml: HTML_HOLDING_ELEMENTS.has(name),
  leavesForeign: LEAVES_FOREIGN_ELEMENTS.has(name),
});

/** Names of the HTML elements that pages use, with all that close others or bound a scope. */
export const ELEMENT_NAMES = splitWords(
  'a abbr address annotation-xml applet area article aside audio b base bdi bdo big blockquote body br button canvas caption ' +
    'center cite code col colgroup data datalist dd del desc details dfn dialog dir div dl dt em embed fieldset figcaption ' +
    'figure font footer foreignobject form frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ' +
    'ins kbd label legend li link listing main map mark marquee math menu meta meter mi mn mo ms mtext nav nobr noembed ' +
    'noframes noindex noscript object ol optgroup option output p param path picture plaintext pre progress q rb rp rt rtc ' +
    'ruby s samp script search section select slot small source span strike strong style sub summary sup svg table tbody td ' +
    'template textarea tfoot th thead time title tr track tt u ul use var video wbr xmp',
);
