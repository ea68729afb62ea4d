import type { UrlState } from '../../domain/crawl/url-state.js';
import type { PushOrder } from '../../domain/push/order.js';
import type { PageResult } from './page-task.js';

/** Parts of a visit that the engine times; `fetch` and `extract` are timed where they happen, see `recordAnswer`. */
export type VisitPart = 'robots' | 'links' | 'decide' | 'settle';

/**
 * Shows an operator where the time of a visit goes. What is called in the course of a visit belongs to that visit, however many are
 * under way at once. It changes nothing of the work, and fails for nobody.
 */
export interface Tracing {
  /** From the claim of the host to the settlement. Work that throws is a visit that failed. */
  traceVisit<T>(state: UrlState, work: () => Promise<T>): Promise<T>;
  tracePart<T>(name: VisitPart, work: () => T): T;
  /** The page processor has answered just now, with what it has measured. */
  recordAnswer(result: PageResult): void;
  /** What the visit came to; absent: the URL goes back to the head of its queue. */
  recordOutcome(result?: PageResult): void;
  /** The visit sends the order, which may be delivered together with those of other visits. */
  recordOrder(order: PushOrder): void;
}

/** Costs a call. */
export const NOT_TRACED: Tracing = {
  traceVisit: (_state, work) => work(),
  tracePart: (_name, work) => work(),
  recordAnswer() {},
  recordOutcome() {},
  recordOrder() {},
};
