import type { Reason } from '../../../domain/policy/reasons.js';
import { type Duration } from '../../../domain/time/units.js';

/** Counters since the start of the process, for Prometheus. */
export interface EngineMetrics {
  readonly pages: readonly { readonly crawler: string; readonly outcome: string; readonly count: number }[];
  /** Only for crawlers that render. */
  readonly rendering: readonly {
    readonly crawler: string;
    /** Numbers of pages by outcome: `rendered` or a `render-…` code. */
    readonly pages: Readonly<Record<string, number>>;
    readonly seconds: number;
    /** Requests by rendered pages that were not carried out, by reason. */
    readonly refused: Readonly<Record<string, number>>;
  }[];
  /** Numbers of pages that have no content without their scripts. */
  readonly needRendering: readonly { readonly crawler: string; readonly count: number }[];
  /** Numbers of documents whose text could not be extracted, by reason code. */
  readonly unread: readonly { readonly crawler: string; readonly reason: Reason; readonly count: number }[];
  readonly bytes: readonly { readonly crawler: string; readonly count: number }[];
  readonly links: readonly { readonly crawler: string; readonly discovered: number; readonly refused: number }[];
  readonly orders: readonly {
    readonly crawler: string;
    readonly kind: string;
    readonly state: string;
    readonly count: number;
  }[];
  /** Mean over the crawler's latest refresh visits; no entry before the first. */
  readonly visitPrices: readonly { readonly crawler: string; readonly price: Duration }[];
  readonly fetchSeconds: {
    readonly sum: number;
    readonly count: number;
    readonly buckets: readonly (readonly [le: number, count: number])[];
  };
  readonly heldDeletions: number;
  /** Commands between nodes that were set aside after too many failures. */
  readonly commandsSetAside: number;
  readonly activeFetches: number;
  /** Number of visits that have begun and are not yet settled in the store. */
  readonly visitsInFlight: number;
}
