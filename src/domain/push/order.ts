/** Push orders: the only two things that a sink is ever told. Content hash and URI make repeats harmless. */

import type { Chunk, Heading } from '../content/content-definition.js';
import type { Reason } from '../policy/reasons.js';
import type { Instant } from '../time/units.js';

export interface Meta {
  readonly name: string;
  readonly value: string;
  /** The type of the value: a date is ISO 8601 in UTC, a number as JSON writes it. Absent: text. */
  readonly type?: 'date' | 'number';
}

/** The part of a document that carries its bytes (or its text, when the crawler stores text only). */
export interface DocumentPart {
  /** Empty when no sink of the crawler reads bytes. */
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Charset label of a text; absent for binary content. */
  readonly encoding?: string;
  readonly fileName: string;
}

export interface PushDocument {
  /** Canonical URL. */
  readonly uri: string;
  /** Content hash. */
  readonly stamp: string;
  /** Names may repeat. */
  readonly metas: readonly Meta[];
  readonly master: DocumentPart;
  /** Extracted text, for sinks that index fields rather than bytes; empty when no sink of the crawler does. */
  readonly text: string;
  /** Only a part of the page counts, which is in `text`: its bytes contain more than that. */
  readonly textIsCut?: boolean;
  /** Present if the crawler is configured to deliver them (`cw:Output`). */
  readonly headings?: readonly Heading[];
  readonly markdown?: string;
  readonly chunks?: readonly Chunk[];
  /** Documents that were split off the page (`cw:Split`). No sink gets them in the order of their page. */
  readonly parts?: readonly PushDocument[];
}

export type OrderKind = 'add' | 'delete';

export interface OrderHeader {
  /** Ledger id, increasing in the order of decision. */
  readonly id: number;
  readonly crawler: string;
  readonly uri: string;
  readonly hostKey: string;
  /** Reason code or error code: why it was decided. */
  readonly reason: Reason;
  readonly decidedAt: Instant;
}

export type PushOrder =
  | (OrderHeader & { readonly kind: 'add'; readonly document: PushDocument })
  | (OrderHeader & { readonly kind: 'delete' });

/**
 * pending: decided, not yet acknowledged · acknowledged: durable at every sink · refused: a sink will never take it ·
 * held: a deletion that the guard keeps back for a person · awaiting: one that waits for a sign of life or an early look · cancelled: withdrawn before it was sent · dropped: withdrawn by a person.
 */
export const ORDER_STATES = ['pending', 'acknowledged', 'refused', 'held', 'cancelled', 'dropped', 'awaiting'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** The answer of a sink to one order, once it is durable on its side. */
export type OrderAnswer =
  | { readonly state: 'acknowledged' }
  | { readonly state: 'refused' /** The sink's own words. */; readonly message: string };
