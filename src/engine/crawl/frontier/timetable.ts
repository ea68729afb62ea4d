/**
 * One active schedule of a crawler: opens and closes its hosts by the time of the week, and limits the total bytes per
 * second that they send. Bytes are counted when a response has ended; the next page waits until they are within the
 * limit.
 */
import type { ScheduleDefinition } from '../../../domain/crawl/schedule-definition.js';
import { type CrawlHours, findCrawlHours, listChangeTimes } from '../../../domain/time/crawl-hours.js';
import {
  after,
  type Duration,
  type Instant,
  instant,
  milliseconds,
  NEVER,
  seconds,
} from '../../../domain/time/units.js';
import type { Clock, CronSchedule } from '../../ports/clock.js';
import { type Gate, type GatedWindow, WaitingWindows } from './gate.js';

/** Bandwidth left unused during this time may still be used. */
const BANDWIDTH_CREDIT = seconds(1);
/** Number of windows offered at once if bytes are limited: after a page or two, the gate closes again. */
const MAX_OFFERED = 32;
const MIN_WAIT = milliseconds(50);
const MAX_CHANGES = 1_000;

export class Timetable implements Gate {
  private hours: CrawlHours;
  private hoursUntil: Instant;
  private opening: Instant = instant(0);
  /** Until this time, the bytes already received use up the bandwidth. */
  private bandwidthUsedUntil: Instant = instant(0);
  private readonly waitingWindows: WaitingWindows;
  private timerAt: Instant | undefined;
  private cancelTimer: (() => void) | undefined;

  constructor(
    readonly definition: ScheduleDefinition,
    private readonly services: { readonly clock: Clock; readonly cron: CronSchedule },
    offer: (window: GatedWindow) => void,
  ) {
    this.waitingWindows = new WaitingWindows(offer);
    const now = services.clock.now();
    this.hours = findCrawlHours(definition, now);
    this.hoursUntil = now;
  }

  getOpeningTime(now: Instant): Instant {
    const { crawls, bytesPerSecond } = this.getHours(now);
    if (!crawls) return this.opening;
    return bytesPerSecond === undefined ? now : this.bandwidthUsedUntil;
  }

  /** Undefined while the schedule is open, even if the byte limit requires a pause. */
  getReopeningTime(now: Instant): Instant | undefined {
    return this.getHours(now).crawls ? undefined : this.opening;
  }

  /** Whether the schedule was closed at `at` and has not closed again since it next opened. */
  isFirstOpening(at: Instant, now: Instant): boolean {
    if (this.isOpenAt(at)) return false;
    const opening = this.findNextTime(this.findNextChange(at), true);
    return now < this.findNextTime(opening, false);
  }

  getThrottle(now: Instant): Duration {
    return this.getHours(now).throttle;
  }

  offerWhenOpen(window: GatedWindow): void {
    this.waitingWindows.add(window);
    this.setTimer();
  }

  onVisitStarted(): void {}

  onPassedOver(): void {
    if (this.waitingWindows.size > 0) this.releaseWaiting();
  }

  onFetched(_host: unknown, bytes: number): void {
    const now = this.services.clock.now();
    const { bytesPerSecond } = this.getHours(now);
    if (bytesPerSecond === undefined) return;
    const from = Math.max(this.bandwidthUsedUntil, now - BANDWIDTH_CREDIT);
    this.bandwidthUsedUntil = instant(from + (bytes * 1000) / bytesPerSecond);
    if (this.waitingWindows.size > 0) this.releaseWaiting();
  }

  close(): void {
    this.cancelTimer?.();
  }

  private getHours(now: Instant): CrawlHours {
    if (now < this.hoursUntil) return this.hours;
    this.hours = findCrawlHours(this.definition, now);
    this.hoursUntil = this.findNextChange(now);
    this.opening = this.hours.crawls ? now : this.findNextTime(this.hoursUntil, true);
    return this.hours;
  }

  private findNextChange(now: Instant): Instant {
    const { cron } = this.services;
    const nextTimes = listChangeTimes(this.definition).map(
      (time) => cron(time, this.definition.timeZone, now) ?? NEVER,
    );
    return instant(Math.min(NEVER, ...nextTimes));
  }

  private readonly isOpenAt = (at: Instant): boolean => findCrawlHours(this.definition, at).crawls;

  /** Finds the first time, from the given change on, at which the schedule is open or, if `shouldBeOpen` is false, closed. */
  private findNextTime(change: Instant, shouldBeOpen: boolean): Instant {
    let at = change;
    for (let n = 0; n < MAX_CHANGES && at < NEVER; n++) {
      if (this.isOpenAt(at) === shouldBeOpen) return at;
      at = this.findNextChange(at);
    }
    return NEVER;
  }

  private releaseWaiting(): void {
    const now = this.services.clock.now();
    if (this.getOpeningTime(now) <= now)
      this.waitingWindows.release(this.hours.bytesPerSecond === undefined ? Number.POSITIVE_INFINITY : MAX_OFFERED);
    if (this.waitingWindows.size > 0) this.setTimer();
  }

  private setTimer(): void {
    const { clock } = this.services;
    const now = clock.now();
    const opensAt = this.getOpeningTime(now);
    // The gate is open: a visit in flight offers the next windows when it ends.
    if (opensAt <= now || opensAt >= NEVER) return;
    const at = instant(Math.max(opensAt, after(now, MIN_WAIT)));
    if (this.timerAt !== undefined && this.timerAt <= at) return;
    this.cancelTimer?.();
    this.timerAt = at;
    this.cancelTimer = clock.at(at, () => {
      this.timerAt = undefined;
      this.releaseWaiting();
    });
  }
}
