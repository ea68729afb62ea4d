/**
 * Push orders are the only two kinds of instruction that a sink receives. Because of content hash and URI, repeating
 * one is harmless.
 */
import type { Chunk, Heading } from '../content/content-definition.js';
import type { Reason } from '../policy/reasons.js';
import type { Instant } from '../time/units.js';

export interface Meta {
  readonly name: string;
  readonly value: string;
  /** The type of the value: a date is ISO 8601 in UTC, a number is written as in JSON; default: text. */
  readonly type?: 'date' | 'number';
}

/** The part of a document that contains its bytes (or its text, if the crawler stores only text). */
interface DocumentPart {
  /** Empty if no sink of the crawler reads bytes. */
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Charset label of text content; absent for binary content. */
  readonly encoding?: string;
  readonly fileName: string;
}

export interface PushDocument {
  /** Canonical URL. */
  readonly uri: string;
  /** Content hash of the document. */
  readonly stamp: string;
  /** A name may occur several times. */
  readonly metas: readonly Meta[];
  readonly master: DocumentPart;
  /** Extracted text, for sinks that index fields rather than bytes; empty if no sink of the crawler does. */
  readonly text: string;
  /** Whether only a part of the page is indexed, which is in `text`; its bytes contain more. */
  readonly textIsCut?: boolean;
  /** Present if the crawler is configured to deliver them (`cw:Output`). */
  readonly headings?: readonly Heading[];
  readonly markdown?: string;
  readonly chunks?: readonly Chunk[];
  /** Documents that were split off from the page (`cw:Split`). They are not sent within their page's order. */
  readonly parts?: readonly PushDocument[];
  /** True if `parts` may be incomplete: parts that are missing stay in the index. */
  readonly keepsParts?: true;
}

export type OrderKind = 'add' | 'delete';

export interface OrderHeader {
  /** Ledger id, increasing in the order of decision. */
  readonly id: number;
  readonly crawler: string;
  readonly uri: string;
  readonly hostKey: string;
  /** Reason code or error code that says why it was decided. */
  readonly reason: Reason;
  readonly decidedAt: Instant;
}

export type PushOrder =
  | (OrderHeader & { readonly kind: 'add'; readonly document: PushDocument })
  | (OrderHeader & {
      readonly kind: 'delete';
      /** URI of the document that has taken its place, if its page has moved there. */
      readonly movedTo?: string;
    });

/**
 * pending: decided, not yet acknowledged · acknowledged: durable at every sink · refused: a sink will never accept it ·
 * held: a deletion that the guard holds until a user decides · awaiting: a deletion that is waiting for a sign of life
 * or an early look · cancelled: withdrawn before it was sent · dropped: withdrawn by a user.
 */
export const ORDER_STATES = ['pending', 'acknowledged', 'refused', 'held', 'cancelled', 'dropped', 'awaiting'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** A sink's final response to one order; `acknowledged` means that the order is durable on its side. */
export type OrderAnswer =
  | {
      readonly state: 'acknowledged';
      /** Set if the sink keeps a newer version of the document instead; when that one was decided. */
      readonly supersededBy?: Instant;
    }
  | {
      readonly state: 'refused' /** The sink's own message. */;
      readonly message: string;
      /** True if the order was not sent, which says nothing about the sink. */
      readonly unsendable?: true;
    };

/**
 * Number of ids that a server may assign until it asks for the last id again. If servers share a database, each assigns
 * those of a block of its own: ids rise with time in a block, and for every URL, but not from one block to the next.
 */
export const ORDER_BLOCK_SIZE = 2 ** 32;

/** For reading orders from the newest: the id from which on only those of earlier blocks are left. */
export const skipOrderBlock = (id: number): number => Math.floor(id / ORDER_BLOCK_SIZE) * ORDER_BLOCK_SIZE;
