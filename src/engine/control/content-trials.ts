/**
 * Lets a user try out what a content definition extracts from a page before saving it. The page is fetched once and
 * kept for a while.
 */
import type { ContentDefinition } from '../../domain/content/content-definition.js';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import { after, type Instant, minutes } from '../../domain/time/units.js';
import { type CrawlUrl, getHostKey, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import { findContent } from '../page/crawl-context.js';
import { judgeUrl } from '../page/judge-url.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { KeptAnswer, PageTask } from '../ports/page-task.js';
import { Unacceptable } from '../support/api-errors.js';
import { WeighedCache } from '../support/weighed-cache.js';
import type { ContentTrial } from '../views/url-views.js';
import { toPageFacts } from './first-look.js';
import { type InspectedUrl, inspectPage } from './inspect-page.js';
import { fetchForUser, type HostServices, withHosts } from './user-fetches.js';

interface TrialServices extends HostServices {
  readonly processor: PageProcessor;
  readonly crawlers: Pick<Crawlers, 'get'>;
  /** The definition in force. */
  readonly getDefinition: () => ServerDefinition;
}

export interface TrialRequest {
  /** The API key that the kept copy of the page belongs to; no other key can read it. */
  readonly who: string;
  readonly url: string;
  /** Run the page's scripts first. */
  readonly render?: boolean;
  /** Absent if the definition could not be parsed; the page is fetched anyway. */
  readonly content?: ContentDefinition;
  /** Fetch the page again, even if a copy is kept. */
  readonly fresh?: boolean;
}

interface KeptPage {
  readonly at: Instant;
  readonly answer: KeptAnswer;
}

const PAGE_LIFETIME = minutes(10);
const MAX_PAGES = 50;
const MAX_BYTES = 32 * 1024 * 1024;
/** Time that the reader stays open after the last trial. */
const READER_IDLE_TIME = minutes(2);

interface Reader {
  readonly processor: PageProcessor;
  definition: ServerDefinition | undefined;
  /** Resolves when the last queued trial has ended; trials run one at a time. */
  lastTrial: Promise<unknown>;
  cancelClosing: () => void;
}

export class ContentTrials {
  private readonly pages = new WeighedCache<string, KeptPage>(MAX_PAGES, MAX_BYTES);
  /** A separate processor: trials must not delay the pages of the crawl. */
  private reader: Reader | undefined;

  /** @param openProcessor opens a processor that reads one page at a time */
  constructor(
    private readonly services: TrialServices,
    private readonly openProcessor: (() => PageProcessor) | undefined,
  ) {}

  /** @throws NotFound, Unacceptable */
  async run(name: string, request: TrialRequest): Promise<ContentTrial> {
    const crawler = this.services.crawlers.get(name);
    const { context } = crawler;
    const url = context.canonicalize(request.url);
    if (!url) throw new Unacceptable(`${JSON.stringify(request.url)} is not a URL with a host`);
    const state = await this.services.store.find(crawler.name, url.href);
    const root = state?.root ?? context.roots.findLikely(url)?.url.href;
    const inspectedUrl = { url: url.href, discoveredVia: 'link', root, hops: state?.hops ?? 0 } as const;
    const { verdict } = await judgeUrl(context, inspectedUrl, this.services.processor);
    const { options } = verdict.effects;
    const contentInForce = findContent(context, options) && { content: options.content ?? '' };
    const key = JSON.stringify([request.who, crawler.name, url.href, request.render === true]);
    const keptPage = request.fresh ? undefined : this.findKeptPage(key);
    const page =
      keptPage ?? (await this.fetchPage(crawler, url, inspectedUrl, request.render ? { render: 'always' } : {}));
    if (!('answer' in page)) return { url: url.href, ...contentInForce, ...page };
    if (page !== keptPage) this.pages.set(key, page, page.answer.body.byteLength);
    const view = {
      url: url.href,
      ...contentInForce,
      outcome: 'document',
      status: page.answer.status,
      fetchedAt: page.at,
    };
    if (!request.content) return view;
    return {
      ...view,
      ...(await this.readPage(crawler, inspectedUrl, { content: request.content, ...page })),
    };
  }

  private findKeptPage(key: string): KeptPage | undefined {
    const page = this.pages.get(key);
    return page && this.services.clock.now() < after(page.at, PAGE_LIFETIME) ? page : undefined;
  }

  private async fetchPage(
    crawler: Crawler,
    url: CrawlUrl,
    inspectedUrl: InspectedUrl,
    options: Pick<PageTask, 'render'>,
  ): Promise<KeptPage | ReturnType<typeof toPageFacts>> {
    const result = await withHosts(this.services, getHostKey(url), (access) =>
      fetchForUser(access, crawler.context.definition, url, () =>
        inspectPage(crawler.context, this.services.processor, inspectedUrl, this.services.clock.now(), {
          ...options,
          keepAnswer: true,
        }),
      ),
    );
    return result.answer ? { at: this.services.clock.now(), answer: result.answer } : toPageFacts(result);
  }

  private async readPage(
    crawler: Crawler,
    inspectedUrl: InspectedUrl,
    trial: NonNullable<PageTask['trial']>,
  ): Promise<ReturnType<typeof toPageFacts>> {
    const server = this.services.getDefinition();
    const repeatedBlocks = await crawler.findRepeatedBlocks(getHostKey(toCrawlUrl(inspectedUrl.url)));
    this.reader ??= this.openReader();
    const { reader } = this;
    const facts = reader.lastTrial.then(async () => {
      if (reader.definition !== server) {
        // Plug-ins may have side effects, which no one expects when trying a selector.
        await reader.processor.configure({ ...server, plugins: [] });
        reader.definition = server;
      }
      const root = inspectedUrl.root === undefined ? undefined : crawler.context.roots.get(inspectedUrl.root);
      if (root) reader.processor.addRoot(crawler.name, root);
      return toPageFacts(
        await inspectPage(crawler.context, reader.processor, inspectedUrl, this.services.clock.now(), {
          trial,
          repeatedBlocks,
        }),
      );
    });
    reader.lastTrial = facts.catch(() => undefined);
    try {
      return await facts;
    } finally {
      this.closeLater(reader);
    }
  }

  private openReader(): Reader {
    const { openProcessor } = this;
    if (!openProcessor) throw new Error('this engine cannot open a separate page processor for trials');
    return {
      processor: openProcessor(),
      definition: undefined,
      lastTrial: Promise.resolve(),
      cancelClosing: () => undefined,
    };
  }

  private closeLater(reader: Reader): void {
    const { clock } = this.services;
    reader.cancelClosing();
    reader.cancelClosing = clock.at(after(clock.now(), READER_IDLE_TIME), () => {
      if (this.reader !== reader) return;
      this.reader = undefined;
      void reader.lastTrial.then(() => reader.processor.close());
    });
  }

  async close(): Promise<void> {
    const { reader } = this;
    this.reader = undefined;
    reader?.cancelClosing();
    await reader?.processor.close();
  }
}
