import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { scenarioStore } from '../../../../test/support/scenario-database.js';
import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlId } from '../../../domain/crawl/url-state.js';
import { instant, milliseconds } from '../../../domain/time/units.js';
import { Quotas } from './quotas.js';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it('a quota that is taken away and set again is reported again when it is reached', async () => {
  const store = await scenarioStore();
  const clock = new ManualClock(instant(Date.parse('2026-06-01T12:00:00Z')));
  const reported: string[] = [];
  const warn = (message: string) => reported.push(message);
  const services = { store, clock, log: { ...log, warn, info: warn }, events: { emit: () => undefined } };
  const quotas = new Quotas({ ...services, nodes: { name: '' } });
  const set = (...limits: readonly object[]) =>
    quotas.configure({
      crawlers: [{ name: 'hr' }],
      quotas: limits.map((limit) => ({ name: 'hr', crawlers: ['hr'], limits: limit })),
    } as unknown as ServerDefinition);
  const visit = () => quotas.noteVisit('hr', { bytes: 1, rendering: milliseconds(0) });
  await set({ bytes: 1 });
  visit();
  expect(reported).toHaveLength(1);
  await set({ bytes: 1 });
  visit();
  expect(reported).toHaveLength(1);
  await set();
  await set({ bytes: 1 });
  visit();
  expect(reported).toHaveLength(2);
  await store.close();
});

it('a page whose visit failed leaves its room to another', async () => {
  const store = await scenarioStore();
  const clock = new ManualClock(instant(Date.parse('2026-06-01T12:00:00Z')));
  const quotas = new Quotas({ store, clock, log, events: { emit: () => undefined }, nodes: { name: '' } });
  await quotas.configure({
    crawlers: [{ name: 'hr' }],
    quotas: [{ name: 'hr', crawlers: ['hr'], limits: { documents: 2 } }],
  } as unknown as ServerDefinition);
  const admit = (id: number) => quotas.admitDocument('hr', id as UrlId);
  const end = (id: number, isSettled: boolean) => quotas.noteVisitEnd('hr', id as UrlId, isSettled);
  expect([admit(1), admit(2), admit(3)]).toEqual([undefined, undefined, 'hr']);
  end(1, false);
  end(2, true);
  expect(quotas.list()).toMatchObject([{ limit: 'documents', used: 1 }]);
  expect([admit(3), admit(4)]).toEqual([undefined, 'hr']);
  await store.close();
});
