/** Requests that a person makes: delay, back-off and pause of the host apply to them, too. */
import type { CrawlerDefinition } from '../../domain/crawl/definition.js';
import { maxRequestsPerHost } from '../../domain/politeness/politeness.js';
import { type Duration } from '../../domain/time/units.js';
import { type CrawlUrl, hostKey } from '../../domain/url/crawl-url.js';
import { HostSlots } from '../crawl/hosts/host-slots.js';
import { type Host, Hosts } from '../crawl/hosts/hosts.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import type { Partitions } from '../ports/partitions.js';
import { Unacceptable } from '../support/api-errors.js';

export interface HostsHere {
  readonly hosts: Hosts;
  readonly slots: Pick<HostSlots, 'take'>;
}

interface Asked {
  readonly hostKey: string;
  /** Requests that it may have in flight. */
  readonly limit: number;
  /** The pause that follows. */
  readonly pause: Duration;
}

/**
 * A page that a person wants, fetched with the politeness of the crawler.
 * @throws Unacceptable when the host cannot be asked soon
 */
export function fetchInTurn<T>(
  here: HostsHere,
  definition: CrawlerDefinition,
  url: CrawlUrl,
  fetch: () => Promise<T>,
): Promise<T> {
  const { throttle: pause } = definition;
  return requestInTurn(here, { hostKey: hostKey(url), limit: maxRequestsPerHost(definition), pause }, async (host) => {
    await here.hosts.recordRequestStart(host, pause);
    return fetch();
  });
}

/** @throws Unacceptable when the host cannot be asked soon */
export async function requestInTurn<T>(
  { hosts, slots }: HostsHere,
  { hostKey, limit, pause }: Asked,
  request: (host: Host) => Promise<T>,
): Promise<T> {
  if (hosts.get(hostKey).paused)
    throw new Unacceptable(`the host ${hostKey} is paused; resume it to look at its pages`);
  const host = await slots.take(hostKey, limit);
  if (!host)
    throw new Unacceptable(
      `the host ${hostKey} may not be contacted within 30 seconds: it is backed off or has a long delay`,
    );
  try {
    return await request(host);
  } finally {
    hosts.releaseAfterRequest(host, pause);
  }
}

export interface HostServices extends HostsHere {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly partitions: Partitions;
}

/** For a host that belongs to another node, only what that node has saved is known, and it is not overwritten. */
export async function useHosts<T>(
  { store, clock, partitions, hosts, slots }: HostServices,
  hostKey: string,
  work: (here: HostsHere) => Promise<T>,
): Promise<T> {
  if (partitions.owns(hostKey)) return work({ hosts, slots });
  const unsaved = new Hosts({ loadHosts: (keys) => store.loadHosts(keys), saveHosts: async () => undefined }, clock);
  try {
    return await work({ hosts: unsaved, slots: new HostSlots(unsaved, clock) });
  } finally {
    unsaved.close();
  }
}
