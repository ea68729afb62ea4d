import { describe, expect, it } from 'vitest';
import type { Reason } from '../policy/reasons.js';
import { after, days, hours, type Instant, instant, minutes } from '../time/units.js';
import {
  computeRecheckTime,
  isServerFault,
  isSignOfLife,
  judgeFaultDeletion,
  type SignSearch,
  shouldSearch,
  type VisitResult,
} from './sign-of-life.js';

const start = instant(1_700_000_000_000);
const at = (minute: number): Instant => after(start, minutes(minute));
const settings = { on: true, signOfLife: true, signOfLifeWait: days(1) };
const good: VisitResult = {
  url: 'http://a.example/p1',
  discoveredVia: 'link',
  firstSeenAt: at(-60),
  visitedBefore: true,
  startedAt: at(1),
  outcome: 'document',
  status: 200,
};

describe('a fault of the server', () => {
  it.each<Reason>([
    'http-5xx',
    'http-401',
    'http-403',
    'tls-expired',
    'protocol',
    'dns-not-found',
    'login-wall',
    'soft-error',
  ])('%s counts', (reason) => expect(isServerFault(reason)).toBe(true));
  it('giving up after temporary errors is a fault', () =>
    expect(isServerFault('too-many-temporary-errors')).toBe(true));
  it.each<Reason>(['http-404', 'http-410', 'noindex', 'redirected', 'cleared-by-person', 'no-server-record'])(
    '%s does not count',
    (reason) => expect(isServerFault(reason)).toBe(false),
  );
});

describe('a sign of life', () => {
  it.each<[string, Partial<VisitResult>]>([
    ['a page', {}],
    ['a page that has not changed', { outcome: 'unchanged', status: 304 }],
    ['a page that is not for the index', { outcome: 'excluded' }],
  ])('%s counts', (_, answer) => expect(isSignOfLife({ ...good, ...answer }, at(0))).toBe(true));

  it.each<[string, Partial<VisitResult>]>([
    ['an error', { outcome: 'error', status: 500 }],
    ['a soft error', { outcome: 'error', status: 200 }],
    ['a redirect, maybe to a page of maintenance', { outcome: 'redirect', status: 302 }],
    ['a sitemap', { outcome: 'sitemap' }],
    ['what answers to the address of a sitemap', { discoveredVia: 'robots' }],
    ['a page that became known after the fault', { firstSeenAt: at(1) }],
    ['the first visit to a page', { visitedBefore: false }],
    ['a page to log in at', { url: 'http://a.example/login?next=p1' }],
    ['a visit that began before the fault', { startedAt: at(-1) }],
    ['an exclusion without a request', { outcome: 'excluded', status: undefined }],
    ['an exclusion of an error page', { outcome: 'excluded', status: 503 }],
  ])('%s does not count', (_, answer) => expect(isSignOfLife({ ...good, ...answer }, at(0))).toBe(false));
});

describe('a deletion that follows from a fault', () => {
  const now = at(10);
  it.each([
    ['waits when the fault is new', { waitingSince: undefined, lastSign: undefined, startedAt: at(9), now }, 'wait'],
    [
      'waits when the fault is new, whatever was served before',
      { waitingSince: undefined, lastSign: at(8), startedAt: at(9), now },
      'wait',
    ],
    ['waits without a sign', { waitingSince: at(0), lastSign: undefined, startedAt: at(9), now }, 'wait'],
    [
      'waits when the sign was before the fault',
      { waitingSince: at(5), lastSign: at(4), startedAt: at(9), now },
      'wait',
    ],
    [
      'waits when the failed visit began before the sign',
      { waitingSince: at(0), lastSign: at(9), startedAt: at(8), now },
      'wait',
    ],
    [
      'goes when the page failed, another was served, and it failed again',
      { waitingSince: at(0), lastSign: at(4), startedAt: at(9), now },
      'pass',
    ],
    [
      'goes when the time is over',
      { waitingSince: at(0), lastSign: undefined, startedAt: at(1440), now: at(1440) },
      'pass',
    ],
  ] as const)('%s', (_, deletion, verdict) => expect(judgeFaultDeletion(deletion, settings)).toBe(verdict));

  it('goes at once when there is no sign of life to wait for', () => {
    const fresh = { waitingSince: undefined, lastSign: undefined, startedAt: now, now };
    expect(judgeFaultDeletion(fresh, { ...settings, signOfLife: false })).toBe('pass');
    expect(judgeFaultDeletion(fresh, { ...settings, on: false })).toBe('pass');
  });

  it('has its page visited every hour, and at its deadline', () => {
    expect(computeRecheckTime(at(0), at(10), settings)).toBe(at(70));
    expect(computeRecheckTime(at(0), at(1410), settings)).toBe(at(1440));
    expect(computeRecheckTime(at(0), at(1440), settings)).toBe(at(1500));
    expect(computeRecheckTime(at(0), at(1500), settings)).toBe(after(at(1500), hours(1)));
  });
});

describe('a search for a sign of life', () => {
  const begun: SignSearch = { state: 'begun', at: at(0) };

  it.each<[string, SignSearch, Instant | undefined, Instant, boolean]>([
    ['begins', { state: 'not-begun' }, undefined, at(0), true],
    ['is not repeated at once in vain', begun, undefined, at(59), false],
    ['is repeated after an hour', begun, undefined, at(60), true],
    ['was in vain if the last sign is older', begun, at(-1), at(59), false],
    ['is repeated at once after a sign', begun, at(0), at(1), true],
    ['that was blocked is not repeated at once', { state: 'blocked', at: at(0) }, undefined, at(59), false],
  ])('%s', (_, search, lastSign, now, expected) => expect(shouldSearch(search, lastSign, now)).toBe(expected));
});
