import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { INDEXED } from '../../../../test/support/url-states.js';
import { Ledger } from './ledger.js';

it('the id of an order follows the highest that another node has assigned, and is never used again', async () => {
  let lastId = 41;
  const settings = new Map<string, string | undefined>();
  const store = {
    getSetting: async (name: string) => settings.get(name),
    putSetting: async (name: string, value: string | undefined) => void settings.set(name, value),
    getLastOrderId: async () => lastId,
  };
  const open = async () => {
    const ledger = new Ledger(store as never, new ManualClock());
    await ledger.open();
    return ledger;
  };
  const nextId = (ledger: Ledger) => ledger.createDeleteOrder(INDEXED, 'http-404').id;
  const ledger = await open();
  expect([nextId(ledger), nextId(ledger)]).toEqual([42, 43]);
  lastId = 60_000;
  await ledger.skipForeignIds();
  expect(nextId(ledger)).toBe(60_001);
  expect(nextId(await open()), 'after a crash').toBeGreaterThan(60_001);
});
