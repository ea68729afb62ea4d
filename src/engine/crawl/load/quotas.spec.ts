import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { scenarioStore } from '../../../../test/support/scenario-database.js';
import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlId } from '../../../domain/crawl/url-state.js';
import { instant } from '../../../domain/time/units.js';
import { Quotas } from './quotas.js';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

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
