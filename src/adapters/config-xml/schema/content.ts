/** What is extracted from pages: text, fields, forms for retrieval, and what counts as a change. */
import { FIELD_TYPES, MARKERS, URL_PARTS } from '../../../domain/content/content-definition.js';
import * as t from '../value-types.js';
import { attribute, elementFactory } from './spec.js';

const element = elementFactory('cw');

const NO_MARKER = 'none';

export const CONTENT = element(
  'Content',
  'What is extracted from pages (docs/content.md). A crawler may have several: one without a name for all pages, and named ones, which the option `content` chooses for some. Without this element a page is read as it is.',
  {
    name: attribute(
      t.name,
      'Name for the option `content`; without a name, it applies to all pages for which no option names another one.',
    ),
    main: attribute(t.boolean, 'Only the main content of the page, without navigation, headers and footers.', {
      default: 'false',
    }),
    markers: attribute(
      t.listOf(t.enumeration([...MARKERS, NO_MARKER])),
      'Markers of the page that are obeyed: `googleoff` comments, `data-nosnippet`, `data-elastic-exclude` and `-include`, `data-swiftype-index`, and `noindex` sections (the element, and comments of several search engines). `none`: no marker counts.',
      { default: MARKERS.join(' ') },
    ),
    metas: attribute(
      t.boolean,
      'Deliver the metas that pages carry: description, keywords, Open Graph, Twitter, article, Dublin Core, JSON-LD, microdata.',
      { default: 'true' },
    ),
    changeDetection: attribute(
      t.enumeration(['content', 'bytes']),
      'What makes a page count as changed: `content`: what is delivered (text, title, metas, fields); `bytes`: any byte of the page. Documents other than pages are always compared by their bytes.',
      { default: 'content' },
    ),
  },
  { children: ['Include', 'Exclude', 'Field', 'Split', 'Output'] },
);

const selector = attribute(t.selector, 'CSS selector; several are separated by commas.', { required: true });

export const INCLUDE = element(
  'Include',
  'Only the elements of this selector count, on pages that have one; several Include add up. Links of the whole page are followed all the same.',
  { select: selector },
);
export const EXCLUDE = element('Exclude', 'The elements of this selector do not count.', { select: selector });

export const FIELD = element(
  'Field',
  'A meta of the document, from exactly one of: elements of the page, its JSON-LD, one of its metas, a part of its URL.',
  {
    name: attribute(t.word, 'Name of the meta.', { required: true }),
    select: attribute(
      t.selector,
      'CSS selector of elements anywhere on the page, including excluded parts. The value is their text.',
    ),
    attribute: attribute(t.word, 'With `select`: the value is this attribute of the elements.'),
    jsonld: attribute(
      t.jsonLdPath,
      'Path into the JSON-LD of the page: `author.name`, or `Product:offers.price` for items of one type. Lists are walked through.',
    ),
    meta: attribute(t.word, 'Name or property of a meta of the page, in any case.'),
    url: attribute(t.enumeration(URL_PARTS), 'Part of the URL of the page.'),
    match: attribute(
      t.regex,
      'Regular expression (linear time), found anywhere in the value: its first group, or without a group the match, becomes the value. Without a match there is no value.',
    ),
    type: attribute(
      t.enumeration(FIELD_TYPES),
      '`date`: ISO 8601 in UTC; `number`: with a decimal point; `url`: absolute. A value that cannot be converted is left out.',
      { default: 'text' },
    ),
    multiple: attribute(t.boolean, 'All values instead of the first.', { default: 'false' }),
  },
);

export const SPLIT = element(
  'Split',
  'Every element of this selector becomes a document of its own, under the URL of the page with a fragment; the document of the page keeps the rest. A heading takes along what follows it, up to the next heading of its level or above. It is deleted with its page, or when the page no longer has it. At most 500 for each page.',
  {
    select: attribute(t.selector, 'CSS selector; of nested elements, the outermost counts.', { required: true }),
    id: attribute(
      t.word,
      'Attribute whose value, on the element or the first one inside it, becomes the fragment of the URL of the part. Without one, the fragment is `part-1` and so on.',
      { default: 'id' },
    ),
  },
  { once: true },
);

export const OUTPUT = element(
  'Output',
  'Further forms of the content, as fields of the document.',
  {
    headings: attribute(t.boolean, 'Field `headings`: the headings with their levels, as `## Title`.', {
      default: 'false',
    }),
    markdown: attribute(t.boolean, 'Field `markdown`: the content as Markdown.', { default: 'false' }),
    chunks: attribute(
      t.integer(20, 100_000),
      'Field `chunks`: the text in parts of at most this size, cut at headings, blocks and sentences, each with its headings and its place in the text.',
    ),
    chunkUnit: attribute(
      t.enumeration(['tokens', 'characters']),
      'Unit of chunks and chunkOverlap. A token is counted as four characters, or one of Chinese, Japanese and Korean.',
      { default: 'tokens' },
    ),
    chunkOverlap: attribute(
      t.integer(0, 50_000),
      'How much of the end of a chunk is repeated at the beginning of the next at most; no more than half of `chunks`.',
      { default: '0' },
    ),
  },
  { once: true },
);

export { NO_MARKER };
