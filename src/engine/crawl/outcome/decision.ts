/** The types of decisions about a URL, and of its state after a decision was carried out (url-settlement.ts). */
import type { HeldChange } from '../../../domain/crawl/change-guard.js';
import type { Disposition } from '../../../domain/crawl/state-changes.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { PushDocument } from '../../../domain/push/order.js';
import type { Instant } from '../../../domain/time/units.js';
import type { LedgerEntry, PageLinks, Visit } from '../../ports/frontier-store.js';
import type { Fence } from '../../ports/partitions.js';

/**
 * A desired change of a URL without a visit. What follows from it is decided once nothing else is in flight for the
 * URL.
 */
export type UrlCommand =
  | { readonly do: 'clear' | 'forget-error' | 'judge' | 'index-after-all' }
  /** With reasons: only if the URL is in error for one of them. Anew: also if the page says that it has not changed. */
  | { readonly do: 'visit'; readonly reasons?: readonly Reason[]; readonly anew?: boolean }
  | { readonly do: 'send-again'; readonly entry: LedgerEntry }
  /** Discards what a guard holds. */
  | { readonly do: 'drop'; readonly entry: LedgerEntry }
  /**
   * Sends what is indexed to one sink: copied from the sink `from`, otherwise found by a visit. If `from` is the sink
   * itself, the document's principals have changed.
   */
  | { readonly do: 'send-to'; readonly sink: string; readonly from?: string };

/** What a command means for a URL. */
export interface CommandResult {
  readonly disposition: Disposition;
  /** The deletion as it is already in the ledger (held, awaiting or refused); the order that is sent replaces it. */
  readonly earlierDeletion?: LedgerEntry;
  /** The document of an add order. */
  readonly document?: PushDocument;
  /** The only sinks that get the order; absent for all sinks of the crawler. */
  readonly sinks?: readonly string[];
  /** The deletion of a document that was split off the page, released by an operator. */
  readonly releasedPart?: { readonly id: string; readonly entry: LedgerEntry };
  /** A ledger entry that is no longer needed, and why; `dropped` if that was decided by a person. */
  readonly cancellation?: { readonly order: LedgerEntry; readonly reason: string; readonly state?: 'dropped' };
}

export interface Decision extends CommandResult {
  readonly state: UrlState;
  /** The fence under which the decision was made. */
  readonly fence: Fence;
  readonly visit?: Visit;
  readonly links?: PageLinks;
  /** When the visit began; absent if there was none. */
  readonly startedAt?: Instant;
  /** What the visit has found but the change guard holds. */
  readonly heldChange?: HeldChange;
  /** True if an operator decided, through a command or the configuration: the guard does not apply. */
  readonly byOperator?: boolean;
  /** The new address of the document, if it is in the index: the guard need not ask for further evidence. */
  readonly movedTo?: string;
}

/** The URL after its settlement; `next` is its place in the queue, absent if it is not queued or gone. */
export interface SettledUrl {
  /** True if the URL is gone or has the status `removed`, so that a link to it may add it again. */
  readonly removed: boolean;
  /** The status that was written, if it changed and the URL is not gone. */
  readonly status?: UrlState['status'];
  readonly reason?: Reason;
  readonly next?: { readonly source: SourceNumber; readonly dueAt: Instant };
  /**
   * The similarity hash of the document in the index: null if there is no longer a document, or none with text;
   * undefined if nothing has changed.
   */
  readonly simhash?: bigint | null;
  /** The document in the index: null if there is no longer one, undefined if nothing has changed. */
  readonly document?: { readonly stamp: string; readonly title: string } | null;
}

/** Whether a settlement was written, or is left to another node that owns the URL by now. */
export type Settled = 'written' | 'fenced out';
