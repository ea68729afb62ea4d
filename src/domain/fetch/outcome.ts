/** The result of one HTTP exchange. A closed union: the fetcher never throws because of what a site did. */
import type { Duration } from '../time/units.js';
import type { ErrorCode } from './error-codes.js';

export interface FetchTimings {
  /** Time for name lookup and connection, if a new one was needed. */
  readonly connect?: Duration;
  /** From sending the request to the end of the answer's header. */
  readonly header: Duration;
  readonly total: Duration;
  /** Time for which decoding the body blocked the thread. */
  readonly decoding?: Duration;
}

export interface Rendering {
  readonly time: Duration;
  /** Requests of the page for scripts, data and frames, including those answered from memory. */
  readonly requests: number;
  /** How many of them were sent to the host of the page. */
  readonly ownRequests: number;
  /** Requests that were not made, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Bytes of the answers. */
  readonly bytes: number;
  /** Navigations and windows that its scripts asked for. */
  readonly routes: readonly string[];
  /** How it was determined that the page was ready. */
  readonly readiness?: 'quiet' | 'condition' | 'time limit';
  /** Its scripts sent the visitor there; the body is the page as it was fetched. */
  readonly movedTo?: string;
  /** JPEG. */
  readonly picture?: Uint8Array;
}

export type FetchOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** Lower-case names; repeated fields joined with `, ` except `set-cookie`, `link` and `x-robots-tag` (joined with `\n`). */
      readonly headers: Readonly<Record<string, string>>;
      /**
       * Content-decoded and complete, or empty for statuses whose body is not read (redirects, 304; for errors at most 64 KiB).
       */
      readonly body: Uint8Array;
      /** Bytes on the wire. */
      readonly transferred: number;
      /** IP address that answered. */
      readonly address: string;
      readonly timings: FetchTimings;
      /** What a browser did for it; the body is the document as its scripts made it. */
      readonly rendering?: Rendering;
    }
  | {
      readonly kind: 'failure';
      readonly code: ErrorCode;
      /** For a person; without user info and secrets. */
      readonly detail: string;
      readonly retryAfter?: Duration;
      readonly timings: FetchTimings;
    };
