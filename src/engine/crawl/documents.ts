/**
 * A document among the others of its crawler: is it a near duplicate of one in the index?
 */
import { NearDuplicates } from '../../domain/content/near-duplicates.js';
import type { VisitOutcome } from '../../domain/crawl/disposition.js';
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import type { PageOutcome } from '../ports/page-task.js';

const NEAR_DUPLICATES_REMEMBERED = 1_000_000;
const PAGE = 5_000;

type Document = Extract<VisitOutcome, { kind: 'document' }>;

export class Documents {
  private nearDuplicates: NearDuplicates | undefined;

  constructor(
    private readonly crawler: string,
    private readonly store: Pick<FrontierStore, 'list'>,
  ) {}

  /** From now on near duplicates are left out. */
  async loadNearDuplicates(): Promise<void> {
    const known = new NearDuplicates(NEAR_DUPLICATES_REMEMBERED);
    let last = 0;
    for (;;) {
      const page = await this.store.list({ crawler: this.crawler, indexed: true }, last, PAGE);
      for (const state of page) if (state.simhash !== undefined) known.add(state.id, state.simhash);
      const end = page.at(-1);
      if (!end || page.length < PAGE) break;
      last = end.id;
    }
    this.nearDuplicates = known;
  }

  /** What a visit came to, in view of the other documents. */
  outcome(state: UrlState, page: PageOutcome): VisitOutcome {
    if (page.kind === 'unchanged') return this.isNearDuplicate(state, state.simhash) ? duplicate(asItWas(state)) : page;
    if (page.kind !== 'document') return page;
    const { facts, index, reason } = page;
    const document: Document = { kind: 'document', index, reason, ...facts };
    return index && this.isNearDuplicate(state, facts.simhash) ? duplicate(document) : document;
  }

  /** What the index holds of a URL: null when it has no text there any more, undefined when nothing has changed. */
  settled(id: UrlId, simhash: bigint | null | undefined): void {
    if (simhash === null) this.nearDuplicates?.remove(id);
    else if (simhash !== undefined) this.nearDuplicates?.add(id, simhash);
  }

  /**
   * Documents under way are not known to each other: of two new twins both may get in. The next visit settles it, and the
   * one that was found first stays.
   */
  private isNearDuplicate({ id, stamp }: UrlState, simhash: bigint | undefined): boolean {
    if (simhash === undefined) return false;
    const counts = stamp === undefined ? (other: UrlId) => other !== id : (other: UrlId) => other < id;
    return this.nearDuplicates?.find(simhash, counts) !== undefined;
  }
}

const duplicate = (document: Document): Document => ({ ...document, index: false, reason: 'near-duplicate' });

const asItWas = ({ stamp = '', simhash, contentType = '', title = '', etag, lastModified }: UrlState): Document => ({
  kind: 'document',
  index: true,
  reason: 'indexed',
  stamp,
  simhash,
  contentType,
  title,
  etag,
  lastModified,
});
