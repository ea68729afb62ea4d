/**
 * The way of one page through a page processor, in order: judge, fetch, classify, read, links, document.
 * The rest of a URL's life (robots before it, disposition, delivery and settlement after it) is in crawl/visit.ts.
 */

import { simhash } from '../../domain/content/simhash.js';
import { wordsOf } from '../../domain/content/vocabulary.js';
import type { RenderMode } from '../../domain/crawl/definition.js';
import { fingerprintOf } from '../../domain/fetch/error-pages.js';
import { statedLifetime } from '../../domain/fetch/stated-lifetime.js';
import { validatorsOf } from '../../domain/fetch/validators.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import { movesSite } from '../../domain/policy/site-mode.js';
import type { Candidate, Verdict } from '../../domain/policy/verdict.js';
import type { PushDocument } from '../../domain/push/order.js';
import { NEEDS_RENDERING } from '../../domain/render/needs-rendering.js';
import type { Amount, RenderReport } from '../../domain/render/report.js';
import { type Instant, milliseconds } from '../../domain/time/units.js';
import { asWritten } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, crawlUrl, withoutUserInfo } from '../../domain/url/crawl-url.js';
import { type Extraction, ExtractorUnavailable, isRefusal, type Refusal } from '../ports/content-extractor.js';
import type { Fetcher, FetchRequest } from '../ports/fetcher.js';
import type { SessionAnswer } from '../ports/login-method.js';
import type { PageContent, SitemapContent } from '../ports/page-reader.js';
import type { DocumentFacts, PageOutcome, PageResult, PageTask } from '../ports/page-task.js';
import { hasLinksOf, isPage } from './content-hash.js';
import {
  type CompiledContent,
  type CrawlContext,
  contentOf,
  fetcherOf,
  rootOf,
  storedCandidate,
} from './crawl-context.js';
import type { FetchedPage } from './document-steps.js';
import { type ExtractionTools, extract, NO_CONTENT } from './extraction.js';
import { LinkCollector } from './link-collector.js';
import type { LinkMemory } from './link-memory.js';
import { buildDocument, type DocumentTools, StepFailed } from './page-document.js';
import {
  failed,
  type HttpAnswer,
  isPermanentRedirect,
  isRedirect,
  outcomeWithoutBody,
  takesMediaType,
} from './page-outcome.js';
import {
  baseOf,
  canonicalOf,
  headerLinks,
  movedHome,
  obeysPage,
  quickRefresh,
  type Terms,
  termsOf,
} from './page-reading.js';
import { scheduleOf } from './page-schedule.js';
import { readingView } from './reading-view.js';
import { isToRender, type Rendered, type RenderFailure, render, renderModeOf, rendersFirst } from './rendering.js';
import { sessionAnswer } from './session-answer.js';

export interface PageTools extends ExtractionTools, DocumentTools {
  readonly fetcher: Fetcher;
  /** See PageProcessor. */
  readonly reading?: (isRead: boolean) => void;
}

/** Bounds on what one page may hand over. */
const MAX_TEXT_LENGTH = 4_000_000;
const MAX_SITEMAP_ENTRIES = 50_000;
/** The most that sitemaps.org allows: what is the largest document does not matter for them. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;

const FORBIDDEN_304 = {
  'unavailable-after': 'X-Robots-Tag of the answer 304 says that its time is over',
  'search-not-allowed': 'robots.txt or the header of the answer 304 forbids search engines to index it',
} as const;

/** A body with what was extracted from it. */
interface ReadPage {
  readonly answer: HttpAnswer;
  readonly mediaType: string;
  readonly content: PageContent;
  readonly unread?: Refusal;
  /** Its scripts have run. */
  readonly rendered?: boolean;
  /** Why it could not be rendered, and is taken as it was sent. */
  readonly renderFailure?: RenderFailure;
}

export async function processPage(
  task: PageTask,
  context: CrawlContext,
  links: LinkMemory,
  tools: PageTools,
): Promise<PageResult> {
  const visit = new PageVisit(task, context, links, tools);
  return visit.run();
}

class PageVisit {
  private readonly url: CrawlUrl;
  private readonly collector: LinkCollector;
  private verdict!: Verdict;
  private status: number | undefined;
  private duration = 0 as PageResult['duration'];
  private bytes = 0;
  private words: Int32Array | undefined;
  private variant: string | undefined;
  private setCookie: string | undefined;
  private sessionAnswer: SessionAnswer | undefined;
  private unavailableAfter: Instant | undefined;
  private mode: RenderMode = 'never';
  private rendering: RenderReport | undefined;

  constructor(
    private readonly task: PageTask,
    private readonly context: CrawlContext,
    links: LinkMemory,
    private readonly tools: PageTools,
  ) {
    this.url = crawlUrl(task.url);
    this.collector = new LinkCollector(context, links, {
      url: this.url,
      root: rootOf(context, task.root, this.url),
      hops: task.hops,
    });
  }

  async run(): Promise<PageResult> {
    const excluded = await this.judge();
    return this.result(excluded ?? (await this.fetch()));
  }

  private async judge(): Promise<PageOutcome | undefined> {
    const candidate = this.candidate();
    this.verdict = this.reading(() => this.context.policy.judge(candidate));
    let address: string | null | undefined;
    if (this.verdict.needsAddress) {
      address = (await this.tools.fetcher.resolve(this.url.host)) ?? null;
      this.verdict = this.context.policy.judge({ ...candidate, address });
    }
    if (this.verdict.accepted) {
      this.mode = renderModeOf(this.context, this.verdict.effects.options, this.task);
      return undefined;
    }
    // A host that DNS does not know is no exclusion, and yet nothing may be asked of it: a proxy might know it.
    if (address === null) return failed('dns-no-answer', addressNeeded(this.verdict));
    return excludedBy(this.verdict, address === undefined);
  }

  private candidate(): Candidate {
    return storedCandidate(this.task, this.url, rootOf(this.context, this.task.root, this.url));
  }

  private async fetch(): Promise<PageOutcome> {
    const request = this.request();
    const answer = await this.tools.fetcher.fetch(request);
    this.duration = answer.timings.total;
    if (answer.kind === 'failure') return failed(answer.code, answer.detail, answer.retryAfter);
    return this.reading(() => this.answered(answer, request));
  }

  private answered(answer: HttpAnswer, request: FetchRequest): PageOutcome | Promise<PageOutcome> {
    this.status = answer.status;
    this.bytes = answer.transferred;
    const { fetcher } = this.context;
    if (fetcher.cookies) this.setCookie = answer.headers['set-cookie'];
    if (request.session?.login !== undefined) this.sessionAnswer = sessionAnswer(request, answer);
    if (isRedirect(answer)) return this.redirect(answer);
    const conditional = request.ifNoneMatch !== undefined || request.ifModifiedSince !== undefined;
    const outcome = outcomeWithoutBody(answer, conditional, this.task.now);
    if (outcome) return outcome.kind === 'unchanged' ? this.unchanged(answer) : outcome;
    return this.read(answer);
  }

  /** What may keep the thread for long. What is done elsewhere is waited for outside of it. */
  private reading<T>(work: () => T): T {
    this.tools.reading?.(true);
    try {
      return work();
    } finally {
      this.tools.reading?.(false);
    }
  }

  /** A header that forbids the index may be new although the page is as it was. */
  private unchanged(answer: HttpAnswer): PageOutcome {
    const { forbids } = termsOf(this.context, this.verdict.effects.options, answer, { task: this.task });
    if (forbids === undefined || this.task.stamp === undefined)
      return { kind: 'unchanged', ...validatorsOf(answer.headers) };
    const said = forbids === 'noindex' ? 'X-Robots-Tag of the answer 304 says noindex' : FORBIDDEN_304[forbids];
    return excluded(forbids, said);
  }

  private request(): FetchRequest {
    const { definition } = this.context;
    const { options, fetchUrl } = this.verdict.effects;
    // A document that the index does not hold and should is wanted whole, whatever its ETag says; so is one whose links or
    // metas the present policy has not seen.
    const wanted = this.task.stamp === undefined && this.verdict.effects.index;
    const { disableConditionalGet } = definition;
    const whole = wanted || this.readsLinks || rendersFirst(this.mode, this.task);
    const conditional = !disableConditionalGet && !whole && this.canonicalForm() === undefined;
    return {
      url: fetchUrl ?? this.task.variant ?? this.task.url,
      fetcher: fetcherOf(this.context, options).name,
      session: this.task.session,
      ifNoneMatch: conditional ? this.task.etag : undefined,
      ifModifiedSince: conditional ? this.task.lastModified : undefined,
      headers: options.headers,
      userAgent: options.userAgent,
      connectTimeout: options.connectTimeout,
      readTimeout: options.readTimeout,
      totalTimeout: options.totalTimeout,
      maxSize: this.task.discoveredVia === 'robots' ? MAX_SITEMAP_BYTES : options.maxSize,
      credentials: options.credentials,
      proxy: options.proxy,
      sendBy: this.task.sendBy,
    };
  }

  private redirect(answer: HttpAnswer): PageOutcome {
    const location = answer.headers['location'];
    const asked = this.task.variant ?? this.task.url;
    const target = location === undefined ? undefined : this.context.canonicalize(location, asked);
    if (!target || (target.scheme !== 'http' && target.scheme !== 'https')) {
      return failed(
        'redirect-malformed',
        `Location is ${location === undefined ? 'missing' : JSON.stringify(withoutUserInfo(location).slice(0, 200))}`,
      );
    }
    if (target.href === this.url.href) {
      const written = asWritten(location!, asked);
      if (written !== asked && this.task.variant === undefined) this.variant = written;
      this.setCookie = answer.headers['set-cookie'];
      return failed('redirect-loop', 'the URL redirects to itself');
    }
    return this.tooManyRedirects() ?? this.redirectTo(target, isPermanentRedirect(answer));
  }

  private tooManyRedirects(): PageOutcome | undefined {
    const { maxRedirects } = fetcherOf(this.context, this.verdict.effects.options);
    if (this.task.redirects < maxRedirects) return undefined;
    return failed('redirect-limit', `more than ${maxRedirects} redirects in a row`);
  }

  private redirectTo(target: CrawlUrl, permanent: boolean): Extract<PageOutcome, { kind: 'redirect' }> {
    const refused = this.collector.addUrl(target, 'redirect');
    const moved = refused === undefined && movesSite({ ...this.candidate(), url: target, discoveredVia: 'redirect' });
    return { kind: 'redirect', permanent, target: target.href, refused, movesSite: moved };
  }

  private read(answer: HttpAnswer): PageOutcome | Promise<PageOutcome> {
    const { definition } = this.context;
    const header = answer.headers['content-type'];
    const mediaType = this.tools.reader.mediaType(answer.body, header, this.url.path);
    if (this.isSitemap(mediaType)) {
      const sitemap = this.tools.reader.readSitemap(answer.body, header, MAX_SITEMAP_ENTRIES);
      if (sitemap) return this.sitemap(sitemap);
    }
    if (!takesMediaType(definition.mimeTypesMode, definition.mimeTypes, mediaType)) {
      return excluded('mime-type-excluded', `the crawler does not take ${mediaType}`);
    }
    const read = this.extract(answer, mediaType);
    return read instanceof Promise
      ? read.then((content) => this.reading(() => this.extracted(answer, mediaType, content)), failedExtractor)
      : this.extracted(answer, mediaType, read);
  }

  private extract(answer: HttpAnswer, mediaType: string): Extraction | Refusal | Promise<Extraction | Refusal> {
    const wantsText = this.wantsText() || this.wantsDocumentText(mediaType) || this.hashesContent(mediaType);
    const context = {
      url: this.url.href,
      contentType: answer.headers['content-type'],
      maxLinks: this.context.definition.traps.maxLinksPerPage,
      maxTextLength: wantsText ? MAX_TEXT_LENGTH : 0,
      content: this.content?.definition,
      wantsMetas: this.content?.definition.metas ?? true,
      showsCut: this.task.inspect,
    };
    return extract(this.tools, answer.body, mediaType, context);
  }

  private extracted(
    answer: HttpAnswer,
    mediaType: string,
    read: Extraction | Refusal,
  ): PageOutcome | Promise<PageOutcome> {
    if (isRefusal(read)) return this.judged({ answer, mediaType, content: NO_CONTENT, unread: read });
    if (isToRender(this.mode, this.task, mediaType, read)) return this.render({ answer, mediaType, content: read });
    return this.judged({ answer, mediaType, content: read });
  }

  private async render(plain: ReadPage): Promise<PageOutcome> {
    const { task, context, tools } = this;
    const { options } = this.verdict.effects;
    const rendered = await render(
      { task, context, options, request: this.request(), answer: plain.answer },
      tools.fetcher,
    );
    this.rendering = rendered.report;
    if (rendered.kind === 'failed') return failed(rendered.failure.code, rendered.failure.detail);
    if (rendered.kind === 'moved') {
      const target = this.context.canonicalize(rendered.target);
      const sent = target && target.href !== this.url.href ? this.refreshed(target) : undefined;
      return sent ?? this.reading(() => this.judged(plain));
    }
    if (rendered.kind === 'plain')
      return this.reading(() => this.judged({ ...plain, renderFailure: rendered.failure }));
    return this.reading(() => this.renderedPage(plain, rendered));
  }

  private async renderedPage(
    plain: ReadPage,
    { answer, routes }: Extract<Rendered, { kind: 'rendered' }>,
  ): Promise<PageOutcome> {
    const content = await this.extract(answer, 'text/html');
    if (isRefusal(content)) return this.judged(plain);
    this.rendering = { ...this.rendering!, plain: amountOf(plain.content), rendered: amountOf(content) };
    const links = [...content.links, ...routes.map((href) => ({ href, kind: 'a', nofollow: false }) as const)];
    return this.judged({
      answer,
      mediaType: plain.mediaType,
      content: { ...content, links, needsRendering: undefined },
      rendered: true,
    });
  }

  private judged({ answer, mediaType, content, ...more }: ReadPage): PageOutcome | Promise<PageOutcome> {
    const soft = this.context.softErrors?.match({ url: this.url.href, title: content.title, text: content.text });
    if (soft)
      return failed(
        'soft-error',
        `treated as ${soft.status}: the page matches the soft error at line ${soft.place.line}`,
      );
    return this.document({ answer, mediaType, content, ...more });
  }

  private sitemap({ kind, entries }: SitemapContent): PageOutcome {
    for (const { url, lastModified } of entries) {
      if (kind === 'index') this.collector.addSitemap(url, this.task.discoveredVia);
      else this.collector.add(url, this.url.href, 'sitemap', lastModified);
    }
    return { kind: 'sitemap', entries: entries.length };
  }

  private wantsText(): boolean {
    const { context, task } = this;
    const { storeTextOnly, probeErrorPages } = context.definition;
    if (context.wantsText || context.softErrors !== undefined || storeTextOnly || probeErrorPages) return true;
    return (
      this.nearDuplicateDetector() || task.wantsWords !== undefined || this.mode !== 'never' || task.inspect === true
    );
  }

  /** What is taken of pages here. */
  private get content(): CompiledContent | undefined {
    return contentOf(this.context, this.verdict.effects.options);
  }

  private hashesContent(mediaType: string): boolean {
    return isPage(mediaType) && (this.content?.definition.changeDetection ?? 'content') === 'content';
  }

  /** Of a document that is no page: an extractor elsewhere reads it. */
  private wantsDocumentText(mediaType: string): boolean {
    return this.context.wantsDocumentText && this.tools.reader.extractorOf(mediaType)?.kind === 'async';
  }

  private isSitemap(mediaType: string): boolean {
    if (!this.context.definition.crawlSitemaps) return false;
    return this.task.discoveredVia === 'robots' || (/xml|gzip/.test(mediaType) && isSitemapName(this.url.path));
  }

  private document(page: ReadPage): PageOutcome | Promise<PageOutcome> {
    const { answer, content } = page;
    const base = baseOf(this.task.variant ?? this.url.href, content);
    const read = { url: this.url, base, answer, content };
    const moved = movedHome(this.context, read);
    if (moved) return this.redirectTo(moved, false);
    this.collector.answersItself();
    const terms = termsOf(this.context, this.verdict.effects.options, answer, { task: this.task, content });
    const { directives } = terms;
    this.unavailableAfter = directives.unavailableAfter;
    const sent = directives.follow ? this.refreshed(quickRefresh(this.context, read)) : undefined;
    if (sent) return sent;
    const canonical = this.canonicalForm() ?? canonicalOf(this.context, this.url, base, answer, content);
    const canonicalTaken = canonical !== undefined && this.collector.addUrl(canonical, 'link') === undefined;
    const settledUrl = (document: PushDocument): PageOutcome => {
      const outcome = {
        ...this.documentOutcome(page, document, this.reasonNotToIndex(terms.forbids) ?? this.reasonToSkip(page)),
        ...(terms.metas.length > 0
          ? { terms: terms.metas.map(({ name, value }) => `${name}: ${value}`).join('; ') }
          : {}),
        canonical: canonicalTaken ? canonical.href : undefined,
        unread: page.unread,
        ...(this.task.inspect ? { reading: readingView(content, document) } : {}),
        needsRendering: page.renderFailure ? undefined : page.content.needsRendering,
        renderFailure: page.renderFailure,
      };
      // A page that has not changed has no new links; what it leads to that was removed is known, see crawl/found-again.ts.
      if (!this.readsLinks && this.leadsWhereItDid(document, content)) return outcome;
      if (directives.follow) this.followFeed(page);
      this.follow(answer, content, base, directives.follow);
      return { ...outcome, cutLinks: this.reportCut(content, base) };
    };
    const document = buildDocument(this.fetched(page, terms), this.tools);
    if (!(document instanceof Promise)) return settledUrl(document);
    return document.then((late) => this.reading(() => settledUrl(late)), failedStep);
  }

  /** A page that sends its visitors on at once is a redirect, unless it leads where the crawl may not go: then it is what it shows. */
  private refreshed(target: CrawlUrl | undefined): PageOutcome | undefined {
    if (!target) return undefined;
    const tooMany = this.tooManyRedirects();
    if (tooMany) return tooMany;
    const outcome = this.redirectTo(target, false);
    return outcome.refused === undefined ? outcome : undefined;
  }

  /**
   * The URL that this one has become, when it was stored under other canonicalization steps or by an earlier version: its
   * document stays until the other is in the index, as if the page named that as its canonical URL.
   */
  private canonicalForm(): CrawlUrl | undefined {
    const form = this.context.canonicalize(this.url.href);
    return form && form.href !== this.url.href ? form : undefined;
  }

  private leadsWhereItDid({ stamp }: PushDocument, content: PageContent): boolean {
    return stamp === this.task.stamp && hasLinksOf(stamp, content, this.tools.digest);
  }

  /** Its links are wanted, changed or not. */
  private get readsLinks(): boolean {
    return this.task.rereadLinks || this.task.reportLinks === true;
  }

  /** A feed says when its pages were changed. */
  private followFeed({ answer, mediaType }: ReadPage): void {
    if (!isFeed(mediaType) || !this.context.definition.crawlSitemaps || !this.verdict.effects.follow) return;
    const feed = this.tools.reader.readSitemap(answer.body, answer.headers['content-type'], MAX_SITEMAP_ENTRIES);
    for (const { url, lastModified } of feed?.entries ?? [])
      this.collector.add(url, this.url.href, 'sitemap', lastModified);
  }

  private follow(answer: HttpAnswer, content: PageContent, base: string, allowed: boolean): void {
    if (!this.verdict.effects.follow && !this.task.inspect) {
      if (rootOf(this.context, this.task.root, this.url)?.followLinks === false) this.list(content, base);
      return;
    }
    const obeys = obeysPage(this.context, this.verdict.effects.options);
    for (const link of content.links) {
      if (link.kind === 'canonical') continue;
      if (allowed && !(link.nofollow && obeys)) this.collector.add(link.href, base);
      else this.refuse(link.href, base, 'nofollow');
    }
    if (allowed) for (const link of headerLinks(answer)) this.collector.add(link.href, this.url.href);
    const { wantsWords } = this.task;
    // A page without a link that could be new leads into no trap, and is not looked at.
    if (wantsWords && this.collector.links.length > 0)
      this.words = wordsOf(`${content.title} ${content.text}`, wantsWords);
  }

  private reportCut({ cutLinks }: PageContent, base: string): { count: number; most: number } | undefined {
    if (!cutLinks || !this.verdict.effects.follow) return undefined;
    for (const { href } of cutLinks.samples) this.refuse(href, base, 'links-cut');
    return { count: cutLinks.count, most: this.context.definition.traps.maxLinksPerPage };
  }

  /** Links of a root whose links wait for a person: they are told, not queued. */
  private list(content: PageContent, base: string): void {
    for (const link of content.links) if (link.kind !== 'canonical') this.refuse(link.href, base, 'links-not-followed');
  }

  private refuse(href: string, base: string, reason: ReasonCode): void {
    const url = this.context.canonicalize(href, base);
    if (url) this.collector.refuse(url, reason);
  }

  private reasonNotToIndex(forbids: Terms['forbids']): string | undefined {
    if (!this.verdict.effects.index) return this.verdict.effects.follow ? 'links-only' : 'no-index';
    // Sites that answer everything with some page answer the question for their sitemap with it, too.
    if (this.task.discoveredVia === 'robots' && isSitemapName(this.url.path)) return 'links-only';
    return forbids;
  }

  private reasonToSkip({ unread }: ReadPage): string | undefined {
    return this.context.definition.whenUnreadable === 'skip' ? unread?.refused : undefined;
  }

  private fetched(
    { answer, mediaType, content, unread, rendered }: ReadPage,
    { directives, metas }: Terms,
  ): FetchedPage {
    const { definition, wantsBytes } = this.context;
    const wantsText = this.context.wantsText || this.wantsDocumentText(mediaType);
    const { status, headers, body } = answer;
    return {
      url: this.url,
      task: this.task,
      effects: this.verdict.effects,
      status,
      headers,
      body,
      mediaType,
      content,
      noArchive: !directives.archive,
      terms: metas,
      textOnly: definition.storeTextOnly,
      wantsText,
      wantsBytes,
      taking: this.content?.definition,
      fields: this.content?.fields,
      acl: this.context.acl,
      base: baseOf(this.url.href, content),
      hashesContent: rendered === true || (this.hashesContent(mediaType) && unread === undefined),
      rendered: this.mode === 'never' ? undefined : rendered === true,
      redirectSource:
        definition.indexRedirectSources && this.task.discoveredVia === 'redirect' ? this.task.foundOn : undefined,
    };
  }

  private documentOutcome(
    { answer, mediaType, content, renderFailure }: ReadPage,
    document: PushDocument,
    reason?: string,
  ): Extract<PageOutcome, { kind: 'document' }> {
    const { text } = content;
    const facts: DocumentFacts = {
      stamp: document.stamp,
      simhash: text !== '' && this.nearDuplicateDetector() ? simhash(text) : undefined,
      fingerprint: this.context.definition.probeErrorPages ? fingerprintOf(content, this.url) : undefined,
      contentType: mediaType,
      title: content.title.slice(0, 300),
      // Without validators the visit at the end of its time reads it again, changed or not.
      ...(this.unavailableAfter === undefined ? validatorsOf(answer.headers) : {}),
      lifetime: statedLifetime(answer.headers),
    };
    if (reason !== undefined) return { kind: 'document', facts, index: false, reason };
    const changed = document.stamp !== this.task.stamp;
    const state = renderFailure?.code ?? (content.needsRendering === undefined ? 'indexed' : NEEDS_RENDERING);
    return { kind: 'document', facts, index: true, reason: state, document: changed ? document : undefined };
  }

  private nearDuplicateDetector(): boolean {
    return this.verdict.effects.options.nearDuplicateDetector ?? this.context.definition.nearDuplicateDetector;
  }

  private result(outcome: PageOutcome): PageResult {
    return {
      id: this.task.id,
      crawler: this.task.crawler,
      outcome,
      variant: this.variant,
      setCookie: this.setCookie,
      session: this.sessionAnswer,
      status: this.status,
      links: this.links(),
      refused: this.collector.refused,
      words: this.words,
      duration: this.duration,
      bytes: this.bytes,
      ...(this.rendering === undefined ? {} : { rendering: this.rendering }),
      schedule: this.schedule(),
    };
  }

  /** A document that is to give way to one under another URL is looked at again as soon as documents may be. */
  private schedule(): PageResult['schedule'] {
    const schedule = this.untilUnavailable(scheduleOf(this.verdict));
    if (this.task.stamp === undefined || this.canonicalForm() === undefined) return schedule;
    return { ...schedule, period: this.context.definition.refresh.minimumAge };
  }

  /** A page that may be shown until a time is visited again by then, so that its document goes. */
  private untilUnavailable(schedule: PageResult['schedule']): PageResult['schedule'] {
    const left = this.unavailableAfter === undefined ? 0 : this.unavailableAfter - this.task.now;
    const { refreshMaximumAge = this.context.definition.refresh.maximumAge } = schedule;
    if (left <= 0 || left >= refreshMaximumAge) return schedule;
    return { ...schedule, period: undefined, refreshMaximumAge: milliseconds(left) };
  }

  private links(): PageResult['links'] {
    const handedDown = this.handedDownMetas();
    return this.collector.links.map((link) => {
      const inheritedMetas = link.inheritedMetas ? [...handedDown, ...link.inheritedMetas] : handedDown;
      return { ...link, inheritedMetas };
    });
  }

  /** Metas with scope="links": this page's own and those that it inherited. */
  private handedDownMetas(): PageTask['inheritedMetas'] {
    const own = this.verdict.effects.metas.filter((meta) => meta.scope === 'links');
    const inherited = this.task.inheritedMetas;
    if (own.length === 0 && inherited.length === 0) return inherited;
    const kept = inherited.filter(({ name, scope }) => scope === undefined && !own.some((mine) => mine.name === name));
    return [...kept, ...own.map(({ name, value }) => ({ name, value }))];
  }
}

export const isFeed = (mediaType: string): boolean => /^application\/(?:rss|atom)\+xml$/.test(mediaType);

const amountOf = ({ text, links }: PageContent): Amount => ({ text: text.length, links: links.length });

function isSitemapName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /\.xml(?:\.gz)?$/i.test(name) && /sitemap/i.test(name);
}

function failedExtractor(error: unknown): PageOutcome {
  if (!(error instanceof ExtractorUnavailable)) throw error;
  return failed('extractor-unavailable', error.message);
}

function failedStep(error: unknown): PageOutcome {
  if (!(error instanceof StepFailed)) throw error;
  return failed(error.code, error.message);
}

function excluded(reason: string, detail: string): PageOutcome {
  return { kind: 'excluded', reason, detail, keepDocument: false, removeStatus: false, revisit: true };
}

const addressNeeded = ({ detail }: Verdict): string =>
  `an address rule of the crawl space would have to allow the host, and DNS does not know its address: ${detail}`;

function excludedBy(verdict: Verdict, byConfiguration: boolean): PageOutcome {
  return {
    kind: 'excluded',
    reason: verdict.reason,
    detail: verdict.detail,
    keepDocument: verdict.keepDocument,
    removeStatus: verdict.layer === 'server-records' && !verdict.keepDocument,
    revisit: false,
    byConfiguration,
  };
}
