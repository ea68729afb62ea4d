/** Determines how a visit affects the times of later visits. */
import type { Effects } from '../../domain/policy/verdict.js';
import { type Instant, milliseconds } from '../../domain/time/units.js';
import type { PageSchedule } from '../ports/page-task.js';
import { findCanonicalForm, type JudgedUrl } from './judged-url.js';

/** Extracts from the effects of a verdict what affects the times of its visits. */
export function toPageSchedule(effects: Effects): PageSchedule {
  const { options, period, maxNetworkErrors, networkErrorDelay, priorityShift } = effects;
  return {
    period,
    refreshMinimumAge: options.refreshMinimumAge,
    refreshMaximumAge: options.refreshMaximumAge,
    errorExpiry: options.errorExpiry,
    maxTemporaryErrors: maxNetworkErrors,
    retryDelay: networkErrorDelay,
    // Each step of priority, up to -2 (the highest), doubles the importance.
    importance: (options.weight ?? 1) * 2 ** -priorityShift,
  };
}

/** A document that gives way to another URL is visited again as soon as the minimum age allows. */
export function toVisitSchedule(page: JudgedUrl, unavailableAfter: Instant | undefined): PageSchedule {
  const schedule = limitToAvailability(page, toPageSchedule(page.effects), unavailableAfter);
  if (page.task.stamp === undefined || findCanonicalForm(page) === undefined) return schedule;
  return { ...schedule, period: page.context.definition.refresh.minimumAge };
}

/** A page that is available only until a certain time is visited again then, so that its document is deleted. */
function limitToAvailability(
  { task, context }: JudgedUrl,
  schedule: PageSchedule,
  unavailableAfter: Instant | undefined,
): PageSchedule {
  const remaining = unavailableAfter === undefined ? 0 : unavailableAfter - task.now;
  const { refreshMaximumAge = context.definition.refresh.maximumAge } = schedule;
  if (remaining <= 0 || remaining >= refreshMaximumAge) return schedule;
  return { ...schedule, period: undefined, refreshMaximumAge: milliseconds(remaining) };
}
