/**
 * Push orders: the only two things that a sink is ever told. Stamp and URI make repeats harmless.
 */
import type { Instant } from '../time/units.js';

export interface Meta {
  readonly name: string;
  readonly value: string;
}

/** The part of a document that carries its bytes (or its text, when the crawler stores text only). */
export interface DocumentPart {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Charset label of a text; absent for binary content. */
  readonly encoding?: string;
  readonly fileName: string;
}

export interface PushDocument {
  /** Canonical URL. */
  readonly uri: string;
  /** Content digest, hex. */
  readonly stamp: string;
  /** Names may repeat. */
  readonly metas: readonly Meta[];
  readonly master: DocumentPart;
  /** Extracted text, for sinks that index fields rather than bytes; empty when no sink of the crawler does. */
  readonly text: string;
}

export type OrderKind = 'add' | 'delete';

export interface OrderHeader {
  /** Ledger id, increasing in the order of decision. */
  readonly id: number;
  readonly crawler: string;
  readonly uri: string;
  readonly hostKey: string;
  /** Reason code or error code: why it was decided. */
  readonly reason: string;
  readonly decidedAt: Instant;
}

export type PushOrder =
  | (OrderHeader & { readonly kind: 'add'; readonly document: PushDocument })
  | (OrderHeader & { readonly kind: 'delete' });

/**
 * pending: decided, not yet acknowledged · acknowledged: durable at every sink · refused: a sink will never take it ·
 * held: a deletion that the guard keeps back · cancelled: withdrawn before it was sent · dropped: withdrawn by a person.
 */
export const ORDER_STATES = ['pending', 'acknowledged', 'refused', 'held', 'cancelled', 'dropped'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** What a sink says of one order, once the answer is durable on its side. */
export type OrderAnswer =
  | { readonly state: 'acknowledged' }
  | { readonly state: 'refused' /** The sink's own words. */; readonly message: string };
