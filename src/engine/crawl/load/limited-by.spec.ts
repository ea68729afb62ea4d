import { describe, expect, it } from 'vitest';
import { instant, minutes, NEVER } from '../../../domain/time/units.js';
import type { SinkView } from '../../delivery/sink-view.js';
import { describeLimit, type Load } from './limited-by.js';

const NOW = instant(Date.UTC(2026, 0, 10, 12));
type Waiting = Load['waiting'];

const waiting = (parts: Partial<Waiting> = {}): Waiting =>
  ({
    urls: 10,
    limitedByHost: true,
    largest: [{ hostKey: 'a.example', urls: 4 }],
    nextRequestAt: NOW,
    ...parts,
  }) as Waiting;
const load = (parts: Partial<Load> = {}): Load => ({
  state: 'running',
  waiting: waiting(),
  fetching: 1,
  concurrency: 8,
  sinks: [],
  hasRoom: true,
  storeFollows: true,
  now: NOW,
  ...parts,
});
const sink = (state: string, message?: string) => ({ name: 'main', state, message }) as unknown as SinkView;
const limit = (parts: Partial<Load>, unsettled = { failing: 0, deletions: 0 }) =>
  describeLimit(load(parts), async () => unsettled);
const idle = { waiting: waiting({ urls: 0 }), fetching: 0 };

describe('what limits a crawler', () => {
  it.each([
    [{ state: 'paused', sinks: [sink('unavailable')] }, 'the crawler is paused'],
    [
      { sinks: [sink('unavailable', 'sink main at http://s/ refused')], hasRoom: false },
      'the sink main is unavailable: http://s/ refused',
    ],
    [{ sinks: [sink('unavailable', 'no route')], hasRoom: false }, 'the sink main is unavailable: no route'],
    [{ sinks: [sink('unavailable')] }, 'the sink main is unavailable: no response'],
    [
      { sinks: [sink('unavailable'), sink('ok')], hasRoom: false, storeFollows: false },
      'the sink is slow: the maximum number of orders is in flight',
    ],
    [{ storeFollows: false, fetching: 8 }, 'the database is slow: the maximum number of pages is waiting for it'],
    [{ fetching: 8 }, 'all 8 threads are fetching'],
    [{ waiting: waiting({ urls: 0 }), fetching: 1 }, 'the last due pages are being fetched'],
    [idle, 'nothing is due'],
    [{ waiting: waiting({ closedUntil: NEVER }) }, 'a schedule that never allows crawling'],
    [
      { waiting: waiting({ closedUntil: NOW }) },
      'a schedule: none of the due URLs may be crawled before 2026-01-10T12:00:00Z',
    ],
    [{ waiting: waiting({ limitedByHost: false }) }, 'this machine'],
    [
      { waiting: waiting({ nextRequestAt: undefined }) },
      'an operator: all hosts with due URLs are paused; 40 % of the due URLs are on a.example',
    ],
    [
      {
        waiting: waiting({
          largest: [
            { hostKey: 'a', urls: 4 },
            { hostKey: 'b', urls: 3 },
          ],
        }),
      },
      'politeness: 70 % of the due URLs are on a and b; next request in 0.0 s',
    ],
  ] as [Partial<Load>, string][])('%#: %s', async (parts, expected) => expect(await limit(parts)).toBe(expected));

  it.each([
    [-5_000, '0.0 s'],
    [1_540, '1.5 s'],
    [59_900, '59.9 s'],
    [60_000, '1 min'],
    [minutes(59), '59 min'],
    [minutes(60), '1.0 h'],
    [minutes(90), '1.5 h'],
  ])('waits %s ms for a host: %s', async (delay, expected) => {
    const nextRequestAt = instant(NOW + delay);
    expect(await limit({ waiting: waiting({ nextRequestAt }) })).toMatch(new RegExp(`next request in ${expected}$`));
  });

  it.each([
    [{ failing: 1, deletions: 0 }, 'nothing is due; 1 URL is in error and will be visited again later'],
    [
      { failing: 2, deletions: 1 },
      'nothing is due; 2 URLs are in error and will be visited again later; 1 deletion is waiting for an operator or a sign of life',
    ],
    [{ failing: 0, deletions: 3 }, 'nothing is due; 3 deletions are waiting for an operator or a sign of life'],
  ])('with nothing due names what is unsettled: %j', async (unsettled, expected) => {
    expect(await limit(idle, unsettled)).toBe(expected);
  });

  it('does not count what is unsettled while something is due', async () => {
    expect(await describeLimit(load(), () => expect.unreachable())).toContain('politeness');
  });
});
