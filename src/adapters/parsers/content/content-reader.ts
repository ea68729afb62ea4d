/** Extracts from a page what `cw:Content` specifies, using its tree, its JSON-LD and its microdata. */
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
import { prune } from './pruning.js';
import {
  collectTextPieces,
  createReadingBudget,
  type ElementTextOptions,
  extractElementText,
  extractReadableText,
  foldWhitespace,
  markRemovedText,
  type ReadableText,
  type ReadingBudget,
} from './readable.js';
import { isReadingAid, removeReadingAids } from './reading-aids.js';
import { removeRepeated } from './repeated-elements.js';
import { compileMatcher, SelectorSet } from './selectors.js';
import { splitDocument, type TreePart } from './splitting.js';
import { parseTree, type Tree } from './tree.js';

export interface Reading {
  /** Absent if the scanner's text is kept. */
  readonly text?: string;
  readonly headings?: readonly Heading[];
  readonly markdown?: string;
  readonly chunks?: readonly Chunk[];
  readonly isCut?: boolean;
  /** Share of the text outside links that the main content has. */
  readonly mainShare?: number;
  readonly blocks?: Int32Array;
  /** Texts that were removed. */
  readonly cut?: readonly string[];
  /** Shows a user what was removed and what the selectors match. */
  readonly look?: ContentLook;
  /** The text that remains if parts were split off; `text` includes the parts. */
  readonly ownText?: string;
  /** Flattened to names such as `microdata.name`. */
  readonly microdata?: readonly { readonly name: string; readonly value: string }[];
  readonly parts?: readonly PagePart[];
  /** Raw values of fields, by the index of the field. */
  readonly found: ReadonlyMap<number, readonly string[]>;
  readonly truncated: boolean;
}

export interface PageBytes {
  readonly utf8: Buffer;
  readonly xml: boolean;
  /** Base URL for resolving relative addresses. */
  readonly base: string;
  readonly maxTextLength: number;
  /** Whether the page may contain markers that exclude parts of it. */
  readonly hasMarkers: boolean;
  readonly repeatedBlocks?: Int32Array;
  /** True if the removed texts are to be shown to a user. */
  readonly showsCut: boolean;
}

/** Maximum number of elements that one field selects. */
const MAX_SELECTED = 1_000;
const MAX_VALUE_LENGTH = 32_768;
const MAX_CUT_TEXTS = 200;
const NO_MARKERS: ReadonlySet<Marker> = new Set();

/** One `cw:Content` prepared for reading pages. */
export class ContentReader {
  /** The selectors of excluded, included and split-off elements, then those of each field. */
  private readonly selectors: SelectorSet;
  /** The selectors of each field, for parts of a page. */
  private readonly fieldSelectors: SelectorSet;
  private readonly markers: ReadonlySet<Marker>;
  /** When texts are read from the tree: always, only if the page has markers, or never. */
  private readonly treeMode: 'always' | 'with markers' | 'never';
  private readonly readsJsonLd: boolean;

  constructor(private readonly definition: ContentDefinition) {
    const { include, exclude, fields, split } = definition;
    const selectorsByField = fields.map(({ source }) => (source.kind === 'select' ? [source.selector] : []));
    this.selectors = new SelectorSet([exclude, include, split ? [split.selector] : [], ...selectorsByField]);
    this.fieldSelectors = new SelectorSet(selectorsByField);
    this.markers = new Set(definition.markers);
    this.treeMode = alwaysNeedsTree(definition) ? 'always' : definition.markers.length > 0 ? 'with markers' : 'never';
    this.readsJsonLd = fields.some(({ source }) => source.kind === 'jsonld');
  }

  read(page: PageBytes): Reading {
    const found = new Map<number, readonly string[]>();
    if (this.readsJsonLd) this.readJsonLd(findJsonLdItems(page.utf8), found);
    const microdata = this.definition.metas && hasMicrodata(page.utf8);
    const needsTree = this.treeMode === 'always' || (this.treeMode === 'with markers' && page.hasMarkers);
    if (!needsTree && !microdata) return { found, truncated: false };
    const tree = parseTree(page.utf8, page.xml);
    const budget = createReadingBudget(tree.elements.length);
    const microdataFields = microdata
      ? { microdata: collectMetas(findMicrodataItems(tree.elements, page.base, budget), 'microdata') }
      : {};
    return needsTree
      ? { ...this.readTree(tree, page, found, budget), ...microdataFields }
      : { found, truncated: false, ...microdataFields };
  }

  private readJsonLd(items: readonly { readonly [key: string]: Json }[], found: Map<number, readonly string[]>): void {
    for (const [fieldIndex, { source }] of this.definition.fields.entries())
      if (source.kind === 'jsonld') found.set(fieldIndex, findValues(items, source.path));
  }

  private readTree(
    { root, elements, hasSigns, truncated }: Tree,
    page: PageBytes,
    found: Map<number, readonly string[]>,
    budget: ReadingBudget,
  ): Reading {
    const { definition } = this;
    // Selectors are applied to the page as it was sent.
    const [excludedElements, includedElements, splitOffs, ...selectedElements] = this.selectors.find(elements);
    const excluded = new Set(excludedElements);
    const aids = this.treeMode === 'always' ? elements.filter(isReadingAid) : [];
    this.collectValues(selectedElements, found, budget, new Set([...excluded, ...aids]));
    const pieces = page.showsCut ? collectTextPieces(root) : undefined;
    removeReadingAids(aids);
    const markers = hasSigns ? this.markers : NO_MARKERS;
    const pruned = prune(root, { included: new Set(includedElements), excluded, markers });
    const removedNodes: ParentNode[] = [...pruned.removed];
    const childrenBefore = root.children;
    const mainContent = definition.main ? keepMainContent(root) : undefined;
    const repeated = definition.omitRepeated ? removeRepeated(root, new Set(page.repeatedBlocks)) : undefined;
    removedNodes.push(...(mainContent?.removed ?? []), ...(repeated?.removed ?? []));
    const look = pieces && { marked: markRemovedText(pieces, root), matches: countMatches(definition, elements) };
    const representations = definition.split
      ? this.readParts(root, new Set(splitOffs), page, budget)
      : this.readRepresentations(root, page);
    return {
      ...representations,
      ...(mainContent ? { mainShare: mainContent.keptShare } : {}),
      ...(repeated ? { blocks: repeated.hashes } : {}),
      ...(pruned.isCut || removedNodes.length > 0 || root.children !== childrenBefore ? { isCut: true } : {}),
      ...(look ? { cut: removedNodes.slice(0, MAX_CUT_TEXTS).map((node) => extractElementText(node)), look } : {}),
      found,
      truncated: truncated || 'truncated' in representations,
    };
  }

  private readParts(root: Document, partElements: ReadonlySet<Element>, page: PageBytes, budget: ReadingBudget) {
    const { text } = clipReadable(extractReadableText(root), page.maxTextLength);
    const { parts, truncated } = splitDocument(root, partElements, this.definition.split!.id);
    const { text: ownText, ...representations } = this.readRepresentations(root, page);
    return {
      text,
      ownText,
      ...representations,
      ...(truncated ? { truncated } : {}),
      parts: parts.map((part) => this.readPart(part, page, budget)),
    };
  }

  private readPart({ id, title, root }: TreePart, page: PageBytes, budget: ReadingBudget): PagePart {
    const found = new Map<number, readonly string[]>();
    this.collectValues(this.fieldSelectors.find(walkElements(root)), found, budget);
    for (const [fieldIndex, values] of found) if (values.length === 0) found.delete(fieldIndex);
    return { id, title, ...this.readRepresentations(root, page), found };
  }

  /**
   * Excluded elements inside a selected one are not part of its value, but a field that selects an excluded element
   * itself gets all of it.
   */
  private collectValues(
    selectedElements: readonly (readonly Element[])[],
    found: Map<number, readonly string[]>,
    budget: ReadingBudget,
    excluded?: ReadonlySet<Element>,
  ): void {
    for (const [fieldIndex, field] of this.definition.fields.entries()) {
      if (field.source.kind !== 'select') continue;
      const values: string[] = [];
      for (const element of selectedElements[fieldIndex]!) {
        const value = readRawValue(element, field, { excluded, budget, maxLength: MAX_VALUE_LENGTH });
        if (value !== undefined) values.push(value.slice(0, MAX_VALUE_LENGTH));
        if (values.length === MAX_SELECTED) break;
      }
      found.set(fieldIndex, values);
    }
  }

  private readRepresentations(
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

/** Counts the matches of each selector, because selectors without any are a frequent mistake. */
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
  const isInside = (offset: number): boolean => offset < text.length;
  return {
    text,
    headings: readable.headings.filter(({ start }) => isInside(start)),
    blockEnds: readable.blockEnds.filter(isInside),
  };
}

function readRawValue(element: Element, { source }: FieldDefinition, options: ElementTextOptions): string | undefined {
  if (source.kind !== 'select') return undefined;
  if (source.attribute !== undefined) {
    const value = element.getAttribute(source.attribute.toLowerCase());
    return value === undefined ? undefined : foldWhitespace(value).trim();
  }
  if (element.name === 'meta') return foldWhitespace(element.getAttribute('content') ?? '').trim();
  return extractElementText(element, options);
}

const readers = new WeakMap<ContentDefinition, ContentReader>();

/** Creates one reader for each definition and keeps it for as long as the definition exists. */
export function getContentReader(definition: ContentDefinition): ContentReader {
  const reader = readers.get(definition) ?? new ContentReader(definition);
  readers.set(definition, reader);
  return reader;
}
