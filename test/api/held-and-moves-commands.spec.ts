/** `crawlway held` and `crawlway moves`, from the command line to the index, and what a key of a department may see and decide. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HeldChangeDto, HeldDeletionsDto, SiteMoveDto } from '../../client/index.js';
import { decideHeld, decideMove, listHeld, listMoves } from '../../src/cli/control.js';
import { FakeSite, html } from '../support/fake-site.js';
import { createPage, HTML, write } from '../support/guarded-sites.js';
import { startElasticsearchReceiver } from '../support/receivers/elasticsearch-receiver.js';
import { ApiWorld, type Problem } from './api-world.js';
import { printed } from './printed.js';

const PATHS = Array.from({ length: 7 }, (_, i) => `/topic-${i}`);
const ALL = ['/', ...PATHS];
const MAINTENANCE = createPage('Wartung', 'We are working on our site and will be back for you as soon as we can.');
const NOINDEX = { ...MAINTENANCE, headers: { ...HTML, 'x-robots-tag': 'noindex' } };
const KEY = { root: 'r'.repeat(20), test: 't'.repeat(20), sales: 's'.repeat(20) };
const bearer = (key: keyof typeof KEY): Record<string, string> => ({ authorization: `Bearer ${KEY[key]}` });

function recover(site: FakeSite): void {
  site.set('/', createPage('Home', write('home'), '', PATHS));
  for (const path of PATHS) site.set(path, createPage(`Page ${path}`, write(path)));
}

/** A crawled site whose documents are in a search engine, too. */
async function start({ keys, crawler = '' }: { keys?: string; crawler?: string } = {}) {
  const engine = await startElasticsearchReceiver('elasticsearch', 'pages');
  const world = await ApiWorld.start({
    crawler: `<Root url="SITE/"/>${crawler}<cw:PushTo sink="search"/>`,
    attributes: 'followMoves="domain" smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400"',
    more: `<cw:Sink name="search" type="elasticsearch" url="${engine.url}" index="pages"/>`,
    site: recover,
    keys,
  });
  onTestFinished(() => world.stop());
  return {
    world,
    engine,
    site: world.site,
    host: new URL(world.site.origin).host,
    server: { server: world.server.url },
  };
}

async function until<T>(read: () => Promise<T>, isReached: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isReached(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const refresh = (world: ApiWorld, headers = {}, crawler = 'test') =>
  world.send('POST', `crawlers/${crawler}/refresh`, { like: '%' }, headers);

const readHeld = async (world: ApiWorld, headers = {}) =>
  (await world.get<{ items: HeldDeletionsDto[] }>('held-deletions', headers)).body.items;

const countHeld = async (world: ApiWorld, headers = {}) =>
  (await readHeld(world, headers)).reduce((sum, { count }) => sum + count, 0);

/** A site whose pages with these paths suddenly say that it is being worked on. */
async function startHeld(noindex: readonly string[] = []) {
  const started = await start();
  const { world, site } = started;
  await world.caughtUp(ALL.length);
  for (const path of ALL) site.set(path, noindex.includes(path) ? NOINDEX : MAINTENANCE);
  await refresh(world);
  await until(
    () => countHeld(world),
    (count) => count === ALL.length,
  );
  return started;
}

/** The columns of a printed table, in which two blanks or more separate them. */
const toRows = (text: string): string[][] => text.split('\n').map((line) => line.trim().split(/\s{2,}/));

describe('held', () => {
  it('says that nothing is held, of a host and of all', async () => {
    const { server, world, host } = await start();
    await world.caughtUp(ALL.length);
    expect(await printed(() => listHeld(undefined, server))).toBe('nothing is held\n');
    expect(await printed(() => listHeld(host, server))).toBe(`nothing is held for ${host}\n`);
    expect(JSON.parse(await printed(() => listHeld(host, { ...server, json: true })))).toEqual([]);
    for (const action of ['release', 'drop'] as const) {
      await expect(decideHeld(action, host, server)).rejects.toThrow('nothing for that host');
      expect((await world.send<Problem>('POST', `held-deletions/${host}/${action}`)).status).toBe(404);
    }
  });

  it('lists what is held by reason, and of a host with both texts', async () => {
    const { server, host } = await startHeld();
    const [heading, row] = toRows(await printed(() => listHeld(undefined, server)));
    expect(heading).toEqual(['HOST', 'CRAWLER', 'REASON', 'DOCUMENTS', 'WOULD', 'SINCE']);
    expect(row!.slice(0, 5)).toEqual([host, 'test', 'one-page-everywhere', String(ALL.length), 'replace']);
    const text = await printed(() => listHeld(host, server));
    const changes: HeldChangeDto[] = JSON.parse(await printed(() => listHeld(host, { ...server, json: true })));
    const path = new URL(changes.find(({ uri }) => uri.includes('/topic-'))!.uri).pathname;
    expect(text).toContain(`${host}${path}\n  one-page-everywhere since 20`);
    expect(text).toContain(`  indexed: Page ${path}: ${write(path).slice(0, 100)}`);
    expect(text).toContain('  now: the page says: "We are working on our site');
    expect(changes.map(({ cause }) => cause)).toEqual(Array(5).fill('one-page-everywhere'));
    expect(await printed(() => listHeld('other.example', server))).toBe('nothing is held for other.example\n');
  });

  it('tells how many documents would be replaced, and how many deleted', async () => {
    const { server, world } = await startHeld(PATHS.slice(0, 3));
    const [, row] = toRows(await printed(() => listHeld(undefined, server)));
    expect(row![4]).toBe('replace 5, delete 3');
    expect((await readHeld(world))[0]!.changes).toMatchObject([{ replaces: 5, deletes: 3 }]);
  });

  it('lists a host with held deletions alone', async () => {
    const crawler = '<cw:DeletionGuard maxDeletions="1" maxShare="0.1"/>';
    const { server, world, site, host } = await start({ crawler });
    await world.caughtUp(ALL.length);
    for (const path of PATHS) site.set(path, { status: 404 });
    await refresh(world);
    const count = await until(
      () => countHeld(world),
      (held) => held > 0,
    );
    expect(count).toBeGreaterThan(0);
    const [, row] = toRows(await printed(() => listHeld(host, server)));
    expect([row![0], row![2], row![4]]).toEqual([host, 'http-404', 'delete']);
  });

  it('is released by reason, and the pages are believed', async () => {
    const { server, world, engine, host } = await startHeld();
    await expect(decideHeld('release', host, { ...server, reason: 'emptied' })).rejects.toThrow('hold nothing');
    expect(await countHeld(world)).toBe(ALL.length);
    const released = await printed(() => decideHeld('release', host, { ...server, reason: 'one-page-everywhere' }));
    expect(released).toBe(`${ALL.length} of ${host} released\n`);
    await until(
      async () => [...engine.documents.values()].filter(({ title }) => title === 'Wartung').length,
      (count) => count > 0,
    );
    await until(
      () => countHeld(world),
      (count) => count === 0,
    );
  });

  it('is dropped, also as JSON, and the documents stay', async () => {
    const { server, world, engine, host } = await startHeld();
    const dropped = await printed(() => decideHeld('drop', host, { ...server, json: true }));
    expect(JSON.parse(dropped)).toEqual({ host, dropped: ALL.length });
    const requests = world.site.requests.length;
    await refresh(world);
    await until(
      async () => world.site.requests.length,
      (count) => count >= requests + ALL.length,
    );
    await world.caughtUp(ALL.length);
    expect(await printed(() => listHeld(undefined, server))).toBe('nothing is held\n');
    expect([...engine.documents.values()].map(({ title }) => title)).not.toContain('Wartung');
    const { body } = await world.get('orders?state=dropped');
    expect(body.items.map(({ reason }: { reason: string }) => reason)).toEqual(ALL.map(() => 'one-page-everywhere'));
  });

  it('shows a department what is held of its own crawler, and lets it decide only if nothing else is held', async () => {
    const sales = `<Crawler name="sales" aggressive="true" throttleTimeMS="0" crawlSitemaps="false"
      smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400"><Root url="SITE/"/><cw:PushTo sink="second"/></Crawler>
      <cw:Sink name="second" type="file" url="FOLDER/second.jsonl"/>`;
    const keys = [`root:admin:${KEY.root}`, `t:operate@test:${KEY.test}`, `s:operate@sales:${KEY.sales}`].join(',');
    const { world, site, host } = await start({ keys });
    const xml = (await world.get('config', bearer('root'))).text;
    const more = sales.replace('SITE', site.origin).replace('FOLDER', world.folder);
    const headers = { ...bearer('root'), 'content-type': 'application/xml' };
    const etag = (await world.get('config', bearer('root'))).headers.get('etag')!;
    const put = await world.send('PUT', 'config', xml.replace('</CrawlConfig>', `${more}</CrawlConfig>`), {
      ...headers,
      'if-match': etag,
    });
    expect(put.status, put.text).toBe(200);
    const isDone = async () =>
      (await world.get('crawlers', bearer('root'))).body.items.every(
        ({ indexed, idle }: { indexed: number; idle: boolean }) => idle && indexed === ALL.length,
      );
    await until(isDone, Boolean);
    for (const path of ALL) site.set(path, MAINTENANCE);
    for (const crawler of ['sales', 'test']) await refresh(world, bearer('root'), crawler);
    await until(
      () => countHeld(world, bearer('root')),
      (count) => count === 2 * ALL.length,
    );
    const path = `held-deletions/${host}/changes`;
    for (const key of ['sales', 'test'] as const) {
      const { items } = (await world.get<{ items: HeldChangeDto[] }>(path, bearer(key))).body;
      expect(items.map(({ crawler }) => crawler)).toEqual(Array(5).fill(key));
      expect((await readHeld(world, bearer(key))).map(({ crawler }) => crawler)).toEqual([key]);
      for (const action of ['release', 'drop']) {
        const { status, body } = await world.send<Problem>(
          'POST',
          `held-deletions/${host}/${action}`,
          undefined,
          bearer(key),
        );
        expect([status, body.detail]).toEqual([403, `Deletions of other crawlers are held for ${host}, too.`]);
      }
    }
    expect((await world.get(path, bearer('root'))).body.items).toHaveLength(10);
    const { body } = await world.send('POST', `held-deletions/${host}/drop`, undefined, bearer('root'));
    expect(body).toEqual({ count: 2 * ALL.length });
  });
});

describe('moves', () => {
  const redirect = (location: string) => ({ status: 301, headers: { location } });

  it('to another site waits for a decision, which is made by name of the root', async () => {
    const young = await FakeSite.start('127.0.0.2');
    onTestFinished(() => young.close());
    const { world, site, server } = await start();
    await world.caughtUp(ALL.length);
    expect(await printed(() => listMoves(server))).toBe('no site moves\n');
    recover(young);
    for (const path of ALL) site.set(path, redirect(young.url(path)));
    await refresh(world);
    const readMoves = async () => (await world.get<{ items: SiteMoveDto[] }>('moves')).body.items;
    await until(readMoves, ([move]) => move?.documents === ALL.length);
    const root = site.url('/');
    const [heading, row] = toRows(await printed(() => listMoves(server)));
    expect(heading).toEqual(['CRAWLER', 'FROM', 'TO', 'STATE', 'SINCE']);
    expect(row!.slice(0, 4)).toEqual([
      'test',
      root,
      young.url('/'),
      `move-to-another-domain: ${ALL.length} documents wait for a decision`,
    ]);
    await expect(decideMove(`${root}x`, true, server)).rejects.toThrow(`no move of ${root}x waits for a decision`);
    expect((await world.send('POST', 'crawlers/nobody/moves', { root, follow: true })).status).toBe(404);
    expect((await world.send('POST', 'crawlers/test/moves', { root, follow: 'maybe' })).status).toBe(400);
    expect(young.requests).toEqual([]);
    expect(await printed(() => decideMove(root, true, server))).toBe(`${root} is followed\n`);
    await until(readMoves, ([move]) => move?.pages?.done === ALL.length);
    expect(toRows(await printed(() => listMoves(server)))[1]!.slice(1, 4)).toEqual([
      `${root}*`,
      `${young.url('/')}*`,
      `${ALL.length} of ${ALL.length} done`,
    ]);
  });

  it('to another site is declined, and none of it is requested', async () => {
    const young = await FakeSite.start('127.0.0.2');
    onTestFinished(() => young.close());
    const { world, site, server } = await start();
    await world.caughtUp(ALL.length);
    for (const path of ALL) site.set(path, redirect(young.url(path)));
    await refresh(world);
    const root = site.url('/');
    await until(
      () => printed(() => listMoves(server)),
      (text) => text.includes('wait for a decision'),
    );
    const declined = await printed(() => decideMove(root, false, { ...server, json: true }));
    expect(JSON.parse(declined)).toEqual({ crawler: 'test', root, follow: false });
    expect(await printed(() => listMoves(server))).toBe('no site moves\n');
    expect(young.requests).toEqual([]);
  });

  it('to new paths are listed with how far they have come, and with the pages that lead nowhere', async () => {
    const { world, site, server } = await start();
    await world.caughtUp(ALL.length);
    const toNew = (path: string): string => path.replace('/topic-', '/new/topic-');
    const [dead, ...alive] = PATHS;
    for (const path of PATHS) site.set(path, redirect(toNew(path)));
    for (const path of alive) site.set(toNew(path), { headers: HTML, body: html(`Page ${path}`, [], write(path)) });
    site.set('/', createPage('Home', write('home'), '', PATHS.map(toNew)));
    await refresh(world);
    const text = await until(
      () => printed(() => listMoves(server)),
      (list) => list.includes(`${alive.length} of ${PATHS.length} done`) && list.includes('nowhere:'),
    );
    expect(toRows(text)[1]!.slice(1, 4)).toEqual([
      `${site.url('/topic-')}*`,
      `${site.url('/new/topic-')}*`,
      `${alive.length} of ${PATHS.length} done, 1 lead nowhere`,
    ]);
    expect(text).toContain(`leads nowhere: ${site.url(dead!)}\n`);
  });
});
