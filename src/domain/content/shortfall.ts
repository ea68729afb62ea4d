/** Documents that are in the index with less text than they show, or with text that is not quite certain. */
import type { Reason, ReasonCode } from '../policy/reasons.js';

export const SHORT_TEXTS = [
  'no-text-layer',
  'text-by-ocr',
  'text-incomplete',
  'text-cut',
] as const satisfies readonly ReasonCode[];

export interface Shortfall {
  readonly reason: (typeof SHORT_TEXTS)[number];
  /** Human-readable details. */
  readonly detail: string;
}

export const isShortText = (reason: Reason | undefined): boolean =>
  (SHORT_TEXTS as readonly (string | undefined)[]).includes(reason);
