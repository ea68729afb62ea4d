import { beforeEach, describe, expect, it } from 'vitest';
import { newUrl } from '../../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import type { DispositionRules } from '../../../domain/crawl/revisit.js';
import type { VisitOutcome } from '../../../domain/crawl/state-changes.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { REFRESH, toImmediateQueuePlace } from '../../../domain/frontier/sources.js';
import { days, hours, minutes } from '../../../domain/time/units.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import { InDoubtDeliveries } from './in-doubt-deliveries.js';

const RULES: DispositionRules = {
  errors: { maxTemporaryErrors: 5, retryDelay: minutes(1), maxRetryDelay: hours(6), classes: {} },
  refresh: {
    smart: true,
    minimumAge: hours(1),
    maximumAge: days(7),
    objective: 'harmonic',
    hubs: false,
    timeZone: 'UTC',
  },
  schedule: {},
};
const GONE: VisitOutcome = { kind: 'error', code: 'http-404' };
const RESET: VisitOutcome = { kind: 'error', code: 'connection-reset' };
const PAGE: VisitOutcome = {
  kind: 'document',
  index: true,
  reason: 'indexed',
  stamp: 's',
  contentType: 'text/html',
  title: 't',
};

describe('a URL whose visit was cut short when the process died', () => {
  const clock = new ManualClock();
  let store: FrontierStore;
  let state: UrlState;
  let inDoubt: InDoubtDeliveries;
  const order = (outcome: VisitOutcome) => inDoubt.decide(state, outcome, RULES, clock.now()).order;

  beforeEach(async () => {
    store = await openStoreInThisThread();
    [state] = (await store.discover([newUrl('http://a.example/')])) as [UrlState];
    state = { ...state, firstSeenAt: clock.now() };
    inDoubt = new InDoubtDeliveries(store, clock);
    clock.advance(minutes(1));
    return () => store.close();
  });

  it('is deleted when it is gone by now: the index may have its document', async () => {
    expect(order(GONE)).toBeUndefined();
    await inDoubt.markAllInFlightInDoubt();
    expect(order(GONE)).toEqual({ kind: 'delete', reason: 'http-404' });
    expect(order({ kind: 'redirect' })).toEqual({ kind: 'delete', reason: 'redirected' });
    expect(order({ ...PAGE, index: false, reason: 'noindex' })).toEqual({ kind: 'delete', reason: 'noindex' });
  });

  it('is indexed as usual when it has a document', async () => {
    await inDoubt.markAllInFlightInDoubt();
    expect(order(PAGE)).toEqual({ kind: 'add', reason: 'indexed' });
  });

  it('is pushed even if the content is unchanged, also when a refresh was requested', async () => {
    state = { ...state, stamp: 's', status: 'indexed', source: REFRESH, lastVisitAt: state.firstSeenAt };
    expect(order(PAGE)).toBeUndefined();
    await inDoubt.markAllInFlightInDoubt();
    clock.advance(minutes(1));
    state = { ...state, ...toImmediateQueuePlace(state, clock.now()) };
    expect(order(PAGE)).toEqual({ kind: 'add', reason: 'reconciled' });
  });

  it('stays in doubt during temporary errors, until there are too many', async () => {
    await inDoubt.markAllInFlightInDoubt();
    const disposition = inDoubt.decide(state, RESET, RULES, clock.now());
    expect(disposition.order).toBeUndefined();
    expect(disposition.changes).not.toHaveProperty('lastVisitAt');
    state = { ...state, temporaryErrors: 5, dueAt: disposition.changes.dueAt! };
    expect(state.dueAt).toBeGreaterThan(clock.now());
    expect(order(RESET)).toEqual({ kind: 'delete', reason: 'too-many-temporary-errors' });
  });

  it('stays in doubt after a restart, but not once it was visited, nor when it was found later', async () => {
    await inDoubt.markAllInFlightInDoubt();
    inDoubt = new InDoubtDeliveries(store, clock);
    await inDoubt.open();
    expect(order(GONE)).toMatchObject({ kind: 'delete' });
    clock.advance(minutes(1));
    state = { ...state, lastVisitAt: clock.now() };
    expect(order(GONE)).toBeUndefined();
    state = { ...state, lastVisitAt: undefined, firstSeenAt: clock.now() };
    expect(order(GONE)).toBeUndefined();
  });
});

it('nothing is saved while no delivery is in doubt', async () => {
  const store = await openStoreInThisThread();
  const inDoubt = new InDoubtDeliveries(store, new ManualClock());
  await inDoubt.open();
  await inDoubt.save();
  expect(await store.getSetting('died')).toBeUndefined();
  await store.close();
});
