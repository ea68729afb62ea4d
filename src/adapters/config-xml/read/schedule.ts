import type { ScheduleDefinition, WindowDefinition } from '../../../domain/crawl/schedule-definition.js';
import { findValidChildren, type Node } from '../interpret.js';
import { SCHEDULE, WINDOW } from '../schema/schedule.js';
import type { ReadContext } from './context.js';

type Schedules = { readonly schedules?: readonly ScheduleDefinition[] };

export function readSchedules(crawler: Node, { problems }: ReadContext): Schedules {
  const schedules = findValidChildren(crawler, SCHEDULE).map((node): ScheduleDefinition => {
    const { hosts = [], timeZone, outside, maxBytesPerS } = node.values;
    const windows = findValidChildren(node as Node, WINDOW).map(({ values, place }): WindowDefinition => {
      const { days, from, to, crawl, throttleTimeMS: throttle, maxBytesPerS: maxBytesPerSecond } = values;
      if (from === to)
        problems.add('bad-range', 'from and to of this Window are the same time: omit both for a whole day', place);
      return {
        days,
        from,
        to,
        crawl,
        ...(throttle === undefined ? {} : { throttle }),
        ...(maxBytesPerSecond === undefined ? {} : { bytesPerSecond: maxBytesPerSecond }),
      };
    });
    if (windows.length > 0 && outside === 'rest' && windows.every(({ crawl }) => !crawl)) {
      const message =
        'this Schedule never lets its hosts be crawled: add a Window with crawl="true", or write outside="crawl"';
      problems.add('no-effect', message, node.place);
    }
    return {
      hosts,
      timeZone,
      outside,
      windows,
      ...(maxBytesPerS === undefined ? {} : { bytesPerSecond: maxBytesPerS }),
    };
  });
  return schedules.length === 0 ? {} : { schedules };
}
