/** The elements that say when and how fast hosts are crawled. */
import * as t from '../value-types.js';
import { attribute, createElementFactory } from './spec.js';

const element = createElementFactory('cw');

export const SCHEDULE = element(
  'Schedule',
  'When and how fast hosts are crawled (docs/schedules.md). If there are several, the first one that covers the host applies.',
  {
    hosts: attribute(t.hostNames, 'Hosts, including their subdomains. Default: all.'),
    timeZone: attribute(t.timeZone, 'Time zone of the windows.', { default: 'UTC' }),
    outside: attribute(
      t.enumeration(['rest', 'crawl']),
      'Whether the hosts are crawled as usual outside all Windows, or not at all.',
      { default: 'rest' },
    ),
    maxBytesPerS: attribute(
      t.integer(1),
      'Maximum long-term data rate from all hosts of the schedule in total. Default: no limit.',
      { unit: 'bytes per second' },
    ),
  },
  { children: ['Window'] },
);

export const WINDOW = element(
  'Window',
  'A time of the week. If several contain the current time, the first one applies. If a Schedule has none, its hosts are crawled at all times.',
  {
    days: attribute(t.weekDays, 'Days on which the window begins.', { default: 'mon-sun' }),
    from: attribute(t.timeOfDay, 'Time at which the window begins.', { default: '00:00' }),
    to: attribute(
      t.timeOfDay,
      'Time at which the window ends; if it is earlier than `from`, the window ends on the next day.',
      {
        default: '24:00',
      },
    ),
    crawl: attribute(t.boolean, 'Off: the hosts are not crawled.', { default: 'true' }),
    throttleTimeMS: attribute(
      t.durationMs(),
      'Minimum pause between two requests to one web server; a longer one set by the crawler, a condition or robots.txt takes precedence.',
      { unit: 'ms' },
    ),
    maxBytesPerS: attribute(t.integer(1), 'Maximum data rate during the window; replaces the limit of the Schedule.', {
      unit: 'bytes per second',
    }),
  },
);
