/**
 * How much may be delivered for one page. Each list and each text of a page is limited, but what is delivered may be
 * their product: each chunk repeats the headings above it, each part the page's metas.
 */
import type { PushDocument } from '../push/order.js';

/** Characters that may be delivered for each byte of the page. */
const CHARACTERS_PER_BYTE = 8;
/** The limit in characters for pages of any size, which leaves room for a page with many small parts. */
const MIN_BUDGET = 8_000_000;
const MAX_BUDGET = 32_000_000;
/** Characters that an entry of a list takes besides its text. */
const ENTRY_LENGTH = 32;

type Output = Pick<PushDocument, 'metas' | 'text' | 'headings' | 'markdown' | 'chunks'>;

/** Measures the documents of one page: its own, and those split off from it. */
export class OutputBudget {
  readonly limit: number;
  private used = 0;

  /** @param pageSize the size of the decoded page in bytes */
  constructor(pageSize: number) {
    this.limit = Math.min(MAX_BUDGET, Math.max(MIN_BUDGET, pageSize * CHARACTERS_PER_BYTE));
  }

  /** Adds a document; returns false if the documents added so far exceed the limit. */
  add(document: Output): boolean {
    this.used += measureOutput(document);
    return this.used <= this.limit;
  }
}

/** The approximate length in characters of what a sink receives, apart from the page's bytes. */
function measureOutput({ metas, text, headings, markdown, chunks }: Output): number {
  let length = text.length + (markdown?.length ?? 0);
  for (const meta of metas) length += meta.name.length + meta.value.length + ENTRY_LENGTH;
  for (const { text: title, anchor = '' } of headings ?? []) length += title.length + anchor.length + ENTRY_LENGTH;
  for (const chunk of chunks ?? []) {
    length += chunk.text.length + (chunk.id?.length ?? 0) + (chunk.anchor?.length ?? 0) + ENTRY_LENGTH;
    for (const heading of chunk.path) length += heading.length;
  }
  return length;
}
