/** "Changed" and "nothing is due" are said when they are true, and beside what waits. */
import { expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

const ATTRIBUTES = 'nearDuplicateDetector="false" smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="172800"';

it('a visit counts as a change only when the content differs from that of the visit before', async () => {
  const site = await startSite();
  site.page('/', [], 'the first text');
  const world = await crawl({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
  const visit = async (): Promise<void> => {
    await world.pass(minutes(2));
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.pass(minutes(2));
  };
  await visit();
  site.page('/', [], 'the second text');
  await visit();
  await visit();
  const { visits } = await world.engine.explanations.getUrlHistory('test', site.url('/'));
  const oldestFirst = [...visits].sort((a, b) => a.at - b.at).map(({ changed }) => changed);
  expect(oldestFirst).toEqual([false, false, true, false]);
  expect((await world.state(site.url('/')))?.changes).toBe(1);
});

it('an idle crawler reports its URLs in error and its held deletions', async () => {
  const site = await startSite();
  site.page('/', ['/a', '/b', '/c']).page('/a').page('/b').page('/c');
  const world = await crawl({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
  const getLimit = async () => (await world.engine.getCrawler('test')).limitedBy;
  expect(await getLimit()).toEqual({ kind: 'nothing-due', failing: 0, withheldDeletions: 0 });

  site.page('/', ['/a', '/b', '/c', '/gone']);
  await world.engine.maintenance.refresh('test', { url: site.url('/') });
  await world.pass(minutes(2));
  expect(await getLimit()).toEqual({ kind: 'nothing-due', failing: 1, withheldDeletions: 0 });

  for (const path of ['/', '/a', '/b', '/c']) site.set(path, { status: 500 });
  await world.engine.maintenance.refresh('test', { url: site.url('/b') });
  await world.pass(minutes(2));
  const { kind, withheldDeletions } = await getLimit();
  expect([kind, withheldDeletions]).toEqual(['nothing-due', expect.any(Number)]);
  expect(withheldDeletions).toBeGreaterThan(0);
  expect((await world.engine.orders.listHeldDeletions())[0]?.count).toBe(withheldDeletions);
});
