import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import type { Instant } from '../../domain/time/units.js';

/** An order in the queue of a sink. */
export interface WaitingOrder {
  readonly order: PushOrder;
  readonly bytes: number;
  readonly since: Instant;
  readonly onAnswer: (answer: OrderAnswer, attempts: number) => void;
  /** Checked before each attempt; absent if the order may always be sent. */
  readonly maySend?: () => boolean;
  /** Checked before each attempt: whether the crawler still pushes to the sink; absent if that does not matter. */
  readonly isWanted?: () => boolean;
  /** Whether the order may be put off if the sink is slow or down; absent if it may not. */
  readonly mayPutOff?: () => boolean;
  attempts: number;
}

/** The size of a deletion in a batch: its URI and the markup around it. */
const DELETION_BYTES = 256;

export const sumBytes = (orders: readonly WaitingOrder[]): number => orders.reduce((sum, { bytes }) => sum + bytes, 0);

export const estimateSize = (order: PushOrder): number =>
  order.kind === 'add' ? order.document.master.bytes.byteLength + order.document.text.length : DELETION_BYTES;
