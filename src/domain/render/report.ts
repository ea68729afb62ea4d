import type { Duration } from '../time/units.js';

/** What rendering a page yielded, besides the document. */
export interface RenderReport {
  readonly time: Duration;
  /** The page's requests for scripts, data and frames. */
  readonly requests: number;
  /** How many of them were sent to the page's own host. */
  readonly ownRequests: number;
  /** Number of requests that were not made, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly readiness?: 'quiet' | 'condition' | 'time limit';
  readonly failure?: string;
  /** What the page contained as sent, and after its scripts ran. */
  readonly plain?: Amount;
  readonly rendered?: Amount;
  /** Screenshot as JPEG, if a user requested one. */
  readonly picture?: Uint8Array;
  /** The page as sent, if a user wants to compare the two. */
  readonly sent?: SentPage;
}

/** What a page contains without its scripts. */
export interface SentPage {
  readonly title: string;
  /** The first 200,000 characters. */
  readonly text: string;
  readonly textLength: number;
  /** Canonical URLs without duplicates. */
  readonly links: readonly string[];
}

export interface Amount {
  /** Length of the text, in characters. */
  readonly text: number;
  readonly links: number;
}
