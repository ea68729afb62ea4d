import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { before, type Duration, days, hours } from '../../domain/time/units.js';
import { Housekeeping } from './housekeeping.js';

async function start(maximumAge: Duration, isLeader = true) {
  const clock = new ManualClock();
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  const services = {
    clock,
    log: { warn: () => undefined },
    partitions: { isLeader },
    store: {
      pruneOrders: async (olderThan: number, most: number) =>
        void done.push(olderThan === before(clock.now(), days(30)) && most === 1_000_000 ? 'ledger' : 'wrong'),
      getSetting: async () => undefined,
      putSetting: note('time'),
    },
    usage: { prune: note('usage') },
    texts: { prune: note('texts') },
  };
  const { refresh, ...definition } = crawlerDefinition();
  const crawler = { name: 'docs', context: { definition: { ...definition, refresh: { ...refresh, maximumAge } } } };
  const housekeeping = new Housekeeping(
    services as never,
    { admitRoots: note('roots') } as never,
    { list: () => [crawler] } as never,
  );
  await housekeeping.start();
  const countAfter = async (time: Duration): Promise<Record<string, number>> => {
    done.length = 0;
    await clock.pass(time);
    return Object.fromEntries(Object.entries(Object.groupBy(done, (one) => one)).map(([k, all]) => [k, all!.length]));
  };
  return { housekeeping, countAfter };
}

it.each([
  [days(90), 1],
  [hours(6), 4],
  [hours(0.5), 24],
])(
  'the ledger is pruned each hour, the rest each day, and roots as often as pages are refreshed',
  async (age, roots) => {
    const { housekeeping, countAfter } = await start(age);
    expect(await countAfter(days(1))).toEqual({ time: 24, ledger: 24, usage: 1, texts: 1, roots });
    housekeeping.stop();
    expect(await countAfter(days(2))).toEqual({});
  },
);

it('only one node keeps house', async () => {
  const { countAfter } = await start(days(1), false);
  expect(await countAfter(days(2))).toEqual({});
});
