/**
 * Hosts that share a pause because they have the same IP address or registrable domain: many names on one server
 * receive no more requests than a single one. Groups are shared by the crawlers that use them (`politenessBy`) and kept
 * in memory only, since each host keeps its own pause across restarts.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { after, type Duration, earlier, type Instant, instant, minutes, NEVER } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import { type Gate, type GatedWindow, WaitingWindows } from '../frontier/gate.js';
import type { Host } from './hosts.js';

const MAX_GROUPS = 50_000;
/** Maximum number of names being looked up at once. */
const MAX_LOOKUPS = 32;
/** How long a name's address is assumed to stay the same. */
const ADDRESS_LIFETIME = minutes(30);
const MAX_LOOKUP_TIME = minutes(1);

/** Loads the function that returns a host name's registrable domain, if it has one. */
export type LoadDomains = () => Promise<DomainOf>;
type DomainOf = (hostname: string) => string | undefined;
type Offer = (window: GatedWindow) => void;

export class PolitenessGroup {
  activeRequests = 0;
  nextRequestAt: Instant = instant(0);
  /** Gates that have windows waiting. */
  readonly gates = new Set<GroupGate>();
  private timerAt: Instant | undefined;

  constructor(
    readonly key: string,
    /** Whether its hosts belong to one registrable domain. */
    private readonly hasOneOwner: boolean,
    private readonly clock: Clock,
  ) {}

  /**
   * Applies the pause that follows a request to one of its hosts to the whole group: of hosts with one owner, all of it;
   * of others, only that of the crawl, since what one of them asks for or takes is not to delay its neighbours.
   */
  onFetched({ politeness }: Host, ownPause: Duration): void {
    this.activeRequests--;
    const { nextRequestAt } = politeness;
    const until = this.hasOneOwner ? nextRequestAt : earlier(nextRequestAt, after(this.clock.now(), ownPause));
    if (until > this.nextRequestAt) this.nextRequestAt = until;
    this.offerNext();
  }

  offerNext(): void {
    const now = this.clock.now();
    if (this.nextRequestAt <= now) {
      for (const gate of this.gates) gate.offerNext();
      return;
    }
    if (this.timerAt === this.nextRequestAt || this.gates.size === 0) return;
    const at = this.nextRequestAt;
    this.timerAt = at;
    this.clock.at(at, () => {
      if (this.timerAt === at) this.timerAt = undefined;
      this.offerNext();
    });
  }
}

/** One crawler's access to a group. */
export class GroupGate implements Gate {
  private readonly waitingWindows: WaitingWindows;

  constructor(
    readonly group: PolitenessGroup,
    offer: Offer,
  ) {
    this.waitingWindows = new WaitingWindows(offer);
  }

  getOpeningTime(_now: Instant, { limit }: GatedWindow): Instant {
    return this.group.activeRequests >= limit ? NEVER : this.group.nextRequestAt;
  }

  offerWhenOpen(window: GatedWindow): void {
    this.waitingWindows.add(window);
    this.group.gates.add(this);
    if (this.group.activeRequests === 0) this.group.offerNext();
  }

  onVisitStarted(): void {
    this.group.activeRequests++;
  }

  onPassedOver(): void {
    if (this.group.activeRequests === 0) this.group.offerNext();
  }

  onFetched(host: Host, _bytes: number, ownPause: Duration): void {
    this.group.onFetched(host, ownPause);
  }

  /** Offers one window; the next one is offered when its visit has ended. */
  offerNext(): void {
    this.waitingWindows.release(1);
    if (this.waitingWindows.size === 0) this.group.gates.delete(this);
  }
}

/**
 * The gate of a host whose group is not known yet: no request is sent until its address, or the list of domains, is
 * available.
 */
export const UNKNOWN_GROUP: Gate = {
  getOpeningTime: () => NEVER,
  offerWhenOpen: () => {},
  onVisitStarted: () => {},
  onPassedOver: () => {},
  onFetched: () => {},
};

export class PolitenessGroups {
  private readonly groups = new Map<string, PolitenessGroup>();
  private readonly addresses = new BoundedMap<string, { readonly key: string | undefined; readonly until: Instant }>(
    MAX_GROUPS,
  );
  private readonly queue: (() => Promise<void>)[] = [];
  private lookupsInFlight = 0;
  private domainOf: DomainOf | undefined;

  /** @param resolve returns the address of a host name, if it has one */
  constructor(
    private readonly clock: Clock,
    private readonly resolve: (hostname: string) => Promise<string | undefined>,
    private readonly loadDomains: LoadDomains,
  ) {}

  /** Returns undefined until `ensureDomainsLoaded` has resolved. */
  findByDomain(hostname: string): PolitenessGroup | undefined {
    return this.domainOf && this.findOrCreate(`domain ${this.domainOf(hostname) ?? hostname}`, true);
  }

  async ensureDomainsLoaded(): Promise<void> {
    this.domainOf ??= await this.loadDomains();
  }

  /**
   * Returns what is known about the host's address, including that it has none; `needsLookup` is true if it has to be looked
   * up.
   */
  findByKnownAddress(hostname: string): { group?: PolitenessGroup; isKnown: boolean; needsLookup: boolean } {
    const entry = this.addresses.get(hostname);
    const needsLookup = entry === undefined || entry.until <= this.clock.now();
    const group = entry?.key === undefined ? undefined : this.findOrCreate(entry.key, false);
    return { ...(group ? { group } : {}), isKnown: entry !== undefined, needsLookup };
  }

  /** Resolves when the address is known or cannot be found. */
  lookUp(hostname: string): Promise<void> {
    const entry = this.addresses.get(hostname);
    // Only one lookup of a name is in flight at a time.
    if (entry) this.addresses.set(hostname, { ...entry, until: after(this.clock.now(), MAX_LOOKUP_TIME) });
    return new Promise((resolve) => {
      this.queue.push(async () => {
        const address = await this.resolve(hostname).catch(() => undefined);
        const until = after(this.clock.now(), ADDRESS_LIFETIME);
        this.addresses.set(hostname, { key: address && `address ${toNetwork(address)}`, until });
        resolve();
      });
      this.startLookUps();
    });
  }

  private startLookUps(): void {
    while (this.lookupsInFlight < MAX_LOOKUPS) {
      const lookUp = this.queue.shift();
      if (!lookUp) return;
      this.lookupsInFlight++;
      void lookUp().finally(() => {
        this.lookupsInFlight--;
        this.startLookUps();
      });
    }
  }

  private findOrCreate(key: string, hasOneOwner: boolean): PolitenessGroup {
    let group = this.groups.get(key);
    if (group) return group;
    if (this.groups.size >= MAX_GROUPS) this.forgetIdle();
    group = new PolitenessGroup(key, hasOneOwner, this.clock);
    this.groups.set(key, group);
    return group;
  }

  private forgetIdle(): void {
    const now = this.clock.now();
    for (const [key, { activeRequests, gates, nextRequestAt }] of this.groups)
      if (activeRequests === 0 && gates.size === 0 && nextRequestAt <= now) this.groups.delete(key);
  }
}

/** One customer usually has a whole IPv6 /64 network. */
function toNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::', 2);
  const leading = head === '' ? [] : head.split(':');
  const trailing = tail ? tail.split(':') : [];
  const missingCount = tail === undefined ? 0 : Math.max(0, 8 - leading.length - trailing.length);
  const groups = [...leading, ...Array.from({ length: missingCount }, () => '0'), ...trailing];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
