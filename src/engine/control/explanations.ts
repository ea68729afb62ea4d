import type { UrlState } from '../../domain/crawl/url-state.js';
import { type RobotsOpinion } from '../../domain/explain/facts.js';
import { createHeadline } from '../../domain/explain/headline.js';
import { explainAssignment, type QueueAssignment } from '../../domain/frontier/sources.js';
import { createRootContext } from '../../domain/policy/site-mode.js';
import type { Candidate, Explanation, RootContext, TraceStep } from '../../domain/policy/verdict.js';
import { seconds } from '../../domain/time/units.js';
import { type CrawlUrl, getHostKey, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import { ENDLESS_REASON } from '../crawl/evidence/endless-links.js';
import type { HostSlots } from '../crawl/hosts/host-slots.js';
import type { Hosts } from '../crawl/hosts/hosts.js';
import { obeysRobots } from '../crawl/hosts/robots-gate.js';
import { askOwner, createPageCommand } from '../crawl/outcome/owner-commands.js';
import { getListedLinksSettingName } from '../crawl/visit/link-stage.js';
import { createLikelyLink, findFetcher, findRoot, toStoredCandidate } from '../page/crawl-context.js';
import type { Ports } from '../ports/ports.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import { type LinkView, type PageView, type UrlExplanation, type UrlHistory } from '../views/url-views.js';
import { toPageFacts, toRenderingView } from './first-look.js';
import { inspectPage } from './inspect-page.js';
import type { UrlFactsReader } from './url-facts.js';
import { fetchForUser } from './user-fetches.js';

const MAX_PATH_LENGTH = 100;
/** Maximum wait for a page that another node fetches on behalf of this one. */
const ANSWER_TIMEOUT = seconds(60);

interface ExplanationServices extends Pick<Ports, 'store' | 'processor' | 'partitions' | 'nodes' | 'clock'> {
  readonly hosts: Hosts;
  readonly slots: Pick<HostSlots, 'claimHost'>;
  readonly crawlers: Pick<Crawlers, 'get'>;
  readonly getRobotsOpinion: (url: CrawlUrl, agent: string) => Promise<RobotsOpinion>;
}

/** Answers the question "why was this URL crawled, or why not?" with the same policy that the crawl uses. */
export class Explanations {
  constructor(
    private readonly services: ExplanationServices,
    private readonly facts: UrlFactsReader,
  ) {}

  async explain(name: string, rawUrl: string, from?: string): Promise<UrlExplanation> {
    const crawler = this.services.crawlers.get(name);
    const url = canonicalizeOrThrow(crawler, rawUrl);
    const state = await this.services.store.find(crawler.name, url.href);
    const initialCandidate = await this.createCandidate(crawler, url, state, from);
    const { candidate, explanation } = await this.judge(crawler, url, initialCandidate);
    const isUnknown = !state && from === undefined && !crawler.context.roots.has(url.href);
    const likelyLink = isUnknown ? await this.judge(crawler, url, createLikelyLink(crawler.context, url)) : undefined;
    const robots = await this.getRobotsOpinion(crawler, url, explanation);
    const ownExplanation =
      from === undefined || !state
        ? explanation
        : (await this.judge(crawler, url, await this.createCandidate(crawler, url, state, undefined))).explanation;
    const link = from === undefined ? undefined : { from: candidate.from!.href, verdict: explanation.verdict };
    const facts = await this.facts.read(crawler, { url, state, verdict: ownExplanation.verdict, link, robots });
    const likelyVerdict = likelyLink?.explanation.verdict;
    return {
      candidate,
      headline: createHeadline({ ...facts, likelyVerdict }),
      explanation: addTrapRejection(crawler, url, state, explanation),
      robots,
      queue: explainQueue(candidate, state, explanation),
      state,
      visits: facts.visits,
      orders: facts.orders,
      owedOrders: facts.owedOrders,
      refused: facts.refusedLinks,
    };
  }

  private async judge(
    crawler: Crawler,
    url: CrawlUrl,
    initialCandidate: Candidate,
  ): Promise<{ candidate: Candidate; explanation: Explanation }> {
    const explanation = crawler.context.policy.explain(initialCandidate);
    if (!explanation.verdict.needsAddress) return { candidate: initialCandidate, explanation };
    const candidate = { ...initialCandidate, address: (await this.services.processor.resolve(url.host)) ?? null };
    return { candidate, explanation: crawler.context.policy.explain(candidate) };
  }

  private async getRobotsOpinion(crawler: Crawler, url: CrawlUrl, { verdict }: Explanation): Promise<RobotsOpinion> {
    const { options } = verdict.effects;
    const agent = findFetcher(crawler.context, options).robotsAgent;
    if (!obeysRobots(crawler.context.definition, options)) return { state: 'ignored', agent };
    return this.services.getRobotsOpinion(url, agent);
  }

  async getUrlHistory(name: string, rawUrl: string): Promise<UrlHistory> {
    const crawler = this.services.crawlers.get(name);
    const { state, ...rest } = await this.explain(name, rawUrl);
    if (!state)
      throw new NotFound(`${rawUrl} is not known to crawler ${name}; use explain to see whether it would be crawled`);
    const [path, listedLinks] = await Promise.all([
      this.findPath(crawler, state),
      this.findListedLinks(crawler, state),
    ]);
    return { ...rest, state, path, listedLinks };
  }

  /** Finds the links of a page that are waiting for approval. */
  private async findListedLinks(crawler: Crawler, state: UrlState): Promise<LinkView[]> {
    const text = await this.services.store.getSetting(getListedLinksSettingName(state));
    const from = toCrawlUrl(state.url);
    const urls = text === undefined ? [] : (JSON.parse(text) as string[]);
    return Promise.all(urls.map((url) => this.viewLink(crawler, url, from, state.root, state.hops)));
  }

  /**
   * Fetches a page for inspection and judges each of its links; nothing is stored or queued.
   * @param render whether to run the page's scripts, even if the crawler does not render such pages, and to compare the
   * page as it was sent with the result
   */
  async viewPage(name: string, rawUrl: string, render = false): Promise<PageView> {
    const crawler = this.services.crawlers.get(name);
    const url = canonicalizeOrThrow(crawler, rawUrl);
    const state = await this.services.store.find(crawler.name, url.href);
    if (!this.services.partitions.owns(getHostKey(url))) return this.viewPageAtOwner(crawler, url, render);
    const root = state?.root ?? crawler.context.roots.findLikely(url)?.url.href;
    const repeatedBlocks = await crawler.findRepeatedBlocks(getHostKey(url));
    const result = await fetchForUser(this.services, crawler.context.definition, url, () =>
      inspectPage(
        crawler.context,
        this.services.processor,
        { url: url.href, discoveredVia: 'link', root, hops: state?.hops ?? 0 },
        this.services.clock.now(),
        { repeatedBlocks, ...(render ? { render: 'always' } : {}) },
      ),
    );
    const sentLinks = result.rendering?.sent && new Set(result.rendering.sent.links);
    const links = await Promise.all(
      [...result.links, ...result.refused].map(async (link): Promise<LinkView> => {
        const view = await this.viewLink(crawler, link.url, url, root, state?.hops ?? 0);
        return sentLinks && !sentLinks.has(link.url) ? { ...view, onlyRendered: true } : view;
      }),
    );
    return { ...toPageFacts(result), url: url.href, links, rendering: toRenderingView(result) };
  }

  /** Another node controls the host's politeness, so that node makes the request. */
  private viewPageAtOwner(crawler: Crawler, url: CrawlUrl, render: boolean): Promise<PageView> {
    const createFor = (answer: string) =>
      createPageCommand(getHostKey(url), { crawler: crawler.name, url: url.href, answer, render });
    return askOwner(this.services, createFor, `fetching ${url.href}`, ANSWER_TIMEOUT);
  }

  private async viewLink(
    crawler: Crawler,
    href: string,
    from: CrawlUrl,
    rootUrl: string | undefined,
    hops: number,
  ): Promise<LinkView> {
    const root = findRoot(crawler.context, rootUrl, undefined);
    const explanation = crawler.context.policy.explain({
      url: toCrawlUrl(href),
      discoveredVia: 'link',
      from,
      root,
      hops: hops + 1,
    });
    return { url: href, kind: 'link', explanation, state: await this.services.store.find(crawler.name, href) };
  }

  private async createCandidate(
    crawler: Crawler,
    url: CrawlUrl,
    state: UrlState | undefined,
    from: string | undefined,
  ): Promise<Candidate> {
    if (from !== undefined) {
      const page = canonicalizeOrThrow(crawler, from);
      const pageState = await this.services.store.find(crawler.name, page.href);
      const root = findRoot(crawler.context, pageState?.root, page) ?? crawler.context.roots.findLikely(page);
      return { url, discoveredVia: 'link', from: page, root, hops: (pageState?.hops ?? 0) + 1 };
    }
    const root = crawler.context.roots.get(url.href);
    if (root) return { url, discoveredVia: 'root', root, hops: 0 };
    if (state)
      return { ...toStoredCandidate(state, url, findRoot(crawler.context, state.root, url)), discoveredVia: 'stored' };
    return { url, discoveredVia: 'root', root: createSubmittedRoot(url), hops: 0 };
  }

  /** The path from the root to the URL, through the pages on which each URL was first found. */
  private async findPath(crawler: Crawler, state: UrlState): Promise<string[]> {
    const path = [state.url];
    let from = state.foundOn;
    while (from !== undefined && path.length < MAX_PATH_LENGTH && !path.includes(from)) {
      path.unshift(from);
      from = (await this.services.store.find(crawler.name, from))?.foundOn;
    }
    return path;
  }
}

/** A root as it would be submitted now: it stands for its site. */
const createSubmittedRoot = (url: CrawlUrl): RootContext =>
  createRootContext({ url: url.href, site: true, entireSite: false, priority: 0, metas: [], followLinks: true }, url);

function canonicalizeOrThrow(crawler: Crawler, rawUrl: string): CrawlUrl {
  const url = crawler.context.canonicalize(rawUrl);
  if (!url) throw new Unacceptable(`${JSON.stringify(rawUrl)} is not a URL with a host`);
  return url;
}

/**
 * Adds a rejection that the policy does not know about: the host already has more than enough URLs of this pattern. A
 * URL that is already stored is crawled anyway.
 */
function addTrapRejection(
  crawler: Crawler,
  url: CrawlUrl,
  state: UrlState | undefined,
  explanation: Explanation,
): Explanation {
  const detail = crawler.findEndlessObjection(getHostKey(url), url.href);
  if (detail === undefined) return explanation;
  const layer = 'link-rules';
  const trace: TraceStep[] = [
    ...explanation.trace,
    { layer, test: `endless pattern: ${detail}`, outcome: 'reject', reason: ENDLESS_REASON },
  ];
  const { verdict } = explanation;
  if (state || !verdict.accepted) return { verdict, trace };
  return { verdict: { ...verdict, accepted: false, layer, reason: ENDLESS_REASON, detail, place: undefined }, trace };
}

/** A stored URL's queue depends on how it was first discovered. */
function explainQueue(
  { discoveredVia, isNamedSitemap }: Candidate,
  state: UrlState | undefined,
  { verdict: { accepted, effects } }: Explanation,
): QueueAssignment | undefined {
  if (!accepted) return undefined;
  const origin = discoveredVia === 'stored' ? (state?.discoveredVia ?? 'link') : discoveredVia;
  return explainAssignment(isNamedSitemap ? 'robots' : origin, effects, effects.priorityShift);
}
