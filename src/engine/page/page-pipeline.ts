/**
 * Processes one page: judges its URL, fetches, classifies and reads the page, collects its links and builds its
 * document. The rest of a visit (robots.txt before, disposition, delivery and settlement after) is in
 * crawl/visit/visit.ts.
 */
import { createExclusion } from '../../domain/crawl/exclusion.js';
import { readValidators } from '../../domain/fetch/validators.js';
import type { PushDocument } from '../../domain/push/order.js';
import { isLoss } from '../../domain/render/learning.js';
import type { Amount, RenderReport } from '../../domain/render/report.js';
import type { Instant } from '../../domain/time/units.js';
import { type Extraction, ExtractorUnavailable, isRefusal, type Refusal } from '../ports/content-extractor.js';
import type { Fetcher, FetchRequest } from '../ports/fetcher.js';
import type { SessionAnswer } from '../ports/login-method.js';
import type { PageContent } from '../ports/page-reader.js';
import type { KeptAnswer, PageOutcome, PageResult, PageTask } from '../ports/page-task.js';
import { hasSameLinks } from './content-hash.js';
import type { CrawlContext } from './crawl-context.js';
import { type ExtractionTools, extract, NO_CONTENT } from './extraction.js';
import { holdThread, type ThreadTools } from './holding-thread.js';
import {
  findCanonicalForm,
  findCompiledContent,
  type JudgedUrl,
  needsContentHash,
  needsDocumentText,
  needsLinks,
  needsPageText,
  toJudgedUrl,
} from './judged-url.js';
import { LinkCollector } from './link-collector.js';
import type { LinkMemory } from './link-memory.js';
import { buildDocument, type DocumentTools, StepFailed } from './page-document.js';
import { createDocumentOutcome, type ReadPage, toFetchedPage } from './page-facts.js';
import {
  addInheritedMetas,
  followFeed,
  followLinks,
  followSitemap,
  readSitemap,
  reportCutLinks,
} from './page-links.js';
import { acceptsMediaType, createFailure, decideWithoutBody, type HttpResponse, isRedirect } from './page-outcome.js';
import type { CrawlerPlugins } from './page-plugins.js';
import {
  findCanonical,
  findHomePageRedirect,
  findQuickRefresh,
  findTerms,
  resolveBase,
  type Terms,
} from './page-reading.js';
import { createRedirect, followRedirect, followRefresh } from './page-redirects.js';
import { createRequest } from './page-request.js';
import { toVisitSchedule } from './page-schedule.js';
import { applyResponsePlugins, excludeFromIndex, judgeByPlugins } from './plugin-outcome.js';
import { type RenderResult, render, shouldRender } from './rendering.js';
import { toSentPage } from './sent-page.js';
import { toSessionAnswer } from './session-answer.js';

export interface PageTools extends ExtractionTools, DocumentTools, ThreadTools {
  readonly fetcher: Fetcher;
  /** The crawler's plug-ins; absent if it has none. */
  readonly plugins?: CrawlerPlugins;
}

const MAX_TEXT_LENGTH = 4_000_000;

const FORBIDDEN_304 = {
  noindex: 'X-Robots-Tag of the 304 response contains noindex',
  'unavailable-after': 'X-Robots-Tag of the 304 response says that the page may no longer be shown',
  'search-not-allowed': 'robots.txt or a header of the 304 response forbids search engines to index the page',
} as const;

export async function processPage(
  task: PageTask,
  context: CrawlContext,
  links: LinkMemory,
  tools: PageTools,
): Promise<PageResult> {
  const judgedUrl = toJudgedUrl(task, context);
  const page = tools.plugins?.seesUrls ? await judgeByPlugins(judgedUrl, tools.plugins) : judgedUrl;
  return new PageVisit(page, links, tools).run();
}

class PageVisit {
  private readonly collector: LinkCollector;
  private status: number | undefined;
  private duration = 0 as PageResult['duration'];
  private byteCount = 0;
  private words: Int32Array | undefined;
  private hub: PageResult['hub'];
  private variant: string | undefined;
  private setCookie: string | undefined;
  private sessionAnswer: SessionAnswer | undefined;
  private unavailableAfter: Instant | undefined;
  private rendering: RenderReport | undefined;
  private decodingTime: PageResult['decodingTime'];
  /** Why a plug-in excludes the document from the index. */
  private leftOut: string | undefined;
  private keptAnswer: KeptAnswer | undefined;

  constructor(
    private readonly page: JudgedUrl,
    links: LinkMemory,
    private readonly tools: PageTools,
  ) {
    const { context, url, task, root } = page;
    this.collector = new LinkCollector(context, links, { url, root, hops: task.hops });
  }

  async run(): Promise<PageResult> {
    return this.createResult(this.page.exclusion ?? (await this.fetch()));
  }

  private async fetch(): Promise<PageOutcome> {
    const { trial } = this.page.task;
    if (trial) {
      this.status = trial.answer.status;
      return holdThread(this.tools, () => this.readBody(trial.answer));
    }
    const request = createRequest(this.page);
    const response = await this.tools.fetcher.fetch(request);
    this.duration = response.timings.total;
    this.decodingTime = response.timings.decoding;
    if (response.kind === 'failure') return createFailure(response.code, response.detail, response.retryAfter);
    return holdThread(this.tools, () => this.handleResponse(response, request));
  }

  private handleResponse(response: HttpResponse, request: FetchRequest): PageOutcome | Promise<PageOutcome> {
    const { context, task } = this.page;
    this.status = response.status;
    this.byteCount = response.transferred;
    if (context.fetcher.cookies) this.setCookie = response.headers['set-cookie'];
    if (request.session?.login !== undefined) this.sessionAnswer = toSessionAnswer(request, response);
    if (isRedirect(response)) return this.handleRedirect(response);
    const conditional = request.ifNoneMatch !== undefined || request.ifModifiedSince !== undefined;
    const outcome = decideWithoutBody(response, conditional, task.now);
    if (outcome) return outcome.kind === 'unchanged' ? this.handleUnchanged(response) : outcome;
    return this.tools.plugins?.seesResponses
      ? this.applyPluginsAndRead(response, this.tools.plugins)
      : this.readBody(response);
  }

  private async applyPluginsAndRead(response: HttpResponse, plugins: CrawlerPlugins): Promise<PageOutcome> {
    const result = await applyResponsePlugins(this.page, response, plugins);
    return 'kind' in result && result.kind === 'response'
      ? holdThread(this.tools, () => this.readBody(result))
      : result;
  }

  private handleRedirect(response: HttpResponse): PageOutcome {
    const { outcome, selfRedirect } = followRedirect(this.page, response, this.collector);
    if (selfRedirect) ({ setCookie: this.setCookie, variant: this.variant } = selfRedirect);
    return outcome;
  }

  /** A header that forbids indexing may be new even if the page has not changed. */
  private handleUnchanged(response: HttpResponse): PageOutcome {
    const { context, task, effects } = this.page;
    const { prohibition } = findTerms(context, effects.options, response, { task });
    if (prohibition === undefined || task.stamp === undefined)
      return { kind: 'unchanged', ...readValidators(response.headers) };
    return createExclusion(prohibition, FORBIDDEN_304[prohibition]);
  }

  private readBody(response: HttpResponse): PageOutcome | Promise<PageOutcome> {
    const { page, tools } = this;
    const { mimeTypesMode, mimeTypes } = page.context.definition;
    const mediaType = tools.reader.detectMediaType(response.body, response.headers['content-type'], page.url.path);
    const sitemap = readSitemap(page, response, mediaType, tools.reader);
    if (sitemap) return followSitemap(page, sitemap, this.collector);
    if (!acceptsMediaType(mimeTypesMode, mimeTypes, mediaType)) {
      return createExclusion('mime-type-excluded', `the crawler does not accept ${mediaType}`);
    }
    const extraction = this.extract(response, mediaType);
    return extraction instanceof Promise
      ? extraction.then(
          (result) => holdThread(tools, () => this.handleExtraction(response, mediaType, result)),
          handleExtractorFailure,
        )
      : this.handleExtraction(response, mediaType, extraction);
  }

  private extract(response: HttpResponse, mediaType: string): Extraction | Refusal | Promise<Extraction | Refusal> {
    const { page, tools } = this;
    const needsText =
      needsPageText(page) || needsDocumentText(page, mediaType, tools.reader) || needsContentHash(page, mediaType);
    const contentDefinition = findCompiledContent(page)?.definition;
    return extract(tools, response.body, mediaType, {
      url: page.url.href,
      contentType: response.headers['content-type'],
      maxLinks: page.context.definition.traps.maxLinksPerPage,
      maxTextLength: needsText ? MAX_TEXT_LENGTH : 0,
      content: contentDefinition,
      wantsMetas: contentDefinition?.metas ?? true,
      showsCut: page.task.inspect,
    });
  }

  private handleExtraction(
    response: HttpResponse,
    mediaType: string,
    extraction: Extraction | Refusal,
  ): PageOutcome | Promise<PageOutcome> {
    if (isRefusal(extraction))
      return this.createOutcome({ response, mediaType, content: NO_CONTENT, unread: extraction });
    const plainPage = { response, mediaType, content: extraction };
    const { trial } = this.page.task;
    if (trial) return this.createOutcome({ ...plainPage, rendered: trial.answer.rendered });
    return shouldRender(this.page.mode, this.page.task, mediaType, extraction)
      ? this.render(plainPage)
      : this.createOutcome(plainPage);
  }

  private async render(plainPage: ReadPage): Promise<PageOutcome> {
    const { page, tools } = this;
    const { task, context, effects, url } = page;
    const renderRequest = {
      task,
      context,
      options: effects.options,
      request: createRequest(page),
      response: plainPage.response,
    };
    const result = await render(renderRequest, tools.fetcher);
    this.rendering = result.report;
    if (result.kind === 'failed') return createFailure(result.failure.code, result.failure.detail);
    if (result.kind === 'moved') {
      const target = context.canonicalize(result.target);
      const redirect = target && target.href !== url.href ? followRefresh(page, target, this.collector) : undefined;
      return redirect ?? holdThread(tools, () => this.createOutcome(plainPage));
    }
    if (result.kind === 'plain')
      return holdThread(tools, () => this.createOutcome({ ...plainPage, renderFailure: result.failure }));
    return holdThread(tools, () => this.readRendered(plainPage, result));
  }

  private async readRendered(
    plainPage: ReadPage,
    { response, routes }: Extract<RenderResult, { kind: 'rendered' }>,
  ): Promise<PageOutcome> {
    const content = await this.extract(response, 'text/html');
    if (isRefusal(content)) return this.createOutcome(plainPage);
    const amounts = { plain: measureAmount(plainPage.content), rendered: measureAmount(content) };
    this.rendering = {
      ...this.rendering!,
      ...amounts,
      ...(this.page.task.inspect ? { sent: toSentPage(this.page, plainPage.content) } : {}),
    };
    const mayBePlain = this.page.mode === 'auto' && plainPage.content.needsRendering === undefined;
    if (mayBePlain && isLoss(amounts.plain, amounts.rendered)) return this.createOutcome(plainPage);
    const links = [...content.links, ...routes.map((href) => ({ href, kind: 'a', nofollow: false }) as const)];
    return this.createOutcome({
      response,
      mediaType: plainPage.mediaType,
      content: { ...content, links, needsRendering: undefined },
      rendered: true,
    });
  }

  private createOutcome(readPage: ReadPage): PageOutcome | Promise<PageOutcome> {
    const { context, url } = this.page;
    const { title, text } = readPage.content;
    const softError = context.softErrors?.match({ url: url.href, title, text });
    if (!softError) return this.createDocument(readPage);
    const detail = `treated as ${softError.status}: the page matches the soft error at line ${softError.place.line}`;
    return createFailure('soft-error', detail);
  }

  private createDocument(readPage: ReadPage): PageOutcome | Promise<PageOutcome> {
    const { page, collector, tools } = this;
    const { context, task, url } = page;
    const { response, content } = readPage;
    // The document's bytes, which may be the response's, are transferred to another thread, so the response gets a
    // copy.
    if (task.keepAnswer) this.keptAnswer = { ...response, body: response.body.slice(), rendered: readPage.rendered };
    const base = resolveBase(task.variant ?? url.href, content);
    const locatedPage = { url, base, response, content };
    const redirectTarget = findHomePageRedirect(context, locatedPage);
    if (redirectTarget) return createRedirect(page, redirectTarget, collector);
    collector.restoreSite();
    const terms = findTerms(context, page.effects.options, response, { task, content });
    this.unavailableAfter = terms.directives.unavailableAfter;
    const redirect = terms.directives.follow
      ? followRefresh(page, findQuickRefresh(context, locatedPage), collector)
      : undefined;
    if (redirect) return redirect;
    const canonical = findCanonicalForm(page) ?? findCanonical(context, url, base, response, content);
    const isAccepted = canonical !== undefined && collector.addUrl(canonical, 'link') === undefined;
    const givesWayTo = isAccepted ? canonical.href : undefined;
    const document = buildDocument(toFetchedPage(page, readPage, terms, tools.reader), this.getDocumentTools());
    if (!(document instanceof Promise)) return this.collectLinks(readPage, terms, document, givesWayTo, base);
    return document.then(
      (builtDocument) => holdThread(tools, () => this.collectLinks(readPage, terms, builtDocument, givesWayTo, base)),
      handleStepFailure,
    );
  }

  private getDocumentTools(): DocumentTools {
    const { tools } = this;
    if (!tools.plugins) return tools;
    const pluginSteps = tools.plugins.createSteps((reason) => {
      this.leftOut ??= reason;
    });
    return { ...tools, steps: [...tools.steps, ...pluginSteps] };
  }

  private collectLinks(
    readPage: ReadPage,
    terms: Terms,
    document: PushDocument,
    canonical: string | undefined,
    base: string,
  ): PageOutcome {
    const { page, collector, tools } = this;
    const { response, content, mediaType } = readPage;
    const outcome = excludeFromIndex(createDocumentOutcome(page, readPage, document, terms, canonical), this.leftOut);
    // An unchanged page has no new links; removed URLs that it links to are found by crawl/found-again.ts.
    const isUnchanged = document.stamp === page.task.stamp && hasSameLinks(document.stamp, content, tools.digest);
    if (isUnchanged && !needsLinks(page)) return outcome;
    const allowed = terms.directives.follow;
    const linkingPage = { response, content, base, allowed };
    if (allowed) this.hub = followFeed(page, response, mediaType, tools.reader, collector);
    this.words = followLinks(page, linkingPage, collector);
    return { ...outcome, cutLinks: reportCutLinks(page, linkingPage, collector) };
  }

  private createResult(outcome: PageOutcome): PageResult {
    const { page, collector } = this;
    return {
      id: page.task.id,
      crawler: page.task.crawler,
      outcome,
      variant: this.variant,
      setCookie: this.setCookie,
      session: this.sessionAnswer,
      status: this.status,
      answer: this.keptAnswer,
      links: addInheritedMetas(page, collector),
      refused: collector.refused,
      words: this.words,
      ...(this.hub === undefined ? {} : { hub: this.hub }),
      duration: this.duration,
      bytes: this.byteCount,
      decodingTime: this.decodingTime,
      ...(this.rendering === undefined ? {} : { rendering: this.rendering }),
      schedule: toVisitSchedule(page, this.unavailableAfter),
    };
  }
}

const measureAmount = ({ text, links }: PageContent): Amount => ({ text: text.length, links: links.length });

function handleExtractorFailure(error: unknown): PageOutcome {
  if (!(error instanceof ExtractorUnavailable)) throw error;
  return createFailure(error.code, error.message);
}

function handleStepFailure(error: unknown): PageOutcome {
  if (!(error instanceof StepFailed)) throw error;
  return createFailure(error.code, error.message);
}
