/** Answers what is new, changed and gone in the index since a time, from the ledger of orders. */
import {
  CHANGE_KINDS,
  ChangeFold,
  type ChangeKind,
  type DocumentChange,
  getSection,
  isInSection,
} from '../../domain/push/changes.js';
import { skipOrderBlock } from '../../domain/push/order.js';
import type { Instant } from '../../domain/time/units.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { PageTexts, TextChange } from '../crawl/outcome/page-texts.js';
import type { Clock } from '../ports/clock.js';
import type { OrderLedger, UrlCatalog } from '../ports/frontier-store.js';

const PAGE_SIZE = 2_000;
/** Maximum numbers of orders read and documents listed for one answer. */
const MAX_ORDERS = 200_000;
const MAX_GROUPS = 200;

export interface ChangesRequest {
  readonly since: Instant;
  readonly crawler?: string;
  /** The beginning of URLs, with or without the scheme. */
  readonly section?: string;
  readonly change?: ChangeKind;
  readonly limit: number;
}

type ChangeCounts = Readonly<Record<ChangeKind, number>>;

export interface ChangesView {
  readonly since: Instant;
  readonly until: Instant;
  readonly counts: ChangeCounts;
  /** Those with the most changes first. */
  readonly sections: readonly { readonly section: string; readonly counts: ChangeCounts }[];
  readonly reasons: readonly { readonly change: ChangeKind; readonly reason: string; readonly count: number }[];
  /** The newest ones. */
  readonly documents: readonly (DocumentChange & { readonly title?: string })[];
  /** False if there were too many orders to read them all. */
  readonly complete: boolean;
}

interface ChangeServices {
  readonly store: Pick<OrderLedger, 'listOrders'> & Pick<UrlCatalog, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly crawlers: Pick<Crawlers, 'getStored'>;
  readonly texts: Pick<PageTexts, 'read'>;
}

export class IndexChanges {
  constructor(private readonly services: ChangeServices) {}

  /** @throws NotFound */
  async list(request: ChangesRequest): Promise<ChangesView> {
    const { store, clock, crawlers } = this.services;
    const { since, crawler, section, change, limit } = request;
    if (crawler !== undefined) crawlers.getStored(crawler);
    const until = clock.now();
    const { fold, complete } = await this.read(since, crawler);
    const all = fold.list().filter(({ uri }) => section === undefined || isInSection(uri, section));
    const chosen = all.filter((document) => change === undefined || document.change === change).slice(0, limit);
    const documents = await Promise.all(
      chosen.map(async (document) => ({
        ...document,
        title: (await store.find(document.crawler, document.uri))?.title,
      })),
    );
    return {
      since,
      until,
      counts: count(all),
      sections: groupBySection(all),
      reasons: groupByReason(all),
      documents,
      complete,
    };
  }

  /**
   * What the text of a page was before and after each of its changes, newest first; empty if the crawler keeps no texts.
   * @throws NotFound
   */
  async listTextChanges(crawler: string, url: string): Promise<TextChange[]> {
    const { context } = this.services.crawlers.getStored(crawler);
    return this.services.texts.read(crawler, context.canonicalize(url)?.href ?? url);
  }

  private async read(since: Instant, crawler: string | undefined): Promise<{ fold: ChangeFold; complete: boolean }> {
    const fold = new ChangeFold();
    let last: number | undefined;
    for (let read = 0; read < MAX_ORDERS; read += PAGE_SIZE) {
      const page = await this.services.store.listOrders({ crawler, state: 'acknowledged' }, last, PAGE_SIZE);
      const recent = page.filter(({ decidedAt }) => decidedAt >= since);
      for (const order of recent) fold.add(order);
      if (page.length < PAGE_SIZE) return { fold, complete: true };
      const { id, decidedAt } = page.at(-1)!;
      last = decidedAt < since ? skipOrderBlock(id) : id;
    }
    return { fold, complete: false };
  }
}

const count = (documents: readonly DocumentChange[]): ChangeCounts => {
  const counts = { new: 0, changed: 0, gone: 0 };
  for (const { change } of documents) counts[change]++;
  return counts;
};

function groupBySection(documents: readonly DocumentChange[]): ChangesView['sections'] {
  const bySection = Map.groupBy(documents, ({ uri }) => getSection(uri));
  return [...bySection]
    .sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1))
    .slice(0, MAX_GROUPS)
    .map(([section, members]) => ({ section, counts: count(members) }));
}

function groupByReason(documents: readonly DocumentChange[]): ChangesView['reasons'] {
  return CHANGE_KINDS.flatMap((change) => {
    const byReason = Map.groupBy(
      documents.filter((document) => document.change === change),
      ({ reason }) => reason,
    );
    return [...byReason]
      .map(([reason, members]) => ({ change, reason, count: members.length }))
      .sort((a, b) => b.count - a.count);
  });
}
