/**
 * The robots.txt of every origin in use, shared by all crawlers. It is requested once before the origin's first page,
 * under the host's politeness like any other request, and kept until it expires (RFC 9309).
 */
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlOptions } from '../../../domain/crawl/policy-definition.js';
import type { RobotsOpinion } from '../../../domain/explain/facts.js';
import { findChallenge } from '../../../domain/fetch/bot-challenges.js';
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import { isHostError } from '../../../domain/politeness/politeness.js';
import {
  createRobotsPolicy,
  getCrawlDelay,
  isStale,
  mayFetch,
  ROBOTS_MAX_REDIRECTS,
  type RobotsPolicy,
} from '../../../domain/robots/robots-policy.js';
import {
  estimateSize,
  findDecisiveRule,
  findPreferences,
  ROBOTS_SIZE_LIMIT,
  type RobotsPreference,
} from '../../../domain/robots/robots-txt.js';
import { after, type Duration, earlier, milliseconds } from '../../../domain/time/units.js';
import { type CrawlUrl, getHostKey, getOrigin } from '../../../domain/url/crawl-url.js';
import { parseRetryAfter } from '../../page/page-outcome.js';
import { toRequestTerms } from '../../page/requested-page.js';
import type { Clock } from '../../ports/clock.js';
import type { RequestSession } from '../../ports/fetcher.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import { WeighedCache } from '../../support/weighed-cache.js';
import type { HostSlots } from './host-slots.js';
import type { Host, Hosts } from './hosts.js';

export interface RobotsEntry {
  readonly policy: RobotsPolicy;
  /** The file as received, truncated for display. */
  readonly text: string;
  /** The status, such as `200` or `404`, or the code of the failure. */
  readonly status: string;
}

export type RobotsDecision =
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

const MAX_ORIGINS = 50_000;
/** Most files have a few kilobytes; one of 500 kilobytes, the maximum, takes some megabytes in memory. */
const MAX_BYTES = 192 * 1024 * 1024;
const MAX_SHOWN_TEXT = 16_384;

type FetchFailed = Extract<FetchOutcome, { kind: 'failure' }>;

/** What a login adds to a request for robots.txt: the client certificate of its connection, if there is one. */
export type RobotsSession = (fetcher: string, href: string) => Promise<RequestSession> | undefined;

export interface RobotsRequest {
  readonly fetcher: string;
  /** Those of the page that waits for it: its host may respond only to requests that are sent in this way. */
  readonly options: UrlOptions;
  readonly throttle: Duration;
  /** Maximum number of requests in flight at a host that robots.txt redirects to. */
  readonly limit: number;
  /** Called when the request has to wait for another host. */
  readonly onWait: () => void;
  /** Whether what the fetcher may send to the URL is left out. */
  readonly anonymous?: boolean;
}

interface RobotsResponse {
  readonly from: Host;
  readonly outcome: FetchOutcome;
}

/** The host that robots.txt redirects to is resting, or busy with other requests. */
const NO_TURN: FetchFailed = {
  kind: 'failure',
  code: 'robots-unreachable',
  detail: 'no request can be sent at the moment to the host that robots.txt redirects to',
  timings: { header: milliseconds(0), total: milliseconds(0) },
};

export class RobotsGate {
  private readonly entries = new WeighedCache<string, RobotsEntry>(MAX_ORIGINS, MAX_BYTES);

  constructor(
    private readonly processor: Pick<PageProcessor, 'fetch'>,
    private readonly hosts: Hosts,
    private readonly slots: Pick<HostSlots, 'claimHost'>,
    private readonly clock: Clock,
    private readonly findSession: RobotsSession = () => undefined,
  ) {}

  checkUrl(url: CrawlUrl, agent: string): RobotsDecision {
    const entry = this.entries.get(getOrigin(url));
    if (!entry || isStale(entry.policy, this.clock.now())) return { kind: 'unknown' };
    if (entry.policy.state === 'unreachable') return { kind: 'unreachable', entry };
    return { kind: mayFetch(entry.policy, agent, toPathWithQuery(url)) ? 'allowed' : 'disallowed', entry };
  }

  /** Returns what robots.txt says about the use of a URL's content; undefined if it says nothing. */
  findPreferences(url: CrawlUrl, agent: string): readonly RobotsPreference[] | undefined {
    const entry = this.entries.get(getOrigin(url));
    if (!entry) return undefined;
    const preferences = findPreferences(entry.policy.robots, agent, toPathWithQuery(url));
    return preferences.length > 0 ? preferences : undefined;
  }

  /** Returns what the last fetched robots.txt says about a URL, for display; makes no request. */
  getOpinion(url: CrawlUrl, agent: string): RobotsOpinion {
    const entry = this.entries.get(getOrigin(url));
    if (!entry) return { state: 'unknown', agent };
    const { policy, status, text } = entry;
    const common = { agent, fetchedAt: policy.fetchedAt, status };
    if (policy.state === 'unreachable') return { ...common, state: 'unreachable' };
    const rule = findDecisiveRule(policy.robots, agent, toPathWithQuery(url));
    if (!rule) return { ...common, state: 'allowed' };
    const originalLine = text.split(/\r\n|\r|\n/)[rule.line - 1]?.trim();
    const ruleText = originalLine || `${rule.allow ? 'Allow' : 'Disallow'}: ${rule.pattern}`;
    return { ...common, state: rule.allow ? 'allowed' : 'disallowed', line: rule.line, rule: ruleText };
  }

  /** Has robots.txt requested again once it is this old. */
  limitAge(url: CrawlUrl, age: Duration): void {
    const key = getOrigin(url);
    const entry = this.entries.get(key);
    if (!entry) return;
    const { policy, text } = entry;
    const expiresAt = earlier(policy.expiresAt, after(policy.fetchedAt, age));
    this.entries.set(key, { ...entry, policy: { ...policy, expiresAt } }, estimateSize(policy.robots) + text.length);
  }

  findEntry(urlOrigin: string): RobotsEntry | undefined {
    return this.entries.get(urlOrigin);
  }

  /** Has every robots.txt that could not be read requested again before the next page, as after a changed setting. */
  forgetUnreachable(): void {
    this.entries.deleteWhere(({ policy }) => policy.state === 'unreachable');
  }

  findCrawlDelay(url: CrawlUrl, agent: string): Duration | undefined {
    const entry = this.entries.get(getOrigin(url));
    return entry && getCrawlDelay(entry.policy, agent);
  }

  /**
   * Fetches the robots.txt of a host that the caller has claimed. Returns the network failure, if any; the
   * visit that is waiting for robots.txt then fails with it, too.
   */
  async load(url: CrawlUrl, host: Host, request: RobotsRequest): Promise<FetchFailed | undefined> {
    const key = getOrigin(url);
    host.waitsForResponse = true;
    let response: RobotsResponse;
    try {
      await this.hosts.recordRequestStart(host, request.throttle);
      response = await this.followRedirects(
        { from: host, outcome: await this.fetch(`${key}/robots.txt`, request) },
        url,
        request,
      );
    } finally {
      host.waitsForResponse = false;
    }
    const { outcome } = response;
    const policy = createRobotsPolicy(outcome, this.clock.now(), this.entries.get(key)?.policy);
    const { text, status } = describeOutcome(outcome);
    this.entries.set(key, { policy, text, status }, estimateSize(policy.robots) + text.length);
    if (outcome === NO_TURN) return undefined;
    this.applyToHost(response.from, outcome, policy);
    return outcome.kind === 'failure' && !isUnreadableResponse(outcome) ? outcome : undefined;
  }

  /**
   * Follows a chain of redirects to its last response; each host receives a request when its politeness allows, and its
   * pauses follow from its own responses.
   */
  private async followRedirects(
    firstResponse: RobotsResponse,
    url: CrawlUrl,
    request: RobotsRequest,
  ): Promise<RobotsResponse> {
    let response = firstResponse;
    let robotsUrl = `${getOrigin(url)}/robots.txt`;
    for (let hop = 0; hop < ROBOTS_MAX_REDIRECTS; hop++) {
      const target = findRedirectTarget(response.outcome, robotsUrl);
      if (!target) return response;
      robotsUrl = target.href;
      const terms = target.origin === getOrigin(url) ? request : omitSecrets(request, target);
      // The `host` of a URL has the form of a host key.
      response =
        target.host === getHostKey(url)
          ? { from: firstResponse.from, outcome: await this.fetch(robotsUrl, terms) }
          : await this.fetchElsewhere(robotsUrl, target.host, firstResponse.from, terms);
    }
    return response;
  }

  /**
   * Fetches from the redirect's target. The host that redirects is released in the meantime, as it may be the target
   * itself.
   */
  private async fetchElsewhere(
    robotsUrl: string,
    key: string,
    host: Host,
    request: RobotsRequest,
  ): Promise<RobotsResponse> {
    const { throttle, limit, onWait } = request;
    this.hosts.releaseAfterRequest(host, throttle);
    onWait();
    let target: Host | undefined;
    try {
      target = await this.slots.claimHost(key, limit);
      if (!target) return { from: host, outcome: NO_TURN };
      await this.hosts.recordRequestStartWithPermit(target, throttle);
      return { from: target, outcome: await this.fetch(robotsUrl, request) };
    } finally {
      if (target) this.hosts.releaseAfterRequest(target, throttle);
      this.hosts.claim(host);
    }
  }

  private async fetch(url: string, { fetcher, options, anonymous }: RobotsRequest): Promise<FetchOutcome> {
    const { sendBy } = this.hosts;
    const session = anonymous ? undefined : await this.findSession(fetcher, url);
    // Like other logins, credentials are not used for robots.txt.
    const terms = { ...toRequestTerms(options), credentials: undefined };
    return this.processor.fetch({
      ...terms,
      url,
      fetcher,
      anonymous,
      maxSize: ROBOTS_SIZE_LIMIT,
      truncate: true,
      sendBy,
      session,
    });
  }

  private applyToHost(host: Host, outcome: FetchOutcome, policy: RobotsPolicy): void {
    const now = this.clock.now();
    if (outcome.kind === 'failure' && !isUnreadableResponse(outcome)) {
      if (isHostError(outcome.code)) this.hosts.backOff(host, outcome.retryAfter, outcome.code);
      return;
    }
    // Rules that were read earlier stay in force, but a host that requests a pause gets one.
    const isOverloaded = outcome.kind === 'response' && (outcome.status === 429 || outcome.status === 503);
    const requestedPause = isOverloaded ? parseRetryAfter(outcome, now) : undefined;
    if (requestedPause !== undefined) this.hosts.backOff(host, requestedPause, 'http-503-retry-after');
    else if (policy.state === 'unreachable') this.hosts.backOff(host, milliseconds(policy.expiresAt - now));
    // A user requested the page while the host was resting.
    else if (host.isResting(now)) this.hosts.noteRecovery(host);
  }
}

/** For another server, which must not see secret headers, nor be asked for any URL of a stranger's choice in our name. */
const omitSecrets = (request: RobotsRequest, { pathname, search }: URL): RobotsRequest => ({
  ...request,
  options: { ...request.options, headers: undefined },
  anonymous: pathname + search !== '/robots.txt',
});

/** The host responds, but its robots.txt cannot be read: that says nothing about its pages. */
const isUnreadableResponse = ({ code }: FetchFailed): boolean => code.startsWith('body-');

/** The target, if the response is a redirect. */
function findRedirectTarget(outcome: FetchOutcome, baseUrl: string): URL | undefined {
  if (outcome.kind === 'failure' || outcome.status < 300 || outcome.status >= 400) return undefined;
  const location = outcome.headers['location'];
  const target = location === undefined ? null : URL.parse(location, baseUrl);
  return target && /^https?:$/.test(target.protocol) ? target : undefined;
}

function describeOutcome(outcome: FetchOutcome): { text: string; status: string } {
  if (outcome.kind === 'failure') return { text: '', status: outcome.code };
  if (findChallenge(outcome) !== undefined) return { text: '', status: 'bot-challenge' };
  const text = outcome.status < 300 ? new TextDecoder().decode(outcome.body.subarray(0, MAX_SHOWN_TEXT)) : '';
  return { text, status: String(outcome.status) };
}
