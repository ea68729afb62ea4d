/** The input and output of `decideDisposition`. */
import { type ErrorCode } from '../fetch/error-codes.js';
import { type Validators } from '../fetch/validators.js';
import type { Reason } from '../policy/reasons.js';
import { type Duration } from '../time/units.js';
import type { Exclusion } from './exclusion.js';
import { type StateChanges } from './url-state.js';

/** The outcome of a visit, as far as it affects the decision. */
export type VisitOutcome =
  | {
      readonly kind: 'document';
      readonly index: boolean;
      readonly reason: Reason;
      /** URL of the document that is in the index in its place, if there is one. */
      readonly related?: string;
      readonly stamp: string;
      readonly simhash?: bigint;
      readonly textSketch?: bigint;
      readonly contentType: string;
      readonly title: string;
      readonly etag?: string;
      readonly lastModified?: string;
      /** How long the response claims to stay fresh. */
      readonly lifetime?: Duration;
    }
  | ({ readonly kind: 'unchanged' } & Validators)
  | {
      readonly kind: 'redirect';
      readonly target?: string;
      readonly permanent?: boolean;
      /** True if the document stays until more is known about the target. */
      readonly waits?: boolean;
    }
  | { readonly kind: 'sitemap'; readonly changed?: boolean }
  | Exclusion
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly retryAfter?: Duration;
      /** True if the page has responded, and other pages have to show whether what it says is believed. */
      readonly doubted?: boolean;
    };

export interface Disposition {
  /** Whether the URL is deleted from the store without a trace. */
  readonly remove: boolean;
  readonly changes: StateChanges;
  /** The order for the sinks; the changes take effect once the sinks have acknowledged it. */
  readonly order?: { readonly kind: 'add' | 'delete'; readonly reason: Reason };
  readonly changed: boolean;
}
