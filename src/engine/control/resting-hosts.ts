import type { Instant } from '../../domain/time/units.js';
import { getHostKey } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Host } from '../crawl/hosts/hosts.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import type { RefreshRequest, RestingHost } from '../views/url-views.js';

const MAX_SHOWN = 100;

interface RestingServices {
  readonly store: Pick<FrontierStore, 'loadHosts'>;
  readonly hosts: { peek(key: string): Host | undefined };
  readonly clock: Clock;
}

/**
 * Finds the hosts of URLs to be refreshed that are resting after a failure or at their own request. One request is made
 * to each of them anyway; the other URLs wait. For a pattern, only hosts that this node crawls are listed.
 */
export async function findRestingHosts(
  crawler: Crawler,
  request: RefreshRequest,
  { store, hosts, clock }: RestingServices,
): Promise<RestingHost[]> {
  const url = request.url === undefined ? undefined : crawler.context.canonicalize(request.url);
  const keys = url
    ? [getHostKey(url)]
    : crawler.listRestingHosts(MAX_SHOWN).filter((key) => request.hostKey === undefined || key === request.hostKey);
  const now = clock.now();
  const resting: RestingHost[] = [];
  for (const key of keys) {
    if (crawler.findReopeningTime(key, now) !== undefined) continue; // nothing is requested from it, resting or not
    const host = hosts.peek(key);
    const until: Instant | undefined = host?.loaded
      ? host.politeness.backOffUntil
      : (await store.loadHosts([key]))[0]?.backOffUntil;
    if (until !== undefined && until > now) resting.push({ hostKey: key, until });
  }
  return resting;
}
