import type { Hosts } from '../crawl/hosts/hosts.js';
import type { RobotsGate } from '../crawl/hosts/robots-gate.js';
import type { SiteHealth } from '../crawl/hosts/site-health.js';
import type { HostView } from '../views/host-views.js';

/** Facts known only to the node that crawls a host: the results of the latest visits, and robots.txt. */
export type HostNote = Pick<
  HostView,
  'hostKey' | 'slowPages' | 'crawlDelay' | 'pauseCause' | 'successShare' | 'errorClasses' | 'averageLatency' | 'robots'
>;

export class HostNotes {
  constructor(
    private readonly robots: Pick<RobotsGate, 'findEntry'>,
    private readonly health: Pick<SiteHealth, 'get'>,
    private readonly hosts: Pick<Hosts, 'peek'>,
  ) {}

  get(hostKey: string): HostNote {
    const robots = this.robots.findEntry(`https://${hostKey}`) ?? this.robots.findEntry(`http://${hostKey}`);
    const host = this.hosts.peek(hostKey);
    return {
      hostKey,
      ...this.health.get(hostKey),
      slowPages: host?.slowPages,
      ...(host?.lastPause ? { crawlDelay: host.lastPause.length, pauseCause: host.lastPause.cause } : {}),
      robots: robots && {
        state: robots.policy.state,
        fetchedAt: robots.policy.fetchedAt,
        status: robots.status,
        text: robots.text,
      },
    };
  }
}
