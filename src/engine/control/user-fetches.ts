/** Makes requests for users; the host's crawl delay, back-off and pause apply to them, too. */
import type { CrawlerDefinition } from '../../domain/crawl/definition.js';
import { getMaxRequestsPerHost } from '../../domain/politeness/politeness.js';
import { type Duration } from '../../domain/time/units.js';
import { type CrawlUrl, getHostKey } from '../../domain/url/crawl-url.js';
import { HostSlots } from '../crawl/hosts/host-slots.js';
import { type Host, Hosts } from '../crawl/hosts/hosts.js';
import type { Ports } from '../ports/ports.js';
import { Unacceptable } from '../support/api-errors.js';

export interface HostAccess {
  readonly hosts: Hosts;
  readonly slots: Pick<HostSlots, 'claimHost'>;
}

interface RequestTerms {
  readonly hostKey: string;
  /** Maximum number of requests that the host may have in flight. */
  readonly limit: number;
  /** The pause after the request. */
  readonly pause: Duration;
}

/**
 * Fetches a page for a user, as politely as the crawler would.
 * @throws Unacceptable when no request to the host is possible soon
 */
export function fetchForUser<T>(
  access: HostAccess,
  definition: CrawlerDefinition,
  url: CrawlUrl,
  fetch: () => Promise<T>,
): Promise<T> {
  const { throttle: pause } = definition;
  return requestInTurn(
    access,
    { hostKey: getHostKey(url), limit: getMaxRequestsPerHost(definition), pause },
    async (host) => {
      await access.hosts.recordRequestStart(host, pause);
      return fetch();
    },
  );
}

/** @throws Unacceptable when no request to the host is possible soon */
export async function requestInTurn<T>(
  { hosts, slots }: HostAccess,
  { hostKey, limit, pause }: RequestTerms,
  request: (host: Host) => Promise<T>,
): Promise<T> {
  if (hosts.get(hostKey).paused) throw new Unacceptable(`the host ${hostKey} is paused; resume it to view its pages`);
  const host = await slots.claimHost(hostKey, limit);
  if (!host)
    throw new Unacceptable(
      `no request may be sent to the host ${hostKey} within 30 seconds: it is backing off or has a long crawl delay`,
    );
  try {
    return await request(host);
  } finally {
    hosts.releaseAfterRequest(host, pause);
  }
}

export interface HostServices extends Pick<Ports, 'store' | 'clock' | 'partitions'>, HostAccess {}

/**
 * Runs `work` with the state of the host. If the host belongs to another node, only what that node has saved is known,
 * and it is not overwritten.
 */
export async function withHosts<T>(
  { store, clock, partitions, hosts, slots }: HostServices,
  hostKey: string,
  work: (access: HostAccess) => Promise<T>,
): Promise<T> {
  if (partitions.owns(hostKey)) return work({ hosts, slots });
  const temporaryHosts = new Hosts(
    { loadHosts: (keys) => store.loadHosts(keys), saveHosts: async () => undefined },
    clock,
  );
  try {
    return await work({ hosts: temporaryHosts, slots: new HostSlots(temporaryHosts, clock) });
  } finally {
    temporaryHosts.close();
  }
}
