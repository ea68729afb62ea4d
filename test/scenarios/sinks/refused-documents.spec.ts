/** What one sink has refused is owed to the sink that takes its place, and to whoever asks for it again. */
import { expect, it } from 'vitest';
import { hours, minutes } from '../../../src/domain/time/units.js';
import { startReceiver } from '../../support/receivers/http-receiver.js';
import { start, startSite } from '../../support/scenario.js';

/** Refuses the documents whose path contains what `refuses` matches. */
async function startRefuser(refuses: RegExp | undefined) {
  const paths = new Set<string>();
  const state = { refuses };
  const { url } = await startReceiver(({ method, body }) => {
    if (method !== 'POST') return { status: 204 };
    const { orders } = JSON.parse(body.toString()) as { orders: { uri: string }[] };
    if (orders.some(({ uri }) => state.refuses?.test(uri))) return { status: 422, body: 'bad field color' };
    for (const { uri } of orders) paths.add(new URL(uri).pathname);
    return { status: 200 };
  });
  return { url: `${url}/`, paths, state };
}

const PATHS = Array.from({ length: 12 }, (_, i) => `/${i}`);
const ALL = ['/', ...PATHS].sort();

async function crawlInto(refuses: RegExp) {
  const site = await startSite();
  site.page('/', PATHS);
  for (const path of PATHS) site.page(path);
  const [first, second] = [await startRefuser(refuses), await startRefuser(undefined)];
  const configure = (url: string) => ({
    crawler: `<Crawler name="test" nthreads="8" aggressive="true" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false"
      smartRefreshMinAgeS="86400"><Root url="${site.url('/')}" site="false"/><cw:PushTo sink="search"/></Crawler>`,
    more: `<cw:Sink name="search" type="json" url="${url}"/>`,
  });
  const world = await start(configure(first.url));
  await world.untilIdle();
  const refusedCount = () => world.engine.listSinks().find(({ name }) => name === 'search')?.refused;
  return { world, first, second, configure, refusedCount };
}

it('a sink that points to another place gets what the place before has refused', async () => {
  const { world, first, second, configure, refusedCount } = await crawlInto(/\d$/);
  expect([...first.paths]).toEqual(['/']);
  const refusedBefore = refusedCount();
  await world.reconfigure(configure(second.url));
  expect(refusedCount()).toBe(refusedBefore);
  await world.pass(minutes(5));
  expect([...second.paths].sort()).toEqual(ALL);
  expect(await world.engine.backfills.list()).toMatchObject([{ state: 'done', why: 'added', total: 13, done: 13 }]);
});

it('pushing again offers what was refused once more', async () => {
  const { world, first } = await crawlInto(/\d$/);
  first.state.refuses = /\/7$/;
  expect(await world.engine.backfills.pushAgain('search')).toMatchObject([{ total: 13 }]);
  await world.pass(minutes(5));
  expect([...first.paths].sort()).toEqual(ALL.filter((path) => path !== '/7'));
  expect(await world.engine.backfills.list()).toMatchObject([{ state: 'done', done: 13 }]);
});

it('refused orders are retried by sink and by answer', async () => {
  const { world, first } = await crawlInto(/\d$/);
  const { orders } = world.engine;
  first.state.refuses = undefined;
  expect(await orders.retryRefused({ sink: 'other' })).toBe(0);
  expect(await orders.retryRefused({ sink: 'search', answer: 'another field' })).toBe(0);
  expect(await orders.retryRefused({ sink: 'search', answer: 'field color' })).toBe(12);
  await world.untilIdle();
  expect([...first.paths].sort()).toEqual(ALL);
  expect(await orders.list({ state: 'refused' }, undefined, 100)).toEqual([]);
});

it('what is refused one by one, before it is known that a sink refuses everything, is pushed when it accepts again', async () => {
  const site = await startSite();
  site.page('/', PATHS);
  for (const path of PATHS) site.page(path);
  const sink = await startRefuser(/./);
  const world = await start({
    crawler: `<Crawler name="test" nthreads="8" aggressive="false" throttleTimeMS="${minutes(7)}" defaultAccept="true" crawlSitemaps="false"
      nearDuplicateDetector="false" smartRefreshMinAgeS="8640000" smartRefreshMaxAgeS="8640000">
      <Root url="${site.url('/')}" site="false"/><cw:PushTo sink="search"/></Crawler>`,
    more: `<cw:Sink name="search" type="json" url="${sink.url}"/>`,
  });
  await world.pass(hours(1));
  const refusedBefore = (await world.engine.orders.list({ state: 'refused' }, undefined, 10)).length;
  expect(refusedBefore).toBe(2);
  sink.state.refuses = undefined;
  await world.pass(hours(4));
  expect([...sink.paths].sort()).toEqual(ALL);
  expect(await world.engine.orders.list({ state: 'refused' }, undefined, 10)).toEqual([]);
});
