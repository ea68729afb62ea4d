/**
 * The way of one page through a page processor, in order: judge, fetch, classify, read, links, document.
 * The rest of a URL's life (robots before it, disposition, delivery and settlement after it) is in crawl/visit.ts.
 */

import { simhash } from '../../domain/content/simhash.js';
import { wordsOf } from '../../domain/content/vocabulary.js';
import { fingerprintOf } from '../../domain/fetch/error-pages.js';
import { movesSite } from '../../domain/policy/site-mode.js';
import type { Candidate, Verdict } from '../../domain/policy/verdict.js';
import { canonicalizer } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, crawlUrl } from '../../domain/url/crawl-url.js';
import type { Fetcher, FetchRequest } from '../ports/fetcher.js';
import type { PageContent, PageReader, SitemapContent } from '../ports/page-reader.js';
import type { DocumentFacts, PageOutcome, PageResult, PageTask } from '../ports/page-task.js';
import { type CrawlContext, rootOf, storedCandidate } from './crawl-context.js';
import { LinkCollector } from './link-collector.js';
import type { LinkMemory } from './link-memory.js';
import { buildDocument, type Digest } from './page-document.js';
import {
  failed,
  type HttpAnswer,
  isPermanentRedirect,
  isRedirect,
  outcomeWithoutBody,
  takesMediaType,
} from './page-outcome.js';
import { baseOf, canonicalOf, directivesOf, headerLinks, movedHome, obeysPage } from './page-reading.js';
import { scheduleOf } from './page-schedule.js';

export interface PageTools {
  readonly fetcher: Fetcher;
  readonly reader: PageReader;
  readonly digest: Digest;
  /** See PageProcessor. */
  readonly reading?: (isRead: boolean) => void;
}

/** Bounds on what one page may hand over. */
const MAX_LINKS = 10_000;
const MAX_TEXT_LENGTH = 4_000_000;
const MAX_SITEMAP_ENTRIES = 50_000;
/** The most that sitemaps.org allows: what is the largest document does not matter for them. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;

/** Canonicalization steps make one URL of several spellings, of which a server may know only one. */
const AS_WRITTEN = canonicalizer([]);
const SITEMAP_NAME = /sitemap[^/]*\.xml(?:\.gz)?$/i;

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
  private spelling: string | undefined;

  constructor(
    private readonly task: PageTask,
    private readonly context: CrawlContext,
    links: LinkMemory,
    private readonly tools: PageTools,
  ) {
    this.url = crawlUrl(task.url);
    this.collector = new LinkCollector(context, links, {
      url: this.url,
      root: rootOf(context, task.root),
      hops: task.hops,
      inheritedMetas: undefined,
    });
  }

  async run(): Promise<PageResult> {
    const excluded = await this.judge();
    return this.result(excluded ?? (await this.fetch()));
  }

  private async judge(): Promise<PageOutcome | undefined> {
    const candidate = this.candidate();
    this.verdict = this.context.policy.judge(candidate);
    let address: string | null | undefined;
    if (this.verdict.needsAddress) {
      address = (await this.tools.fetcher.resolve(this.url.host)) ?? null;
      this.verdict = this.context.policy.judge({ ...candidate, address });
    }
    if (this.verdict.accepted) return undefined;
    // A host that DNS does not know is no exclusion, and yet nothing may be asked of it: a proxy might know it.
    if (address === null) return failed('dns-no-answer', addressNeeded(this.verdict));
    return excludedBy(this.verdict);
  }

  private candidate(): Candidate {
    return storedCandidate(this.task, this.url, rootOf(this.context, this.task.root));
  }

  private async fetch(): Promise<PageOutcome> {
    const request = this.request();
    const answer = await this.tools.fetcher.fetch(request);
    this.duration = answer.timings.total;
    if (answer.kind === 'failure') return failed(answer.code, answer.detail, answer.retryAfter);
    this.status = answer.status;
    this.bytes = answer.transferred;
    if (isRedirect(answer)) return this.redirect(answer);
    const conditional = request.ifNoneMatch !== undefined || request.ifModifiedSince !== undefined;
    const outcome = outcomeWithoutBody(answer, conditional, this.task.now);
    if (outcome) return outcome.kind === 'unchanged' ? this.unchanged(answer) : outcome;
    this.tools.reading?.(true);
    try {
      return this.read(answer);
    } finally {
      this.tools.reading?.(false);
    }
  }

  /** A header that forbids the index may be new although the page is as it was. */
  private unchanged(answer: HttpAnswer): PageOutcome {
    const { index } = directivesOf(this.context, this.verdict.effects.options, answer, []);
    if (index || this.task.stamp === undefined) return { kind: 'unchanged' };
    return excluded('noindex', 'X-Robots-Tag of the answer 304 says noindex');
  }

  private request(): FetchRequest {
    const { definition } = this.context;
    const { options, fetchUrl } = this.verdict.effects;
    // A document that the index does not hold and should is wanted whole, whatever its ETag says; so is one whose links or
    // metas the present policy has not seen.
    const wanted = this.task.stamp === undefined && this.verdict.effects.index;
    const conditional = !definition.disableConditionalGet && !wanted && !this.task.rereadLinks;
    return {
      url: fetchUrl ?? this.task.spelling ?? this.task.url,
      fetcher: definition.fetcher,
      ifNoneMatch: conditional ? this.task.etag : undefined,
      ifModifiedSince: conditional ? this.task.lastModified : undefined,
      headers: options.headers,
      userAgent: options.userAgent,
      connectTimeout: options.connectTimeout,
      readTimeout: options.readTimeout,
      totalTimeout: options.totalTimeout,
      maxSize: this.task.arrival === 'robots' ? MAX_SITEMAP_BYTES : options.maxSize,
      credentials: options.credentials,
      proxy: options.proxy,
      sendBy: this.task.sendBy,
    };
  }

  private redirect(answer: HttpAnswer): PageOutcome {
    const location = answer.headers['location'];
    const asked = this.task.spelling ?? this.task.url;
    const target = location === undefined ? undefined : this.context.canonicalize(location, asked);
    if (!target || (target.scheme !== 'http' && target.scheme !== 'https')) {
      return failed(
        'redirect-malformed',
        `Location is ${location === undefined ? 'missing' : JSON.stringify(location.slice(0, 200))}`,
      );
    }
    if (target.href === this.url.href) {
      const written = AS_WRITTEN(location!, asked)?.href;
      if (written !== asked && this.task.spelling === undefined) this.spelling = written;
      return failed('redirect-loop', 'the URL redirects to itself');
    }
    if (this.task.redirects >= this.context.fetcher.maxRedirects) {
      return failed('redirect-limit', `more than ${this.context.fetcher.maxRedirects} redirects in a row`);
    }
    return this.redirectTo(target, isPermanentRedirect(answer));
  }

  private redirectTo(target: CrawlUrl, permanent: boolean): PageOutcome {
    const refused = this.collector.addUrl(target, 'redirect');
    const moved = refused === undefined && movesSite({ ...this.candidate(), url: target, arrival: 'redirect' });
    return { kind: 'redirect', permanent, target: target.href, refused, movesSite: moved };
  }

  private read(answer: HttpAnswer): PageOutcome {
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
    const limits = { maxLinks: MAX_LINKS, maxTextLength: this.wantsText() ? MAX_TEXT_LENGTH : 0 };
    const content = this.tools.reader.read(answer.body, header ?? mediaType, limits);
    const soft = this.context.softErrors?.match({ url: this.url.href, title: content.title, text: content.text });
    if (soft)
      return failed(
        'soft-error',
        `treated as ${soft.status}: the page matches the soft error at line ${soft.place.line}`,
      );
    return this.document(answer, mediaType, content);
  }

  private sitemap({ kind, entries }: SitemapContent): PageOutcome {
    for (const { url, lastModified } of entries) {
      if (kind === 'index') this.collector.addSitemap(url, this.task.arrival);
      else this.collector.add(url, this.url.href, 'sitemap', lastModified);
    }
    return { kind: 'sitemap', entries: entries.length };
  }

  private wantsText(): boolean {
    const { context, task } = this;
    const { storeTextOnly, probeErrorPages } = context.definition;
    if (context.wantsText || context.softErrors !== undefined || storeTextOnly || probeErrorPages) return true;
    return this.nearDuplicateDetector() || task.wantsWords !== undefined;
  }

  private isSitemap(mediaType: string): boolean {
    if (!this.context.definition.crawlSitemaps) return false;
    return this.task.arrival === 'robots' || (/xml|gzip/.test(mediaType) && SITEMAP_NAME.test(this.url.path));
  }

  private document(answer: HttpAnswer, mediaType: string, content: PageContent): PageOutcome {
    const base = baseOf(this.task.spelling ?? this.url.href, content);
    const moved = movedHome(this.context, this.url, base, answer, content);
    if (moved) return this.redirectTo(moved, false);
    this.collector.answersItself();
    const directives = directivesOf(this.context, this.verdict.effects.options, answer, content.robotsMetas);
    const canonical = canonicalOf(this.context, this.url, base, answer, content);
    const canonicalTaken = canonical !== undefined && this.collector.addUrl(canonical, 'link') === undefined;
    const reason = this.reasonNotToIndex(directives.index);
    const outcome = {
      ...this.documentOutcome(answer, mediaType, content, directives.archive, reason),
      canonical: canonicalTaken ? canonical.href : undefined,
    };
    // A page that has not changed has no new links: a URL whose status was removed stays away until one is found.
    if (this.task.rereadLinks || outcome.facts.stamp !== this.task.stamp)
      this.follow(answer, content, base, directives.follow);
    return outcome;
  }

  private follow(answer: HttpAnswer, content: PageContent, base: string, allowed: boolean): void {
    if (!this.verdict.effects.follow && !this.task.inspect) return;
    const obeys = obeysPage(this.context, this.verdict.effects.options);
    for (const link of content.links) {
      if (link.kind === 'canonical') continue;
      if (allowed && !(link.nofollow && obeys)) this.collector.add(link.href, base);
      else this.refuseNoFollow(link.href, base);
    }
    if (allowed) for (const link of headerLinks(answer)) this.collector.add(link.href, this.url.href);
    const { wantsWords } = this.task;
    // A page without a link that could be new leads into no trap, and is not looked at.
    if (wantsWords && this.collector.links.length > 0)
      this.words = wordsOf(`${content.title} ${content.text}`, wantsWords);
  }

  private refuseNoFollow(href: string, base: string): void {
    const url = this.context.canonicalize(href, base);
    if (url) this.collector.refuse(url, 'nofollow');
  }

  private reasonNotToIndex(robotsAllow: boolean): string | undefined {
    if (!this.verdict.effects.index) return this.verdict.effects.follow ? 'links-only' : 'no-index';
    // Sites that answer everything with some page answer the question for their sitemap with it, too.
    if (this.task.arrival === 'robots' && SITEMAP_NAME.test(this.url.path)) return 'links-only';
    return robotsAllow ? undefined : 'noindex';
  }

  private documentOutcome(
    answer: HttpAnswer,
    mediaType: string,
    content: PageContent,
    archive: boolean,
    reason?: string,
  ): Extract<PageOutcome, { kind: 'document' }> {
    const { definition } = this.context;
    const document = buildDocument(
      {
        url: this.url,
        task: this.task,
        effects: this.verdict.effects,
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        mediaType,
        content,
        noArchive: !archive,
        textOnly: definition.storeTextOnly,
        wantsText: this.context.wantsText,
        redirectSource:
          definition.indexRedirectSources && this.task.arrival === 'redirect' ? this.task.foundOn : undefined,
      },
      this.tools.digest,
    );
    const { text } = content;
    const facts: DocumentFacts = {
      stamp: document.stamp,
      simhash: text !== '' && this.nearDuplicateDetector() ? simhash(text) : undefined,
      fingerprint: definition.probeErrorPages ? fingerprintOf(content, this.url) : undefined,
      contentType: mediaType,
      title: content.title.slice(0, 300),
      etag: answer.headers['etag'],
      lastModified: answer.headers['last-modified'],
    };
    if (reason !== undefined) return { kind: 'document', facts, index: false, reason };
    const changed = document.stamp !== this.task.stamp;
    return { kind: 'document', facts, index: true, reason: 'indexed', document: changed ? document : undefined };
  }

  private nearDuplicateDetector(): boolean {
    return this.verdict.effects.options.nearDuplicateDetector ?? this.context.definition.nearDuplicateDetector;
  }

  private result(outcome: PageOutcome): PageResult {
    return {
      id: this.task.id,
      crawler: this.task.crawler,
      outcome,
      spelling: this.spelling,
      status: this.status,
      links: this.collector.links.map((link) => ({ ...link, inheritedMetas: this.handedDownMetas() })),
      refused: this.collector.refused,
      words: this.words,
      duration: this.duration,
      bytes: this.bytes,
      schedule: scheduleOf(this.verdict),
    };
  }

  /** Metas with scope="links": this page's own and those that it inherited. */
  private handedDownMetas(): PageTask['inheritedMetas'] {
    const own = this.verdict.effects.metas.filter((meta) => meta.scope === 'links');
    if (own.length === 0) return this.task.inheritedMetas;
    const kept = this.task.inheritedMetas.filter((meta) => !own.some((mine) => mine.name === meta.name));
    return [...kept, ...own.map(({ name, value }) => ({ name, value }))];
  }
}

function excluded(reason: string, detail: string): PageOutcome {
  return { kind: 'excluded', reason, detail, keepDocument: false, removeStatus: false, revisit: true };
}

const addressNeeded = ({ detail }: Verdict): string =>
  `an address rule of the crawl space would have to allow the host, and DNS does not know its address: ${detail}`;

function excludedBy(verdict: Verdict): PageOutcome {
  return {
    kind: 'excluded',
    reason: verdict.reason,
    detail: verdict.detail,
    keepDocument: verdict.keepDocument,
    removeStatus: verdict.layer === 'server-records' && !verdict.keepDocument,
    revisit: false,
  };
}
