import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { days, hours, minutes } from '../../src/domain/time/units.js';
import { type FrontierStore, StoreUnavailable } from '../../src/engine/ports/frontier-store.js';
import { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';

const PAGES = Array.from({ length: 30 }, (_, i) => `/p${i}`);

describe('the machine has a bad day', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const everything = (): string[] => ['/', ...PAGES].map((path) => site.url(path)).sort();

  beforeEach(async () => {
    site = await FakeSite.start();
    site.page('/', PAGES);
    for (const path of PAGES) site.page(path);
    const attributes = 'nearDuplicateDetector="false" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';
    world = await CrawlWorld.start({ attributes, crawler: `<Root url="${site.url('/')}"/>` });
  });
  afterEach(async () => {
    await world.close();
    await site.close();
  });

  it.each(['settle', 'discover'] as const)(
    'a disk that is full for an hour (%s) stops the crawl and loses nothing',
    async (call) => {
      const full = failing(world.store, call);
      await world.pass(hours(1));
      expect(world.errors.some((error) => error.includes('No space is left'))).toBe(true);
      expect(site.requests.length).toBeLessThan(PAGES.length * 70);
      full.repair();
      await world.pass(minutes(10));
      await world.untilIdle();
      expect(await world.indexed()).toEqual(everything());
      expect(await world.engine.countUrls({ crawler: 'test', indexed: true })).toBe(PAGES.length + 1);
    },
  );

  it('a clock that jumps forward by a year makes everything due, and deletes nothing', async () => {
    await world.untilIdle();
    site.forgetRequests();
    world.clock.advance(days(365));
    await world.pass(minutes(30));
    expect(site.fetched).toEqual(['/', ...PAGES].sort());
    expect(await world.indexed()).toEqual(everything());
    expect(await world.engine.orders({ kind: 'delete' }, undefined, 10)).toEqual([]);
  });
});

/** Makes one call of the store fail as it does on a full disk, until it is repaired. */
function failing(store: FrontierStore, call: 'settle' | 'discover'): { repair(): void } {
  const refuse = () => Promise.reject(new StoreUnavailable('No space is left for the database'));
  const original: unknown = store[call];
  Object.assign(store, { [call]: refuse });
  return {
    repair: () => {
      Object.assign(store, { [call]: original });
    },
  };
}
