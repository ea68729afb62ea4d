/** Pauses that end by themselves. */
import { expect, it } from 'vitest';
import { after, hours, minutes } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

it('a crawler and a host go on when their pauses end, and not before', async () => {
  const site = await startSite();
  site.page('/');
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  const host = new URL(site.url('/')).host;
  const { engine, clock } = world;
  const until = after(clock.now(), hours(2));
  await engine.pauseEnds.set('crawler', 'test', until);
  await engine.setRunState('test', 'paused');
  await engine.pauseEnds.set('host', host, until);
  await engine.hosts.setPaused(host, true);
  await world.pass(minutes(119));
  expect(await engine.getCrawler('test')).toMatchObject({ state: 'paused' });
  expect(await engine.hosts.get(host)).toMatchObject({ paused: true });
  expect(engine.pauseEnds.find('host', host)).toBe(until);
  await world.pass(minutes(2));
  expect(await engine.getCrawler('test')).toMatchObject({ state: 'running' });
  expect(await engine.hosts.get(host)).toMatchObject({ paused: false });
  expect(engine.pauseEnds.find('host', host)).toBeUndefined();
});

it('a pause that a person ends does not end again later', async () => {
  const site = await startSite();
  site.page('/');
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  const { engine, clock } = world;
  await engine.pauseEnds.set('crawler', 'test', after(clock.now(), hours(2)));
  await engine.setRunState('test', 'paused');
  await engine.pauseEnds.set('crawler', 'test', undefined);
  await engine.setRunState('test', 'stopped');
  await world.pass(hours(3));
  expect(await engine.getCrawler('test')).toMatchObject({ state: 'stopped' });
});
