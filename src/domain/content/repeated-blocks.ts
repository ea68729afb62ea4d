/**
 * Learns which blocks of text stand on most pages of a host. A sample of pages is remembered with the hashes of their
 * blocks: those whose hashed numbers are smallest, so that the order of visits does not matter, a page counts once
 * however often it is visited, and the size is limited. Nobody chooses the numbers of their pages.
 */
import { mixHash } from './simhash.js';

/** Number of pages that are remembered. */
export const SAMPLE_SIZE = 64;
/** Nothing is learned from fewer pages. */
export const MIN_PAGES = 20;
/** A block that stands on so large a share of the pages is learned. */
const LEARNED_SHARE = 0.6;
/** A learned block is forgotten below this share, so that texts do not change back and forth. */
const FORGOTTEN_SHARE = 0.3;
/** Maximum number of blocks that are learned. */
const MAX_LEARNED = 500;
/** Maximum number of blocks of a page that count. */
export const MAX_PAGE_BLOCKS = 100;

export interface StoredBlocks {
  readonly pages: readonly (readonly [id: number, blocks: readonly number[]])[];
  readonly learned: readonly number[];
}

/** What has changed by what was recorded. */
export type RecordedChange = 'none' | 'sample' | 'learned';

const getRank = (id: number): number => mixHash((id ^ Math.floor(id / 2 ** 32)) | 0) >>> 0;

export class RepeatedBlocks {
  private readonly pages: Map<number, readonly number[]>;
  private learnedBlocks: ReadonlySet<number>;

  constructor({ pages, learned }: StoredBlocks = { pages: [], learned: [] }) {
    this.pages = new Map(pages);
    this.learnedBlocks = new Set(learned);
  }

  /** Hashes of the blocks that stand on most pages. */
  get learned(): Int32Array {
    return Int32Array.from(this.learnedBlocks);
  }

  toStored(): StoredBlocks {
    return { pages: [...this.pages], learned: [...this.learnedBlocks] };
  }

  /** Records the blocks of a page, learned or not, in place of those it had before. */
  record(id: number, blocks: Iterable<number>): RecordedChange {
    if (!this.pages.has(id) && this.pages.size >= SAMPLE_SIZE) {
      const last = [...this.pages.keys()].reduce((a, b) => (getRank(b) > getRank(a) ? b : a));
      if (getRank(id) >= getRank(last)) return 'none';
      this.pages.delete(last);
    }
    this.pages.set(id, [...new Set(blocks)].slice(0, MAX_PAGE_BLOCKS));
    return this.learn();
  }

  /** To be called for a page that is no document any more. */
  forget(id: number): RecordedChange {
    return this.pages.delete(id) ? this.learn() : 'none';
  }

  private learn(): RecordedChange {
    const { size } = this.pages;
    if (size < MIN_PAGES) return 'sample';
    const counts = new Map<number, number>();
    for (const blocks of this.pages.values())
      for (const block of blocks) counts.set(block, (counts.get(block) ?? 0) + 1);
    const isLearned = ([block, count]: readonly [number, number]): boolean =>
      count >= size * (this.learnedBlocks.has(block) ? FORGOTTEN_SHARE : LEARNED_SHARE);
    const learned = [...counts].filter(isLearned).sort(([a, m], [b, n]) => n - m || a - b);
    const next = new Set(learned.slice(0, MAX_LEARNED).map(([block]) => block));
    const isSame = next.size === this.learnedBlocks.size && [...next].every((block) => this.learnedBlocks.has(block));
    if (isSame) return 'sample';
    this.learnedBlocks = next;
    return 'learned';
  }
}
