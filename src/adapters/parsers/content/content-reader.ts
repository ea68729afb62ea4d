/** What `cw:Content` extracts from one page, from its tree and its JSON-LD. */

import { splitIntoChunks } from '../../../domain/content/chunks.js';
import {
  alwaysNeedsTree,
  type Chunk,
  type ContentDefinition,
  type FieldDefinition,
  type Heading,
  type Marker,
} from '../../../domain/content/content-definition.js';
import type { ContentLook, PagePart } from '../../../engine/ports/page-content.js';
import { collectMetas, findJsonLdItems, findValues, type Json } from './json-ld.js';
import { keepMainContent } from './main-content.js';
import { toMarkdown } from './markdown.js';
import { findMicrodataItems, hasMicrodata } from './microdata.js';
import { type Document, type Element, type ParentNode, walkElements } from './nodes.js';
import { hasMarkers, prune } from './pruning.js';
import {
  collapseWhitespace,
  collectTextPieces,
  extractElementText,
  extractReadableText,
  markRemovedText,
  type ReadableText,
} from './readable.js';
import { compileMatcher, SelectorSet } from './selectors.js';
import { splitDocument, type TreePart } from './splitting.js';
import { parseTree, type Tree } from './tree.js';

export interface Reading {
  /** Absent: what the scanner found is kept. */
  readonly text?: string;
  readonly headings?: readonly Heading[];
  readonly markdown?: string;
  readonly chunks?: readonly Chunk[];
  readonly isCut?: boolean;
  /** Texts that were cut out. */
  readonly cut?: readonly string[];
  /** For a person who looks at the page. */
  readonly look?: ContentLook;
  /** The text of the page itself when parts were split off it: `text` covers all of it. */
  readonly ownText?: string;
  /** Flattened: `microdata.name`. */
  readonly microdata?: readonly { readonly name: string; readonly value: string }[];
  readonly parts?: readonly PagePart[];
  /** Raw values of fields, by the number of the field. */
  readonly found: ReadonlyMap<number, readonly string[]>;
  readonly truncated: boolean;
}

export interface PageBytes {
  readonly utf8: Buffer;
  readonly xml: boolean;
  /** The base of relative addresses. */
  readonly base: string;
  readonly maxTextLength: number;
  /** A person wants to see what was cut out. */
  readonly showsCut: boolean;
}

type Item = { readonly [key: string]: Json };

/** Elements selected by one field. */
const MAX_FOUND = 1_000;
const MAX_VALUE = 32_768;
const MAX_CUT = 200;
const NO_MARKERS: ReadonlySet<Marker> = new Set();

/** One `cw:Content` prepared for reading pages. */
export class ContentReader {
  /** What is excluded, included and split off, then one list for each field. */
  private readonly selectors: SelectorSet;
  /** For the parts of a page. */
  private readonly fieldSelectors: SelectorSet;
  private readonly markers: ReadonlySet<Marker>;
  /** Only parts of the page itself can require a tree. */
  private readonly readsTree: 'always' | 'with markers' | 'never';
  private readonly readsJsonLd: boolean;

  constructor(private readonly definition: ContentDefinition) {
    const { include, exclude, fields, split } = definition;
    const selected = fields.map(({ source }) => (source.kind === 'select' ? [source.selector] : []));
    this.selectors = new SelectorSet([exclude, include, split ? [split.selector] : [], ...selected]);
    this.fieldSelectors = new SelectorSet(selected);
    this.markers = new Set(definition.markers);
    this.readsTree = alwaysNeedsTree(definition) ? 'always' : definition.markers.length > 0 ? 'with markers' : 'never';
    this.readsJsonLd = fields.some(({ source }) => source.kind === 'jsonld');
  }

  read(page: PageBytes): Reading {
    const found = new Map<number, readonly string[]>();
    if (this.readsJsonLd) this.readJsonLd(findJsonLdItems(page.utf8), found);
    const microdata = this.definition.metas && hasMicrodata(page.utf8);
    const text = this.readsTree === 'always' || (this.readsTree === 'with markers' && hasMarkers(page.utf8));
    if (!text && !microdata) return { found, truncated: false };
    const tree = parseTree(page.utf8, page.xml);
    const items = microdata
      ? { microdata: collectMetas(findMicrodataItems(tree.elements, page.base), 'microdata') }
      : {};
    return text ? { ...this.readTree(tree, page, found), ...items } : { found, truncated: tree.truncated, ...items };
  }

  private readJsonLd(items: readonly Item[], found: Map<number, readonly string[]>): void {
    for (const [number, { source }] of this.definition.fields.entries()) {
      if (source.kind === 'jsonld') found.set(number, findValues(items, source.path));
    }
  }

  private readTree(
    { root, elements, hasSigns, truncated }: Tree,
    page: PageBytes,
    found: Map<number, readonly string[]>,
  ): Reading {
    const { definition } = this;
    // Selectors see the page as it was sent.
    const [excludedOnes, included, splitOffs, ...selected] = this.selectors.find(elements);
    const excluded = new Set(excludedOnes);
    this.collectValues(selected, found, excluded);
    const pieces = page.showsCut ? collectTextPieces(root) : undefined;
    const markers = hasSigns ? this.markers : NO_MARKERS;
    const pruned = prune(root, { included: new Set(included), excluded, markers });
    const cut: ParentNode[] = [...pruned.cut];
    const before = root.children;
    if (definition.main) cut.push(...keepMainContent(root));
    const look = pieces && { marked: markRemovedText(pieces, root), matches: countMatches(definition, elements) };
    const delivered = definition.split ? this.readParts(root, new Set(splitOffs), page) : this.readForms(root, page);
    return {
      ...delivered,
      ...(pruned.isCut || cut.length > 0 || root.children !== before ? { isCut: true } : {}),
      ...(look ? { cut: cut.slice(0, MAX_CUT).map((one) => extractElementText(one)), look } : {}),
      found,
      truncated: truncated || 'truncated' in delivered,
    };
  }

  private readParts(root: Document, wanted: ReadonlySet<Element>, page: PageBytes) {
    const { text } = clipReadable(extractReadableText(root), page.maxTextLength);
    const { parts, truncated } = splitDocument(root, wanted, this.definition.split!.id);
    const { text: ownText, ...forms } = this.readForms(root, page);
    return {
      text,
      ownText,
      ...forms,
      ...(truncated ? { truncated } : {}),
      parts: parts.map((part) => this.readPart(part, page)),
    };
  }

  private readPart({ id, title, root }: TreePart, page: PageBytes): PagePart {
    const found = new Map<number, readonly string[]>();
    this.collectValues(this.fieldSelectors.find(walkElements(root)), found);
    for (const [number, values] of found) if (values.length === 0) found.delete(number);
    return { id, title, ...this.readForms(root, page), found };
  }

  /**
   * Excluded elements inside a selected one are not part of its value; a field that selects an excluded element itself gets all
   * of it.
   */
  private collectValues(
    selected: readonly (readonly Element[])[],
    found: Map<number, readonly string[]>,
    excluded?: ReadonlySet<Element>,
  ): void {
    for (const [number, field] of this.definition.fields.entries()) {
      if (field.source.kind !== 'select') continue;
      const values: string[] = [];
      for (const element of selected[number]!) {
        const value = readRawValue(element, field, excluded);
        if (value !== undefined) values.push(value.slice(0, MAX_VALUE));
        if (values.length === MAX_FOUND) break;
      }
      found.set(number, values);
    }
  }

  private readForms(
    root: ParentNode,
    { base, maxTextLength }: PageBytes,
  ): Omit<Reading, 'found' | 'truncated' | 'text'> & { text: string } {
    const { headings, markdown, chunks } = this.definition;
    const readable = clipReadable(extractReadableText(root), maxTextLength);
    return {
      text: readable.text,
      ...(headings ? { headings: readable.headings } : {}),
      ...(markdown ? { markdown: toMarkdown(root, base) } : {}),
      ...(chunks ? { chunks: splitIntoChunks(readable, chunks) } : {}),
    };
  }
}

/** A selector that finds nothing is what people look for first. */
const countMatches = (
  { include, exclude }: ContentDefinition,
  elements: readonly Element[],
): ContentLook['matches'] => ({
  include: include.map((selector) => elements.filter(compileMatcher([selector])!).length),
  exclude: exclude.map((selector) => elements.filter(compileMatcher([selector])!).length),
});

function clipReadable(readable: ReadableText, maxLength: number): ReadableText {
  if (readable.text.length <= maxLength) return readable;
  const text = readable.text.slice(0, maxLength).toWellFormed();
  const isInside = (at: number): boolean => at < text.length;
  return {
    text,
    headings: readable.headings.filter(({ start }) => isInside(start)),
    blockEnds: readable.blockEnds.filter(isInside),
  };
}

function readRawValue(
  element: Element,
  { source }: FieldDefinition,
  excluded: ReadonlySet<Element> | undefined,
): string | undefined {
  if (source.kind !== 'select') return undefined;
  if (source.attribute !== undefined) {
    const value = element.getAttribute(source.attribute.toLowerCase());
    return value === undefined ? undefined : collapseWhitespace(value).trim();
  }
  if (element.name === 'meta') return collapseWhitespace(element.getAttribute('content') ?? '').trim();
  return extractElementText(element, excluded);
}

const readers = new WeakMap<ContentDefinition, ContentReader>();

/** A definition lives as long as its configuration, and so does its reader. */
export function getContentReader(definition: ContentDefinition): ContentReader {
  const known = readers.get(definition);
  if (known) return known;
  const reader = new ContentReader(definition);
  readers.set(definition, reader);
  return reader;
}
