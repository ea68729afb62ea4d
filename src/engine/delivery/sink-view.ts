import { type Instant } from '../../domain/time/units.js';

export interface SinkView {
  readonly name: string;
  readonly type: string;
  readonly state: 'ready' | 'unavailable';
  readonly message?: string;
  readonly pending: number;
  readonly pendingBytes: number;
  readonly acknowledged: number;
  readonly refused: number;
  /** What it said when it refused an order last. */
  readonly lastRefusal?: string;
  readonly nextAttemptAt?: Instant;
  /** It can tell what it holds. */
  readonly comparable: boolean;
  /** `papi`: the name under which documents are pushed. */
  readonly connector?: string;
  /** What a person should look at although orders go out. */
  readonly warning?: string;
}
