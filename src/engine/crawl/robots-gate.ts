/**
 * robots.txt of every origin in use: asked for once before the first page of the origin, under the host's politeness like
 * any other request, and kept until it expires (RFC 9309). Shared by all crawlers.
 */
import type { CrawlerDefinition, UrlOptions } from '../../domain/crawl/definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import { concernsHost } from '../../domain/politeness/politeness.js';
import {
  delayOf,
  isStale,
  mayFetch,
  ROBOTS_MOST_REDIRECTS,
  type RobotsPolicy,
  robotsPolicy,
} from '../../domain/robots/robots-policy.js';
import { decisiveRule, ROBOTS_SIZE_LIMIT } from '../../domain/robots/robots-txt.js';
import { type Duration, milliseconds } from '../../domain/time/units.js';
import { type CrawlUrl, origin } from '../../domain/url/crawl-url.js';
import type { RobotsOpinion } from '../engine-api.js';
import { retryAfterOf } from '../page/page-outcome.js';
import type { Clock } from '../ports/clock.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { Host, Hosts } from './hosts.js';

export interface RobotsEntry {
  readonly policy: RobotsPolicy;
  /** As it was received, cut to what a person wants to see. */
  readonly text: string;
  /** `200`, `404`, or the code of the failure. */
  readonly status: string;
}

export type RobotsAnswer =
  | { readonly kind: 'allowed'; readonly entry: RobotsEntry }
  | { readonly kind: 'disallowed'; readonly entry: RobotsEntry }
  /** It has to be asked for first: call `load`. */
  | { readonly kind: 'unknown' }
  /** It can't be read, and until it can nothing of the origin is allowed. */
  | { readonly kind: 'unreachable'; readonly entry: RobotsEntry };

/** Is robots.txt asked at all? Options of the URL come before the crawler's. */
export const obeysRobots = (
  { ignoreRobotsTxt, linkRules }: CrawlerDefinition,
  { obeyRobots }: Pick<UrlOptions, 'obeyRobots'>,
): boolean => obeyRobots ?? !(ignoreRobotsTxt || linkRules.rogue);

const pathWithQuery = ({ path, query }: CrawlUrl): string => (query === '' ? path : `${path}?${query}`);

const MOST_ORIGINS = 50_000;
const SHOWN_TEXT = 16_384;

export class RobotsGate {
  private readonly entries = new Map<string, RobotsEntry>();

  constructor(
    private readonly processor: Pick<PageProcessor, 'fetch'>,
    private readonly hosts: Hosts,
    private readonly clock: Clock,
  ) {}

  ask(url: CrawlUrl, agent: string): RobotsAnswer {
    const entry = this.entries.get(origin(url));
    if (!entry || isStale(entry.policy, this.clock.now())) return { kind: 'unknown' };
    if (entry.policy.state === 'unreachable') return { kind: 'unreachable', entry };
    return { kind: mayFetch(entry.policy, agent, pathWithQuery(url)) ? 'allowed' : 'disallowed', entry };
  }

  /** What it says of a URL, for a person: as it was fetched last, without a request. */
  opinion(url: CrawlUrl, agent: string): RobotsOpinion {
    const entry = this.entries.get(origin(url));
    if (!entry) return { state: 'unknown', agent };
    const { policy, status, text } = entry;
    const known = { agent, fetchedAt: policy.fetchedAt, status };
    if (policy.state === 'unreachable') return { ...known, state: 'unreachable' };
    const rule = decisiveRule(policy.robots, agent, pathWithQuery(url));
    if (!rule) return { ...known, state: 'allowed' };
    const written = text.split(/\r\n|\r|\n/)[rule.line - 1]?.trim();
    const words = written || `${rule.allow ? 'Allow' : 'Disallow'}: ${rule.pattern}`;
    return { ...known, state: rule.allow ? 'allowed' : 'disallowed', line: rule.line, rule: words };
  }

  entry(urlOrigin: string): RobotsEntry | undefined {
    return this.entries.get(urlOrigin);
  }

  crawlDelay(url: CrawlUrl, agent: string): Duration | undefined {
    const entry = this.entries.get(origin(url));
    return entry && delayOf(entry.policy, agent);
  }

  /** Fetches robots.txt of a host that the caller has claimed. The failure of the network, when there was one, is the failure of the page that waited for it. */
  async load(
    url: CrawlUrl,
    host: Host,
    fetcher: string,
    throttle: Duration,
  ): Promise<Extract<FetchOutcome, { kind: 'failure' }> | undefined> {
    const key = origin(url);
    host.waitsForAnswer = true;
    let outcome: FetchOutcome;
    try {
      await this.hosts.started(host, throttle);
      outcome = await this.fetch(`${key}/robots.txt`, fetcher);
    } finally {
      host.waitsForAnswer = false;
    }
    const now = this.clock.now();
    const policy = robotsPolicy(outcome, now, this.entries.get(key)?.policy);
    this.remember(key, { policy, ...described(outcome) });
    this.react(host, outcome, policy);
    return outcome.kind === 'failure' ? outcome : undefined;
  }

  private async fetch(start: string, fetcher: string): Promise<FetchOutcome> {
    let url = start;
    for (let hop = 0; ; hop++) {
      const outcome = await this.processor.fetch({
        url,
        fetcher,
        maxSize: ROBOTS_SIZE_LIMIT,
        truncate: true,
        sendBy: this.hosts.sendBy,
      });
      const location =
        outcome.kind === 'response' && outcome.status >= 300 && outcome.status < 400
          ? outcome.headers['location']
          : undefined;
      const next = location === undefined ? null : URL.parse(location, url);
      if (!next || hop >= ROBOTS_MOST_REDIRECTS || !/^https?:$/.test(next.protocol)) return outcome;
      url = next.href;
    }
  }

  private react(host: Host, outcome: FetchOutcome, policy: RobotsPolicy): void {
    const now = this.clock.now();
    if (outcome.kind === 'failure') {
      if (concernsHost(outcome.code)) this.hosts.backOff(host, outcome.retryAfter);
      return;
    }
    // Rules that were read before stay in force, and yet a host that asks for rest gets it.
    const asked = outcome.status === 429 || outcome.status === 503 ? retryAfterOf(outcome, now) : undefined;
    if (asked !== undefined) this.hosts.backOff(host, asked);
    else if (policy.state === 'unreachable') this.hosts.backOff(host, milliseconds(policy.expiresAt - now));
  }

  private remember(key: string, entry: RobotsEntry): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size > MOST_ORIGINS) this.entries.delete(this.entries.keys().next().value as string);
  }
}

function described(outcome: FetchOutcome): { text: string; status: string } {
  if (outcome.kind === 'failure') return { text: '', status: outcome.code };
  const text = outcome.status < 300 ? new TextDecoder().decode(outcome.body.subarray(0, SHOWN_TEXT)) : '';
  return { text, status: String(outcome.status) };
}
