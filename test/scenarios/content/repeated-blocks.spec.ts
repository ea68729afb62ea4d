/** Blocks of text that stand on most pages of a host are learned and left out, if the configuration says so. */
import { expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import type { FakePage, FakeSite } from '../../support/fake-site.js';
import { crawl, start, startSite } from '../../support/scenario.js';
import { keptStore } from '../../support/scenario-database.js';

const CONTENT =
  '<cw:Content main="true" omitRepeated="true"><cw:Output headings="true" markdown="true" chunks="60"/></cw:Content>';
const NOTICE = 'Report a mistake on this page to the editors.';
const PATHS = Array.from({ length: 40 }, (_, index) => `/p${index}`);

/** A word without digits, which do not tell one page from another. */
const toWord = (number: number): string =>
  number.toString(26).replace(/[0-9]/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);

function wordsOf(path: string, count: number): string {
  const seed = 1 + (Number.parseInt(path.replace(/[^0-9]/g, ''), 10) || 0);
  return Array.from({ length: count }, (_, index) => toWord(seed * 7_919 * (index + 1))).join(' ');
}

/** Pages have validators, and words of their own, since they are not taken for one page that is shown everywhere. */
function page(path: string, notice: string): FakePage {
  const etag = `"${path} ${notice}"`;
  const body =
    `<title>Page ${path}</title><main><h2>About ${path}</h2><p>The heron of ${path} stands in the water, waits, and then ` +
    `strikes: ${wordsOf(path, 150)}.</p><h2>Mistakes</h2><p>${notice}</p></main>`;
  return ({ headers }) =>
    headers['if-none-match'] === etag
      ? { status: 304 }
      : { headers: { 'content-type': 'text/html; charset=utf-8', etag }, body };
}

function setPages(site: FakeSite, paths: readonly string[], notice = NOTICE): void {
  site.page('/', paths);
  for (const path of paths) site.set(path, page(path, notice));
}

async function refresh(world: Awaited<ReturnType<typeof crawl>>): Promise<void> {
  await world.pass(minutes(5));
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.untilIdle();
}

const withNotice = (world: Awaited<ReturnType<typeof crawl>>, notice = NOTICE): string[] =>
  [...world.pushed()].filter(([, document]) => JSON.stringify(document).includes(notice)).map(([uri]) => uri);

it('are left out of text, headings, Markdown and chunks of each page once they are known, also after a restart', async () => {
  const site = await startSite();
  setPages(site, PATHS);
  const openStore = await keptStore();
  const options = { crawler: `<Root url="${site.url('/')}"/>${CONTENT}`, index: 'none' } as const;
  const first = await start({ ...options, store: await openStore() });
  await first.untilIdle();
  // Nothing is known of the first pages.
  expect(withNotice(first).length).toBeGreaterThanOrEqual(19);
  await refresh(first);
  expect(withNotice(first)).toEqual([]);
  const document = first.pushed().get(site.url('/p7'));
  expect(document).toMatchObject({
    text: expect.stringMatching(/^About \/p7\nThe heron/),
    headings: [{ text: 'About /p7' }],
  });
  expect(document?.text).not.toContain('Mistakes');
  const orders = first.orders().length;
  site.forgetRequests();
  await refresh(first);
  expect(first.orders()).toHaveLength(orders);
  // They are known, so an unchanged page is not fetched again.
  expect(site.requests.filter(({ headers }) => headers['if-none-match'] !== undefined).length).toBeGreaterThan(30);
  await first.close();

  const second = await start({ ...options, store: await openStore(), clock: first.clock });
  site.set('/new', page('/new', NOTICE)).page('/', [...PATHS, '/new']);
  await refresh(second);
  expect([...second.pushed().keys()].filter((uri) => uri !== site.url('/'))).toEqual([site.url('/new')]);
  expect(withNotice(second)).toEqual([]);
  const { reading } = await second.engine.explanations.viewPage('test', site.url('/p7'));
  expect(reading?.cut).toEqual(expect.arrayContaining(['Mistakes', NOTICE]));
});

it('say nothing about another host, and nothing is learned unless the configuration says so', async () => {
  const site = await startSite();
  setPages(site, PATHS);
  const other = await startSite('127.0.0.2');
  setPages(other, ['/a']);
  const roots = `<Root url="${site.url('/')}"/><Root url="${other.url('/')}"/>`;
  const world = await crawl({ crawler: roots + CONTENT, index: 'none' });
  await refresh(world);
  expect(withNotice(world)).toEqual([other.url('/a')]);
  const without = await crawl({ crawler: roots + CONTENT.replace(' omitRepeated="true"', ''), index: 'none' });
  await refresh(without);
  expect(withNotice(without)).toHaveLength(41);
  expect(await without.store.listSettings('repeated/')).toEqual(new Map());
});

it('a notice that changes on all pages is learned again, and one on few pages stays', async () => {
  const site = await startSite();
  setPages(site, PATHS);
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${CONTENT}`, index: 'none' });
  await refresh(world);
  const next = 'Tell the editors what is wrong with this page.';
  setPages(site, PATHS, next);
  await refresh(world);
  await refresh(world);
  expect(withNotice(world, next)).toEqual([]);
  const few = 'This page is about a rare bird.';
  for (const path of PATHS.slice(0, 20)) site.set(path, page(path, few));
  await refresh(world);
  await refresh(world);
  expect(withNotice(world, few)).toHaveLength(20);
});

it('short pages that lose most of their text with them are not held, and one of nothing else keeps it', async () => {
  const site = await startSite();
  const notices = ['a', 'b', 'c', 'd'].map((one) => `<p>${`Notice ${one} of the editors. `.repeat(15)}</p>`).join('');
  const short = (path: string): FakePage => ({
    headers: { 'content-type': 'text/html' },
    body: `<title>Page ${path}</title><p>The heron of ${path}: ${wordsOf(path, 25)}.</p>${notices}`,
  });
  site.page('/', [...PATHS, '/only']);
  for (const path of PATHS) site.set(path, short(path));
  site.set('/only', { headers: { 'content-type': 'text/html' }, body: notices });
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/><cw:Content omitRepeated="true"/>`,
    index: 'none',
  });
  const orders = [];
  for (let round = 0; round < 4; round++) {
    await refresh(world);
    orders.push(world.orders().length);
  }
  expect(withNotice(world, 'Notice a')).toEqual([site.url('/only')]);
  expect(world.pushed().size).toBe(42);
  expect(orders.at(-1)).toBe(orders.at(-2));
  expect(world.pushed().get(site.url('/only'))?.text.length).toBeGreaterThan(1_000);
});
