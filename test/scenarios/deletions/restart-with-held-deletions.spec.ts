/** Deletions that wait for a sign of life outlast the process that held them back. */
import { expect, it } from 'vitest';
import { type Duration, hours, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { html } from '../../support/fake-site.js';
import { ManualClock } from '../../support/manual-clock.js';
import { start, startSite } from '../../support/scenario.js';
import { keptStore } from '../../support/scenario-database.js';

const PATHS = ['/', ...Array.from({ length: 9 }, (_, n) => `/p${n}`)];
const ATTRIBUTES = 'nearDuplicateDetector="false" smartRefreshMinAgeS="172800" smartRefreshMaxAgeS="604800"';

/** All ten pages of a site answer 500, their deletions wait, and the program starts again after some time. */
async function restarted(time: Duration) {
  const site = await startSite();
  const answer = (path: string) =>
    site.set(path, { headers: { 'content-type': 'text/html' }, body: html(path, path === '/' ? PATHS : []) });
  const openStore = await keptStore();
  const clock = new ManualClock();
  const begin = async (): Promise<CrawlWorld> =>
    start({
      attributes: ATTRIBUTES,
      crawler: `<Root url="${site.url('/')}"/>`,
      index: 'none',
      clock,
      store: await openStore(),
    });
  PATHS.forEach(answer);
  const before = await begin();
  await before.untilIdle();
  for (const path of PATHS) site.set(path, { status: 500 });
  const failedAt = clock.now();
  await before.engine.maintenance.refresh('test', { like: '%' });
  await before.pass(time);
  expect(await before.engine.orders.listHeldDeletions()).toMatchObject([{ count: 10, awaiting: 10 }]);
  await before.close();
  return { world: await begin(), site, answer, failedAt };
}

async function deleted(world: CrawlWorld): Promise<string[]> {
  const sent = await world.engine.orders.list({ kind: 'delete', state: 'acknowledged' }, undefined, 100);
  return sent.map(({ uri }) => new URL(uri).pathname);
}

it('a deletion that waits for a sign of life keeps waiting after a restart, and goes out after the sign for the one page that stays broken', async () => {
  const { world, site, answer } = await restarted(minutes(30));
  await world.pass(hours(3));
  expect(await deleted(world)).toEqual([]);
  expect(await world.engine.orders.listHeldDeletions()).toMatchObject([{ count: 10, awaiting: 10 }]);
  const { headline } = await world.engine.explanations.explain('test', site.url('/p3'));
  expect(headline).toMatchObject({ fate: 'in-index', reason: 'awaiting-sign-of-life' });

  for (const path of PATHS) if (path !== '/p3') answer(path);
  await world.pass(hours(3));
  expect(await deleted(world)).toEqual(['/p3']);
  expect(await world.engine.orders.listHeldDeletions()).toEqual([]);
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(9);
});

it('the maximum wait of a deletion counts from the fault, not from the restart', async () => {
  const { world, failedAt } = await restarted(hours(12));
  await world.pass(hours(11));
  expect(await deleted(world)).toEqual([]);
  // The pages are visited again every few hours.
  await world.pass(hours(9));
  expect((world.clock.now() - failedAt) / hours(1)).toBeLessThan(12 + 24);
  expect((await deleted(world)).length).toBeGreaterThan(0);
});
