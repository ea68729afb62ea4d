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
  /** The page as it was sent, when a person compares the two. */
  readonly sent?: SentPage;
}

/** What a page brings without its scripts. */
export interface SentPage {
  readonly title: string;
  /** The first 200,000 characters. */
  readonly text: string;
  readonly textLength: number;
  /** Canonical URLs, each once. */
  readonly links: readonly string[];
}

export interface Amount {
  /** Characters of text. */
  readonly text: number;
  readonly links: number;
}
