import type { Reason } from '../../../domain/policy/reasons.js';
import { type Instant } from '../../../domain/time/units.js';

/** Refused links of one host that were never stored, counted by reason. */
export interface RefusedView {
  readonly reason: Reason;
  readonly hostKey: string;
  readonly count: number;
  readonly samples: readonly { readonly url: string; readonly from: string; readonly at: Instant }[];
}
