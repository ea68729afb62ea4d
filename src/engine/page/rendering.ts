/**
 * Decides whether a page's scripts run before it is read, and runs them. The browser gets the response that was already
 * fetched; its result is read like any page and passes through the same steps.
 */
import type { RenderMode } from '../../domain/crawl/policy-definition.js';
import type { FetchOutcome, HttpResponse } from '../../domain/fetch/outcome.js';
import { isLoss } from '../../domain/render/learning.js';
import type { Amount, RenderReport, SentPage } from '../../domain/render/report.js';
import { isRefusal } from '../ports/content-extractor.js';
import type { Fetcher, FetchRequest } from '../ports/fetcher.js';
import type { PageContent } from '../ports/page-reader.js';
import type { PageOutcome, PageTask } from '../ports/page-task.js';
import { findFetcher } from './crawl-context.js';
import { type ExtractionTools, extractContent } from './extraction.js';
import type { LinkCollector } from './link-collector.js';
import { MAX_TEXT, type ReadPage, type RenderFailure } from './page-facts.js';
import { createFailure, followRefresh } from './page-outcome.js';
import { obeysPageDirectives, resolveBase } from './page-reading.js';
import { createRequest, type RequestedPage, shouldRenderFirst } from './requested-page.js';

/** Number of consecutive times that rendering a page may fail before the page is used as it was sent. */
const MAX_FAILURES = 2;

const RENDERED_TYPES = new Set(['text/html', 'application/xhtml+xml']);

/** Whether a page is to be rendered, judged by what was sent. */
export const shouldRender = (mode: RenderMode, task: PageTask, mediaType: string, content: PageContent): boolean =>
  mode !== 'never' &&
  RENDERED_TYPES.has(mediaType) &&
  (shouldRenderFirst(mode, task) || content.needsRendering !== undefined);

/** A page whose scripts were to be run: as it is to be used now, or how its visit ends. */
type RenderedPage = { readonly report?: RenderReport } & (
  | { readonly page: ReadPage }
  | { readonly outcome: PageOutcome }
);

interface RenderTools extends ExtractionTools {
  readonly fetcher: Pick<Fetcher, 'fetch'>;
}

/** Has the page's scripts run on the response, of which nothing is fetched twice, and reads the page that results. */
export async function renderPage(
  page: RequestedPage,
  sentPage: ReadPage,
  collector: LinkCollector,
  tools: RenderTools,
): Promise<RenderedPage> {
  const { context, task, url } = page;
  const outcome = await tools.fetcher.fetch(createRenderRequest(page, sentPage.response));
  if (outcome.kind === 'failure') return handleFailure(outcome, task, sentPage);
  const report = toReport(outcome);
  const { movedTo } = outcome.rendering ?? {};
  if (movedTo === undefined) return readRenderedPage(page, sentPage, outcome, report, tools);
  const target = context.canonicalize(movedTo);
  const redirect = target && target.href !== url.href ? followRefresh(page, target, collector) : undefined;
  return redirect ? { report, outcome: redirect } : { report, page: sentPage };
}

function createRenderRequest(page: RequestedPage, { status, headers, body, address }: HttpResponse): FetchRequest {
  const { context, task, effects } = page;
  const { options } = effects;
  return {
    ...createRequest(page),
    engine: 'browser',
    crawler: task.crawler,
    ifNoneMatch: undefined,
    ifModifiedSince: undefined,
    render: {
      page: { status, headers, body, address },
      userAgent: options.userAgent ?? findFetcher(context, options).userAgent,
      readyWhen: options.renderReadyWhen,
      steps: options.renderSteps,
      obeysRobots: obeysPageDirectives(context, options) && !context.definition.ignoreRobotsTxt,
      withPicture: task.inspect === true,
      // Other people may see them: they are documents of their own.
      omitsFramedPages: context.definition.acl !== undefined,
    },
  };
}

function toReport({ rendering, timings }: HttpResponse): RenderReport {
  const { time, requests, ownRequests, refused, readiness, picture } = rendering ?? {};
  return {
    time: time ?? timings.total,
    requests: requests ?? 0,
    ownRequests: ownRequests ?? 0,
    refused: refused ?? {},
    readiness,
    picture,
  };
}

function handleFailure(
  { code, detail, timings }: Extract<FetchOutcome, { kind: 'failure' }>,
  { inspect, renderFailures = 0 }: PageTask,
  sentPage: ReadPage,
): RenderedPage {
  if (code !== 'render-timeout' && code !== 'render-memory' && code !== 'render-crash') {
    const renderFailure: RenderFailure = { code: 'renderer-unavailable', detail };
    return { page: inspect ? { ...sentPage, renderFailure } : sentPage };
  }
  const report: RenderReport = { time: timings.total, requests: 0, ownRequests: 0, refused: {}, failure: code };
  const isFinal = inspect === true || renderFailures >= MAX_FAILURES;
  return isFinal
    ? { report, page: { ...sentPage, renderFailure: { code, detail } } }
    : { report, outcome: createFailure(code, detail) };
}

async function readRenderedPage(
  page: RequestedPage,
  sentPage: ReadPage,
  response: HttpResponse,
  report: RenderReport,
  tools: RenderTools,
): Promise<RenderedPage> {
  const content = await extractContent(page, response, 'text/html', tools);
  if ('kind' in content) return { report, outcome: content };
  if (isRefusal(content)) return { report, page: sentPage };
  const amounts = { plain: measureAmount(sentPage.content), rendered: measureAmount(content) };
  const sent = page.task.inspect ? { sent: toSentPage(page, sentPage.content) } : undefined;
  const fullReport = { ...report, ...amounts, ...sent };
  const mayBePlain = page.mode === 'auto' && sentPage.content.needsRendering === undefined;
  if (mayBePlain && isLoss(amounts.plain, amounts.rendered)) return { report: fullReport, page: sentPage };
  const routes = response.rendering?.routes ?? [];
  const links = [...content.links, ...routes.map((href) => ({ href, kind: 'a', nofollow: false }) as const)];
  const renderedContent = { ...content, links, needsRendering: undefined };
  const { mediaType } = sentPage;
  return { report: fullReport, page: { response, mediaType, content: renderedContent, rendered: true } };
}

const measureAmount = ({ text, links }: PageContent): Amount => ({ text: text.length, links: links.length });

const MAX_SENT_LINKS = 5_000;

function toSentPage({ context, url }: Pick<RequestedPage, 'context' | 'url'>, content: PageContent): SentPage {
  const base = resolveBase(url.href, content);
  const links = new Set<string>();
  for (const { href, kind } of content.links.slice(0, MAX_SENT_LINKS)) {
    const target = kind === 'canonical' ? undefined : context.canonicalize(href, base);
    if (target) links.add(target.href);
  }
  return {
    title: content.title.slice(0, 300),
    text: content.text.slice(0, MAX_TEXT).toWellFormed(),
    textLength: content.text.length,
    links: [...links],
  };
}
