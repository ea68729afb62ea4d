/** The elements that say when, how fast and how much is crawled. */
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
      { default: '24:00' },
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

export const QUOTA = element(
  'Quota',
  'What crawlers may use, each of them or several together (docs/operations.md). A crawler that several quotas cover is limited by all of them.',
  {
    name: attribute(t.name, 'Name, as in messages and metrics.', { required: true }),
    maxUrls: attribute(
      t.integer(1),
      'Maximum number of stored URLs: links to further ones are refused. Default: no limit.',
    ),
    maxDocuments: attribute(
      t.integer(1),
      'Maximum number of documents in the index: further pages are not indexed; those in the index are kept current. Default: no limit.',
    ),
    maxBytesPerDay: attribute(
      t.integer(1),
      'Maximum number of bytes received per day (UTC): no further page is fetched on the same day. Default: no limit.',
      { unit: 'bytes per day' },
    ),
    maxRenderMinutesPerDay: attribute(
      t.integer(1),
      'Maximum time for rendering pages per day (UTC): pages that have to be rendered wait for the next day. Default: no limit.',
      { unit: 'minutes per day' },
    ),
  },
  { children: ['Covers'] },
);

export const COVERS = element('Covers', 'A crawler that shares the quota. Default: all crawlers share it.', {
  crawler: attribute(t.name, 'Name of a Crawler.', { required: true }),
});
