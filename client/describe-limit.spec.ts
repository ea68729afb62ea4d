import { expect, it } from 'vitest';
import { describeLimit } from './describe-limit.js';
import type { LimitDto } from './schema.js';

const NOW = Date.parse('2026-03-02T08:00:00Z');
const hosts = ['a.example', 'b.example'];
const politeness = (nextRequestAt: string): LimitDto => ({ kind: 'politeness', hosts, share: 0.926, nextRequestAt });

it.each<[LimitDto, string]>([
  [{ kind: 'paused' }, 'the crawler is paused'],
  [{ kind: 'stopped' }, 'the crawler is stopped'],
  [{ kind: 'sink-unavailable', sink: 'main' }, 'the sink main is unavailable: no response'],
  [
    { kind: 'sink-unavailable', sink: 'main', message: 'sink main at http://a/ responded with 503' },
    'the sink main is unavailable: http://a/ responded with 503',
  ],
  [{ kind: 'sink-slow' }, 'the sink is slow: the maximum number of orders is in flight'],
  [{ kind: 'database-unavailable', message: 'No space is left' }, 'the database accepts nothing: No space is left'],
  [{ kind: 'database-slow' }, 'the database is slow: the maximum number of pages is waiting for it'],
  [{ kind: 'threads', threads: 8 }, 'all 8 threads are fetching'],
  [{ kind: 'last-pages' }, 'the last due pages are being fetched'],
  [{ kind: 'nothing-due', failing: 0, withheldDeletions: 0 }, 'nothing is due'],
  [
    { kind: 'nothing-due', failing: 1, withheldDeletions: 1 },
    'nothing is due; 1 URL failed and will be retried; 1 deletion or change is held',
  ],
  [
    { kind: 'nothing-due', failing: 2, withheldDeletions: 2 },
    'nothing is due; 2 URLs failed and will be retried; 2 deletions or changes are held',
  ],
  [{ kind: 'schedule' }, 'a schedule that never allows crawling'],
  [
    { kind: 'schedule', until: '2026-03-02T20:00:00.000Z' },
    'a schedule: none of the due URLs may be crawled before 2026-03-02T20:00:00Z',
  ],
  [
    { kind: 'quota', quota: 'hr', until: '2026-03-03T00:00:00.000Z' },
    'quota hr: its bytes for today are used up; crawling continues at 2026-03-03T00:00:00Z',
  ],
  [
    { kind: 'hosts-paused', hosts: ['a.example'], share: 1 },
    'an operator, who has paused every host with due URLs; 100 % of the due URLs are on a.example',
  ],
  [
    politeness('2026-03-02T08:00:01.500Z'),
    'politeness: 93 % of the due URLs are on a.example and b.example; next request in 1.5 s',
  ],
  [
    { ...politeness('2026-03-02T08:00:01.500Z'), pauseSeconds: 10, pauseCause: 'reading' },
    'politeness: 93 % of the due URLs are on a.example and b.example; pause of 10.0 s because its pages take long to read on this machine; next request in 1.5 s',
  ],
  [politeness('2026-03-02T07:00:00Z'), expect.stringMatching(/; next request in 0\.0 s$/)],
  [politeness('2026-03-02T08:00:59.900Z'), expect.stringMatching(/; next request in 59\.9 s$/)],
  [politeness('2026-03-02T08:01:00Z'), expect.stringMatching(/; next request in 1 min$/)],
  [politeness('2026-03-02T08:59:00Z'), expect.stringMatching(/; next request in 59 min$/)],
  [politeness('2026-03-02T09:00:00Z'), expect.stringMatching(/; next request in 1\.0 h$/)],
  [politeness('2026-03-02T10:30:00Z'), expect.stringMatching(/; next request in 2\.5 h$/)],
  [{ kind: 'machine' }, 'this machine'],
])('%j is described as: %s', (limit, text) => expect(describeLimit(limit, NOW)).toEqual(text));
