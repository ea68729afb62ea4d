/** Sites that move: to new paths, to another host of their domain, and to places where the crawl does not follow. */
import { describe, expect, it } from 'vitest';
import { days, hours, minutes } from '../../../src/domain/time/units.js';
import type { FakeSite } from '../../support/fake-site.js';
import { createPage, write } from '../../support/guarded-sites.js';
import { start, startSite } from '../../support/scenario.js';

const ATTRIBUTES = 'smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400"';
const NAMES = {
  'old.foo.com': '127.0.0.1',
  'new.foo.com': '127.0.0.2',
  'www.bar.com': '127.0.0.2',
};
const PATHS = ['/', ...Array.from({ length: 12 }, (_, i) => `/p${i}`)];

async function startMove(newName: string, more = '', options: { attributes?: string; crawlers?: string } = {}) {
  const old = await startSite('127.0.0.1', 'old.foo.com');
  const young = await startSite('127.0.0.2', newName);
  for (const site of [old, young])
    for (const path of PATHS) site.page(path, path === '/' ? PATHS : [], `The text of ${path} and nothing else.`);
  const crawler = `<Root url="${old.url('/')}"/>${more}`;
  const world = await start({ attributes: `${ATTRIBUTES} ${options.attributes ?? ''}`, crawler, names: NAMES });
  await world.untilIdle();
  await world.pass(minutes(5));
  const documents = PATHS.map((path) => old.url(path)).sort();
  expect(await world.indexed()).toEqual(documents);
  for (const path of PATHS) old.set(path, { status: 301, headers: { location: young.url(path) } });
  return { old, young, world, documents, moved: PATHS.map((path) => young.url(path)).sort() };
}

describe('a site that redirects to another host', () => {
  it('of its own registrable domain is followed there, and at no moment fewer documents are found', async () => {
    const { world, documents, moved } = await startMove('new.foo.com');
    await world.engine.maintenance.refresh('test', { like: '%' });
    for (let step = 0; step < 40; step++) {
      expect((await world.indexed()).length).toBeGreaterThanOrEqual(documents.length);
      await world.pass(minutes(1));
    }
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(moved);
  });

  it.each(['its home page only', 'every address'])(
    'keeps its documents there while the old host shows a page of the server at %s for two days',
    async (where) => {
      const { world, old, young, moved } = await startMove('new.foo.com');
      await world.pass(days(3));
      expect(await world.indexed()).toEqual(moved);
      let requests = 0;
      for (const path of PATHS)
        old.set(
          path,
          path === '/' || where === 'every address'
            ? () => createPage('Welcome', `${write('the page of a new server')} request ${++requests}`)
            : { status: 404 },
        );
      await world.engine.maintenance.refresh('test', { like: '%' });
      await world.pass(hours(40));
      expect(await world.indexed()).toEqual(expect.arrayContaining(moved));
      for (const path of PATHS) old.set(path, { status: 301, headers: { location: young.url(path) } });
      await world.pass(days(3));
      expect(await world.indexed()).toEqual(moved);
    },
  );

  it('and back, and there again has all its documents each time', async () => {
    const { world, old, young, documents, moved } = await startMove('new.foo.com');
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(moved);
    const lead = (from: FakeSite, to: FakeSite) => {
      for (const path of PATHS) {
        from.set(path, { status: 301, headers: { location: to.url(path) } });
        to.page(path, path === '/' ? PATHS : [], `The text of ${path} and nothing else.`);
      }
    };
    lead(young, old);
    await world.pass(days(4));
    expect(await world.indexed()).toEqual(documents);
    lead(old, young);
    await world.pass(days(4));
    expect(await world.indexed()).toEqual(moved);
  });

  it('of another domain is not: the documents stay, and nothing of the other site is requested', async () => {
    const { world, young, documents, old } = await startMove('www.bar.com');
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(documents);
    expect(young.requests).toEqual([]);
    expect(await world.state(old.url('/'))).toMatchObject({ status: 'error', reason: 'move-undecided' });
  });

  it.each([true, false])('of another domain waits for an operator: follow %s', async (follow) => {
    const { world, young, documents, moved, old } = await startMove('www.bar.com');
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(hours(1));
    const root = old.url('/');
    expect(await world.engine.moves.list()).toMatchObject([
      { crawler: 'test', root, target: young.url('/'), reason: 'move-to-another-domain', documents: documents.length },
    ]);
    await world.engine.moves.decide('test', root, follow);
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(follow ? moved : []);
    if (!follow) expect(young.requests).toEqual([]);
    const all = documents.length;
    expect((await world.engine.moves.list()).map(({ pages }) => pages)).toMatchObject(
      follow ? [{ from: old.url('/*'), done: all, total: all, nowhere: [] }] : [],
    );
    await expect(world.engine.moves.decide('test', root, true)).rejects.toThrow('no move of');
  });

  it('of another domain is followed with followMoves="any"', async () => {
    const { world, moved } = await startMove('www.bar.com', '', { attributes: 'followMoves="any"' });
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(moved);
  });

  it('is followed nowhere with followMoves="never"', async () => {
    const { world, documents, young } = await startMove('new.foo.com', '', { attributes: 'followMoves="never"' });
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(days(1));
    expect(await world.indexed()).toEqual(documents);
    expect(young.requests).toEqual([]);
  });

  it('is crawled as before once its home page has its own content again', async () => {
    const { world, documents, old } = await startMove('www.bar.com');
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(hours(1));
    for (const path of PATHS) old.page(path, path === '/' ? PATHS : [], `The text of ${path} and nothing else.`);
    await world.pass(days(1));
    expect(await world.indexed()).toEqual(documents);
    expect(await world.engine.urls.count({ crawler: 'test', status: 'error' })).toBe(0);
  });
});

it.each([
  [301, ''],
  [301, 'nearDuplicateDetector="true"'],
  [302, ''],
])(
  'a site that moves to its www. name by %i keeps its documents until they are found there (%s)',
  async (status, attributes) => {
    const site = await startSite('127.0.0.1', 'foo.com');
    const young = site.origin.replace('foo.com', 'www.foo.com');
    const setAll = (isMoved: boolean) => {
      for (const path of PATHS) {
        const page = createPage(`Page ${path}`, write(path), '', path === '/' ? PATHS : []);
        const moved = { status, headers: { location: young + path } };
        site.set(path, ({ headers }) => (isMoved && !headers.host!.startsWith('www.') ? moved : page));
      }
    };
    setAll(false);
    const names = { 'foo.com': '127.0.0.1', 'www.foo.com': '127.0.0.1' };
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await start({ attributes: `${ATTRIBUTES} ${attributes}`, crawler, names });
    await world.untilIdle();
    expect(await world.indexed()).toHaveLength(PATHS.length);
    setAll(true);
    await world.engine.maintenance.refresh('test', { like: '%' });
    for (let step = 0; step < 20; step++) {
      await world.pass(minutes(1));
      expect((await world.indexed()).length).toBeGreaterThanOrEqual(PATHS.length);
    }
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(PATHS.map((path) => young + path).sort());
  },
);

describe('two crawlers that push to one index', () => {
  const twoCrawlers = (intranet: string, partner: string): string =>
    ['intranet', 'partner']
      .map(
        (
          name,
        ) => `<Crawler name="${name}" throttleTimeMS="0" aggressive="true" crawlSitemaps="false" ${ATTRIBUTES} followMoves="any">
          <Root url="${name === 'intranet' ? intranet : partner}"/>
          <cw:Acl default="${name === 'intranet' ? 'staff' : 'everyone'}"/><cw:PushTo sink="main"/></Crawler>`,
      )
      .join('');
  const principals = (world: Awaited<ReturnType<typeof start>>, url: string): string[] =>
    world
      .orders()
      .filter(({ uri, kind }) => uri === url && kind === 'add')
      .flatMap(
        ({ crawler, document }) => `${crawler}: ${document?.metas.find(({ name }) => name === 'acl_allow')?.value}`,
      );

  it('neither is followed to a host of the other, whatever its home page redirects to', async () => {
    const intranet = await startSite('127.0.0.1', 'in.foo.com');
    const partner = await startSite('127.0.0.2', 'partner.foo.com');
    intranet.page('/', ['/salaries']).page('/salaries');
    partner.page('/', ['/a']).page('/a');
    const names = { 'in.foo.com': '127.0.0.1', 'partner.foo.com': '127.0.0.2' };
    const crawler = twoCrawlers(intranet.url('/'), partner.url('/'));
    const world = await start({ crawler, names, index: 'none' });
    await world.untilIdle();
    partner.set('/', { status: 302, headers: { location: intranet.url('/') } });
    await world.engine.maintenance.refresh('partner', { like: '%' });
    await world.pass(days(2));
    expect(principals(world, intranet.url('/salaries'))).toEqual(['intranet: staff']);
    expect(await world.state(intranet.url('/salaries'), 'partner')).toBeUndefined();
    expect(await world.state(partner.url('/'), 'partner')).toMatchObject({ reason: 'move-undecided' });
    expect(world.orders().filter(({ kind }) => kind === 'delete')).toEqual([]);
  });

  it('each URI has one owner: links into the site of the other are left to it', async () => {
    const intranet = await startSite('127.0.0.1', 'in.foo.com');
    const partner = await startSite('127.0.0.2', 'partner.foo.com');
    intranet.page('/', ['/salaries']).page('/salaries');
    partner.page('/', [intranet.url('/salaries'), intranet.url('/hidden')]);
    intranet.page('/hidden');
    const names = { 'in.foo.com': '127.0.0.1', 'partner.foo.com': '127.0.0.2' };
    const crawler = twoCrawlers(intranet.url('/'), partner.url('/'))
      .replace(`<Root url="${partner.url('/')}"/>`, `<Root url="${partner.url('/')}" site="false"/>`)
      .replaceAll('followMoves="any"', 'defaultAccept="true"');
    const world = await start({ crawler, names, index: 'none' });
    await world.untilIdle();
    expect(principals(world, intranet.url('/salaries'))).toEqual(['intranet: staff']);
    expect(principals(world, intranet.url('/hidden'))).toEqual([]);
    expect(intranet.requests.filter(({ path }) => path === '/hidden')).toEqual([]);
  });
});

describe('a relaunch under new paths', () => {
  it('never makes a hole, and what leads nowhere is named', async () => {
    const count = 30;
    const site = await startSite();
    const paths = Array.from({ length: count - 1 }, (_, i) => `/old/p${i}`);
    const text = (path: string): string => `The text of ${path} is about ${path} alone.`;
    // As on most sites, the pages keep their titles and texts.
    const setPage = (address: string, path: string) => site.set(address, createPage(`Page ${path}`, text(path)));
    site.page('/', paths);
    for (const path of paths) setPage(path, path);
    const attributes = `${ATTRIBUTES} aggressive="false" throttleTimeMS="2500"`;
    const world = await start({ attributes, crawler: `<Root url="${site.url('/')}"/>` });
    await world.pass(hours(1));
    expect(await world.indexed()).toHaveLength(count);
    const toNew = (path: string): string => path.replace('/old/', '/new/');
    const dead = paths.slice(0, 3);
    for (const path of paths) {
      site.set(path, { status: 301, headers: { location: toNew(path) } });
      if (!dead.includes(path)) setPage(toNew(path), path);
    }
    site.page('/', paths.map(toNew));
    await world.engine.maintenance.refresh('test', { like: '%' });
    const found: number[] = [];
    for (let minute = 0; minute < 60; minute++) {
      await world.pass(minutes(1));
      found.push((await world.indexed()).length);
    }
    expect(Math.min(...found)).toBeGreaterThanOrEqual(count - dead.length);
    const alive = paths.filter((path) => !dead.includes(path)).map((path) => site.url(toNew(path)));
    // What leads nowhere is gone, or its deletion is held.
    const deadUrls = dead.map((path) => site.url(path));
    const indexed = await world.indexed();
    expect(indexed.filter((url) => !deadUrls.includes(url))).toEqual([site.url('/'), ...alive].sort());
    for (const url of deadUrls) expect(await world.state(url)).toMatchObject({ reason: 'redirect-target-gone' });
    const [move, ...others] = await world.engine.moves.list();
    expect(others).toEqual([]);
    expect(move).toMatchObject({ crawler: 'test', root: site.url('/'), target: `${site.url('/new/p')}*` });
    expect(move?.reason).toBe('redirected');
    const done = count - 1 - dead.length;
    const progress = { from: `${site.url('/old/p')}*`, done, total: count - 1, waiting: 0, failing: 0 };
    expect(move?.pages).toMatchObject(progress);
    expect([...move!.pages!.nowhere].sort()).toEqual(deadUrls.sort());
    const explain = async (path: string) =>
      (await world.engine.explanations.explain('test', site.url(path))).headline.text;
    const arrived = `The pages of its site move from ${progress.from} to ${move?.target}: ${done} of ${count - 1} are found there.`;
    expect(await explain('/old/p7')).toBe(
      `Not in the index under this address: it redirects to ${site.url('/new/p7')}, which is in the index. ${arrived}`,
    );
    expect(await explain('/old/p0')).toContain(arrived);
    for (const path of ['/', '/new/p7']) expect(await explain(path)).not.toContain('move');
    await world.pass(days(8));
    expect(await world.engine.moves.list()).toEqual([]);
  });
});
