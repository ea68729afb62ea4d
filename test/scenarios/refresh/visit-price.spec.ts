import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitPrice } from '../../../src/domain/refresh/visit-price.js';
import { hours, minutes, seconds } from '../../../src/domain/time/units.js';
import { Hosts } from '../../../src/engine/crawl/hosts/hosts.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const PATHS = Array.from({ length: 12 }, (_, i) => `/page-${i}`);
/** Every page is wanted once in ten minutes at least. */
const AGES = { minimumAge: minutes(1), maximumAge: minutes(10), objective: 'harmonic' as const };
const CHEAPEST = limitPrice(undefined, AGES);

describe('the price of a visit', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const hostKey = (): string => new URL(site.url('/')).host;
  const price = async (): Promise<number> => (await world.engine.hosts.get(hostKey())).visitPrice ?? 0;
  const start = async (throttle: ReturnType<typeof seconds>, range = AGES, schedule = ''): Promise<void> => {
    const ages = `smartRefreshMinAgeS="${range.minimumAge / 1000}" smartRefreshMaxAgeS="${range.maximumAge / 1000}"`;
    world = await CrawlWorld.start({
      attributes: `${ages} aggressive="false" throttleTimeMS="${throttle}" nearDuplicateDetector="false"`,
      crawler: `${schedule}<Root url="${site.url('/')}"/>`,
      index: 'none',
    });
    await world.pass(hours(2));
  };

  beforeEach(async () => {
    site = await FakeSite.start();
    site.page('/', PATHS);
    for (const path of PATHS) site.page(path);
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  it('stays at its minimum while a host can serve all wanted visits', async () => {
    await start(seconds(1));
    expect((await world.state(site.url('/page-3')))?.visits).toBeGreaterThan(8);
    expect(await price()).toBeLessThanOrEqual(CHEAPEST);
  });

  it('rises while it cannot, and is kept across a restart', async () => {
    await start(minutes(2));
    const risen = await price();
    expect(risen).toBeGreaterThan(1.02 * CHEAPEST);
    const again = new Hosts(world.store, world.clock).get(hostKey());
    await world.pass(minutes(5));
    expect(again.visitPrice).toBeGreaterThan(1.02 * CHEAPEST);
    const metrics = await world.engine.getMetrics();
    expect(metrics.visitPrices).toEqual([{ crawler: 'test', price: expect.any(Number) }]);
    // Visits that are late or fail because of an outage say nothing about how much the host can serve.
    for (const path of ['/', ...PATHS]) site.set(path, { status: 503 });
    const before = await price();
    await world.pass(hours(3));
    expect(await price()).toBe(before);
  });

  describe('whose host is crawled for twenty minutes of each hour', () => {
    /** What is visited in a window is due after it, and before the next one. */
    const BETWEEN = { ...AGES, minimumAge: minutes(22), maximumAge: minutes(38) };
    const least = limitPrice(undefined, BETWEEN);
    const hour = (n: number): string => String(n).padStart(2, '0');
    const windows = Array.from({ length: 24 }, (_, n) => `<cw:Window from="${hour(n)}:00" to="${hour(n)}:20"/>`);
    const schedule = `<cw:Schedule>${windows.join('')}</cw:Schedule>`;
    const visitsOf = async (): Promise<number[]> =>
      Promise.all(PATHS.map(async (path) => (await world.state(site.url(path)))!.visits));

    it('stays at its minimum while all due pages fit into the next window', async () => {
      await start(seconds(1), BETWEEN, schedule);
      await world.pass(hours(8));
      expect(await price()).toBeLessThanOrEqual(least);
      expect(Math.min(...(await visitsOf()))).toBeGreaterThanOrEqual(9);
    });

    it('rises while windows are too short for them', async () => {
      await start(minutes(3), BETWEEN, schedule);
      await world.pass(hours(12));
      expect(await price()).toBeGreaterThan(1.02 * least);
    });
  });
});
