import type { UrlState } from '../../domain/crawl/url-state.js';
import { likelyRoot } from '../../domain/policy/site-mode.js';
import type { Candidate, Explanation, TraceStep } from '../../domain/policy/verdict.js';
import { after, milliseconds, seconds } from '../../domain/time/units.js';
import { type CrawlUrl, crawlUrl, hostKey } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import { ENDLESS_REASON } from '../crawl/endless-links.js';
import type { Hosts } from '../crawl/hosts.js';
import { obeysRobots } from '../crawl/robots-gate.js';
import type { UnderWay } from '../delivery/delivery.js';
import {
  type Biography,
  type LinkView,
  NotFound,
  type PageView,
  type RobotsOpinion,
  Unacceptable,
} from '../engine-api.js';
import { rootOf, storedCandidate } from '../page/crawl-context.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, LedgerEntry } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { PageOutcome } from '../ports/page-task.js';
import type { Partitions } from '../ports/partitions.js';
import { pageErrand } from './errands.js';

const LONGEST_PATH = 100;
const VISITS_SHOWN = 50;
const ORDERS_SHOWN = 50;
/** For a page that another node fetches for this one. */
const LONGEST_ANSWER = seconds(60);
const ASK_EVERY = milliseconds(200);

interface ExplanationServices {
  readonly store: FrontierStore;
  readonly processor: PageProcessor;
  readonly hosts: Hosts;
  readonly partitions: Partitions;
  readonly nodes: Nodes;
  readonly clock: Clock;
  readonly pending: () => Promise<readonly LedgerEntry[]>;
  readonly robotsOpinion: (url: CrawlUrl, agent: string) => Promise<RobotsOpinion>;
}

/** Answers "why was this URL crawled, or not?" with the same policy that crawls. */
export class Explanations {
  constructor(private readonly services: ExplanationServices) {}

  async explain(
    crawler: Crawler,
    rawUrl: string,
    from?: string,
  ): Promise<{ candidate: Candidate; explanation: Explanation; robots: RobotsOpinion; state?: UrlState }> {
    const url = canonical(crawler, rawUrl);
    const state = await this.services.store.find(crawler.name, url.href);
    let candidate = await this.candidate(crawler, url, state, from);
    let explanation = crawler.context.policy.explain(candidate);
    if (explanation.verdict.needsAddress) {
      candidate = { ...candidate, address: (await this.services.processor.resolve(url.host)) ?? null };
      explanation = crawler.context.policy.explain(candidate);
    }
    const robots = await this.robots(crawler, url, explanation);
    return { candidate, explanation: withTraps(crawler, url, state, explanation), robots, state };
  }

  private async robots(crawler: Crawler, url: CrawlUrl, { verdict }: Explanation): Promise<RobotsOpinion> {
    const { definition, fetcher } = crawler.context;
    const agent = fetcher.robotsAgent;
    if (!obeysRobots(definition, verdict.effects.options)) return { state: 'ignored', agent };
    return this.services.robotsOpinion(url, agent);
  }

  async biography(crawler: Crawler, rawUrl: string): Promise<Biography> {
    const { state, explanation, robots } = await this.explain(crawler, rawUrl);
    if (!state)
      throw new NotFound(`${rawUrl} is not known to crawler ${crawler.name}; explain says whether it would be crawled`);
    const [path, visits, orders] = await Promise.all([
      this.path(crawler, state),
      this.services.store.visits(state.id, VISITS_SHOWN),
      this.services.store.orders({ crawler: crawler.name, uri: state.url }, undefined, ORDERS_SHOWN),
    ]);
    const pending = (await this.services.pending()).filter(({ uri }) => uri === state.url);
    return { state, path, explanation, robots, visits, orders: [...pending, ...orders] };
  }

  /** Fetches a page for a person and judges each of its links; nothing is stored or queued. */
  async page(crawler: Crawler, rawUrl: string): Promise<PageView> {
    const url = canonical(crawler, rawUrl);
    const state = await this.services.store.find(crawler.name, url.href);
    if (!this.services.partitions.owns(hostKey(url))) return this.pageElsewhere(crawler, url);
    const root = state?.root ?? likelyRoot(crawler.context.roots.values(), url)?.url.href;
    const host = this.services.hosts.get(hostKey(url));
    this.services.hosts.claim(host);
    const result = await this.services.hosts
      .started(host, crawler.context.definition.throttle)
      .then(() =>
        this.services.processor.process({
          id: -1,
          crawler: crawler.name,
          url: url.href,
          arrival: 'link',
          root,
          hops: state?.hops ?? 0,
          redirects: 0,
          rereadLinks: true,
          inheritedMetas: [],
          now: this.services.clock.now(),
          inspect: true,
        }),
      )
      .finally(() => this.services.hosts.finished(host, crawler.context.definition.throttle));
    const links = await Promise.all(
      [...result.links, ...result.refused].map((link) => this.link(crawler, link.url, url, root, state?.hops ?? 0)),
    );
    const { outcome } = result;
    return {
      url: url.href,
      outcome: outcomeName(outcome),
      status: result.status,
      title: outcome.kind === 'document' ? outcome.facts.title : undefined,
      detail: outcome.kind === 'error' || outcome.kind === 'excluded' ? outcome.detail : undefined,
      links,
    };
  }

  /** The politeness towards the host is in another node's hands, and so is the request. */
  private async pageElsewhere(crawler: Crawler, url: CrawlUrl): Promise<PageView> {
    const { store, nodes, clock } = this.services;
    const answer = `answer/${url.href}/${clock.now()}`;
    await nodes.send(pageErrand(hostKey(url), { crawler: crawler.name, url: url.href, answer }));
    const deadline = after(clock.now(), LONGEST_ANSWER);
    while (clock.now() < deadline) {
      await clock.sleep(ASK_EVERY);
      const text = await store.getSetting(answer);
      if (text === undefined) continue;
      await store.putSetting(answer, undefined);
      const said = JSON.parse(text) as { page?: PageView; error?: string };
      if (said.page) return said.page;
      throw new Unacceptable(said.error ?? 'the node that owns the host gave no answer');
    }
    throw new Unacceptable(`no node has fetched ${url.href} in time: the host may be changing hands; try again`);
  }

  private async link(
    crawler: Crawler,
    href: string,
    from: CrawlUrl,
    rootUrl: string | undefined,
    hops: number,
  ): Promise<LinkView> {
    const root = rootOf(crawler.context, rootUrl);
    const explanation = crawler.context.policy.explain({
      url: crawlUrl(href),
      arrival: 'link',
      from,
      root,
      hops: hops + 1,
    });
    return { url: href, kind: 'link', explanation, state: await this.services.store.find(crawler.name, href) };
  }

  private async candidate(
    crawler: Crawler,
    url: CrawlUrl,
    state: UrlState | undefined,
    from: string | undefined,
  ): Promise<Candidate> {
    if (from !== undefined) {
      const page = canonical(crawler, from);
      const pageState = await this.services.store.find(crawler.name, page.href);
      const root = rootOf(crawler.context, pageState?.root) ?? likelyRoot(crawler.context.roots.values(), page);
      return { url, arrival: 'link', from: page, root, hops: (pageState?.hops ?? 0) + 1 };
    }
    const root = crawler.context.roots.get(url.href);
    if (root) return { url, arrival: 'root', root, hops: 0 };
    if (state) return { ...storedCandidate(state, url, rootOf(crawler.context, state.root)), arrival: 'stored' };
    return { url, arrival: 'link', root: likelyRoot(crawler.context.roots.values(), url), hops: 1 };
  }

  /** From the root to the URL, by the pages on which each was first found. */
  private async path(crawler: Crawler, state: UrlState): Promise<string[]> {
    const path = [state.url];
    let from = state.foundOn;
    while (from !== undefined && path.length < LONGEST_PATH && !path.includes(from)) {
      path.unshift(from);
      from = (await this.services.store.find(crawler.name, from))?.foundOn;
    }
    return path;
  }
}

function canonical(crawler: Crawler, rawUrl: string): CrawlUrl {
  const url = crawler.context.canonicalize(rawUrl);
  if (!url) throw new Unacceptable(`${JSON.stringify(rawUrl)} is not a URL with a host`);
  return url;
}

/** What the policy can't know: that the host has more than enough of such URLs. A stored one is crawled all the same. */
function withTraps(
  crawler: Crawler,
  url: CrawlUrl,
  state: UrlState | undefined,
  explanation: Explanation,
): Explanation {
  const detail = crawler.endless.objection(hostKey(url), url.href);
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

const outcomeName = (outcome: PageOutcome): string =>
  outcome.kind === 'error' ? outcome.code : outcome.kind === 'excluded' ? outcome.reason : outcome.kind;

export function pendingEntry({ order, refusal: answer }: UnderWay): LedgerEntry {
  const { id, crawler, uri, hostKey: host, kind, reason, decidedAt } = order;
  return { id, crawler, uri, hostKey: host, kind, reason, decidedAt, state: 'pending', attempts: 0, answer };
}
