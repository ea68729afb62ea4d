import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { RobotsOpinion } from '../../domain/explain/facts.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import { getMaxRequestsPerHost } from '../../domain/politeness/politeness.js';
import { compareTexts } from '../../domain/render/compare-texts.js';
import { type Duration, milliseconds, seconds } from '../../domain/time/units.js';
import { type CrawlUrl, getHostKey, getOrigin, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Host } from '../crawl/hosts/hosts.js';
import { obeysRobots, RobotsGate } from '../crawl/hosts/robots-gate.js';
import { type CrawlContext, compileContexts, findFetcher } from '../page/crawl-context.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { PageOutcome, PageResult } from '../ports/page-task.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import type { LinkView, PageView, RenderingView } from '../views/url-views.js';
import { inspectPage } from './inspect-page.js';
import { type HostAccess, type HostServices, requestInTurn, withHosts } from './user-fetches.js';

/** Maximum pause between the requests for robots.txt and for the page, since a user is waiting. */
const MAX_PAUSE = seconds(3);

interface Look extends HostAccess {
  readonly context: CrawlContext;
  readonly url: CrawlUrl;
  readonly root: RootContext | undefined;
  readonly processor: PageProcessor;
}

/**
 * Shows a page under a definition that need not be in force: reads robots.txt, then the page, and judges each of its
 * links. Nothing is stored, queued or pushed. Requests respect the host's politeness limits, like any others.
 */
export class FirstLook {
  /**
   * @param openProcessor opens a processor for one call only, since the crawl's own processor reads pages under the
   * definition in force
   */
  constructor(
    private readonly services: HostServices,
    private readonly openProcessor: () => PageProcessor,
  ) {}

  /** @throws NotFound, Unacceptable, PolicyError */
  async viewPage(definition: ServerDefinition, crawler: string, rawUrl: string): Promise<PageView> {
    const context = compileContexts(definition).get(crawler);
    if (!context) throw new NotFound(`the configuration has no crawler ${JSON.stringify(crawler)}`);
    const url = context.canonicalize(rawUrl);
    if (!url) throw new Unacceptable(`${JSON.stringify(rawUrl)} is not a URL with a host`);
    const root = context.roots.get(url.href) ?? context.roots.findLikely(url);
    const processor = this.openProcessor();
    try {
      await processor.configure(definition);
      return await withHosts(this.services, getHostKey(url), (access) =>
        this.fetchAndJudge({ context, url, root, processor, ...access }),
      );
    } finally {
      await processor.close();
    }
  }

  private async fetchAndJudge(look: Look): Promise<PageView> {
    const { context, url, root, processor } = look;
    const gate = new RobotsGate(processor, look.hosts, look.slots, this.services.clock);
    const robots = await this.getRobotsOpinion(look, gate);
    const base = { url: url.href, robots, links: [] };
    if (robots.state === 'disallowed')
      return { ...base, outcome: 'robots-disallowed', detail: describeRobotsLine(robots) };
    if (robots.state === 'unreachable') return { ...base, outcome: 'robots-unreachable', detail: robots.status };
    const { throttle } = context.definition;
    const discoveredVia = root?.url.href === url.href ? 'root' : 'link';
    const inspectedUrl = { url: url.href, discoveredVia, root: root?.url.href, hops: 0 } as const;
    const result = await this.requestInTurn(look, throttle, async (host) => {
      await look.hosts.recordRequestStart(host, throttle);
      return inspectPage(context, processor, inspectedUrl, this.services.clock.now());
    });
    const foundLinks = [...result.links, ...result.refused];
    return {
      ...toPageFacts(result),
      url: url.href,
      robots,
      links: foundLinks.map((link) => toLinkView(look, gate, link.url)),
    };
  }

  private async getRobotsOpinion(look: Look, gate: RobotsGate): Promise<RobotsOpinion> {
    const { context, url, root } = look;
    const { options } = context.policy.explain({ url, discoveredVia: 'root', root, hops: 0 }).verdict.effects;
    const fetcher = findFetcher(context, options);
    if (!obeysRobots(context.definition, options)) return { state: 'ignored', agent: fetcher.robotsAgent };
    const throttle = getShorter(context.definition.throttle, MAX_PAUSE);
    const limit = getMaxRequestsPerHost(context.definition);
    const request = { fetcher: fetcher.name, options, throttle, limit, onWait: () => undefined };
    const failure = await this.requestInTurn(look, throttle, (host) => gate.load(url, host, request));
    if (failure) throw new Unacceptable(`${getOrigin(url)} cannot be reached: ${failure.detail ?? failure.code}`);
    return gate.getOpinion(url, fetcher.robotsAgent);
  }

  /** Makes a request within the host's politeness limits. */
  private requestInTurn<T>(look: Look, pause: Duration, request: (host: Host) => Promise<T>): Promise<T> {
    const { context, url } = look;
    return requestInTurn(
      look,
      { hostKey: getHostKey(url), limit: getMaxRequestsPerHost(context.definition), pause },
      request,
    );
  }
}

function toLinkView({ context, url: from, root }: Look, gate: RobotsGate, href: string): LinkView {
  const url = toCrawlUrl(href);
  const explanation = context.policy.explain({ url, discoveredVia: 'link', from, root, hops: 1 });
  const { options } = explanation.verdict.effects;
  const isRobotsKnown = getOrigin(url) === getOrigin(from) && obeysRobots(context.definition, options);
  return {
    url: href,
    kind: 'link',
    explanation,
    robots: isRobotsKnown ? gate.getOpinion(url, findFetcher(context, options).robotsAgent) : undefined,
  };
}

const getShorter = (a: Duration, b: Duration): Duration => milliseconds(Math.min(a, b));

const describeRobotsLine = ({ line, rule }: RobotsOpinion): string =>
  line === undefined ? '' : `line ${line}: ${rule}`;

/** Selects the facts about a response that are shown to the user. */
export function toPageFacts({ outcome, status }: PageResult): Omit<PageView, 'url' | 'links'> {
  return {
    outcome: getOutcomeName(outcome),
    status,
    title: outcome.kind === 'document' ? outcome.facts.title : undefined,
    reading: outcome.kind === 'document' ? outcome.reading : undefined,
    target: outcome.kind === 'redirect' ? outcome.target : undefined,
    detail: outcome.kind === 'error' || outcome.kind === 'excluded' ? outcome.detail : undefined,
  };
}

const getOutcomeName = (outcome: PageOutcome): string =>
  outcome.kind === 'error' ? outcome.code : outcome.kind === 'excluded' ? outcome.reason : outcome.kind;

const MAX_LOST_LINKS = 200;

/** Compares a page as it was sent with what its scripts made of it; undefined if rendering was not attempted. */
export function toRenderingView({ rendering, outcome, links, refused }: PageResult): RenderingView | undefined {
  const failure = outcome.kind === 'document' ? outcome.renderFailure : undefined;
  if (!rendering) return failure && { time: NO_TIME, requests: 0, refused: {}, failure };
  const { time, requests, sent, picture } = rendering;
  const view = { time, requests, refused: rendering.refused, readiness: rendering.readiness, failure };
  if (!sent || outcome.kind !== 'document') return view;
  const currentLinks = new Set([...links, ...refused].map(({ url }) => url));
  const { title, text, textLength } = sent;
  return {
    ...view,
    comparison: {
      ...compareTexts(text, outcome.reading?.text ?? ''),
      sent: { title, text, textLength, links: sent.links.length },
      lostLinks: sent.links.filter((link) => !currentLinks.has(link)).slice(0, MAX_LOST_LINKS),
    },
    picture: picture && Buffer.from(picture).toString('base64'),
  };
}

const NO_TIME = milliseconds(0);
