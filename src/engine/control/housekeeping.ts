import { REFRESH as REFRESH_SOURCE } from '../../domain/frontier/sources.js';
import { after, atLeast, before, type Duration, days, hours, milliseconds } from '../../domain/time/units.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { Usage } from '../crawl/load/usage.js';
import type { PageTexts } from '../crawl/outcome/page-texts.js';
import type { Ports } from '../ports/ports.js';
import type { Roots } from './roots.js';

const MAX_LEDGER_AGE = days(30);
const MAX_LEDGER_ENTRIES = 1_000_000;
const PRUNE_INTERVAL = hours(1);
/** Name of the setting with the latest time at which a server was at work. */
const CLOCK_SETTING = 'clock';
const CLOCK_TOLERANCE = hours(1);

export interface HousekeepingServices extends Pick<Ports, 'clock' | 'store' | 'log' | 'partitions'> {
  readonly usage: Pick<Usage, 'prune'>;
  readonly texts: Pick<PageTexts, 'prune'>;
}

/** Regular tasks that one node performs for all: pruning the ledger and maintaining the roots. */
export class Housekeeping {
  private readonly timers = new Map<string, () => void>();

  constructor(
    private readonly services: HousekeepingServices,
    private readonly roots: Roots,
    private readonly crawlers: Pick<Crawlers, 'list'>,
  ) {}

  async start(): Promise<void> {
    const { store, clock, log } = this.services;
    if (await this.noteTime())
      log.warn(
        'the clock of this machine is behind the time of earlier visits; if it is still in an hour, it was wrong then, and these pages are visited again',
      );
    this.repeat(
      'comparing the clock',
      () => CLOCK_TOLERANCE,
      async () => {
        if (await this.noteTime()) await this.forgetFuture();
      },
    );
    this.repeat(
      'pruning the ledger',
      () => PRUNE_INTERVAL,
      async () => {
        await store.pruneOrders(before(clock.now(), MAX_LEDGER_AGE), MAX_LEDGER_ENTRIES);
      },
    );
    this.repeat(
      'forgetting old usage',
      () => days(1),
      () => this.services.usage.prune(),
    );
    this.repeat(
      'forgetting old texts',
      () => days(1),
      () =>
        this.services.texts.prune(
          (name) => this.crawlers.list().find((crawler) => crawler.name === name)?.context.definition.keepTexts,
        ),
    );
    // A root is submitted permanently: if its status becomes removed after too many errors, it is submitted again, as
    // often as pages are refreshed. Otherwise one bad week of a site would end its crawl for good.
    this.repeat(
      'maintaining the roots',
      () => this.computeRootCheckInterval(),
      async () => {
        for (const crawler of this.crawlers.list()) await this.roots.admitRoots(crawler);
      },
    );
  }

  stop(): void {
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
  }

  /** Stores the time, unless the stored one is well ahead of it; then returns true. */
  async noteTime(): Promise<boolean> {
    const { store, clock } = this.services;
    const stored = Number((await store.getSetting(CLOCK_SETTING)) ?? 0);
    if (stored > after(clock.now(), CLOCK_TOLERANCE)) return true;
    await store.putSetting(CLOCK_SETTING, String(clock.now()));
    return false;
  }

  /** What was visited or found while the clock was ahead would otherwise not be visited until that time has come. */
  private async forgetFuture(): Promise<void> {
    const { store, clock, log } = this.services;
    const now = clock.now();
    let count = 0;
    for (const crawler of this.crawlers.list()) {
      for (const filter of [{ visitedSince: now }, { status: 'waiting' as const }])
        count += await store.makeDue({ ...filter, crawler: crawler.name }, now, REFRESH_SOURCE);
      await crawler.sweep(now);
    }
    await store.putSetting(CLOCK_SETTING, String(now));
    log.warn('the clock of this machine was ahead; the pages visited meanwhile are due now', { count });
  }

  private repeat(name: string, interval: () => Duration, work: () => Promise<void>): void {
    const { clock, log, partitions } = this.services;
    const cancel = clock.at(after(clock.now(), interval()), () => {
      if (partitions.isLeader) work().catch((error: unknown) => log.warn(`${name} failed`, { error: String(error) }));
      this.repeat(name, interval, work);
    });
    this.timers.set(name, cancel);
  }

  private computeRootCheckInterval(): Duration {
    const ages = this.crawlers.list().map((crawler) => crawler.context.definition.refresh.maximumAge);
    return atLeast(milliseconds(Math.min(days(1), ...ages)), hours(1));
  }
}
