/**
 * What is extracted from a page, as configured by `cw:Content`: its text, fields, forms for retrieval, and what counts as a change.
 */
import type { Place } from '../crawl/place.js';

/** Markers in the markup of a page by which its authors exclude parts from search. */
export const MARKERS = ['googleoff', 'nosnippet', 'elastic', 'swiftype', 'noindex'] as const;
export type Marker = (typeof MARKERS)[number];

export const URL_PARTS = ['url', 'scheme', 'host', 'path', 'query', 'fragment'] as const;
export type UrlPart = (typeof URL_PARTS)[number];

export const FIELD_TYPES = ['text', 'date', 'number', 'boolean', 'url'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export type FieldSource =
  | {
      readonly kind: 'select';
      readonly selector: string;
      /** Attribute of the elements; absent: their text. */ readonly attribute?: string;
    }
  | { readonly kind: 'jsonld'; readonly path: string }
  | { readonly kind: 'meta'; readonly name: string }
  | { readonly kind: 'url'; readonly part: UrlPart };

export interface FieldDefinition {
  /** The name of the meta that it becomes. */
  readonly name: string;
  readonly source: FieldSource;
  /** Regular expression, linear time: the value is its first group, or the whole match if it has none. */
  readonly match?: string;
  readonly type: FieldType;
  /** Every value instead of the first. */
  readonly multiple: boolean;
  readonly place: Place;
}

export interface SplitDefinition {
  /** CSS selector. */
  readonly selector: string;
  /** Attribute that names a part. */
  readonly id: string;
}

export interface ChunkDefinition {
  /** The most of one chunk. */
  readonly size: number;
  /** How much the end of one chunk and the beginning of the next overlap at most. */
  readonly overlap: number;
  readonly unit: 'tokens' | 'characters';
}

export interface ContentDefinition {
  /** Chosen for some URLs by the option `content`; without a name it applies to all others. */
  readonly name?: string;
  /** CSS selectors: only the content of their elements counts, on pages that have any. */
  readonly include: readonly string[];
  /** CSS selectors: their elements are ignored. */
  readonly exclude: readonly string[];
  readonly markers: readonly Marker[];
  /** Only the main content of the page, without navigation and the like. */
  readonly main: boolean;
  /** The metas that pages carry are delivered. */
  readonly metas: boolean;
  readonly fields: readonly FieldDefinition[];
  /** Elements that become documents of their own. */
  readonly split?: SplitDefinition;
  readonly headings: boolean;
  readonly markdown: boolean;
  readonly chunks?: ChunkDefinition;
  readonly changeDetection: 'content' | 'bytes';
  readonly place: Place;
}

/** A part of the text for a language model. Offsets are UTF-16 units of the document's text. */
export interface Chunk {
  readonly text: string;
  /** The headings above it, the outermost first. */
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
  /** Offset in the document's text. */
  readonly start: number;
}

/** Whether the page has to be read as a tree. */
export const needsTree = (content: ContentDefinition): boolean =>
  content.include.length > 0 ||
  content.exclude.length > 0 ||
  content.markers.length > 0 ||
  content.main ||
  content.headings ||
  content.markdown ||
  content.chunks !== undefined ||
  content.split !== undefined ||
  content.fields.some(({ source }) => source.kind === 'select');

/** Whether every page has to be read as a tree, also one without markers. */
export const readsEveryTree = (content: ContentDefinition): boolean => needsTree({ ...content, markers: [] });

/** Whether the element changes what documents look like. */
export const changesDocuments = (content: ContentDefinition | undefined): boolean =>
  content !== undefined && (needsTree(content) || content.fields.length > 0 || !content.metas);
