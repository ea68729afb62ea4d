import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { Duration } from '../../domain/time/units.js';

/** One GET. Absent values mean the fetcher's own defaults (FetcherDefinition). */
export interface FetchRequest {
  readonly url: string;
  /** Name of the FetcherDefinition to use. */
  readonly fetcher: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly userAgent?: string;
  readonly connectTimeout?: Duration;
  readonly totalTimeout?: Duration;
  readonly readTimeout?: Duration;
  /** Bytes after decoding. */
  readonly maxSize?: number;
  /** `user:password`, Basic, for this URL alone. */
  readonly credentials?: string;
  readonly proxy?: string;
  /**
   * In milliseconds of the machine's monotonic clock: not sent any more after that, because the right to ask the host may
   * have gone to another node while this process stood still.
   */
  readonly sendBy?: number;
  /** Over the size limit: cut instead of failing (robots.txt, RFC 9309 2.5). */
  readonly truncate?: boolean;
}

export interface Fetcher {
  /** Follows no redirect. Never rejects for what a site does. */
  fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome>;
  /** First address of a host, for crawl space rules on addresses; undefined when DNS does not say. */
  resolve(hostname: string): Promise<string | undefined>;
  close(): Promise<void>;
}
