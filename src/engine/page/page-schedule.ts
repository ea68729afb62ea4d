import type { Verdict } from '../../domain/policy/verdict.js';
import type { PageSchedule } from '../ports/page-task.js';

/** What the verdict on a URL says of the times of its visits. */
export function scheduleOf(verdict: Verdict): PageSchedule {
  const { options, period, maxNetworkErrors, networkErrorDelay, priorityShift } = verdict.effects;
  return {
    period,
    refreshMinimumAge: options.refreshMinimumAge,
    refreshMaximumAge: options.refreshMaximumAge,
    errorExpiry: options.errorExpiry,
    maxTemporaryErrors: maxNetworkErrors,
    retryDelay: networkErrorDelay,
    // A step of priority, -2 the highest, counts twice.
    importance: (options.weight ?? 1) * 2 ** -priorityShift,
  };
}
