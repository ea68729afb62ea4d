/**
 * The gates of one crawler: its schedules, and the groups of hosts that share a pause (`cw:Schedule`, `politenessBy`).
 */
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { findSchedule } from '../../../domain/time/crawl-hours.js';
import { type Duration, type Instant, milliseconds } from '../../../domain/time/units.js';
import type { Clock, CronSchedule } from '../../ports/clock.js';
import type { Host } from '../hosts/hosts.js';
import { GroupGate, type PolitenessGroup, type PolitenessGroups, UNKNOWN_GROUP } from '../hosts/politeness-groups.js';
import type { Gate, GatedWindow } from './gate.js';
import { Timetable } from './timetable.js';

type GateDefinition = Pick<CrawlerDefinition, 'schedules' | 'politenessBy'>;

interface GateServices {
  readonly clock: Clock;
  readonly cron: CronSchedule;
  readonly groups: PolitenessGroups;
}

/** A window whose gates are assigned by Gates. */
interface Gateable extends GatedWindow {
  gates: readonly Gate[];
}

const NO_GATES: readonly Gate[] = [];
const NO_PAUSE = milliseconds(0);

export class Gates {
  private timetables: readonly Timetable[] = [];
  private politenessBy: CrawlerDefinition['politenessBy'] = 'host';
  private groupGates = new WeakMap<PolitenessGroup, GroupGate>();
  /** The gates that visits in flight have passed. */
  private readonly passedGates = new Map<UrlState, readonly Gate[]>();
  private offer: (window: GatedWindow) => void = () => undefined;

  constructor(
    private readonly services: GateServices,
    definition: GateDefinition,
  ) {
    this.configure(definition);
  }

  /** @param offer puts a window into the ready queues if its host may receive a request */
  setOfferHandler(offer: (window: GatedWindow) => void): void {
    this.offer = offer;
  }

  /** Replaces the gates; the frontier must then call `assign` for each of its windows. */
  configure({ schedules = [], politenessBy }: GateDefinition): void {
    this.close();
    this.timetables = schedules.map(
      (schedule) => new Timetable(schedule, this.services, (window) => this.offer(window)),
    );
    this.politenessBy = politenessBy;
  }

  assign(window: Gateable): void {
    if (this.timetables.length === 0 && this.politenessBy === 'host') {
      window.gates = NO_GATES;
      return;
    }
    const timetable = this.findTimetable(window.host.key);
    const group = this.findGroupGate(window);
    window.gates = [...(timetable ? [timetable] : []), ...(group ? [group] : [])];
  }

  /** To be called when a visit of a URL in the window has begun. */
  noteVisitStarted(url: UrlState, window: Gateable): void {
    const { gates } = window;
    if (gates.length === 0) return;
    this.passedGates.set(url, gates);
    for (const gate of gates) gate.onVisitStarted();
    const needsLookup = (): boolean =>
      this.services.groups.findByKnownAddress(getHostname(window.host.key)).needsLookup;
    if (this.politenessBy === 'address' && needsLookup()) this.assign(window);
  }

  /** To be called when the visit's requests have ended and the host's pause is known. */
  noteFetched(url: UrlState, host: Host, bytes: number, ownPause: Duration): void {
    if (this.passedGates.size === 0) return;
    const gates = this.passedGates.get(url) ?? NO_GATES;
    this.passedGates.delete(url);
    for (const gate of gates) gate.onFetched(host, bytes, ownPause);
  }

  /** The minimum pause that a schedule requires at the host now. */
  getThrottle(hostKey: string): Duration {
    return this.findTimetable(hostKey)?.getThrottle(this.services.clock.now()) ?? NO_PAUSE;
  }

  /** The time until which a schedule keeps the host closed; undefined if none does. */
  findReopeningTime(hostKey: string, now: Instant): Instant | undefined {
    return this.findTimetable(hostKey)?.getReopeningTime(now);
  }

  /** True if a schedule alone has delayed the visit of a URL due at `dueAt`, and this is the first opening since. */
  wasHeldBackUntilNow(hostKey: string, dueAt: Instant, now: Instant): boolean {
    return this.findTimetable(hostKey)?.isFirstOpening(dueAt, now) ?? false;
  }

  close(): void {
    for (const timetable of this.timetables) timetable.close();
  }

  private findTimetable(hostKey: string): Timetable | undefined {
    if (this.timetables.length === 0) return undefined;
    const schedules = this.timetables.map(({ definition }) => definition);
    const schedule = findSchedule(schedules, getHostname(hostKey));
    return schedule && this.timetables[schedules.indexOf(schedule)];
  }

  private findGroupGate(window: Gateable): Gate | undefined {
    const { groups } = this.services;
    const hostname = getHostname(window.host.key);
    if (this.politenessBy === 'host') return undefined;
    if (this.politenessBy === 'domain') return this.findDomainGate(window, hostname);
    const { group, isKnown, needsLookup } = groups.findByKnownAddress(hostname);
    if (needsLookup) void groups.lookUp(hostname).then(() => this.reassign(window));
    if (!isKnown) return UNKNOWN_GROUP;
    return group && this.findOrCreateGate(group);
  }

  private findDomainGate(window: Gateable, hostname: string): Gate {
    const group = this.services.groups.findByDomain(hostname);
    if (group) return this.findOrCreateGate(group);
    void this.services.groups.ensureDomainsLoaded().then(() => this.reassign(window));
    return UNKNOWN_GROUP;
  }

  private reassign(window: Gateable): void {
    this.assign(window);
    this.offer(window);
  }

  private findOrCreateGate(group: PolitenessGroup): GroupGate {
    const existing = this.groupGates.get(group);
    if (existing) return existing;
    const gate = new GroupGate(group, (window) => this.offer(window));
    this.groupGates.set(group, gate);
    return gate;
  }
}

/** The host name without its port; an IPv6 address without brackets. */
const getHostname = (hostKey: string): string => hostKey.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
