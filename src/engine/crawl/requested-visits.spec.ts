import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { after, type Instant, seconds } from '../../domain/time/units.js';
import { NO_OTHERS, SOLE_OWNER } from '../support/single-node.js';
import { RequestedVisits, UrgentVisits } from './requested-visits.js';

const url = (id: number): UrlState => ({ id, hostKey: 'a.example' }) as UrlState;

it('a URL in flight is visited once more, for any end if a user wants that, or only for certain errors', () => {
  const [first, second, third] = [url(1), url(2), url(3)];
  const inFlight = new Set([first, second]);
  const services = { partitions: SOLE_OWNER, nodes: NO_OTHERS, store: {}, clock: new ManualClock() } as never;
  const queue = { queueUrgently: () => true, listRestingHosts: () => [] };
  const requested = new RequestedVisits('docs', services, queue, inFlight);
  requested.noteRequested([first.id, third.id]);
  requested.retryInFlight(['login-failed']);
  requested.retryInFlight(['proxy-failed']);
  expect(requested.takeRequested(third)).toBeUndefined(); // it was not in flight
  expect(requested.takeRequested(first)).toEqual({ do: 'visit' });
  expect(requested.takeRequested(first)).toBeUndefined();
  expect(requested.takeRequested(second)).toEqual({ do: 'visit', reasons: ['login-failed', 'proxy-failed'] });

  requested.noteRequested([second.id]);
  inFlight.delete(second);
  requested.noteRequested([first.id]);
  expect(requested.takeRequested(second)).toBeUndefined(); // its visit has failed, so that it is still due
});

it('an urgent URL waits until its resting host may receive a request, and wakes the crawl then', () => {
  const clock = new ManualClock();
  let isReady = false;
  let woken = 0;
  const given: UrlState[] = [];
  const host = {
    paused: false,
    loaded: true,
    isResting: () => true,
    isReadyForUrgentRequest: () => isReady,
    politeness: { nextRequestAt: after(clock.now(), seconds(5)) as Instant },
  };
  const window = { host, limit: 1, isOpen: () => true } as never;
  const urgent = new UrgentVisits(
    clock,
    () => void woken++,
    (back) => void given.push(back),
  );
  expect([urgent.add(url(1), window), urgent.add(url(2), window)]).toEqual([true, false]);
  woken = 0;
  expect(urgent.takeNext()).toBeUndefined();
  clock.advance(seconds(4));
  expect(woken).toBe(0);
  clock.advance(seconds(1));
  expect(woken).toBe(1);
  // A response is still in flight: the host is looked at again each second.
  expect(urgent.takeNext()).toBeUndefined();
  clock.advance(seconds(1));
  expect(woken).toBe(2);
  isReady = true;
  expect(urgent.takeNext()?.url.id).toBe(1);
  expect([urgent.takeNext(), given]).toEqual([undefined, []]);
});
