/** What the scanner needs to know about each element, by name. */
import { MARKER_ELEMENT } from './markers.js';
import { NameTrie } from './name-trie.js';

/**
 * How the text after the start tag is read: as markup; as text up to the end tag, with character references (rcdata) or
 * without them (rawtext); as a script, which may hide its own end tag in a comment; or as text up to the end of the
 * page.
 */
export type ContentModel = 'markup' | 'rcdata' | 'rawtext' | 'script' | 'plaintext';

export interface Element {
  readonly name: string;
  /** True if the element is used inside a line of text, so its tags do not separate words. */
  readonly inline: boolean;
  /** Whether browsers begin a new line at its tags. */
  readonly breaksLine: boolean;
  readonly contentModel: ContentModel;
  /** Whether its start tag ends SVG and MathML (HTML standard, tree construction in foreign content). */
  readonly leavesForeign: boolean;
  /** Whether its attributes are needed. */
  readonly needsAttributes: boolean;
  /** Whether it may be in the head; the start tag of any other element ends the head. */
  readonly inHead: boolean;
  /** True if, in HTML, its tags at most begin a new word, as most tags of most pages do. */
  readonly isPlain: boolean;
}

const INLINE =
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rb rp rt rtc ruby s samp small ' +
  'span strike strong sub sup time tt u var wbr';

/** Cells of a table stay on the line of their row. */
export const BREAKS_LINE =
  'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
  'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table ' +
  'tbody tfoot thead tr ul';

/** Start tags that end SVG and MathML, and so does that of `font` with certain attributes. */
export const LEAVES_FOREIGN =
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
  'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var';

const ATTRIBUTE_ELEMENTS = 'a area base embed frame html iframe link meta object script template annotation-xml font';

const HEAD = 'base basefont bgsound head html link meta noframes noscript script style template title';

const FOREIGN = 'desc foreignobject mi mo mn ms mtext';

const SPECIAL = 'svg math template noscript noframes';

const CONTENT_MODELS: Record<string, ContentModel> = {
  title: 'rcdata',
  textarea: 'rcdata',
  script: 'script',
  style: 'rawtext',
  xmp: 'rawtext',
  iframe: 'rawtext',
  noembed: 'rawtext',
  plaintext: 'plaintext',
};

export const getContentModel = (name: string): ContentModel =>
  Object.hasOwn(CONTENT_MODELS, name) ? CONTENT_MODELS[name]! : 'markup';

/** Represents any element that is not listed above: a block without special meaning. */
export const UNNAMED: Element = {
  name: '',
  inline: false,
  breaksLine: false,
  contentModel: 'markup',
  leavesForeign: false,
  needsAttributes: false,
  inHead: false,
  isPlain: true,
};

function describeElements(): Map<string, Element> {
  const sets = [INLINE, BREAKS_LINE, LEAVES_FOREIGN, ATTRIBUTE_ELEMENTS, HEAD, SPECIAL, FOREIGN, MARKER_ELEMENT].map(
    (names) => new Set(names.split(' ')),
  );
  const [inline, breaksLine, leavesForeign, attributeElements, head, special] = sets as [
    Set<string>,
    Set<string>,
    Set<string>,
    Set<string>,
    Set<string>,
    Set<string>,
  ];
  const describeElement = (name: string): Element => ({
    name,
    inline: inline.has(name),
    breaksLine: breaksLine.has(name),
    contentModel: getContentModel(name),
    leavesForeign: leavesForeign.has(name),
    needsAttributes: attributeElements.has(name),
    inHead: head.has(name),
    isPlain: !attributeElements.has(name) && !special.has(name) && !Object.hasOwn(CONTENT_MODELS, name),
  });
  const names = new Set([...sets.flatMap((set) => [...set]), ...Object.keys(CONTENT_MODELS)]);
  return new Map([...names].map((name) => [name, describeElement(name)]));
}

export const ELEMENTS = new NameTrie<Element>(describeElements());
