/**
 * Hosts that share a pause because they have the same IP address or registrable domain: many names on one server
 * receive no more requests than a single one. Groups are shared by the crawlers that use them (`politenessBy`) and kept
 * in memory only, since each host keeps its own pause across restarts.
 */
import { after, type Instant, instant, minutes, NEVER } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import { type Gate, type GatedWindow, WaitingWindows } from '../frontier/gate.js';
import type { Host } from './hosts.js';

const MOST_GROUPS = 50_000;
/** Maximum number of names being looked up at once. */
const MOST_LOOKUPS = 32;
/** How long a name's address is assumed to stay the same. */
const ADDRESS_HOLDS = minutes(30);
const LONGEST_LOOKUP = minutes(1);

/** Loads the function that returns a host name's registrable domain, if it has one. */
export type LoadDomains = () => Promise<DomainOf>;
type DomainOf = (hostname: string) => string | undefined;
type Offer = (window: GatedWindow) => void;

export class PolitenessGroup {
  active = 0;
  nextRequestAt: Instant = instant(0);
  /** Gates that have windows waiting. */
  readonly gates = new Set<GroupGate>();
  private timerAt: Instant | undefined;

  constructor(
    readonly key: string,
    private readonly clock: Clock,
  ) {}

  /** The group takes over the pause that follows a request to one of its hosts. */
  onFetched({ politeness }: Host): void {
    this.active--;
    if (politeness.nextRequestAt > this.nextRequestAt) this.nextRequestAt = politeness.nextRequestAt;
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
  private readonly waiting: WaitingWindows;

  constructor(
    readonly group: PolitenessGroup,
    offer: Offer,
  ) {
    this.waiting = new WaitingWindows(offer);
  }

  getOpeningTime(_now: Instant, { limit }: GatedWindow): Instant {
    return this.group.active >= limit ? NEVER : this.group.nextRequestAt;
  }

  offerWhenOpen(window: GatedWindow): void {
    this.waiting.add(window);
    this.group.gates.add(this);
    if (this.group.active === 0) this.group.offerNext();
  }

  onVisitStarted(): void {
    this.group.active++;
  }

  onPassedOver(): void {
    if (this.group.active === 0) this.group.offerNext();
  }

  onFetched(host: Host): void {
    this.group.onFetched(host);
  }

  /** Offers one window; the next one is offered when its visit has ended. */
  offerNext(): void {
    this.waiting.release(1);
    if (this.waiting.size === 0) this.group.gates.delete(this);
  }
}

/**
 * For a host whose group is not known yet: no request is sent until its address, or the list of domains, is available.
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
  private readonly addresses = new Map<string, { readonly key: string | undefined; readonly until: Instant }>();
  private readonly queue: (() => Promise<void>)[] = [];
  private lookups = 0;
  private domainOf: DomainOf | undefined;

  /** @param resolve returns the address of a host name, if it has one */
  constructor(
    private readonly clock: Clock,
    private readonly resolve: (hostname: string) => Promise<string | undefined>,
    private readonly loadDomains: LoadDomains,
  ) {}

  /** Undefined until `ensureDomainsLoaded` has resolved. */
  findByDomain(hostname: string): PolitenessGroup | undefined {
    return this.domainOf && this.findOrCreate(`domain ${this.domainOf(hostname) ?? hostname}`);
  }

  async ensureDomainsLoaded(): Promise<void> {
    this.domainOf ??= await this.loadDomains();
  }

  /** What is known about the host's address, including that it has none; `isDue` if it has to be looked up. */
  findByKnownAddress(hostname: string): { group?: PolitenessGroup; isKnown: boolean; isDue: boolean } {
    const known = this.addresses.get(hostname);
    const isDue = known === undefined || known.until <= this.clock.now();
    const group = known?.key === undefined ? undefined : this.findOrCreate(known.key);
    return { ...(group ? { group } : {}), isKnown: known !== undefined, isDue };
  }

  /** Resolves when the address is known or cannot be found. */
  lookUp(hostname: string): Promise<void> {
    const known = this.addresses.get(hostname);
    // Only one lookup of a name is in flight at a time.
    if (known) this.addresses.set(hostname, { ...known, until: after(this.clock.now(), LONGEST_LOOKUP) });
    return new Promise((resolve) => {
      this.queue.push(async () => {
        const address = await this.resolve(hostname).catch(() => undefined);
        const until = after(this.clock.now(), ADDRESS_HOLDS);
        if (this.addresses.size >= MOST_GROUPS) this.addresses.clear();
        this.addresses.set(hostname, { key: address && `address ${toNetwork(address)}`, until });
        resolve();
      });
      this.startLookUps();
    });
  }

  private startLookUps(): void {
    while (this.lookups < MOST_LOOKUPS) {
      const next = this.queue.shift();
      if (!next) return;
      this.lookups++;
      void next().finally(() => {
        this.lookups--;
        this.startLookUps();
      });
    }
  }

  private findOrCreate(key: string): PolitenessGroup {
    let group = this.groups.get(key);
    if (group) return group;
    if (this.groups.size >= MOST_GROUPS) this.forgetIdle();
    group = new PolitenessGroup(key, this.clock);
    this.groups.set(key, group);
    return group;
  }

  private forgetIdle(): void {
    const now = this.clock.now();
    for (const [key, { active, gates, nextRequestAt }] of this.groups)
      if (active === 0 && gates.size === 0 && nextRequestAt <= now) this.groups.delete(key);
  }
}

/** One customer usually has a whole IPv6 /64 network. */
function toNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - behind.length);
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...behind];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
