/**
 * The robots.txt of every origin in use, shared by all crawlers. It is requested once before the origin's first page,
 * under the host's politeness like any other request, and kept until it expires (RFC 9309).
 */
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlOptions } from '../../../domain/crawl/policy-definition.js';
import type { RobotsOpinion } from '../../../domain/explain/facts.js';
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import { isHostError } from '../../../domain/politeness/politeness.js';
import {
  createRobotsPolicy,
  getCrawlDelay,
  isStale,
  mayFetch,
  ROBOTS_MOST_REDIRECTS,
  type RobotsPolicy,
} from '../../../domain/robots/robots-policy.js';
import {
  estimateSize,
  findDecisiveRule,
  findPreferences,
  ROBOTS_SIZE_LIMIT,
  type RobotsPreference,
} from '../../../domain/robots/robots-txt.js';
import { type Duration, milliseconds } from '../../../domain/time/units.js';
import { type CrawlUrl, getHostKey, getOrigin } from '../../../domain/url/crawl-url.js';
import { parseRetryAfter } from '../../page/page-outcome.js';
import type { Clock } from '../../ports/clock.js';
import type { RequestSession } from '../../ports/fetcher.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import { WeighedCache } from '../../support/weighed-cache.js';
import type { HostSlots } from './host-slots.js';
import type { Host, Hosts } from './hosts.js';

export interface RobotsEntry {
  readonly policy: RobotsPolicy;
  /** The file as received, cut to a length that a person can read. */
  readonly text: string;
  /** The status, such as `200` or `404`, or the code of the failure. */
  readonly status: string;
}

export type RobotsAnswer =
  | { readonly kind: 'allowed'; readonly entry: RobotsEntry }
  | { readonly kind: 'disallowed'; readonly entry: RobotsEntry }
  /** robots.txt has to be requested first: call `load`. */
  | { readonly kind: 'unknown' }
  /** robots.txt cannot be read; until it can, nothing on the origin is allowed. */
  | { readonly kind: 'unreachable'; readonly entry: RobotsEntry };

/** Whether robots.txt is requested at all. The URL's options take precedence over the crawler's. */
export const obeysRobots = (
  { ignoreRobotsTxt, linkRules }: CrawlerDefinition,
  { obeyRobots }: Pick<UrlOptions, 'obeyRobots'>,
): boolean => obeyRobots ?? !(ignoreRobotsTxt || linkRules.rogue);

const toPathWithQuery = ({ path, query }: CrawlUrl): string => (query === '' ? path : `${path}?${query}`);

const MOST_ORIGINS = 50_000;
/** Most files have a few kilobytes; one of 500 kilobytes, the maximum, takes some megabytes in memory. */
const MOST_BYTES = 192 * 1024 * 1024;
const SHOWN_TEXT = 16_384;

type FetchFailed = Extract<FetchOutcome, { kind: 'failure' }>;

/** What a login adds to a request for robots.txt: the client certificate of its connection, if there is one. */
export type RobotsSession = (fetcher: string, href: string) => Promise<RequestSession> | undefined;

export interface RobotsRequest {
  readonly fetcher: string;
  readonly throttle: Duration;
  /** Maximum number of requests in flight at a host that robots.txt redirects to. */
  readonly limit: number;
  /** Called when the request has to wait for another host. */
  readonly onWait: () => void;
}

interface Answer {
  readonly from: Host;
  readonly outcome: FetchOutcome;
}

/** The host that robots.txt redirects to is resting, or busy with other requests. */
const NO_TURN: FetchFailed = {
  kind: 'failure',
  code: 'robots-unreachable',
  detail: 'the host that robots.txt redirects to may not receive a request at the moment',
  timings: { header: milliseconds(0), total: milliseconds(0) },
};

export class RobotsGate {
  private readonly entries = new WeighedCache<string, RobotsEntry>(MOST_ORIGINS, MOST_BYTES);

  constructor(
    private readonly processor: Pick<PageProcessor, 'fetch'>,
    private readonly hosts: Hosts,
    private readonly slots: Pick<HostSlots, 'claimHost'>,
    private readonly clock: Clock,
    private readonly sessionOf: RobotsSession = () => undefined,
  ) {}

  checkUrl(url: CrawlUrl, agent: string): RobotsAnswer {
    const entry = this.entries.get(getOrigin(url));
    if (!entry || isStale(entry.policy, this.clock.now())) return { kind: 'unknown' };
    if (entry.policy.state === 'unreachable') return { kind: 'unreachable', entry };
    return { kind: mayFetch(entry.policy, agent, toPathWithQuery(url)) ? 'allowed' : 'disallowed', entry };
  }

  /** What robots.txt says about the use of a URL's content; undefined if nothing. */
  findPreferences(url: CrawlUrl, agent: string): readonly RobotsPreference[] | undefined {
    const entry = this.entries.get(getOrigin(url));
    if (!entry) return undefined;
    const found = findPreferences(entry.policy.robots, agent, toPathWithQuery(url));
    return found.length > 0 ? found : undefined;
  }

  /** What the last fetched robots.txt says about a URL, to be shown to a person; makes no request. */
  getOpinion(url: CrawlUrl, agent: string): RobotsOpinion {
    const entry = this.entries.get(getOrigin(url));
    if (!entry) return { state: 'unknown', agent };
    const { policy, status, text } = entry;
    const known = { agent, fetchedAt: policy.fetchedAt, status };
    if (policy.state === 'unreachable') return { ...known, state: 'unreachable' };
    const rule = findDecisiveRule(policy.robots, agent, toPathWithQuery(url));
    if (!rule) return { ...known, state: 'allowed' };
    const written = text.split(/\r\n|\r|\n/)[rule.line - 1]?.trim();
    const words = written || `${rule.allow ? 'Allow' : 'Disallow'}: ${rule.pattern}`;
    return { ...known, state: rule.allow ? 'allowed' : 'disallowed', line: rule.line, rule: words };
  }

  findEntry(urlOrigin: string): RobotsEntry | undefined {
    return this.entries.get(urlOrigin);
  }

  findCrawlDelay(url: CrawlUrl, agent: string): Duration | undefined {
    const entry = this.entries.get(getOrigin(url));
    return entry && getCrawlDelay(entry.policy, agent);
  }

  /**
   * Fetches the robots.txt of a host that the caller has claimed. Returns a network failure, if any, which is then also
   * that of the waiting page.
   */
  async load(url: CrawlUrl, host: Host, request: RobotsRequest): Promise<FetchFailed | undefined> {
    const key = getOrigin(url);
    host.waitsForAnswer = true;
    let answer: Answer;
    try {
      await this.hosts.recordRequestStart(host, request.throttle);
      answer = await this.followRedirects(
        { from: host, outcome: await this.fetch(`${key}/robots.txt`, request) },
        url,
        request,
      );
    } finally {
      host.waitsForAnswer = false;
    }
    const { outcome } = answer;
    const policy = createRobotsPolicy(outcome, this.clock.now(), this.entries.get(key)?.policy);
    const { text, status } = describeOutcome(outcome);
    this.entries.set(key, { policy, text, status }, estimateSize(policy.robots) + text.length);
    if (outcome === NO_TURN) return undefined;
    this.applyToHost(answer.from, outcome, policy);
    return outcome.kind === 'failure' && !isUnreadableResponse(outcome) ? outcome : undefined;
  }

  /**
   * Follows a chain of redirects to its last response; each host receives a request when its politeness allows, and its
   * pauses follow from its own responses.
   */
  private async followRedirects(first: Answer, url: CrawlUrl, request: RobotsRequest): Promise<Answer> {
    let answer = first;
    let place = `${getOrigin(url)}/robots.txt`;
    for (let hop = 0; hop < ROBOTS_MOST_REDIRECTS; hop++) {
      const next = findRedirectTarget(answer.outcome, place);
      if (!next) return answer;
      place = next.href;
      // The `host` of a URL has the form of a host key.
      answer =
        next.host === getHostKey(url)
          ? { from: first.from, outcome: await this.fetch(place, request) }
          : await this.fetchElsewhere(place, next.host, first.from, request);
    }
    return answer;
  }

  /**
   * Fetches from the redirect's target. The host that redirects is released in the meantime, as it may be the target
   * itself.
   */
  private async fetchElsewhere(place: string, key: string, host: Host, request: RobotsRequest): Promise<Answer> {
    const { throttle, limit, onWait: waits } = request;
    this.hosts.releaseAfterRequest(host, throttle);
    waits();
    let other: Host | undefined;
    try {
      other = await this.slots.claimHost(key, limit);
      if (!other) return { from: host, outcome: NO_TURN };
      await this.hosts.recordRequestStartWithPermit(other, throttle);
      return { from: other, outcome: await this.fetch(place, request) };
    } finally {
      if (other) this.hosts.releaseAfterRequest(other, throttle);
      this.hosts.claim(host);
    }
  }

  private async fetch(url: string, { fetcher }: RobotsRequest): Promise<FetchOutcome> {
    const { sendBy } = this.hosts;
    const session = await this.sessionOf(fetcher, url);
    return this.processor.fetch({ url, fetcher, maxSize: ROBOTS_SIZE_LIMIT, truncate: true, sendBy, session });
  }

  private applyToHost(host: Host, outcome: FetchOutcome, policy: RobotsPolicy): void {
    const now = this.clock.now();
    if (outcome.kind === 'failure' && !isUnreadableResponse(outcome)) {
      if (isHostError(outcome.code)) this.hosts.backOff(host, outcome.retryAfter);
      return;
    }
    // Rules read before stay in force, but a host that asks for a rest gets one.
    const overloaded = outcome.kind === 'response' && (outcome.status === 429 || outcome.status === 503);
    const asked = overloaded ? parseRetryAfter(outcome, now) : undefined;
    if (asked !== undefined) this.hosts.backOff(host, asked);
    else if (policy.state === 'unreachable') this.hosts.backOff(host, milliseconds(policy.expiresAt - now));
    // A person requested the page while the host was resting.
    else if (host.isResting(now)) this.hosts.noteRecovery(host);
  }
}

/** The host responds, but its robots.txt cannot be read: that says nothing about its pages. */
const isUnreadableResponse = ({ code }: FetchFailed): boolean => code.startsWith('body-');

/** The target, if the response is a redirect. */
function findRedirectTarget(outcome: FetchOutcome, place: string): URL | undefined {
  if (outcome.kind === 'failure' || outcome.status < 300 || outcome.status >= 400) return undefined;
  const location = outcome.headers['location'];
  const target = location === undefined ? null : URL.parse(location, place);
  return target && /^https?:$/.test(target.protocol) ? target : undefined;
}

function describeOutcome(outcome: FetchOutcome): { text: string; status: string } {
  if (outcome.kind === 'failure') return { text: '', status: outcome.code };
  const text = outcome.status < 300 ? new TextDecoder().decode(outcome.body.subarray(0, SHOWN_TEXT)) : '';
  return { text, status: String(outcome.status) };
}
