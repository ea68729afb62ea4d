import type { QuotaLimit } from '../domain/crawl/quota-definition.js';
import type { Reason } from '../domain/policy/reasons.js';
import type { Instant } from '../domain/time/units.js';

/** Events as they happen: for server-sent events, the log and the console. */
export type CrawlEvent =
  | {
      readonly type: 'visit';
      readonly at: Instant;
      readonly crawler: string;
      readonly url: string;
      readonly outcome: string;
      readonly status?: number;
      readonly durationMs: number;
      readonly bytes: number;
      readonly changed: boolean;
      /** Present if the URL is a root: whether the visit failed. */
      readonly rootFailed?: boolean;
    }
  | {
      readonly type: 'verdict';
      readonly at: Instant;
      readonly crawler: string;
      readonly url: string;
      readonly reason: Reason;
    }
  | {
      readonly type: 'order';
      readonly at: Instant;
      readonly crawler: string;
      readonly id: number;
      readonly uri: string;
      readonly kind: 'add' | 'delete';
      readonly state: string;
      readonly reason: Reason;
      readonly message?: string;
    }
  | {
      readonly type: 'move';
      readonly at: Instant;
      readonly crawler: string;
      /** The root whose home page redirects to another site, or whose pages move. */
      readonly root: string;
      readonly target: string;
      /** Why the crawl does not move there by itself; `redirected` for pages that move. */
      readonly reason: Reason;
    }
  | { readonly type: 'crawler'; readonly at: Instant; readonly crawler: string; readonly state: string }
  | {
      readonly type: 'sink';
      readonly at: Instant;
      readonly sink: string;
      readonly state: string;
      readonly message?: string;
    }
  | {
      readonly type: 'host';
      readonly at: Instant;
      readonly hostKey: string;
      readonly state: string;
      readonly until?: Instant;
      /** Error code of the response, or of its absence, after which the host is left alone. */
      readonly cause?: string;
    }
  | {
      readonly type: 'quota';
      readonly at: Instant;
      readonly quota: string;
      readonly limit: QuotaLimit;
      readonly max: number;
      /** When the limit begins anew; absent unless it is one per day. */
      readonly until?: Instant;
    }
  | {
      readonly type: 'login';
      readonly at: Instant;
      readonly login: string;
      readonly state: string;
      readonly message?: string;
    }
  | { readonly type: 'configuration'; readonly at: Instant; readonly version?: number; readonly message: string };
