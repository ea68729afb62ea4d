import type { Duration } from '../time/units.js';

/** What rendering a page brought, besides the document. */
export interface RenderReport {
  readonly time: Duration;
  /** Requests of the page for scripts, data and frames. */
  readonly requests: number;
  /** How many of them were sent to the host of the page. */
  readonly ownRequests: number;
  /** Requests that were not made, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly readiness?: 'quiet' | 'condition' | 'time limit';
  readonly failure?: string;
  /** What the page contained as it was sent, and after its scripts ran. */
  readonly plain?: Amount;
  readonly rendered?: Amount;
  /** JPEG, if a person asked for it. */
  readonly picture?: Uint8Array;
  /** The page as it was sent, if a person compares the two. */
  readonly sent?: SentPage;
}

/** What a page contains without its scripts. */
export interface SentPage {
  readonly title: string;
  /** The first 200,000 characters. */
  readonly text: string;
  readonly textLength: number;
  /** Canonical URLs without repeats. */
  readonly links: readonly string[];
}

export interface Amount {
  /** Characters of text. */
  readonly text: number;
  readonly links: number;
}
