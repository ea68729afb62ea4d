import type { SinkType } from '../../domain/push/sink-types.js';
import { type Instant } from '../../domain/time/units.js';

export interface SinkView {
  readonly name: string;
  readonly type: SinkType;
  readonly state: 'ready' | 'unavailable';
  readonly message?: string;
  readonly pending: number;
  readonly pendingBytes: number;
  readonly acknowledged: number;
  readonly refused: number;
  /** Orders acknowledged although the sink keeps a newer version of the document. */
  readonly superseded: number;
  /** The sink's message when it last refused an order. */
  readonly lastRefusal?: string;
  readonly nextAttemptAt?: Instant;
  /** True if the sink can list its documents. */
  readonly comparable: boolean;
  /** A name that searches use and that can be moved between indexes. */
  readonly alias?: string;
  /** True if the sink can tell documents of other programs from its own, and take their place. */
  readonly adoptable: boolean;
  /** For type `papi`, the name under which documents are pushed. */
  readonly connector?: string;
  /** A problem that an operator should check although orders are being sent. */
  readonly warning?: string;
}
