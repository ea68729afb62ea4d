/**
 * robots.txt for the requests of rendered pages. Cached by origin, apart from the crawl's own robots.txt of the hosts
 * that it visits.
 */
import {
  createRobotsPolicy,
  isStale,
  mayFetch,
  ROBOTS_MOST_REDIRECTS,
  type RobotsPolicy,
} from '../../domain/robots/robots-policy.js';
import { ROBOTS_SIZE_LIMIT } from '../../domain/robots/robots-txt.js';
import { type Instant, instant } from '../../domain/time/units.js';
import type { Fetcher } from '../../engine/ports/fetcher.js';

const MOST_ORIGINS = 1_000;

export class GuestRobots {
  private readonly policies = new Map<string, Promise<RobotsPolicy>>();

  constructor(private readonly fetcher: Pick<Fetcher, 'fetch'>) {}

  async isAllowed(url: URL, fetcher: string, agent: string): Promise<boolean> {
    const key = `${fetcher} ${url.origin}`;
    const known = await this.policies.get(key);
    const now = instant(Date.now());
    if (known && !isStale(known, now)) return mayFetch(known, agent, url.pathname + url.search);
    if (this.policies.size >= MOST_ORIGINS) this.policies.clear();
    const asked = this.fetchPolicy(new URL('/robots.txt', url).href, fetcher, { now, previous: known });
    this.policies.set(key, asked);
    return mayFetch(await asked, agent, url.pathname + url.search);
  }

  private async fetchPolicy(
    first: string,
    fetcher: string,
    { now, previous }: { now: Instant; previous: RobotsPolicy | undefined },
  ): Promise<RobotsPolicy> {
    let url = first;
    for (let hop = 0; ; hop++) {
      const outcome = await this.fetcher.fetch({ url, fetcher, maxSize: ROBOTS_SIZE_LIMIT, truncate: true });
      const isRedirect = outcome.kind === 'response' && outcome.status >= 300 && outcome.status < 400;
      const target = isRedirect ? URL.parse(outcome.headers['location'] ?? '', url) : undefined;
      if (!target || hop === ROBOTS_MOST_REDIRECTS) return createRobotsPolicy(outcome, now, previous);
      url = target.href;
    }
  }
}
