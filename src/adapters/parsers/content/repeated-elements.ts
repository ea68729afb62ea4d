/**
 * Finds the blocks of a page's tree that may stand on other pages of its host, too, and removes those that are known to.
 * A block is an element with text and without other blocks inside. Cells, terms, code and numbered items are never
 * removed, and a heading only if nothing is left of its section.
 */
import { MAX_PAGE_BLOCKS } from '../../../domain/content/repeated-blocks.js';
import { mixHash } from '../../../domain/content/simhash.js';
import { type Document, type Element, isElement, isText, type ParentNode } from './nodes.js';
import { extractElementText, getHeadingLevel, isHidden, isInline } from './readable.js';

/** Longer texts are content. */
const MAX_BLOCK_LENGTH = 500;
/** If fewer characters would be left, nothing is removed. */
const MIN_REMAINING_LENGTH = 140;
const KEPT_ELEMENTS = new Set('td th dt dd caption figcaption pre code summary'.split(' '));

interface Block {
  readonly length: number;
  readonly element?: Element;
  /** Absent if the block is never removed. */
  readonly hash?: number;
  /** Of a heading. */
  readonly level?: number;
}

export interface RepeatedElements {
  /** Hashes of the page's blocks, those that were removed included. */
  readonly hashes: Int32Array;
  readonly removed: readonly Element[];
}

/** @param repeated hashes of the blocks that stand on most pages of the host */
export function removeRepeated(root: Document, repeated: ReadonlySet<number>): RepeatedElements {
  const blocks: Block[] = [];
  collectBlocks(root, blocks);
  const found = new Set(blocks.flatMap(({ hash }) => (hash === undefined ? [] : [hash])));
  const hashes = selectEnds([...found]);
  const removed = findRepeated(blocks, repeated);
  const total = (list: readonly Block[]): number => list.reduce((sum, { length }) => sum + length, 0);
  if (removed.length === 0 || total(blocks) - total(removed) < MIN_REMAINING_LENGTH) return { hashes, removed: [] };
  const elements = new Set(removed.map(({ element }) => element!));
  removeElements(root, elements);
  return { hashes, removed: [...elements] };
}

/** What is repeated stands at the beginning and at the end. */
function selectEnds(hashes: readonly number[]): Int32Array {
  const half = MAX_PAGE_BLOCKS / 2;
  return Int32Array.from(
    hashes.length <= MAX_PAGE_BLOCKS ? hashes : [...hashes.slice(0, half), ...hashes.slice(-half)],
  );
}

/** Adds the blocks inside the node. Returns how much text it has outside of them. */
function collectBlocks(node: ParentNode, blocks: Block[]): number {
  let own = 0;
  for (const child of node.children) {
    if (isText(child)) own += child.data.trim().length;
    if (!isElement(child) || isHidden(child)) continue;
    if (child.name === 'img') blocks.push({ length: 0 });
    const countBefore = blocks.length;
    const inside = collectBlocks(child, blocks);
    if (isInline(child)) own += inside;
    else if (inside > 0) blocks.push(blocks.length === countBefore ? createBlock(child, inside) : { length: inside });
  }
  return own;
}

function createBlock(element: Element, length: number): Block {
  const { name, parent } = element;
  const isNumbered = name === 'li' && isElement(parent) && parent.name === 'ol';
  if (length > MAX_BLOCK_LENGTH || KEPT_ELEMENTS.has(name) || isNumbered) return { length };
  const level = getHeadingLevel(element);
  return { length, element, hash: hashText(extractElementText(element)), ...(level === undefined ? {} : { level }) };
}

function hashText(text: string): number {
  let hash = text.length;
  for (let index = 0; index < text.length; index++) hash = mixHash(Math.imul(hash, 31) + text.charCodeAt(index));
  return hash | 0;
}

/** From the end to the beginning, since a heading depends on what follows it. */
function findRepeated(blocks: readonly Block[], repeated: ReadonlySet<number>): Block[] {
  const found: Block[] = [];
  /** By level: whether a heading of that level has content. */
  const hasContent = Array<boolean>(7).fill(false);
  for (const block of blocks.toReversed()) {
    const { hash, level } = block;
    const isRepeated = hash !== undefined && repeated.has(hash);
    if (level === undefined) {
      if (isRepeated) found.push(block);
      else hasContent.fill(true);
    } else {
      if (isRepeated && !hasContent[level]) found.push(block);
      else hasContent.fill(true, 0, level);
      hasContent.fill(false, level);
    }
  }
  return found;
}

function removeElements(node: ParentNode, removed: ReadonlySet<Element>): void {
  node.children = node.children.filter((child) => !isElement(child) || !removed.has(child));
  for (const child of node.children) if (isElement(child)) removeElements(child, removed);
}
