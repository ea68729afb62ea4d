/** What `cw:Content` wants of one page, from its tree and its JSON-LD. */

import { compile } from 'css-select';
import type { Document, Element, ParentNode } from 'domhandler';
import { chunksOf } from '../../../domain/content/chunks.js';
import {
  type Chunk,
  type ContentDefinition,
  type FieldDefinition,
  type Heading,
  needsTree,
} from '../../../domain/content/content-definition.js';
import type { PagePart } from '../../../engine/ports/page-content.js';
import { type Json, jsonLdItems, jsonLdValues } from './json-ld.js';
import { keepMainContent } from './main-content.js';
import { markdownOf } from './markdown.js';
import { marked, prune } from './pruning.js';
import { folded, type ReadableText, readableText, textOf } from './readable.js';
import { splitOff, type TreePart } from './splitting.js';
import { elementsIn, type Tree, treeOf } from './tree.js';

export interface Reading {
  /** Absent: what the scanner says stands. */
  readonly text?: string;
  readonly headings?: readonly Heading[];
  readonly markdown?: string;
  readonly chunks?: readonly Chunk[];
  readonly isCut?: boolean;
  /** Texts that were cut out. */
  readonly cut?: readonly string[];
  /** Of the page itself, when parts were split off it: `text` is of all of it. */
  readonly ownText?: string;
  readonly parts?: readonly PagePart[];
  /** Raw values of fields, by the number of the field. */
  readonly found: ReadonlyMap<number, readonly string[]>;
  readonly truncated: boolean;
}

export interface PageBytes {
  readonly utf8: Buffer;
  readonly xml: boolean;
  /** What relative addresses begin at. */
  readonly base: string;
  readonly maxTextLength: number;
  /** Somebody wants to see what was cut out. */
  readonly showsCut: boolean;
}

type Test = (element: Element) => boolean;
type Item = { readonly [key: string]: Json };

/** Elements that one field takes of a page. */
const MAX_FOUND = 1_000;
const MAX_VALUE = 32_768;
const MAX_CUT = 200;

/** One `cw:Content` made ready to read pages with. */
export class ContentReader {
  private readonly include: Test | undefined;
  private readonly exclude: Test | undefined;
  private readonly split: Test | undefined;
  private readonly selected: readonly (Test | undefined)[];
  private readonly readsTree: boolean;
  private readonly readsJsonLd: boolean;

  constructor(private readonly definition: ContentDefinition) {
    const { include, exclude, fields, split } = definition;
    this.include = testOf(include);
    this.exclude = testOf(exclude);
    this.split = split && testOf([split.selector]);
    this.selected = fields.map(({ source }) => (source.kind === 'select' ? testOf([source.selector]) : undefined));
    this.readsTree = needsTree(definition);
    this.readsJsonLd = fields.some(({ source }) => source.kind === 'jsonld');
  }

  read(page: PageBytes): Reading {
    const found = new Map<number, readonly string[]>();
    if (this.readsJsonLd) this.readJsonLd(jsonLdItems(page.utf8), found);
    if (!this.readsTree) return { found, truncated: false };
    return this.readTree(treeOf(page.utf8.toString('utf8'), page.xml), page, found);
  }

  private readJsonLd(items: readonly Item[], found: Map<number, readonly string[]>): void {
    for (const [number, { source }] of this.definition.fields.entries()) {
      if (source.kind === 'jsonld') found.set(number, jsonLdValues(items, source.path));
    }
  }

  private readTree({ root, truncated }: Tree, page: PageBytes, found: Map<number, readonly string[]>): Reading {
    const { definition } = this;
    // Fields are of the page as it was sent.
    this.select(root, found);
    const splitOffs = this.split && marked(root, this.split);
    const markers = new Set(definition.markers);
    const pruned = prune(root, { include: this.include, exclude: this.exclude, markers });
    const cut: ParentNode[] = [...pruned.cut];
    const before = root.children;
    if (definition.main) cut.push(...keepMainContent(root));
    const delivered = splitOffs ? this.inParts(root, splitOffs, page) : this.deliver(root, page);
    return {
      ...delivered,
      ...(pruned.isCut || cut.length > 0 || root.children !== before ? { isCut: true } : {}),
      ...(page.showsCut ? { cut: cut.slice(0, MAX_CUT).map(textOf) } : {}),
      found,
      truncated: truncated || 'truncated' in delivered,
    };
  }

  private inParts(root: Document, wanted: ReadonlySet<Element>, page: PageBytes) {
    const { text } = clipped(readableText(root), page.maxTextLength);
    const { parts, truncated } = splitOff(root, wanted, this.definition.split!.id);
    const { text: ownText, ...forms } = this.deliver(root, page);
    return {
      text,
      ownText,
      ...forms,
      ...(truncated ? { truncated } : {}),
      parts: parts.map((part) => this.partOf(part, page)),
    };
  }

  private partOf({ id, title, root }: TreePart, page: PageBytes): PagePart {
    const found = new Map<number, readonly string[]>();
    this.select(root, found);
    for (const [number, values] of found) if (values.length === 0) found.delete(number);
    return { id, title, ...this.deliver(root, page), found };
  }

  private select(root: ParentNode, found: Map<number, readonly string[]>): void {
    const values = this.selected.map((): string[] => []);
    if (this.selected.every((test) => test === undefined)) return;
    for (const element of elementsIn(root)) {
      for (const [number, test] of this.selected.entries()) {
        const list = values[number]!;
        if (!test || list.length >= MAX_FOUND || !test(element)) continue;
        const value = rawValueOf(element, this.definition.fields[number]!);
        if (value !== undefined) list.push(value.slice(0, MAX_VALUE));
      }
    }
    for (const [number, test] of this.selected.entries()) if (test) found.set(number, values[number]!);
  }

  private deliver(
    root: ParentNode,
    { base, maxTextLength }: PageBytes,
  ): Omit<Reading, 'found' | 'truncated' | 'text'> & { text: string } {
    const { headings, markdown, chunks } = this.definition;
    const readable = clipped(readableText(root), maxTextLength);
    return {
      text: readable.text,
      ...(headings ? { headings: readable.headings } : {}),
      ...(markdown ? { markdown: markdownOf(root, base) } : {}),
      ...(chunks ? { chunks: chunksOf(readable, chunks) } : {}),
    };
  }
}

function clipped(readable: ReadableText, maxLength: number): ReadableText {
  if (readable.text.length <= maxLength) return readable;
  const text = readable.text.slice(0, maxLength).toWellFormed();
  const inside = (at: number): boolean => at < text.length;
  return {
    text,
    headings: readable.headings.filter(({ start }) => inside(start)),
    blockEnds: readable.blockEnds.filter(inside),
  };
}

function rawValueOf(element: Element, { source }: FieldDefinition): string | undefined {
  if (source.kind !== 'select') return undefined;
  if (source.attribute !== undefined) {
    const value = element.attribs[source.attribute.toLowerCase()];
    return value === undefined ? undefined : folded(value).trim();
  }
  if (element.name === 'meta') return folded(element.attribs['content'] ?? '').trim();
  return textOf(element);
}

/** Matches what one of the selectors matches. The configuration is checked for selectors that do not compile when it is read. */
function testOf(selectors: readonly string[]): Test | undefined {
  if (selectors.length === 0) return undefined;
  const tests = selectors.map((selector) => compile<ParentNode | Element, Element>(selector) as Test);
  const [only] = tests;
  return only && tests.length === 1 ? only : (element) => tests.some((test) => test(element));
}

const readers = new WeakMap<ContentDefinition, ContentReader>();

/** A definition lives as long as the configuration that it is a part of, and so does its reader. */
export function contentReader(definition: ContentDefinition): ContentReader {
  const known = readers.get(definition);
  if (known) return known;
  const reader = new ContentReader(definition);
  readers.set(definition, reader);
  return reader;
}
