import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexNowResponse } from '../../../src/domain/signals/indexnow.js';
import { parseIndexNow } from '../../../src/domain/signals/indexnow.js';
import { hours, minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const KEY = '0123456789abcdef';
const KEY_FILE = `/${KEY}.txt`;
const PAGES = Array.from({ length: 30 }, (_, i) => `/page-${i}`);
const ONCE_A_WEEK = 'smartRefreshMinAgeS="604800" smartRefreshMaxAgeS="604800"';

describe('URLs submitted by IndexNow', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const visits = (path: string): number => site.requests.filter((request) => request.path === path).length;
  const tell = async (...paths: string[]): Promise<IndexNowResponse['status']> => {
    const read = parseIndexNow({
      host: new URL(site.origin).host,
      key: KEY,
      urlList: paths.map((path) => site.url(path)),
    });
    return 'status' in read ? read.status : (await world.during(world.engine.indexNow.submit(read))).status;
  };

  beforeEach(async () => {
    site = await FakeSite.start();
    site.page('/', PAGES);
    for (const path of PAGES) site.page(path);
    world = await CrawlWorld.start({
      attributes: ONCE_A_WEEK,
      crawler: `<Root url="${site.url('/')}"/>`,
      more: '<cw:IndexNow urlsPerHour="20"/>',
      index: 'none',
    });
    await world.untilIdle();
    site.forgetRequests();
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  it('are kept (202) while the key file is unreachable, and visited once it is available', async () => {
    site.set(KEY_FILE, { status: 503 });
    expect(await tell('/page-1')).toBe(202);
    await world.pass(minutes(9));
    expect(visits('/page-1')).toBe(0);
    site.set(KEY_FILE, { body: KEY });
    await world.pass(hours(1));
    expect(visits('/page-1')).toBe(1);
  });

  it('wait within limits, and take nothing from the quota of their site', async () => {
    site.set(KEY_FILE, { status: 503 });
    for (const first of [0, 8, 16]) expect(await tell(...PAGES.slice(first, first + 8))).toBe(202);
    site.forgetRequests();
    expect(await tell('/page-1')).toBe(429);
    expect(visits(KEY_FILE)).toBe(0);
    site.set(KEY_FILE, { body: KEY });
    await world.pass(hours(1));
    // All are visited once the key is found, and count then.
    expect(PAGES.slice(0, 24).map(visits)).toEqual(PAGES.slice(0, 24).map(() => 1));
    expect(await tell('/page-1')).toBe(200);
  });

  it('wait up to a megabyte for each site', async () => {
    site.set(KEY_FILE, { status: 503 });
    const long = (count: number): string[] =>
      Array.from({ length: count }, (_, index) => `/${String(index).padStart(2_000, 'x')}`);
    await world.reconfigure({
      crawler: `<Root url="${site.url('/')}"/>`,
      more: '<cw:IndexNow urlsPerHour="50000"/>',
    });
    expect(await tell(...long(600))).toBe(429);
    expect(visits(KEY_FILE)).toBe(0);
    expect(await tell(...long(400))).toBe(202);
    expect(await tell(...long(200))).toBe(429);
  });

  it('at once have no more wrong keys checked than one after the other, and share the check of one key', async () => {
    const tellAll = (keys: readonly string[]) => {
      const host = new URL(site.origin).host;
      const all = keys.map((key) => parseIndexNow({ host, key, urlList: [site.url('/page-1')] }));
      const answers = all.map((one) => ('status' in one ? one : world.engine.indexNow.submit(one, '192.0.2.1')));
      return world.during(Promise.all(answers));
    };
    const wrong = Array.from({ length: 40 }, (_, i) => `wrongkey${i}`);
    const statuses = (await tellAll(wrong)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(10);
    expect(site.fetched).toHaveLength(10);
    await world.pass(hours(1));
    site.forgetRequests();
    site.set(KEY_FILE, { body: KEY });
    const right = await tellAll(Array.from({ length: 15 }, () => KEY));
    expect([right.map(({ status }) => status), visits(KEY_FILE)]).toEqual([right.map(() => 200), 1]);
  });

  it('are dropped after an hour without the key', async () => {
    site.set(KEY_FILE, { status: 503 });
    expect(await tell('/page-1')).toBe(202);
    await world.pass(hours(3));
    // At once, and every ten minutes of an hour.
    expect(visits(KEY_FILE)).toBe(7);
    site.set(KEY_FILE, { body: KEY });
    await world.pass(hours(3));
    expect([visits('/page-1'), visits(KEY_FILE)]).toEqual([0, 7]);
  });

  it('beyond the hourly quota are refused (429), and accepted an hour later', async () => {
    site.set(KEY_FILE, { body: KEY });
    expect(await tell(...PAGES.slice(0, 20))).toBe(200);
    expect(await tell('/page-20')).toBe(429);
    await world.pass(minutes(59));
    expect(await tell('/page-20')).toBe(429);
    expect(PAGES.map(visits)).toEqual(PAGES.map((_, i) => (i < 20 ? 1 : 0)));
    await world.pass(minutes(1));
    expect(await tell('/page-20')).toBe(200);
    await world.untilIdle();
    expect(visits('/page-20')).toBe(1);
    // The key was looked at once: it holds for a day.
    expect(visits(KEY_FILE)).toBe(1);
  });
});
