import type { Delivery } from '../../delivery/delivery.js';
import type { KeptDocuments } from '../../delivery/kept-documents.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore, Settlement, UrlQueue } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';
import { type Fence, FencedOut } from '../../ports/partitions.js';
import { Batcher } from '../../support/batcher.js';
import type { Settled } from './decision.js';
import { InDoubtDeliveries } from './in-doubt-deliveries.js';
import { Ledger } from './ledger.js';
import { Owing } from './owing.js';
import { PageTexts } from './page-texts.js';
import { SharedDocuments, type SharedDocumentsServices } from './shared-documents.js';
import type { UrlCommandReader } from './url-decisions.js';

const MAX_SETTLEMENTS_PER_CALL = 500;

/** What all crawlers of a server share in order to carry out decisions about URLs. */
export class Outcomes {
  readonly ledger: Ledger;
  readonly inDoubt: InDoubtDeliveries;
  readonly owing: Owing;
  readonly shared: SharedDocuments;
  readonly settler: Batcher<Settlement, Settled>;
  readonly urlCommands: UrlCommandReader;
  readonly texts: PageTexts;

  constructor(
    { store, clock, log }: { readonly store: FrontierStore; readonly clock: Clock; readonly log: Log },
    readonly delivery: Delivery,
    crawlers: SharedDocumentsServices['crawlers'],
    createCommandReader: (shared: SharedDocuments) => UrlCommandReader,
    kept: KeptDocuments,
  ) {
    this.ledger = new Ledger(store, clock);
    this.inDoubt = new InDoubtDeliveries(store, clock);
    this.owing = new Owing(store);
    this.shared = new SharedDocuments({ store, clock, inDoubt: this.inDoubt, crawlers });
    this.settler = new Batcher((items) => settleOwned(store, items), MAX_SETTLEMENTS_PER_CALL);
    this.texts = new PageTexts({ store, clock, log, kept });
    this.urlCommands = createCommandReader(this.shared);
  }

  /** Loads what an earlier process has left behind. */
  async open(): Promise<void> {
    await this.ledger.open();
    await this.inDoubt.open();
    await this.owing.open();
  }

  /** To be called on a clean stop, when nothing is in flight. */
  async close(): Promise<void> {
    await this.inDoubt.save();
    await this.ledger.close();
  }
}

/** Writes a batch of settlements, leaving out those whose partitions another node owns by now. */
async function settleOwned(store: Pick<UrlQueue, 'settle'>, settlements: readonly Settlement[]): Promise<Settled[]> {
  const lostFences = new Set<string>();
  const getFenceName = (fence: Fence | undefined): string => (fence ? `${fence.partition} ${fence.epoch}` : '');
  for (;;) {
    try {
      const ownSettlements = settlements.filter(({ fence }) => !lostFences.has(getFenceName(fence)));
      if (ownSettlements.length > 0) await store.settle(ownSettlements);
      return settlements.map(({ fence }) => (lostFences.has(getFenceName(fence)) ? 'fenced out' : 'written'));
    } catch (error) {
      if (!(error instanceof FencedOut) || error.fences.length === 0) throw error;
      for (const fence of error.fences) lostFences.add(getFenceName(fence));
    }
  }
}
