/**
 * The gates of one crawler: its schedules, and the groups of hosts that share a pause (`cw:Schedule`, `politenessBy`).
 */
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { findSchedule } from '../../../domain/time/crawl-hours.js';
import { type Duration, type Instant, milliseconds } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { CronSchedule } from '../../ports/cron-schedule.js';
import type { Host } from '../hosts/hosts.js';
import { GroupGate, type PolitenessGroup, type PolitenessGroups, UNKNOWN_GROUP } from '../hosts/politeness-groups.js';
import type { Gate, GatedWindow } from './gate.js';
import { Timetable } from './timetable.js';

interface GateServices {
  readonly clock: Clock;
  readonly cron: CronSchedule;
  readonly groups: PolitenessGroups;
}

/** A window that gets its gates from here. */
interface Gateable extends GatedWindow {
  gates: readonly Gate[];
}

const NONE: readonly Gate[] = [];
const NO_PAUSE = milliseconds(0);

export class Gates {
  private timetables: readonly Timetable[] = [];
  private politenessBy: CrawlerDefinition['politenessBy'] = 'host';
  private groupGates = new WeakMap<PolitenessGroup, GroupGate>();
  /** The gates that visits in flight have passed. */
  private readonly passed = new Map<UrlState, readonly Gate[]>();
  private offer: (window: GatedWindow) => void = () => undefined;

  constructor(private readonly services: GateServices) {}

  /** @param offer puts a window into the ready queues if its host may receive a request */
  setOfferHandler(offer: (window: GatedWindow) => void): void {
    this.offer = offer;
  }

  /** The frontier's windows get the new gates through `assign`. */
  configure({ schedules = [], politenessBy }: Pick<CrawlerDefinition, 'schedules' | 'politenessBy'>): void {
    this.close();
    this.timetables = schedules.map((one) => new Timetable(one, this.services, (window) => this.offer(window)));
    this.politenessBy = politenessBy;
  }

  assign(window: Gateable): void {
    if (this.timetables.length === 0 && this.politenessBy === 'host') {
      window.gates = NONE;
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
    this.passed.set(url, gates);
    for (const gate of gates) gate.onVisitStarted();
    const isDue = (): boolean => this.services.groups.findByKnownAddress(hostnameOf(window.host.key)).isDue;
    if (this.politenessBy === 'address' && isDue()) this.assign(window);
  }

  /** To be called when the visit's requests have ended and the host's pause is known. */
  noteFetched(url: UrlState, host: Host, bytes: number): void {
    if (this.passed.size === 0) return;
    const gates = this.passed.get(url) ?? NONE;
    this.passed.delete(url);
    for (const gate of gates) gate.onFetched(host, bytes);
  }

  /** The minimum pause that a schedule requires at the host now. */
  getThrottle(hostKey: string): Duration {
    return this.findTimetable(hostKey)?.getThrottle(this.services.clock.now()) ?? NO_PAUSE;
  }

  /** The time until which a schedule keeps the host closed; undefined if none does. */
  findReopeningTime(hostKey: string, now: Instant): Instant | undefined {
    return this.findTimetable(hostKey)?.getReopeningTime(now);
  }

  /** Whether a schedule is the only reason why a URL due at `dueAt` is visited now, in the first opening since. */
  wasHeldBackUntilNow(hostKey: string, dueAt: Instant, now: Instant): boolean {
    return this.findTimetable(hostKey)?.isFirstOpening(dueAt, now) ?? false;
  }

  close(): void {
    for (const timetable of this.timetables) timetable.close();
  }

  private findTimetable(hostKey: string): Timetable | undefined {
    if (this.timetables.length === 0) return undefined;
    const schedules = this.timetables.map(({ definition }) => definition);
    const schedule = findSchedule(schedules, hostnameOf(hostKey));
    return schedule && this.timetables[schedules.indexOf(schedule)];
  }

  private findGroupGate(window: Gateable): Gate | undefined {
    const { groups } = this.services;
    const hostname = hostnameOf(window.host.key);
    if (this.politenessBy === 'host') return undefined;
    if (this.politenessBy === 'domain') return this.findDomainGate(window, hostname);
    const { group, isKnown, isDue } = groups.findByKnownAddress(hostname);
    if (isDue) void groups.lookUp(hostname).then(() => this.reassign(window));
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
    const known = this.groupGates.get(group);
    if (known) return known;
    const gate = new GroupGate(group, (window) => this.offer(window));
    this.groupGates.set(group, gate);
    return gate;
  }
}

/** The host name without its port; an IPv6 address without brackets. */
const hostnameOf = (hostKey: string): string => hostKey.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
