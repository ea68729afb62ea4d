import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { days, minutes, seconds } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';
import { FlakyReceiver } from '../../support/flaky-receiver.js';

const ATTRIBUTES = 'aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false"';

describe('two crawlers that push the same URLs to one sink', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let receiver: FlakyReceiver;
  const urls = (...paths: string[]): string[] => paths.map((path) => site.url(path)).sort();
  const crawlers = (rulesOfOne = ''): string =>
    [rulesOfOne, '']
      .map(
        (rules, i) =>
          `<Crawler name="${i === 0 ? 'one' : 'other'}" ${ATTRIBUTES}><Root url="${site.url('/')}"/>${rules}<cw:PushTo sink="main"/></Crawler>`,
      )
      .join('');

  beforeEach(async () => {
    site = await FakeSite.start();
    site.page('/', ['/a', '/b']).page('/a').page('/b');
    receiver = await FlakyReceiver.start();
    world = await CrawlWorld.start({ crawler: crawlers(), through: receiver });
    await world.untilIdle();
    expect(await world.indexed()).toEqual(urls('/', '/a', '/b'));
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await receiver.close();
    await site.close();
  });

  it('a document that the rules of one exclude is pushed again by the other', async () => {
    await world.reconfigure({ crawler: crawlers('<Rules><Rule><ar:Path val="/a"/><Ignore/></Rule></Rules>') });
    await world.untilIdle();
    expect(await world.state(site.url('/a'), 'one')).toMatchObject({ status: 'excluded' });
    expect(await world.indexed()).toEqual(urls('/', '/a', '/b'));
  });

  it('a document that is cleared from one is pushed again by the other', async () => {
    expect(await world.engine.maintenance.clear('one', { like: '%/b' })).toBe(1);
    await world.untilIdle();
    expect(await world.indexed()).toEqual(urls('/', '/a', '/b'));
    const compared = await world.engine.reconciliation.run('main', false);
    expect(compared).toMatchObject({ missing: { count: 0 }, stale: { count: 0 } });
  });

  it('a document that is cleared from one while its change by the other waits for the sink is pushed again', async () => {
    receiver.fate = () => 'fail';
    site.page('/a', [], 'It has changed.');
    await world.engine.maintenance.refresh('other', { like: '%/a' });
    await world.pass(seconds(30));
    const cleared = world.engine.maintenance.clear('one', { like: '%/a' });
    await world.pass(seconds(30));
    receiver.fate = () => 'pass';
    expect(await world.during(cleared)).toBe(1);
    await world.pass(minutes(2));
    expect(await world.indexed()).toEqual(urls('/', '/a', '/b'));
  });

  it('a page that is gone is deleted from the sink, and not pushed again', async () => {
    site.remove('/a');
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(urls('/', '/b'));
  });
});
