import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { effectivePrice } from '../../src/domain/refresh/visit-price.js';
import { hours, minutes, seconds } from '../../src/domain/time/units.js';
import { Hosts } from '../../src/engine/crawl/hosts/hosts.js';
import { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';

const PATHS = Array.from({ length: 12 }, (_, i) => `/page-${i}`);
/** Every page is wanted once in ten minutes at least. */
const AGES = { minimumAge: minutes(1), maximumAge: minutes(10), objective: 'harmonic' } as const;
const CHEAPEST = effectivePrice(undefined, AGES);

describe('the price of a visit', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const hostKey = (): string => new URL(site.url('/')).host;
  const price = async (): Promise<number> => (await world.engine.host(hostKey())).visitPrice ?? 0;
  const start = async (throttle: ReturnType<typeof seconds>): Promise<void> => {
    const ages = `smartRefreshMinAgeS="${AGES.minimumAge / 1000}" smartRefreshMaxAgeS="${AGES.maximumAge / 1000}"`;
    world = await CrawlWorld.start({
      attributes: `${ages} aggressive="false" throttleTimeMS="${throttle}" nearDuplicateDetector="false"`,
      crawler: `<Root url="${site.url('/')}"/>`,
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

  it('stays the least while a host serves all the visits that its pages want', async () => {
    await start(seconds(1));
    expect((await world.state(site.url('/page-3')))?.visits).toBeGreaterThan(8);
    expect(await price()).toBeLessThanOrEqual(CHEAPEST);
  });

  it('rises while it cannot, and is known again after a restart', async () => {
    await start(minutes(2));
    const risen = await price();
    expect(risen).toBeGreaterThan(1.02 * CHEAPEST);
    const again = new Hosts(world.store, world.clock).get(hostKey());
    await world.pass(minutes(5));
    expect(again.visitPrice).toBeGreaterThan(1.02 * CHEAPEST);
    const metrics = await world.engine.metrics();
    expect(metrics.visitPrices).toEqual([{ crawler: 'test', price: expect.any(Number) }]);
  });
});
