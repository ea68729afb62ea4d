/** A sink that a crawler gets later is to hold what the others hold. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { type HttpReceiver, startReceiver } from '../../support/receivers/http-receiver.js';
import { start, startSite } from '../../support/scenario.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

interface Sent {
  readonly kind: 'add' | 'delete';
  readonly uri: string;
  readonly document?: { readonly stamp: string; readonly text: string; readonly master: { readonly bytes: string } };
}

/** A receiver that keeps what it gets; while `down`, it takes nothing. */
async function receiver() {
  const taken = new Map<string, NonNullable<Sent['document']>>();
  const state = { down: false, orders: 0 };
  const http: HttpReceiver = await startReceiver(({ method, body }) => {
    if (method !== 'POST') return { status: 204 };
    if (state.down) return { status: 503 };
    for (const { uri, document } of (JSON.parse(body.toString()) as { orders: Sent[] }).orders) {
      state.orders++;
      if (document) taken.set(new URL(uri).pathname, document);
      else taken.delete(new URL(uri).pathname);
    }
    return { status: 200 };
  });
  return { url: `${http.url}/`, taken, state };
}

const PATHS = Array.from({ length: 30 }, (_, i) => `/${i}`);

async function crawled(firstSink: string, paths = PATHS) {
  const site = await startSite();
  site.page('/', paths);
  for (const path of paths) site.page(path, [], `This is page ${path}.`);
  const added = await receiver();
  const crawler = (...sinks: string[]) =>
    `<Crawler name="test" nthreads="8" aggressive="true" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false" smartRefreshMinAgeS="86400"><Root url="${site.url('/')}" site="false"/>${sinks.map((sink) => `<cw:PushTo sink="${sink}"/>`).join('')}</Crawler>`;
  const more = `${firstSink}<cw:Sink name="added" type="json" url="${added.url}"/>`;
  const world = await start({ crawler: crawler('first'), more });
  await world.untilIdle();
  const add = () => world.reconfigure({ crawler: crawler('first', 'added'), more });
  return { site, world, added, add, removeAgain: () => world.reconfigure({ crawler: crawler('first'), more }) };
}

const fileSink = () => {
  const file = join(temporaryDirectory(), 'orders.jsonl');
  return { file, xml: `<cw:Sink name="first" type="file" url="${file}"/>` };
};

async function untilDone(world: CrawlWorld): Promise<void> {
  for (let i = 0; i < 50; i++) {
    await world.pass(minutes(1));
    if ((await world.engine.backfills.list()).every(({ state }) => state === 'done')) return;
  }
  throw new Error(`the backfill does not end: ${JSON.stringify(await world.engine.backfills.list())}`);
}

const ALL = ['/', ...PATHS].sort();

describe('a sink that is added to a crawler', () => {
  it('receives the indexed documents from a file sink, without visits', async () => {
    const { file, xml } = fileSink();
    const { site, world, added, add } = await crawled(xml);
    const fetches = site.requests.length;
    await add();
    await untilDone(world);
    expect([...added.taken.keys()].sort()).toEqual(ALL);
    expect(site.requests).toHaveLength(fetches);
    const written = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    const first = written.map((line) => JSON.parse(line) as Sent).find(({ uri }) => uri === site.url('/7'));
    expect(added.taken.get('/7')).toEqual(first?.document);
    expect(await world.engine.backfills.list()).toMatchObject([
      { crawler: 'test', sink: 'added', state: 'done', why: 'added', total: 31, done: 31, sent: 31, from: 'first' },
    ]);
  });

  it('receives them by unconditional visits when no other sink returns documents', async () => {
    const other = await receiver();
    const { site, world, added, add } = await crawled(`<cw:Sink name="first" type="json" url="${other.url}"/>`);
    const fetches = site.requests.length;
    await add();
    await untilDone(world);
    expect([...added.taken.keys()].sort()).toEqual(ALL);
    expect(added.taken.get('/7')?.text).toContain('This is page /7.');
    expect(site.requests.length).toBe(fetches + ALL.length);
    expect(await world.engine.backfills.list()).toMatchObject([{ state: 'done', done: 31, sent: 0 }]);
  });

  it('receives the current page when the other sink has an older version or none', async () => {
    const { file, xml } = fileSink();
    const { site, world, added, add } = await crawled(xml);
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    const kept = lines.filter((line) => (JSON.parse(line) as Sent).uri !== site.url('/3'));
    writeFileSync(file, kept.map((line) => `${line}\n`).join(''));
    await add();
    await untilDone(world);
    expect([...added.taken.keys()].sort()).toEqual(ALL);
    expect(await world.engine.backfills.list()).toMatchObject([{ state: 'done', done: 31, sent: 30 }]);
  });

  it.each(['the first', 'the last', 'every'])(
    'is filled although the line of %s document in the file is damaged',
    async (which) => {
      const { file, xml } = fileSink();
      const { world, added, add } = await crawled(xml);
      const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
      const damaged = lines.map((line, i) => {
        const isChosen = which === 'every' || i === (which === 'the first' ? 0 : lines.length - 1);
        return isChosen ? line.slice(0, -40) : line;
      });
      writeFileSync(file, `${damaged.join('\n')}\n`);
      await add();
      await untilDone(world);
      expect([...added.taken.keys()].sort()).toEqual(['/', ...PATHS].sort());
    },
  );

  it('resumes after the sink was down, and requests nothing twice for an existing sink', async () => {
    const { world, added, add } = await crawled(fileSink().xml);
    added.state.down = true;
    await add();
    await world.pass(minutes(2));
    expect(await world.engine.backfills.list()).toMatchObject([{ state: 'running', done: 0 }]);
    added.state.down = false;
    await untilDone(world);
    expect([...added.taken.keys()].sort()).toEqual(ALL);
    const { orders } = added.state;
    await add();
    await untilDone(world);
    expect(added.state.orders).toBe(orders);
  });

  it('is filled again on request, and when it is restored after its removal', async () => {
    const { world, added, add, removeAgain } = await crawled(fileSink().xml);
    await add();
    await untilDone(world);
    added.taken.clear();
    expect(await world.engine.backfills.pushAgain('added')).toMatchObject([
      { state: 'running', why: 'asked', total: 31 },
    ]);
    await untilDone(world);
    expect([...added.taken.keys()].sort()).toEqual(ALL);
    await removeAgain();
    expect(await world.engine.backfills.list()).toEqual([]);
    added.taken.clear();
    await add();
    await untilDone(world);
    expect([...added.taken.keys()].sort()).toEqual(ALL);
    await expect(world.engine.backfills.pushAgain('nobody')).rejects.toThrow('there is no sink "nobody"');
  });

  it.each([
    ['', false],
    [', also if the page was refreshed meanwhile', true],
  ])('gets a page whose order waited for the first sink, which was down, when it was added%s', async (_, refreshed) => {
    const other = await receiver();
    const { site, world, added, add } = await crawled(`<cw:Sink name="first" type="json" url="${other.url}"/>`);
    other.state.down = true;
    site.page('/new');
    await world.engine.roots.submit('test', [{ url: site.url('/new') }]);
    await world.pass(minutes(20));
    if (refreshed) await world.engine.maintenance.refresh('test', { url: site.url('/new') });
    await add();
    await world.pass(minutes(60));
    other.state.down = false;
    await world.pass(minutes(30));
    expect([...other.taken.keys()]).toContain('/new');
    expect([...added.taken.keys()].sort()).toEqual([...ALL, '/new'].sort());
  });

  it('does not wait for pages whose orders wait for the first sink', async () => {
    const other = await receiver();
    const paths = Array.from({ length: 250 }, (_, i) => `/${i}`);
    const { site, world, added, add } = await crawled(`<cw:Sink name="first" type="json" url="${other.url}"/>`, paths);
    other.state.down = true;
    site.page('/3', [], 'This page is another one.');
    await world.engine.maintenance.refresh('test', { url: site.url('/3') });
    await world.pass(minutes(20));
    await add();
    await world.pass(minutes(60));
    const others = ['/', ...paths].filter((path) => path !== '/3').sort();
    expect([...added.taken.keys()].sort()).toEqual(others);
    expect(await world.engine.backfills.list()).toMatchObject([{ state: 'running', done: 251, waitingVisits: 1 }]);
    other.state.down = false;
    await untilDone(world);
    expect(added.taken.get('/3')?.text).toContain('another one');
  });
});
