import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { days } from '../../../src/domain/time/units.js';
import { type FakeAnswer, FakeSite } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';

const PATHS = ['/', '/a', '/b', '/c'];
const attributes = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';

const BROKEN: Record<string, FakeAnswer> = {
  'in a coding that it does not name': { headers: { 'content-encoding': 'br' }, body: 'User-agent: *' },
  'in a coding that nobody knows': { headers: { 'content-encoding': 'compress' }, body: gzipSync('User-agent: *') },
};

describe('a robots.txt with a broken response', () => {
  it.each(Object.keys(BROKEN))('%s blames no page: no document is deleted', async (way) => {
    const site: FakeSite = await startSite();
    for (const path of PATHS) site.page(path, PATHS);
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, attributes });
    expect(await world.indexed()).toHaveLength(PATHS.length);
    site.set('/robots.txt', BROKEN[way]!);
    await world.pass(days(3));
    expect(await world.indexed()).toHaveLength(PATHS.length);
    const orders = await world.engine.orders.list({ crawler: 'test', kind: 'delete' }, undefined, 10);
    expect(orders).toEqual([]);
  });
});
