/**
 * What is extracted from a page, as configured by `cw:Content`: its text, fields and forms for retrieval, and how its
 * changes are detected.
 */
import type { Place } from '../crawl/place.js';

/** Markers in a page's markup with which its authors exclude parts of it from search. */
export const MARKERS = ['googleoff', 'nosnippet', 'elastic', 'swiftype', 'pagefind', 'noindex'] as const;
export type Marker = (typeof MARKERS)[number];

export const URL_PARTS = ['url', 'scheme', 'host', 'path', 'query', 'fragment'] as const;
export type UrlPart = (typeof URL_PARTS)[number];

export const FIELD_TYPES = ['text', 'date', 'number', 'boolean', 'url'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export type FieldSource =
  | {
      readonly kind: 'select';
      readonly selector: string;
      /** Attribute to read from the elements; if absent, their text is read. */
      readonly attribute?: string;
    }
  | { readonly kind: 'jsonld'; readonly path: string }
  | { readonly kind: 'meta'; readonly name: string }
  | { readonly kind: 'url'; readonly part: UrlPart };

export interface FieldDefinition {
  /** Name of the meta that the field becomes. */
  readonly name: string;
  readonly source: FieldSource;
  /** Regular expression for the linear-time engine: the value is its first group, or the whole match if it has none. */
  readonly match?: string;
  readonly type: FieldType;
  /** Whether all values are used, not only the first. */
  readonly multiple: boolean;
  readonly place: Place;
}

interface SplitDefinition {
  /** CSS selector of the elements to split off. */
  readonly selector: string;
  /** Attribute that contains the name of a part. */
  readonly id: string;
}

export interface ChunkDefinition {
  /** Maximum size of a chunk. */
  readonly size: number;
  /** Maximum overlap between the end of one chunk and the beginning of the next. */
  readonly overlap: number;
  readonly unit: 'tokens' | 'characters';
}

export interface ContentDefinition {
  /** Name by which the option `content` selects it for some URLs; if absent, it applies to all other URLs. */
  readonly name?: string;
  /** CSS selectors: on pages with matching elements, only the content of these elements is read. */
  readonly include: readonly string[];
  /** CSS selectors of elements that are ignored. */
  readonly exclude: readonly string[];
  readonly markers: readonly Marker[];
  /** Whether only the main content of the page is read, without navigation and the like. */
  readonly main: boolean;
  /** Whether blocks that stand on most pages of their host are left out. */
  readonly omitRepeated: boolean;
  /** Whether the metas that pages contain are delivered. */
  readonly metas: boolean;
  readonly fields: readonly FieldDefinition[];
  /** Elements that become separate documents. */
  readonly split?: SplitDefinition;
  readonly headings: boolean;
  readonly markdown: boolean;
  readonly chunks?: ChunkDefinition;
  readonly changeDetection: 'content' | 'bytes';
  readonly place: Place;
}

/** Used for pages without a `Content` element: the page as it is, without what its markers exclude. */
export const MARKERS_ONLY: ContentDefinition = {
  include: [],
  exclude: [],
  markers: MARKERS,
  main: false,
  omitRepeated: false,
  metas: false,
  fields: [],
  headings: false,
  markdown: false,
  changeDetection: 'content',
  place: { file: '', line: 0, column: 0 },
};

/** A part of the text for a language model. Offsets are UTF-16 units of the document's text. */
export interface Chunk {
  /**
   * Stays the same as long as the document's URI, the text and the headings above it do, wherever it moves; absent until
   * the document is known, and in documents of earlier versions.
   */
  readonly id?: string;
  /** The fragment of the page's URL that leads to its section, if the page has one. */
  readonly anchor?: string;
  readonly text: string;
  /** The headings above the chunk, outermost first. */
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface Heading {
  /** From 1 to 6. */
  readonly level: number;
  /** Empty where what follows does not belong to the headings before, such as the notes at the end of a document. */
  readonly text: string;
  /** Offset in the document's text. */
  readonly start: number;
  /** The fragment of the page's URL that leads to it, if the page has one. */
  readonly anchor?: string;
}

/** Maximum number that is read of a document: more would not be an outline of it. */
export const MAX_HEADINGS = 5_000;
/** Headings are repeated in each chunk below them. */
export const MAX_HEADING_LENGTH = 500;

/** Whether headings are read: they are delivered, or chunks begin at them. */
export const needsHeadings = (content: ContentDefinition | undefined): boolean =>
  content !== undefined && (content.headings || content.chunks !== undefined);

/** Whether the page must be parsed into a tree. */
export const needsTree = (content: ContentDefinition): boolean =>
  content.include.length > 0 ||
  content.exclude.length > 0 ||
  content.markers.length > 0 ||
  content.main ||
  content.omitRepeated ||
  content.headings ||
  content.markdown ||
  content.chunks !== undefined ||
  content.split !== undefined ||
  content.fields.some(({ source }) => source.kind === 'select');

/** Whether every page must be parsed into a tree, even one without markers. */
export const alwaysNeedsTree = (content: ContentDefinition): boolean => needsTree({ ...content, markers: [] });

/** Whether the `Content` element changes what documents contain. */
export const changesDocuments = (content: ContentDefinition | undefined): boolean =>
  content !== undefined && (needsTree(content) || content.fields.length > 0 || !content.metas);
