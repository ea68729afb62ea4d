/** Records visits and deliveries as OpenTelemetry spans. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { redact } from '../../domain/redact.js';
import type { PageResult } from '../../engine/ports/page-task.js';
import { type Sink, WrappedSink } from '../../engine/ports/sink.js';
import type { Tracing, VisitPart } from '../../engine/ports/tracing.js';

interface TracedVisit {
  readonly span: Span;
  readonly context: Context;
}

export class CrawlTraces implements Tracing {
  /** Undefined during a visit that is not sampled. */
  private readonly visits = new AsyncLocalStorage<TracedVisit | undefined>();
  private readonly visitSpans = new WeakMap<PushOrder, Span>();

  constructor(private readonly tracer: Tracer) {}

  traceVisit<T>(state: UrlState, work: () => Promise<T>): Promise<T> {
    const span = this.tracer.startSpan('visit', { root: true }, ROOT_CONTEXT);
    // A visit may begin during another one, to which its parts do not belong.
    if (!span.isRecording()) return this.visits.run(undefined, work);
    span.setAttributes({
      'url.full': redact(state.url),
      'server.address': state.hostKey,
      'crawlway.crawler': state.crawler,
      'crawlway.discovered_via': state.discoveredVia,
    });
    const visit = { span, context: trace.setSpan(ROOT_CONTEXT, span) };
    return this.visits.run(visit, () => runAndEndSpan(span, work));
  }

  tracePart<T>(name: VisitPart, work: () => T): T {
    const visit = this.visits.getStore();
    return visit ? runAndEndSpan(this.tracer.startSpan(name, {}, visit.context), work) : work();
  }

  /** Records the fetching and reading times that a page thread has measured, counted back from now. */
  recordResponse({ age, readingTime, duration, status, outcome, bytes }: PageResult): void {
    const visit = this.visits.getStore();
    if (!visit) return;
    const readAt = Date.now() - (age ?? 0);
    const fetchedAt = readAt - (readingTime ?? 0);
    const wasRequested = status !== undefined || outcome.kind !== 'excluded';
    if (wasRequested) {
      const attributes = { 'http.response.status_code': status, 'http.response.body.size': bytes };
      const options = { kind: SpanKind.CLIENT, startTime: fetchedAt - duration, attributes };
      this.tracer.startSpan('fetch', options, visit.context).end(fetchedAt);
    }
    const isRead = outcome.kind === 'document' || outcome.kind === 'sitemap';
    if (isRead) this.tracer.startSpan('extract', { startTime: fetchedAt }, visit.context).end(readAt);
  }

  recordOutcome(result?: PageResult): void {
    const span = this.visits.getStore()?.span;
    if (!span) return;
    if (!result) {
      span.setAttribute('crawlway.outcome', 'put-back');
      return;
    }
    const { outcome, status } = result;
    span.setAttribute('crawlway.outcome', outcome.kind);
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    if (outcome.kind === 'excluded') span.setAttribute('crawlway.reason', outcome.reason);
    if (outcome.kind !== 'error') return;
    span.setAttribute('error.type', outcome.code);
    span.setStatus({ code: SpanStatusCode.ERROR, message: redact(outcome.detail) });
  }

  recordOrder(order: PushOrder): void {
    const visit = this.visits.getStore();
    if (visit) this.visitSpans.set(order, visit.span);
  }

  /** Traces the delivery of a batch; it belongs to no visit, but is linked to the visits that created its orders. */
  traceDelivery(
    { name, type }: { readonly name: string; readonly type: string },
    batch: readonly PushOrder[],
    deliver: () => Promise<OrderAnswer[]>,
  ): Promise<OrderAnswer[]> {
    const links = new Set(batch.flatMap((order) => this.visitSpans.get(order) ?? []));
    const span = this.tracer.startSpan(
      'deliver',
      {
        root: true,
        kind: SpanKind.CLIENT,
        links: [...links].map((visit) => ({ context: visit.spanContext() })),
        attributes: { 'crawlway.sink': name, 'crawlway.sink_type': type, 'crawlway.orders': batch.length },
      },
      ROOT_CONTEXT,
    );
    if (!span.isRecording()) return deliver();
    return runAndEndSpan(span, async () => {
      const answers = await deliver();
      span.setAttribute('crawlway.refused_orders', answers.filter(({ state }) => state === 'refused').length);
      return answers;
    });
  }
}

/** Ends the span when the work ends. */
function runAndEndSpan<T>(span: Span, work: () => T): T {
  const fail = (error: unknown): never => {
    const message = error instanceof Error ? error.message : String(error);
    span.setStatus({ code: SpanStatusCode.ERROR, message: redact(message) });
    span.end();
    throw error;
  };
  try {
    const result = work();
    if (!(result instanceof Promise)) {
      span.end();
      return result;
    }
    const completion = result.then((value: unknown) => {
      span.end();
      return value;
    }, fail);
    return completion as T;
  } catch (error) {
    return fail(error);
  }
}

/** A sink whose deliveries are traced. */
export class TracedSink extends WrappedSink {
  constructor(
    sink: Sink,
    readonly type: string,
    private readonly traces: Pick<CrawlTraces, 'traceDelivery'>,
  ) {
    super(sink);
  }

  override deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    return this.traces.traceDelivery(this, batch, () => super.deliver(batch, signal));
  }
}
