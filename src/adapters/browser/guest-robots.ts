/**
 * Applies robots.txt to the requests of rendered pages. Policies are cached by origin, separately from those of the
 * hosts that the crawl visits.
 */
import {
  createRobotsPolicy,
  isStale,
  mayFetch,
  ROBOTS_MAX_REDIRECTS,
  type RobotsPolicy,
} from '../../domain/robots/robots-policy.js';
import { ROBOTS_SIZE_LIMIT } from '../../domain/robots/robots-txt.js';
import { type Instant, instant } from '../../domain/time/units.js';
import type { Fetcher } from '../../engine/ports/fetcher.js';

const MAX_ORIGINS = 1_000;

export class GuestRobots {
  private readonly policies = new Map<string, Promise<RobotsPolicy>>();

  constructor(private readonly fetcher: Pick<Fetcher, 'fetch'>) {}

  async isAllowed(url: URL, fetcher: string, agent: string): Promise<boolean> {
    const key = `${fetcher} ${url.origin}`;
    const cachedPolicy = await this.policies.get(key);
    const now = instant(Date.now());
    if (cachedPolicy && !isStale(cachedPolicy, now)) return mayFetch(cachedPolicy, agent, url.pathname + url.search);
    if (this.policies.size >= MAX_ORIGINS) this.policies.clear();
    const pending = this.fetchPolicy(new URL('/robots.txt', url).href, fetcher, { now, previous: cachedPolicy });
    this.policies.set(key, pending);
    return mayFetch(await pending, agent, url.pathname + url.search);
  }

  private async fetchPolicy(
    firstUrl: string,
    fetcher: string,
    { now, previous }: { now: Instant; previous: RobotsPolicy | undefined },
  ): Promise<RobotsPolicy> {
    let url = firstUrl;
    for (let hop = 0; ; hop++) {
      const outcome = await this.fetcher.fetch({ url, fetcher, maxSize: ROBOTS_SIZE_LIMIT, truncate: true });
      const isRedirect = outcome.kind === 'response' && outcome.status >= 300 && outcome.status < 400;
      const target = isRedirect ? URL.parse(outcome.headers['location'] ?? '', url) : undefined;
      if (!target || hop === ROBOTS_MAX_REDIRECTS) return createRobotsPolicy(outcome, now, previous);
      url = target.href;
    }
  }
}
