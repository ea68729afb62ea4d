import { expect, it, vi } from 'vitest';
import { instant, NEVER } from '../../../domain/time/units.js';
import type { SinkView } from '../../delivery/sink-view.js';
import { findLimit, type Load } from './limited-by.js';

const NEXT = instant(5_000);
const sink = (name: string, state: 'ready' | 'unavailable'): SinkView =>
  ({ name, state, message: 'HTTP 503' }) as SinkView;
const waiting = (particulars: Partial<Load['waiting']>): Partial<Load> => ({
  waiting: { hosts: 2, urls: 100, largest: [], nextRequestAt: NEXT, limitedByHost: false, ...particulars },
});
const largest = [
  { hostKey: 'a.example', urls: 60 },
  { hostKey: 'b.example', urls: 15 },
];
const hosts = ['a.example', 'b.example'];

it.each<[string, Partial<Load>, object]>([
  ['an operator has paused it', { state: 'paused', hasRoom: false }, { kind: 'paused' }],
  [
    'no sink accepts orders',
    { sinks: [sink('a', 'unavailable'), sink('b', 'unavailable')] },
    { kind: 'sink-unavailable', sink: 'a', message: 'HTTP 503' },
  ],
  ['one of its sinks accepts orders', { sinks: [sink('a', 'unavailable'), sink('b', 'ready')] }, { kind: 'machine' }],
  ['it pushes to no sink', { sinks: [] }, { kind: 'machine' }],
  ['too many orders are in flight', { hasRoom: false, storeFollows: false }, { kind: 'sink-slow' }],
  ['too many pages wait for the database', { storeFollows: false, fetching: 8 }, { kind: 'database-slow' }],
  ['the disk is full', { storeFault: 'full', hasRoom: false }, { kind: 'database-unavailable', message: 'full' }],
  ['all threads are fetching', { fetching: 8, ...waiting({ urls: 0 }) }, { kind: 'threads', threads: 8 }],
  ['one thread is free', { fetching: 7 }, { kind: 'machine' }],
  ['only the pages being fetched were due', { fetching: 1, ...waiting({ urls: 0 }) }, { kind: 'last-pages' }],
  ['nothing is due', waiting({ urls: 0 }), { kind: 'nothing-due', failing: 3, withheldDeletions: 2 }],
  [
    'a schedule allows nothing yet',
    waiting({ closedUntil: NEXT, limitedByHost: true }),
    { kind: 'schedule', until: NEXT },
  ],
  ['a schedule never allows anything', waiting({ closedUntil: NEVER }), { kind: 'schedule', until: undefined }],
  [
    'the hosts need a pause',
    waiting({ limitedByHost: true, largest }),
    { kind: 'politeness', hosts, share: 0.75, nextRequestAt: NEXT },
  ],
  [
    'all hosts are paused',
    waiting({ limitedByHost: true, largest, nextRequestAt: undefined }),
    { kind: 'hosts-paused', hosts, share: 0.75 },
  ],
  ['a host is ready', waiting({ largest }), { kind: 'machine' }],
])('the limit of a crawler when %s', async (_, particulars, expected) => {
  const load: Load = {
    state: 'running',
    fetching: 0,
    concurrency: 8,
    sinks: [sink('main', 'ready')],
    hasRoom: true,
    storeFollows: true,
    ...(waiting({}) as Pick<Load, 'waiting'>),
    ...particulars,
  };
  const countUnsettled = vi.fn(async () => ({ failing: 3, withheldDeletions: 2 }));
  expect(await findLimit(load, countUnsettled)).toEqual(expected);
  expect(countUnsettled).toHaveBeenCalledTimes((expected as { kind: string }).kind === 'nothing-due' ? 1 : 0);
});
