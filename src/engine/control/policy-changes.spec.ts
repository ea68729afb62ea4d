import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { after, type Instant, instant, seconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import { type ChangeServices, PolicyChanges } from './policy-changes.js';
import type { Rejudging } from './rejudging.js';

const NO_BACKFILLS = { sendChangedAccess: async () => false };

/** Several nodes on one store; the first one leads. */
function nodes(clock: ManualClock, count: number) {
  const settings = new Map<string, string>();
  const store = {
    getSetting: async (name: string) => settings.get(name),
    putSetting: async (name: string, value: string) => void settings.set(name, value),
    makeDue: async () => 0,
  };
  return Array.from({ length: count }, (_, i) => {
    const services = { store, clock, partitions: { isLeader: i === 0 } } as unknown as ChangeServices;
    const rejudging = { isUnfinished: async () => false, apply: async () => undefined } as unknown as Rejudging;
    const changes = new PolicyChanges(services, rejudging, NO_BACKFILLS);
    let context: unknown;
    let since = instant(0);
    const crawler = {
      name: 'test',
      get policySince() {
        return since;
      },
      rereadLinksSince: (moment: Instant) => {
        since = moment;
      },
      get context() {
        return context;
      },
    } as unknown as Crawler;
    const look = async (parts?: Parameters<typeof crawlerDefinition>[0]): Promise<number> => {
      const definition = crawlerDefinition(parts);
      context = { definition };
      await changes.apply(crawler, { crawlers: [definition], fetchers: [], sinks: [] });
      return crawler.policySince;
    };
    return look;
  });
}

it('a policy takes effect for all nodes when the last node has it', async () => {
  const clock = new ManualClock();
  const [leader, follower] = nodes(clock, 2) as [ReturnType<typeof nodes>[0], ReturnType<typeof nodes>[0]];
  const first = await leader();
  expect(await follower()).toBe(first);
  const changed = { defaultAccept: false };
  clock.advanceTo(after(clock.now(), seconds(10)));
  const began = clock.now();
  expect(await leader(changed)).toBe(began);
  clock.advanceTo(after(clock.now(), seconds(3)));
  // The pages that the follower visited in these three seconds were judged by the previous policy.
  expect(await follower(changed)).toBe(began + 3_000);
  expect(await leader(changed)).toBe(began + 3_000);
  clock.advanceTo(after(clock.now(), seconds(3)));
  expect(await follower(changed)).toBe(began + 3_000);
});

it('URLs stored by an earlier version are judged again, since their form may differ', async () => {
  const settings = new Map([['refresh/test', '{"refresh":{}}']]);
  const store = {
    getSetting: async (name: string) => settings.get(name),
    putSetting: async (name: string, value: string) => void settings.set(name, value),
    makeDue: async () => 0,
  };
  const services = { store, clock: new ManualClock(), partitions: { isLeader: true } } as unknown as ChangeServices;
  let runs = 0;
  const rejudging = { isUnfinished: async () => false, apply: async () => void runs++ } as unknown as Rejudging;
  const definition = crawlerDefinition();
  const crawler = {
    name: 'test',
    policySince: instant(0),
    rereadLinksSince: () => undefined,
    context: { definition },
  } as unknown as Crawler;
  const server = { crawlers: [definition], fetchers: [], sinks: [] };
  await new PolicyChanges(services, rejudging, NO_BACKFILLS).apply(crawler, server);
  await new PolicyChanges(services, rejudging, NO_BACKFILLS).apply(crawler, server);
  expect(runs).toBe(1);
});
