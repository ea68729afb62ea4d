import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import { type DispositionRules, type VisitSchedule } from '../../../domain/crawl/revisit.js';
import type { Instant } from '../../../domain/time/units.js';
import type { CronSchedule } from '../../ports/clock.js';

/**
 * The rules on which a crawler's dispositions depend.
 * @param schedule what the policy says about visits of the URL
 */
export function toDispositionRules(
  { errors, refresh }: CrawlerDefinition,
  schedule: VisitSchedule,
  nextTime: CronSchedule,
  now: Instant,
): DispositionRules {
  const { cron, timeZone, smart } = refresh;
  return {
    errors,
    refresh,
    schedule,
    nextCron: smart || cron === undefined ? undefined : nextTime(cron, timeZone, now),
  };
}
