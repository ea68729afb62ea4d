import type { HoldCause } from '../../domain/crawl/change-guard.js';
import { type BackfillProgress } from '../../domain/push/backfill.js';
import { type Instant } from '../../domain/time/units.js';

export interface HeldDeletions {
  readonly hostKey: string;
  readonly crawler: string;
  readonly count: number;
  /** How many of these need no action because they are waiting for a sign of life or an early visit. */
  readonly awaiting: number;
  readonly oldest: Instant;
  readonly reasons: Readonly<Record<string, number>>;
  readonly samples: readonly string[];
  /** What of it is held by the change guard, by cause. */
  readonly changes: readonly HeldChangeGroup[];
}

export interface HeldChangeGroup {
  readonly cause: HoldCause;
  readonly count: number;
  readonly oldest: Instant;
  /** Numbers of documents that would be replaced and deleted. */
  readonly replaces: number;
  readonly deletes: number;
}

/** A page whose change is held, with what its document says and what the page says now. */
export interface HeldChangeSample {
  readonly crawler: string;
  readonly uri: string;
  readonly cause: HoldCause;
  readonly since: Instant;
  /** Title of the document in the index. */
  readonly title: string;
  /** The beginning of its text; absent if no sink can be asked. */
  readonly indexedText?: string;
  /** What the last visit found. */
  readonly finding?: string;
}

/** The progress of sending a crawler's documents to a sink; see domain/push/backfill.ts. */
export interface BackfillView extends Omit<BackfillProgress, 'cursor' | 'pass' | 'waiting' | 'postponed'> {
  readonly crawler: string;
  readonly sink: string;
  readonly waitingVisits: number;
}

export interface ReconciliationReport {
  readonly sink: string;
  readonly at: Instant;
  readonly compared: number;
  /** Indexed according to the store, but absent from the sink. */
  readonly missing: { readonly count: number; readonly samples: readonly string[] };
  /** In the sink, but not indexed according to the store. */
  readonly extra: { readonly count: number; readonly samples: readonly string[] };
  /** In the sink with a different content hash. */
  readonly stale: { readonly count: number; readonly samples: readonly string[] };
  /** Absent from the sink, but just being visited or delivered. */
  readonly inFlight: number;
  readonly repaired: boolean;
}
