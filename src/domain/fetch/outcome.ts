/** The result of one HTTP exchange. A closed union: the fetcher never throws because of what a site does. */
import type { Duration } from '../time/units.js';
import type { ErrorCode } from './error-codes.js';

export interface FetchTimings {
  /** Time for name lookup and connection, if a new one was needed. */
  readonly connect?: Duration;
  /** Time from sending the request to the end of the response header. */
  readonly header: Duration;
  readonly total: Duration;
  /** Time for which decoding the body blocked the thread. */
  readonly decoding?: Duration;
}

export interface Rendering {
  readonly time: Duration;
  /** The page's requests for scripts, data and frames, including those served from memory. */
  readonly requests: number;
  /** How many of them were sent to the page's own host. */
  readonly ownRequests: number;
  /** Number of requests that were not made, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Size of the responses, in bytes. */
  readonly bytes: number;
  /** URLs that its scripts tried to navigate to or open in a window. */
  readonly routes: readonly string[];
  /** How it was determined that the page was ready. */
  readonly readiness?: 'quiet' | 'condition' | 'time limit';
  /** URL to which its scripts redirected the visitor; the body is then the page as fetched. */
  readonly movedTo?: string;
  /** Screenshot as JPEG. */
  readonly picture?: Uint8Array;
}

export type FetchOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      /**
       * Lower-case names; repeated fields are joined with `, `, except `set-cookie`, `link` and `x-robots-tag` (joined
       * with `\n`).
       */
      readonly headers: Readonly<Record<string, string>>;
      /**
       * Content-decoded and complete, but empty for statuses whose body is not read (redirects, 304), and at most 64
       * KiB for errors.
       */
      readonly body: Uint8Array;
      /** Size as transferred, in bytes. */
      readonly transferred: number;
      /** IP address that responded. */
      readonly address: string;
      readonly timings: FetchTimings;
      /** How a browser rendered it; if present, the body is the document as its scripts created it. */
      readonly rendering?: Rendering;
    }
  | {
      readonly kind: 'failure';
      readonly code: ErrorCode;
      /** Description for users, without user info and secrets. */
      readonly detail: string;
      readonly retryAfter?: Duration;
      readonly timings: FetchTimings;
    };

export type HttpResponse = Extract<FetchOutcome, { kind: 'response' }>;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Multiple choices: Location, if there is one, is the server's own choice, which may be followed (RFC 9110, 15.4.1). */
const MULTIPLE_CHOICES = 300;
const PERMANENT_REDIRECTS = new Set([301, 308]);

export const isRedirect = ({ status, headers }: HttpResponse): boolean =>
  REDIRECTS.has(status) || (status === MULTIPLE_CHOICES && headers['location'] !== undefined);
export const isPermanentRedirect = ({ status }: HttpResponse): boolean => PERMANENT_REDIRECTS.has(status);
