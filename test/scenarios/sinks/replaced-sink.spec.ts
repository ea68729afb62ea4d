/** Pages whose orders wait for a sink that is down reach the sink that takes its place. */
import { expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import { startReceiver } from '../../support/receivers/http-receiver.js';
import { start, startSite } from '../../support/scenario.js';

interface Sent {
  readonly uri: string;
  readonly document?: { readonly text: string };
}

/** A receiver that keeps the texts of documents by path; while `isDown`, it takes nothing. */
async function startKeeper() {
  const texts = new Map<string, string>();
  const state = { isDown: false };
  const { url } = await startReceiver(({ body }) => {
    if (state.isDown) return { status: 503 };
    const { orders } = JSON.parse(body.toString()) as { orders: Sent[] };
    for (const { uri, document } of orders) {
      if (document) texts.set(new URL(uri).pathname, document.text);
      else texts.delete(new URL(uri).pathname);
    }
    return { status: 200 };
  });
  return { url: `${url}/`, texts, state };
}

const PATHS = Array.from({ length: 30 }, (_, i) => `/${i}`);
const toSink = (name: string, url: string): string => `<cw:Sink name="${name}" type="json" url="${url}"/>`;

/** One page is new, one has changed and one is gone; their orders wait for the sink `first`, which is down. */
async function startWithSinkDown() {
  const site = await startSite();
  site.page('/', PATHS);
  for (const path of PATHS) site.page(path);
  const [first, second] = [await startKeeper(), await startKeeper()];
  const configure = (pushTo: string, sinks: Readonly<Record<string, string>>) => ({
    crawler: `<Crawler name="test" nthreads="8" aggressive="true" defaultAccept="true" crawlSitemaps="false" deletionGuard="off"
      nearDuplicateDetector="false" smartRefreshMinAgeS="86400"><Root url="${site.url('/')}" site="false"/><cw:PushTo sink="${pushTo}"/></Crawler>`,
    more: Object.entries(sinks)
      .map(([name, url]) => toSink(name, url))
      .join(''),
  });
  const world = await start(configure('first', { first: first.url }));
  await world.untilIdle();
  first.state.isDown = true;
  site.page('/new').page('/3', [], 'This page is another one.').set('/4', { status: 404 });
  await world.engine.roots.submit('test', [{ url: site.url('/new') }]);
  for (const path of ['/3', '/4']) await world.engine.maintenance.refresh('test', { url: site.url(path) });
  await world.pass(minutes(20));
  return { first, second, configure, world };
}

type World = Awaited<ReturnType<typeof startWithSinkDown>>;

it.each<[string, (world: World) => ReturnType<World['configure']>]>([
  ['is taken out of the configuration', ({ configure, second }) => configure('second', { second: second.url })],
  [
    'is no longer a sink of the crawler',
    ({ configure, first, second }) => configure('second', { first: first.url, second: second.url }),
  ],
  ['is given another address', ({ configure, second }) => configure('first', { first: second.url })],
])('a sink that is down %s: its successor gets everything', async (_, reconfigure) => {
  const started = await startWithSinkDown();
  const { second, world } = started;
  await world.reconfigure(reconfigure(started));
  await world.pass(minutes(60));
  expect([...second.texts.keys()].sort()).toEqual(['/', ...PATHS, '/new'].filter((path) => path !== '/4').sort());
  expect(second.texts.get('/3')).toContain('another one');
  expect(await world.engine.backfills.list()).toMatchObject([{ state: 'done', sent: 0, waitingVisits: 0 }]);
  // Nothing is refused that the successor has taken.
  expect(await world.engine.orders.list({ state: 'refused' }, undefined, 10)).toEqual([]);
});
