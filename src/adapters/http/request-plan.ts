/** One request, computed from the task and the fetcher's definition. */
import type { Target } from './connector.js';
import type { BodyLimits } from './response-reader.js';

export interface RequestPlan {
  /** Scheme, host and port, as undici wants it. */
  readonly origin: string;
  /** Requests with the same key can share connections. */
  readonly poolKey: string;
  readonly target: Target;
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  readonly body: Uint8Array | undefined;
  /** Request target: path and query, or the whole URL where a proxy forwards it. */
  readonly path: string;
  /** Names and values alternating, without Host. */
  readonly headers: string[];
  /** Value of Host. */
  readonly host: string;
  readonly limits: BodyLimits;
  readonly times: TimeLimits;
  /** See FetchRequest. */
  readonly sendBy: number | undefined;
}

/** Milliseconds. */
export interface TimeLimits {
  readonly connect: number;
  readonly header: number;
  /** Between two pieces of the body. */
  readonly body: number;
  readonly total: number;
}
