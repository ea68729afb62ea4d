/**
 * Visits of pages before they are due, to find out whether an answer is to be believed. A host whose answers alternate raises
 * the same questions again and again. It is left alone for a while once its pages have been visited several times each, and
 * then all of them are visited at about the same time again, because only such answers can be compared.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import { toImmediateQueuePlace } from '../../../domain/frontier/sources.js';
import { after, atMost, type Duration, hours, type Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { UrlDecisions } from '../outcome/url-decisions.js';

const MAX_HOSTS = 1_000;
const MAX_PAGES = 10_000;
/** Time within which the visits of a host are counted. */
const PERIOD: Duration = hours(1);
/** How many extra visits a host gets in that time for each page visited, and how many it gets however few its pages are. */
const MAX_VISITS_PER_PAGE = 12;
const MIN_VISITS = 60;
/** How long a host is left alone; twice as long as the last time if that was no help. */
const FIRST_REST: Duration = hours(1);
const MAX_REST: Duration = hours(6);

interface Period {
  readonly startedAt: Instant;
  /** How long the host is left alone if there are too many visits. */
  readonly rest: Duration;
  restsUntil?: Instant;
  visits: number;
  readonly pages: Set<UrlId>;
}

export class ExtraVisits {
  private readonly hosts = new BoundedMap<string, Period>(MAX_HOSTS);

  constructor(
    private readonly clock: Clock,
    private readonly decisions: Pick<UrlDecisions, 'requeue'>,
  ) {}

  /** Visits the page next, or when its host has rested; false if it is in flight or its host belongs to another node. */
  readonly schedule = async (page: UrlState): Promise<boolean> => {
    const now = this.clock.now();
    const period = this.findPeriod(page.hostKey, now);
    const isScheduled = await this.decisions.requeue(page, toImmediateQueuePlace(page, period.restsUntil ?? now));
    if (!isScheduled || period.restsUntil !== undefined) return isScheduled;
    period.visits++;
    if (period.pages.size < MAX_PAGES) period.pages.add(page.id);
    if (period.visits >= Math.max(MIN_VISITS, MAX_VISITS_PER_PAGE * period.pages.size))
      period.restsUntil = after(now, period.rest);
    return isScheduled;
  };

  private findPeriod(hostKey: string, now: Instant): Period {
    const last = this.hosts.get(hostKey);
    const end = last && (last.restsUntil ?? after(last.startedAt, PERIOD));
    if (end !== undefined && now < end) return last!;
    const isRestless = last?.restsUntil !== undefined && now < after(last.restsUntil, PERIOD);
    const rest = isRestless ? atMost((2 * last.rest) as Duration, MAX_REST) : FIRST_REST;
    const period: Period = { startedAt: now, rest, visits: 0, pages: new Set() };
    this.hosts.set(hostKey, period);
    return period;
  }
}
