/**
 * Decides whether a page's scripts run before it is read, and runs them. The browser gets the response that was already
 * fetched; its result is read like any page and passes through the same steps.
 */
import type { RenderMode, UrlOptions } from '../../domain/crawl/policy-definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RenderReport } from '../../domain/render/report.js';
import type { Fetcher, FetchRequest } from '../ports/fetcher.js';
import type { PageContent } from '../ports/page-reader.js';
import type { PageTask } from '../ports/page-task.js';
import { type CrawlContext, findFetcher } from './crawl-context.js';
import type { HttpResponse } from './page-outcome.js';
import { obeysPageDirectives } from './page-reading.js';

/** Number of consecutive times that rendering a page may fail before the page is used as it was sent. */
const MAX_FAILURES = 2;

const RENDERED_TYPES = new Set(['text/html', 'application/xhtml+xml']);

export type RenderResult =
  | { readonly kind: 'plain'; readonly report?: RenderReport; readonly failure?: RenderFailure }
  | {
      readonly kind: 'rendered';
      readonly response: HttpResponse;
      readonly report: RenderReport;
      readonly routes: readonly string[];
    }
  | { readonly kind: 'moved'; readonly target: string; readonly report: RenderReport }
  | { readonly kind: 'failed'; readonly failure: RenderFailure; readonly report: RenderReport };

export interface RenderFailure {
  readonly code: 'render-timeout' | 'render-memory' | 'render-crash' | 'renderer-unavailable';
  readonly detail: string;
}

export function findRenderMode({ definition }: CrawlContext, options: UrlOptions, task: PageTask): RenderMode {
  if (task.discoveredVia === 'robots') return 'never';
  if (task.inspect) return task.render === 'always' ? 'always' : 'never';
  const mode = options.renderMode ?? definition.render;
  return mode === 'auto' && task.render === 'never' ? 'never' : mode;
}

/**
 * Whether the page is certain to be rendered, so that a "not modified" response would say nothing about its content.
 */
export const shouldRenderFirst = (mode: RenderMode, { render }: PageTask): boolean =>
  mode === 'always' || (mode === 'auto' && render === 'always');

/** Whether a page is to be rendered, judged by what was sent. */
export const shouldRender = (mode: RenderMode, task: PageTask, mediaType: string, content: PageContent): boolean =>
  mode !== 'never' &&
  RENDERED_TYPES.has(mediaType) &&
  (shouldRenderFirst(mode, task) || content.needsRendering !== undefined);

interface RenderRequest {
  readonly task: PageTask;
  readonly context: CrawlContext;
  readonly options: UrlOptions;
  readonly request: FetchRequest;
  readonly response: HttpResponse;
}

export async function render(page: RenderRequest, fetcher: Pick<Fetcher, 'fetch'>): Promise<RenderResult> {
  const { task, context, options, request, response } = page;
  const outcome = await fetcher.fetch({
    ...request,
    engine: 'browser',
    ifNoneMatch: undefined,
    ifModifiedSince: undefined,
    render: {
      page: { status: response.status, headers: response.headers, body: response.body },
      userAgent: options.userAgent ?? findFetcher(context, options).userAgent,
      readyWhen: options.renderReadyWhen,
      steps: options.renderSteps,
      obeysRobots: obeysPageDirectives(context, options) && !context.definition.ignoreRobotsTxt,
      withPicture: task.inspect === true,
    },
  });
  return outcome.kind === 'failure' ? toRenderFailure(outcome, task) : toRendered(outcome);
}

function toRendered(outcome: HttpResponse): RenderResult {
  const { time, requests, ownRequests, refused, readiness, movedTo, routes = [], picture } = outcome.rendering ?? {};
  const report: RenderReport = {
    time: time ?? outcome.timings.total,
    requests: requests ?? 0,
    ownRequests: ownRequests ?? 0,
    refused: refused ?? {},
    readiness,
    picture,
  };
  if (movedTo !== undefined) return { kind: 'moved', target: movedTo, report };
  return { kind: 'rendered', response: outcome, report, routes };
}

function toRenderFailure(
  { code, detail, timings }: Extract<FetchOutcome, { kind: 'failure' }>,
  task: PageTask,
): RenderResult {
  if (code !== 'render-timeout' && code !== 'render-memory' && code !== 'render-crash')
    return task.inspect ? { kind: 'plain', failure: { code: 'renderer-unavailable', detail } } : { kind: 'plain' };
  const report: RenderReport = { time: timings.total, requests: 0, ownRequests: 0, refused: {}, failure: code };
  const failure = { code, detail };
  const isFinal = task.inspect === true || (task.renderFailures ?? 0) >= MAX_FAILURES;
  return isFinal ? { kind: 'plain', report, failure } : { kind: 'failed', failure, report };
}
