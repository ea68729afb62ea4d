import type { UrlState } from '../../domain/crawl/url-state.js';
import type { PushOrder } from '../../domain/push/order.js';
import type { PageResult } from './page-task.js';

/** Parts of a visit that the engine times; `fetch` and `extract` are timed where they happen (see `recordResponse`). */
export type VisitPart = 'robots' | 'links' | 'decide' | 'settle';

/**
 * Shows an operator where the time of a visit goes. Calls in the course of a visit are attributed to that visit,
 * however many are under way at once. Tracing does not change the work and never makes it fail.
 */
export interface Tracing {
  /** Traces a visit from the claim of the host to the settlement. If the work throws, the visit has failed. */
  traceVisit<T>(state: UrlState, work: () => Promise<T>): Promise<T>;
  tracePart<T>(name: VisitPart, work: () => T): T;
  /** Must be called as soon as the page processor returns its result, which contains what it has measured. */
  recordResponse(result: PageResult): void;
  /** Records how the visit ended; `result` is absent if the URL goes back to the head of its queue. */
  recordOutcome(result?: PageResult): void;
  /** Records that the visit sends an order, which may be delivered together with those of other visits. */
  recordOrder(order: PushOrder): void;
}

/** Does nothing; each use costs only a call. */
export const NO_TRACING: Tracing = {
  traceVisit: (_state, work) => work(),
  tracePart: (_name, work) => work(),
  recordResponse() {},
  recordOutcome() {},
  recordOrder() {},
};
