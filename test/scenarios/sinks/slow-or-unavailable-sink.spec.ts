/** Of two sinks of a crawler one is slow or down: the other one goes on as if it were alone, and the first gets what it missed. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../../src/domain/time/units.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startReceiver } from '../../support/receivers/http-receiver.js';
import { start, startSite } from '../../support/scenario.js';
import { keptStore } from '../../support/scenario-database.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

interface Sent {
  readonly kind: 'add' | 'delete';
  readonly id: number;
  readonly uri: string;
  readonly document?: { readonly stamp: string; readonly text: string };
}

/** More than may wait for a sink. */
const PATHS = Array.from({ length: 620 }, (_, i) => `/${i}`);
const ALL = ['/', ...PATHS].sort();
/** Enough where it does not matter how many may wait. */
const FEW = PATHS.slice(0, 60);

/** A receiver that keeps what it gets; while `isDown`, it takes nothing, and it takes its time on the clock. */
async function receiver(clock: ManualClock, name: string) {
  const taken = new Map<string, string>();
  const last = new Map<string, number>();
  const state = { isDown: false, takes: 0, late: 0, orders: 0 };
  const http = await startReceiver(async ({ body }) => {
    if (state.isDown) return { status: 503 };
    const { orders } = JSON.parse(body.toString()) as { orders: Sent[] };
    if (state.takes > 0) await clock.sleep(seconds(state.takes));
    for (const { id, uri, document } of orders) {
      const path = new URL(uri).pathname;
      state.orders++;
      if (id < (last.get(path) ?? 0)) state.late++;
      last.set(path, id);
      if (document) taken.set(path, document.stamp);
      else taken.delete(path);
    }
    return { status: 200 };
  });
  const xml = (more = '') => `<cw:Sink name="${name}" type="json" url="${http.url}/" ${more}/>`;
  return { taken, state, xml, paths: () => [...taken.keys()].sort() };
}

async function world(sinks: string, slowSinks: readonly string[] = [], clock = new ManualClock(), paths = PATHS) {
  const site = await startSite();
  site.page('/', paths);
  for (const path of paths) site.page(path, [], `This is page ${path}.`);
  const names = [...sinks.matchAll(/name="(\w+)"/g)].map((match) => match[1]!);
  const crawler = (...pushTo: string[]) =>
    `<Crawler name="test" nthreads="8" aggressive="true" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false" deletionGuard="off" smartRefreshMinAgeS="86400"><Root url="${site.url('/')}" site="false"/>${pushTo.map((sink) => `<cw:PushTo sink="${sink}"/>`).join('')}</Crawler>`;
  const options = { crawler: crawler(...names), more: sinks, slowSinks, clock, index: 'none' } as const;
  return { site, crawler, options };
}

describe('a crawler with one unavailable sink of two', () => {
  it('delivers to the available one at once, and to the other what it missed when it is back, without requests to the site', async () => {
    const clock = new ManualClock();
    const down = await receiver(clock, 'down');
    down.state.isDown = true;
    const file = join(temporaryDirectory(), 'well.jsonl');
    const { site, options } = await world(`<cw:Sink name="well" type="file" url="${file}"/>${down.xml()}`);
    const crawl = await start(options);
    const began = crawl.clock.now();
    const acknowledged = () => crawl.engine.listSinks().find(({ name }) => name === 'well')!.acknowledged;
    await crawl.pass(seconds(30));
    expect(acknowledged()).toBe(ALL.length);
    await crawl.pass(minutes(5));
    expect(await crawl.engine.getCrawler('test')).toMatchObject({ pendingOrders: expect.toSatisfy((n) => n <= 1) });
    expect(await crawl.engine.orders.countOwed()).toEqual([
      { crawler: 'test', sink: 'down', documents: ALL.length, since: expect.toSatisfy((at) => at >= began) },
    ]);
    const [order] = await crawl.engine.orders.list({ uri: site.url('/7') }, undefined, 1);
    expect(order).toMatchObject({ state: 'acknowledged', answer: 'put off at down' });

    // What changes meanwhile is owed once, as it is in the end.
    site.page('/7', [], 'It has changed.').set('/8', { status: 404 });
    await crawl.engine.maintenance.refresh('test', { like: '%' });
    await crawl.pass(minutes(5));
    expect((await crawl.engine.orders.countOwed())[0]).toMatchObject({ documents: ALL.length });
    const fetches = site.requests.length;
    down.state.isDown = false;
    await crawl.pass(minutes(5));
    expect(down.paths()).toEqual(ALL.filter((path) => path !== '/8'));
    for (const [path, stamp] of down.taken) expect((await crawl.state(site.url(path)))?.stamp, path).toBe(stamp);
    expect(await crawl.engine.orders.countOwed()).toEqual([]);
    expect(down.state.late).toBe(0);
    expect(site.requests).toHaveLength(fetches);
  });

  it('delivers what it missed by visits when the other one returns no documents, also across a restart', async () => {
    const clock = new ManualClock();
    const [well, down] = [await receiver(clock, 'well'), await receiver(clock, 'down')];
    down.state.isDown = true;
    const { site, options } = await world(`${well.xml()}${down.xml()}`, [], clock, FEW);
    const openStore = await keptStore();
    const before = await start({ ...options, store: await openStore() });
    await before.pass(minutes(5));
    site.set('/8', { status: 404 });
    await before.engine.maintenance.refresh('test', { url: site.url('/8') });
    await before.pass(minutes(3));
    expect(well.paths()).toEqual(['/', ...FEW].filter((path) => path !== '/8').sort());
    expect((await before.engine.orders.countOwed())[0]).toMatchObject({ sink: 'down', documents: FEW.length + 1 });
    await before.close();
    const crawl = await start({ ...options, store: await openStore() });
    await crawl.pass(minutes(3));
    expect(down.paths()).toEqual([]);
    down.state.isDown = false;
    await crawl.pass(minutes(30));
    expect(down.taken).toEqual(well.taken);
    expect(await crawl.engine.orders.countOwed()).toEqual([]);
    expect([down.state.late, well.state.late]).toEqual([0, 0]);
  });

  it('pauses the crawl when both are down, and resumes with the first one that is back', async () => {
    const clock = new ManualClock();
    const [one, other] = [await receiver(clock, 'one'), await receiver(clock, 'other')];
    one.state.isDown = other.state.isDown = true;
    const { site, options } = await world(`${one.xml()}${other.xml()}`, [], clock);
    const crawl = await start(options);
    await crawl.pass(minutes(10));
    // One that is not being tried waits with the rest: nobody has the documents yet.
    expect(site.requests.length).toBeLessThan(ALL.length);
    expect(await crawl.engine.orders.countOwed()).toEqual([]);
    other.state.isDown = false;
    await crawl.pass(minutes(10));
    expect(other.paths()).toEqual(ALL);
    one.state.isDown = false;
    await crawl.pass(minutes(30));
    expect(one.taken).toEqual(other.taken);
    expect(await crawl.engine.orders.countOwed()).toEqual([]);
  });

  it('resumes when another crawler, which has only that sink, has filled it', async () => {
    const clock = new ManualClock();
    const [well, down] = [await receiver(clock, 'well'), await receiver(clock, 'down')];
    down.state.isDown = true;
    const { site, options } = await world(`${well.xml()}${down.xml()}`, [], clock);
    const others = await startSite('127.0.0.2');
    others.page('/', PATHS);
    for (const path of PATHS) others.page(path);
    const alone = options.crawler
      .replace('name="test"', 'name="alone"')
      .replace('<cw:PushTo sink="well"/>', '')
      .replace(site.url('/'), others.url('/'));
    const crawl = await start({ ...options, crawler: alone });
    await crawl.pass(minutes(1));
    expect(crawl.engine.listSinks().find(({ name }) => name === 'down')!.pending).toBeGreaterThan(PATHS.length / 2);
    await crawl.reconfigure({ crawler: `${alone}${options.crawler}`, more: options.more });
    await crawl.pass(minutes(2));
    expect(well.paths()).toEqual(ALL);
  });

  it('owes nothing to a removed sink', async () => {
    const clock = new ManualClock();
    const [well, down] = [await receiver(clock, 'well'), await receiver(clock, 'down')];
    down.state.isDown = true;
    const { options, crawler } = await world(`${well.xml()}${down.xml()}`, [], clock, FEW);
    const crawl = await start(options);
    await crawl.pass(minutes(5));
    expect(await crawl.engine.orders.countOwed()).toHaveLength(1);
    await crawl.reconfigure({ crawler: crawler('well'), more: options.more });
    await crawl.pass(minutes(2));
    expect(await crawl.engine.orders.countOwed()).toEqual([]);
    expect(crawl.engine.listSinks().map(({ pending }) => pending)).toEqual([0, 0, 0]);
  });
});

describe('a crawler with a sink that takes ten seconds and a fast one', () => {
  it('delivers everything to the fast one at once, and to the slow one as fast as it can, until both are equal', async () => {
    const clock = new ManualClock();
    const slow = await receiver(clock, 'slow');
    slow.state.takes = 10;
    const file = join(temporaryDirectory(), 'well.jsonl');
    const well = `<cw:Sink name="well" type="file" url="${file}"/>`;
    const { site, options } = await world(`${well}${slow.xml('batchDocuments="5"')}`, ['slow'], clock);
    const crawl = await start(options);
    const acknowledged = () => crawl.engine.listSinks().find(({ name }) => name === 'well')!.acknowledged;
    await crawl.pass(seconds(5));
    expect(acknowledged()).toBe(ALL.length);
    expect(slow.state.orders).toBeLessThan(ALL.length / 2);
    const [behind] = await crawl.engine.orders.countOwed();
    expect(behind!.documents).toBeGreaterThan(ALL.length / 3);
    const fetches = site.requests.length;
    await crawl.pass(hours(1));
    expect(slow.paths()).toEqual(ALL);
    expect(await crawl.engine.orders.countOwed()).toEqual([]);
    expect(slow.state.late).toBe(0);
    expect(site.requests).toHaveLength(fetches);
  });
});

it('a server that stops does not wait for the only sink of a crawler while it is down', async () => {
  const clock = new ManualClock();
  const down = await receiver(clock, 'down');
  down.state.isDown = true;
  const { options } = await world(down.xml(), [], clock, FEW);
  const crawl = await start(options);
  await crawl.pass(minutes(1));
  expect((await crawl.engine.listCrawlers())[0]!.pendingOrders).toBeGreaterThan(0);
  // The clock stands still: whoever waits for a time waits for ever.
  await crawl.close(seconds(10));
});
