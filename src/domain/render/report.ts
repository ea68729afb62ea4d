import type { Duration } from '../time/units.js';

/** What rendering a page came to, beside the document. */
export interface RenderReport {
  readonly time: Duration;
  /** That the page made for scripts, data and frames. */
  readonly requests: number;
  /** Of those, sent to the host of the page. */
  readonly ownRequests: number;
  /** Requests that were not made, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly readiness?: 'quiet' | 'condition' | 'time limit';
  readonly failure?: string;
  /** What the page brought as it was sent, and as its scripts made it. */
  readonly plain?: Amount;
  readonly rendered?: Amount;
  /** JPEG, when a person asked for it. */
  readonly picture?: Uint8Array;
}

export interface Amount {
  /** Characters of text. */
  readonly text: number;
  readonly links: number;
}
