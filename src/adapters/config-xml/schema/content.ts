/** The elements that say what is extracted from pages, in which form, what counts as a change, and who may see it. */
import { FIELD_TYPES, MARKERS, URL_PARTS } from '../../../domain/content/content-definition.js';
import * as t from '../value-types.js';
import { attribute, createElementFactory } from './spec.js';

const element = createElementFactory('cw');

const NO_MARKER = 'none';

export const CONTENT = element(
  'Content',
  'What is extracted from pages (docs/content.md). A crawler may have several: one without a name that applies to all pages, and named ones that the option `content` selects for some of them. Without this element, pages are extracted in full.',
  {
    name: attribute(
      t.name,
      'Name to use in the option `content`. An element without a name applies to all pages for which that option does not select another one.',
    ),
    main: attribute(t.boolean, 'Extract only the main content of the page, without navigation, headers and footers.', {
      default: 'false',
    }),
    omitRepeated: attribute(
      t.boolean,
      'Leave out blocks of text that stand on most pages of their host, as learned from its pages: notices, boxes, what follows every article. Nothing is left out before 20 pages of a host have been read, and never so much that less than a short paragraph is left.',
      { default: 'false' },
    ),
    markers: attribute(
      t.listOf(t.enumeration([...MARKERS, NO_MARKER])),
      'Markers on the page that are obeyed: `googleoff` comments, `data-nosnippet`, `data-elastic-exclude` and `-include`, `data-swiftype-index`, `data-pagefind-ignore`, and `noindex` sections (the element, and comments of several search engines). `none`: all markers are ignored.',
      { default: MARKERS.join(' ') },
    ),
    metas: attribute(
      t.boolean,
      'Deliver the metas that pages contain: description, keywords, Open Graph, Twitter, article, Dublin Core, JSON-LD, microdata.',
      { default: 'true' },
    ),
    changeDetection: attribute(
      t.enumeration(['content', 'bytes']),
      'What makes a page count as changed. `content`: a difference in what is delivered (text, title, metas, fields); `bytes`: a difference in any byte of the page. Documents other than pages are always compared by their bytes.',
      { default: 'content' },
    ),
  },
  { children: ['Include', 'Exclude', 'Field', 'Split', 'Output'] },
);

const selector = attribute(t.selector, 'CSS selector; separate several by commas.', { required: true });

export const INCLUDE = element(
  'Include',
  'If elements of a page match this selector, only these are extracted. If there are several Include elements, the matches of all of them are extracted. Links anywhere on the page are still followed.',
  { select: selector },
);
export const EXCLUDE = element('Exclude', 'Elements that match this selector are not extracted.', { select: selector });

export const FIELD = element(
  'Field',
  'A meta of the document, taken from exactly one of: elements of the page, its JSON-LD, one of its metas, a part of its URL.',
  {
    name: attribute(t.nonEmptyText, 'Name of the meta.', { required: true }),
    select: attribute(
      t.selector,
      'CSS selector of elements anywhere on the page, including excluded parts. The value is their text.',
    ),
    attribute: attribute(t.nonEmptyText, 'With `select`: attribute of the elements from which to take the value.'),
    jsonld: attribute(
      t.jsonLdPath,
      'Path into the JSON-LD of the page: `author.name`, or `Product:offers.price` for items of one type. Every item of a list is examined.',
    ),
    meta: attribute(t.nonEmptyText, 'Name or property of a meta of the page, case-insensitive.'),
    url: attribute(t.enumeration(URL_PARTS), 'Part of the URL of the page.'),
    match: attribute(
      t.regex,
      'Regular expression (linear time) to search for in the value. Its first group, or the whole match if it has no group, becomes the value. If nothing matches, there is no value.',
    ),
    type: attribute(
      t.enumeration(FIELD_TYPES),
      '`date`: ISO 8601 in UTC; `number`: with a decimal point; `url`: absolute. A value that cannot be converted is omitted.',
      { default: 'text' },
    ),
    multiple: attribute(t.boolean, 'Take all values instead of only the first.', { default: 'false' }),
  },
);

export const SPLIT = element(
  'Split',
  'Every element that matches this selector becomes a document of its own, under the URL of the page with a fragment; the document of the page keeps the rest. A heading includes everything that follows it, up to the next heading of the same or a higher level. Such a document is deleted together with its page, or when the page no longer has the element. A page can have at most 500 of them.',
  {
    select: attribute(t.selector, 'CSS selector; if matching elements are nested, the outermost one is used.', {
      required: true,
    }),
    id: attribute(
      t.nonEmptyText,
      "Attribute from which to take the fragment of the part's URL, on the element itself or on the first element inside that has the attribute. If there is none, the fragment is `part-1` and so on.",
      { default: 'id' },
    ),
  },
  { once: true },
);

export const OUTPUT = element(
  'Output',
  'Additional forms of the content, as fields of the document.',
  {
    headings: attribute(t.boolean, 'Field `headings`: the headings with their levels, as `## Title`.', {
      default: 'false',
    }),
    markdown: attribute(t.boolean, 'Field `markdown`: the content as Markdown.', { default: 'false' }),
    chunks: attribute(
      t.integer(20, 100_000),
      'Field `chunks`: the text in parts of at most this size, split at headings, blocks and sentences, each with an id, its headings and its position in the text.',
    ),
    chunkUnit: attribute(
      t.enumeration(['tokens', 'characters']),
      'Unit of chunks and chunkOverlap. A token is counted as four characters, two of the scripts of South and Southeast Asia, or one of Chinese, Japanese or Korean.',
      { default: 'tokens' },
    ),
    chunkOverlap: attribute(
      t.integer(0, 50_000),
      'Maximum size of the end of a chunk that is repeated at the beginning of the next; at most half of `chunks`.',
      { default: '0' },
    ),
  },
  { once: true },
);

export { NO_MARKER };

export const ACL = element(
  'Acl',
  'Who may see the documents of the crawler, delivered as `acl_allow` and `acl_deny` (docs/acl.md).',
  {
    default: attribute(
      t.text,
      'Principals that may see documents of hosts without rules if neither header nor meta says anything; separated by commas.',
      { default: '' },
    ),
    header: attribute(t.headerName, 'Response header that lists principals that may see the page.'),
    denyHeader: attribute(t.headerName, 'Response header that lists principals that may not see the page.'),
    meta: attribute(t.nonEmptyText, 'Meta that lists principals that may see the page.'),
    denyMeta: attribute(t.nonEmptyText, 'Meta that lists principals that may not see the page.'),
    file: attribute(t.fileName, 'File with one entry per line: `allow|deny PREFIX principal, principal`.'),
  },
  { once: true, children: ['AclRule'] },
);

export const ACL_RULE = element(
  'AclRule',
  'Principals for all URLs with a given prefix, in any spelling of it; the longest matching prefix applies. `default` does not apply to its host.',
  {
    url: attribute(t.httpUrl, 'Prefix of the URLs that the element covers.', { required: true }),
    allow: attribute(t.text, 'Principals that may see these documents, separated by commas.', { default: '' }),
    deny: attribute(t.text, 'Principals that may not see these documents, separated by commas.', { default: '' }),
  },
);
