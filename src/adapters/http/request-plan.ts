/** Everything about one request, computed from the task and the fetcher's definition. */
import type { Target } from './connector.js';
import type { BodyLimits } from './response-reader.js';

export interface RequestPlan {
  /** Scheme, host and port, as undici expects them. */
  readonly origin: string;
  /** Requests with the same key can share connections. */
  readonly poolKey: string;
  readonly target: Target;
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  readonly body: Uint8Array | undefined;
  /** Request target: path and query, or the whole URL if a proxy forwards the request. */
  readonly path: string;
  /** Alternating names and values, without Host. */
  readonly headers: string[];
  /** Value of the Host header. */
  readonly host: string;
  readonly limits: BodyLimits;
  readonly timeLimits: TimeLimits;
  /** See `FetchRequest.sendBy`. */
  readonly sendBy: number | undefined;
}

/** In milliseconds. */
interface TimeLimits {
  readonly connect: number;
  readonly header: number;
  /** Maximum pause between two pieces of the body. */
  readonly body: number;
  readonly total: number;
}
