/**
 * One page's way through a page processor: judge, fetch, classify, read, links, document. The rest of a visit
 * (robots.txt before, disposition, delivery and settlement after) is in crawl/visit/visit.ts.
 */
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
  findTakenContent,
  type JudgedUrl,
  judgeUrl,
  needsContentHash,
  needsDocumentText,
  needsLinks,
  needsPageText,
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
import {
  acceptsMediaType,
  createExclusion,
  createFailure,
  decideWithoutBody,
  type HttpAnswer,
  isRedirect,
} from './page-outcome.js';
import type { CrawlerPlugins } from './page-plugins.js';
import { findCanonical, findMovedHome, findQuickRefresh, findTerms, resolveBase, type Terms } from './page-reading.js';
import { createRedirect, followRedirect, followRefresh } from './page-redirects.js';
import { createRequest } from './page-request.js';
import { toVisitSchedule } from './page-schedule.js';
import { applyResponsePlugins, excludeFromIndex, judgeByPlugins } from './plugin-outcome.js';
import { type Rendered, render, shouldRender } from './rendering.js';
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
  const judged = await judgeUrl(task, context, tools);
  const page = tools.plugins?.seesUrls ? await judgeByPlugins(judged, tools.plugins) : judged;
  return new PageVisit(page, links, tools).run();
}

class PageVisit {
  private readonly collector: LinkCollector;
  private status: number | undefined;
  private duration = 0 as PageResult['duration'];
  private bytes = 0;
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
  private kept: KeptAnswer | undefined;

  constructor(
    private readonly page: JudgedUrl,
    links: LinkMemory,
    private readonly tools: PageTools,
  ) {
    const { context, url, task, candidate } = page;
    this.collector = new LinkCollector(context, links, { url, root: candidate.root, hops: task.hops });
  }

  async run(): Promise<PageResult> {
    return this.createResult(this.page.excluded ?? (await this.fetch()));
  }

  private async fetch(): Promise<PageOutcome> {
    const { trial } = this.page.task;
    if (trial) {
      this.status = trial.answer.status;
      return holdThread(this.tools, () => this.read(trial.answer));
    }
    const request = createRequest(this.page);
    const answer = await this.tools.fetcher.fetch(request);
    this.duration = answer.timings.total;
    this.decodingTime = answer.timings.decoding;
    if (answer.kind === 'failure') return createFailure(answer.code, answer.detail, answer.retryAfter);
    return holdThread(this.tools, () => this.handleResponse(answer, request));
  }

  private handleResponse(answer: HttpAnswer, request: FetchRequest): PageOutcome | Promise<PageOutcome> {
    const { context, task } = this.page;
    this.status = answer.status;
    this.bytes = answer.transferred;
    if (context.fetcher.cookies) this.setCookie = answer.headers['set-cookie'];
    if (request.session?.login !== undefined) this.sessionAnswer = toSessionAnswer(request, answer);
    if (isRedirect(answer)) return this.handleRedirect(answer);
    const conditional = request.ifNoneMatch !== undefined || request.ifModifiedSince !== undefined;
    const outcome = decideWithoutBody(answer, conditional, task.now);
    if (outcome) return outcome.kind === 'unchanged' ? this.handleUnchanged(answer) : outcome;
    return this.tools.plugins?.seesResponses ? this.applyPluginsAndRead(answer, this.tools.plugins) : this.read(answer);
  }

  private async applyPluginsAndRead(answer: HttpAnswer, plugins: CrawlerPlugins): Promise<PageOutcome> {
    const changed = await applyResponsePlugins(this.page, answer, plugins);
    return 'kind' in changed && changed.kind === 'response'
      ? holdThread(this.tools, () => this.read(changed))
      : changed;
  }

  private handleRedirect(answer: HttpAnswer): PageOutcome {
    const { outcome, toItself } = followRedirect(this.page, answer, this.collector);
    if (toItself) ({ setCookie: this.setCookie, variant: this.variant } = toItself);
    return outcome;
  }

  /** A header that forbids indexing may be new even if the page has not changed. */
  private handleUnchanged(answer: HttpAnswer): PageOutcome {
    const { context, task, verdict } = this.page;
    const { forbids } = findTerms(context, verdict.effects.options, answer, { task });
    if (forbids === undefined || task.stamp === undefined)
      return { kind: 'unchanged', ...readValidators(answer.headers) };
    return createExclusion(forbids, FORBIDDEN_304[forbids]);
  }

  private read(answer: HttpAnswer): PageOutcome | Promise<PageOutcome> {
    const { page, tools } = this;
    const { mimeTypesMode, mimeTypes } = page.context.definition;
    const mediaType = tools.reader.detectMediaType(answer.body, answer.headers['content-type'], page.url.path);
    const sitemap = readSitemap(page, answer, mediaType, tools.reader);
    if (sitemap) return followSitemap(page, sitemap, this.collector);
    if (!acceptsMediaType(mimeTypesMode, mimeTypes, mediaType)) {
      return createExclusion('mime-type-excluded', `the crawler does not accept ${mediaType}`);
    }
    const read = this.extract(answer, mediaType);
    return read instanceof Promise
      ? read.then(
          (late) => holdThread(tools, () => this.handleExtraction(answer, mediaType, late)),
          handleExtractorFailure,
        )
      : this.handleExtraction(answer, mediaType, read);
  }

  private extract(answer: HttpAnswer, mediaType: string): Extraction | Refusal | Promise<Extraction | Refusal> {
    const { page, tools } = this;
    const needsText =
      needsPageText(page) || needsDocumentText(page, mediaType, tools.reader) || needsContentHash(page, mediaType);
    const taken = findTakenContent(page)?.definition;
    return extract(tools, answer.body, mediaType, {
      url: page.url.href,
      contentType: answer.headers['content-type'],
      maxLinks: page.context.definition.traps.maxLinksPerPage,
      maxTextLength: needsText ? MAX_TEXT_LENGTH : 0,
      content: taken,
      wantsMetas: taken?.metas ?? true,
      showsCut: page.task.inspect,
    });
  }

  private handleExtraction(
    answer: HttpAnswer,
    mediaType: string,
    read: Extraction | Refusal,
  ): PageOutcome | Promise<PageOutcome> {
    if (isRefusal(read)) return this.judge({ answer, mediaType, content: NO_CONTENT, unread: read });
    const plain = { answer, mediaType, content: read };
    const { trial } = this.page.task;
    if (trial) return this.judge({ ...plain, rendered: trial.answer.rendered });
    return shouldRender(this.page.mode, this.page.task, mediaType, read) ? this.render(plain) : this.judge(plain);
  }

  private async render(plain: ReadPage): Promise<PageOutcome> {
    const { page, tools } = this;
    const { task, context, verdict, url } = page;
    const toRender = {
      task,
      context,
      options: verdict.effects.options,
      request: createRequest(page),
      answer: plain.answer,
    };
    const rendered = await render(toRender, tools.fetcher);
    this.rendering = rendered.report;
    if (rendered.kind === 'failed') return createFailure(rendered.failure.code, rendered.failure.detail);
    if (rendered.kind === 'moved') {
      const target = context.canonicalize(rendered.target);
      const sent = target && target.href !== url.href ? followRefresh(page, target, this.collector) : undefined;
      return sent ?? holdThread(tools, () => this.judge(plain));
    }
    if (rendered.kind === 'plain')
      return holdThread(tools, () => this.judge({ ...plain, renderFailure: rendered.failure }));
    return holdThread(tools, () => this.readRendered(plain, rendered));
  }

  private async readRendered(
    plain: ReadPage,
    { answer, routes }: Extract<Rendered, { kind: 'rendered' }>,
  ): Promise<PageOutcome> {
    const content = await this.extract(answer, 'text/html');
    if (isRefusal(content)) return this.judge(plain);
    const amounts = { plain: measureAmount(plain.content), rendered: measureAmount(content) };
    this.rendering = {
      ...this.rendering!,
      ...amounts,
      ...(this.page.task.inspect ? { sent: toSentPage(this.page, plain.content) } : {}),
    };
    const mayBePlain = this.page.mode === 'auto' && plain.content.needsRendering === undefined;
    if (mayBePlain && isLoss(amounts.plain, amounts.rendered)) return this.judge(plain);
    const links = [...content.links, ...routes.map((href) => ({ href, kind: 'a', nofollow: false }) as const)];
    return this.judge({
      answer,
      mediaType: plain.mediaType,
      content: { ...content, links, needsRendering: undefined },
      rendered: true,
    });
  }

  private judge(read: ReadPage): PageOutcome | Promise<PageOutcome> {
    const { context, url } = this.page;
    const { title, text } = read.content;
    const soft = context.softErrors?.match({ url: url.href, title, text });
    if (!soft) return this.createDocument(read);
    const detail = `treated as ${soft.status}: the page matches the soft error at line ${soft.place.line}`;
    return createFailure('soft-error', detail);
  }

  private createDocument(read: ReadPage): PageOutcome | Promise<PageOutcome> {
    const { page, collector, tools } = this;
    const { context, task, url } = page;
    const { answer, content } = read;
    // The document's bytes are transferred to another thread, which would take the response's along, so these are
    // copied.
    if (task.keepsAnswer) this.kept = { ...answer, body: answer.body.slice(), rendered: read.rendered };
    const base = resolveBase(task.variant ?? url.href, content);
    const located = { url, base, answer, content };
    const moved = findMovedHome(context, located);
    if (moved) return createRedirect(page, moved, collector);
    collector.restoreSite();
    const terms = findTerms(context, page.verdict.effects.options, answer, { task, content });
    this.unavailableAfter = terms.directives.unavailableAfter;
    const sent = terms.directives.follow
      ? followRefresh(page, findQuickRefresh(context, located), collector)
      : undefined;
    if (sent) return sent;
    const canonical = findCanonicalForm(page) ?? findCanonical(context, url, base, answer, content);
    const isTaken = canonical !== undefined && collector.addUrl(canonical, 'link') === undefined;
    const givesWayTo = isTaken ? canonical.href : undefined;
    const document = buildDocument(toFetchedPage(page, read, terms, tools.reader), this.getDocumentTools());
    if (!(document instanceof Promise)) return this.collectLinks(read, terms, document, givesWayTo, base);
    return document.then(
      (late) => holdThread(tools, () => this.collectLinks(read, terms, late, givesWayTo, base)),
      handleStepFailure,
    );
  }

  private getDocumentTools(): DocumentTools {
    const { tools } = this;
    if (!tools.plugins) return tools;
    const more = tools.plugins.createSteps((why) => {
      this.leftOut ??= why;
    });
    return { ...tools, steps: [...tools.steps, ...more] };
  }

  private collectLinks(
    read: ReadPage,
    terms: Terms,
    document: PushDocument,
    canonical: string | undefined,
    base: string,
  ): PageOutcome {
    const { page, collector, tools } = this;
    const { answer, content, mediaType } = read;
    const outcome = excludeFromIndex(createDocumentOutcome(page, read, document, terms, canonical), this.leftOut);
    // An unchanged page has no new links; removed URLs that it links to are found by crawl/found-again.ts.
    const isSame = document.stamp === page.task.stamp && hasSameLinks(document.stamp, content, tools.digest);
    if (isSame && !needsLinks(page)) return outcome;
    const allowed = terms.directives.follow;
    const linking = { answer, content, base, allowed };
    if (allowed) this.hub = followFeed(page, answer, mediaType, tools.reader, collector);
    this.words = followLinks(page, linking, collector);
    return { ...outcome, cutLinks: reportCutLinks(page, linking, collector) };
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
      answer: this.kept,
      links: addInheritedMetas(page, collector),
      refused: collector.refused,
      words: this.words,
      ...(this.hub === undefined ? {} : { hub: this.hub }),
      duration: this.duration,
      bytes: this.bytes,
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
