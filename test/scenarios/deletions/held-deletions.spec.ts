/** What becomes of deletions that the guard holds, or a sink has refused, when more happens before a person looks at them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { UNKNOWN_STAMP } from '../../../src/domain/crawl/url-state.js';
import { days, hours, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { FlakyReceiver } from '../../support/flaky-receiver.js';
import { start, startSite } from '../../support/scenario.js';

const PATHS = Array.from({ length: 9 }, (_, i) => `/p${i}`);
const DOCUMENTS = PATHS.length + 1;
/** What a site that fails may lose before it has shown a sign of life. */
const LOST = 0;
const attributes = 'nearDuplicateDetector="false" smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400"';

describe('held deletions', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let receiver: FlakyReceiver;
  let hostKey: string;

  beforeEach(async () => {
    site = await startSite();
    receiver = await FlakyReceiver.start();
    isWell();
    world = await start({ attributes, crawler: `<Root url="${site.url('/')}" site="false"/>`, through: receiver });
    await world.untilIdle();
    hostKey = (await world.state(site.url('/')))!.hostKey;
  });

  function isWell(): void {
    site.page('/', PATHS);
    for (const path of PATHS) site.page(path);
  }

  /** Every page is asked for again, and all of them fail. */
  async function fails(): Promise<void> {
    await world.pass(hours(2));
    for (const path of ['/', ...PATHS]) site.set(path, { status: 500 });
    await visit();
  }

  async function visit(): Promise<void> {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(5));
  }

  const held = async () => [
    ...(await world.engine.orders.list({ state: 'held' }, undefined, 100)),
    ...(await world.engine.orders.list({ state: 'awaiting' }, undefined, 100)),
  ];
  const waiting = () => world.store.list({ crawler: 'test', pendingDeletion: true }, 0, 100);

  it('are held again when a scheduled visit finds the pages gone after all were dropped', async () => {
    await fails();
    expect(await held()).toHaveLength(DOCUMENTS - LOST);
    await world.engine.setRunState('test', 'paused');
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(1));
    await world.engine.orders.dropHeldDeletions(hostKey);
    await world.engine.setRunState('test', 'running');
    await world.pass(minutes(5));
    await visit();
    expect((await waiting()).map(({ url }) => url).sort()).toEqual((await held()).map(({ uri }) => uri).sort());
    expect(await held()).toHaveLength(DOCUMENTS - LOST);
  });

  it('are sent as new orders, because a document may have been sent since', async () => {
    await fails();
    const [first, ...rest] = (await held()).reverse();
    const last = Math.max(...rest.map(({ id }) => id));
    const sent = await world.during(world.engine.orders.retry(first!.id));
    expect(sent).toMatchObject({ uri: first!.uri, kind: 'delete', state: 'acknowledged', reason: first!.reason });
    expect(sent.id).toBeGreaterThan(last);
    expect(sent.decidedAt).toBeGreaterThan(first!.decidedAt);
    expect(await world.store.getOrder(first!.id)).toMatchObject({
      state: 'cancelled',
      answer: `sent as order ${sent.id}`,
    });
    await world.engine.orders.releaseHeldDeletions(hostKey);
    await world.pass(minutes(5));
    const acknowledged = await world.engine.orders.list({ kind: 'delete', state: 'acknowledged' }, undefined, 100);
    expect(acknowledged.map(({ uri }) => uri).sort()).toEqual([first!, ...rest].map(({ uri }) => uri).sort());
    expect(Math.min(...acknowledged.map(({ id }) => id))).toBeGreaterThan(last);
    expect(await held()).toEqual([]);
  });

  it('that wait for a sign of life end when their page is gone, although the sink refuses that deletion', async () => {
    await fails();
    const uri = site.url('/p1');
    const before = (await held()).find((entry) => entry.uri === uri)!;
    expect(before.state).toBe('awaiting');
    receiver.fate = (body) => (/PAPI_uri=[^&]*%2Fp1(?:&|$)/.test(body) ? 'refuse' : 'pass');
    // A host on which no page is well says nothing about one that is gone.
    site.page('/p2').set('/p1', { status: 404 });
    await visit();
    expect(await world.engine.orders.list({ uri, state: 'refused' }, undefined, 10)).toHaveLength(1);
    expect(await world.store.getOrder(before.id)).toMatchObject({ state: 'cancelled' });
    for (const path of ['/p1', '/p2']) site.set(path, { status: 500 });
    await visit();
    const [again] = await world.engine.orders.list({ uri, state: 'awaiting' }, undefined, 10);
    expect(again!.decidedAt).toBeGreaterThan(before.decidedAt);
  });

  it('are sent again at the next visit when the sink has refused them after their release', async () => {
    await fails();
    // It accepts one: a sink that refuses every order is ill, and its orders wait.
    receiver.fate = (body) => (/PAPI_uri=[^&]*%2Fp\d(?:&|$)/.test(body) ? 'refuse' : 'pass');
    await world.engine.orders.releaseHeldDeletions(hostKey);
    await world.pass(minutes(5));
    expect(await held()).toEqual([]);
    expect(await world.indexed()).toHaveLength(DOCUMENTS - LOST - 1);
    receiver.fate = () => 'pass';
    await visit();
    await world.engine.orders.releaseHeldDeletions(hostKey);
    await world.pass(minutes(5));
    expect(await world.indexed()).toEqual([]);
  });

  it.each(['is released', 'follows from new rules'])(
    'may have reached the index from the moment on that one %s: a crash before the answer leaves that in doubt',
    async (cause) => {
      receiver.fate = (body) => (body.includes('PAPI_uri=') ? 'fail' : 'pass');
      if (cause === 'is released') {
        receiver.fate = () => 'pass';
        await fails();
        receiver.fate = (body) => (body.includes('PAPI_uri=') ? 'fail' : 'pass');
        await world.engine.orders.releaseHeldDeletions(hostKey);
      } else {
        const crawler = `<Root url="${site.url('/')}" site="false"/><cw:CrawlSpace rules="a.rules"/>`;
        await world.reconfigure({ attributes, crawler, files: { 'a.rules': `forbid prefix ${site.url('/p')}\n` } });
      }
      await world.pass(minutes(5));
      expect(world.engine.listSinks()[0]).toMatchObject({ state: 'unavailable' });
      expect(await world.state(site.url('/p8'))).toMatchObject({ stamp: UNKNOWN_STAMP });
      receiver.fate = () => 'pass';
      await world.pass(minutes(5));
      expect(await world.state(site.url('/p8'))).not.toHaveProperty('stamp', UNKNOWN_STAMP);
    },
  );

  it('end when the rules have removed the documents meanwhile', async () => {
    await fails();
    const crawler = `<Root url="${site.url('/')}" site="false"/><cw:CrawlSpace rules="a.rules"/>`;
    await world.reconfigure({ attributes, crawler, files: { 'a.rules': `forbid prefix ${site.url('/p')}\n` } });
    await world.pass(minutes(10));
    expect((await held()).map(({ uri }) => uri)).toEqual((await waiting()).map(({ url }) => url));
  });

  it('end when the documents were cleared meanwhile', async () => {
    await fails();
    await world.during(world.engine.maintenance.clear('test', { like: '%/p%' }));
    await world.pass(minutes(10));
    expect((await held()).map(({ uri }) => uri)).toEqual((await waiting()).map(({ url }) => url));
  });

  it('that a sink has refused delete no document whose page responds again', async () => {
    receiver.fate = (body) => (body.includes('PAPI_uri=') ? 'refuse' : 'pass');
    site.set('/p1', { status: 404 });
    await visit();
    const [refused] = await world.engine.orders.list({ state: 'refused' }, undefined, 10);
    expect(refused).toMatchObject({ uri: site.url('/p1'), kind: 'delete' });
    receiver.fate = () => 'pass';
    isWell();
    await visit();
    const again = await world.during(world.engine.orders.retry(refused!.id));
    await world.pass(minutes(5));
    expect(again).toMatchObject({ state: 'cancelled', answer: 'the page responds again' });
    expect(await world.indexed()).toContain(site.url('/p1'));
  });

  it('are sent by a release after their page was forgotten and found again, or end', async () => {
    await fails();
    const { id } = (await world.state(site.url('/p8')))!;
    await world.store.settle([{ id, remove: true }]);
    isWell();
    await world.engine.roots.submit('test', [{ url: site.url('/p8') }]);
    await world.pass(minutes(5));
    await world.engine.orders.releaseHeldDeletions(hostKey);
    await world.pass(days(1));
    expect(await held()).toEqual([]);
    expect(await world.indexed()).toContain(site.url('/p8'));
  });
});
