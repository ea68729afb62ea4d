/** Sites of several sizes and looks, whose pages a test makes ill, and what an index holds of them. */
import { expect } from 'vitest';
import { hours, minutes } from '../../src/domain/time/units.js';
import type { CrawlWorld } from './crawl-world.js';
import type { FakeAnswer, FakeSite } from './fake-site.js';
import { html } from './fake-site.js';
import { crawl, startSite } from './scenario.js';

export const HTML = { 'content-type': 'text/html; charset=utf-8' };
/** A page is visited when a test wants it, or once in a day. */
export const DAILY = 'smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400" throttleTimeMS="100"';

const VOCABULARY =
  'river stone cloud garden window silver market engine paper bridge forest candle harbour mirror violin';
const WORDS = VOCABULARY.split(' ');

/** A text of about 500 characters that shares no sequence of words with that of another seed. */
export function write(seed: string, words = 70): string {
  let state = [...seed].reduce((hash, letter) => (Math.imul(hash, 31) + letter.codePointAt(0)!) >>> 0, 7);
  return Array.from({ length: words }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[(state >>> 16) % WORDS.length]!;
  }).join(' ');
}

export const createPage = (title: string, text: string, head = '', links: readonly string[] = []): FakeAnswer => ({
  headers: HTML,
  body: html(title, links, text).replace('</head>', `${head}</head>`),
});

export const getPaths = (size: number): string[] => Array.from({ length: size - 1 }, (_, i) => `/topic-${i}`);

/** How the pages of a site look: the text of a page, and what stands around it. */
interface Look {
  readonly write: (seed: string) => string;
  readonly around: readonly [string, string];
}

const NAVIGATION = `Company Products Support Careers News Contact ${write('navigation', 20)}`;
const FOOTER = `Copyright of the company, all rights reserved. ${write('footer', 12)}`;

const LONG: Look = { write, around: ['', ''] };
const SHORT: Look = { write: (seed) => write(seed, 24), around: ['', ''] };
/** Half of what the pages say is the same on all of them. */
const FRAMED: Look = {
  write: (seed) => write(seed, 40),
  around: [`<nav>${NAVIGATION}</nav><main>`, `</main><footer>${FOOTER}</footer>`],
};
/** The pages differ only in numbers. */
const NUMBERED: Look = {
  write: (seed) => (seed.includes('/') ? `${write('article')} article ${seed.replace(/\D+/g, ' ')}` : write(seed)),
  around: ['', ''],
};

/** In the suite `worlds`, there is time for more sites. */
const HAS_TIME = process.env['CRAWLWAY_TEST_WORLDS'] === 'all';

type SizeAndLook = readonly [size: number, look: Look];
const SMALL: SizeAndLook = [3, SHORT];
const LARGER: readonly SizeAndLook[] = [
  [13, FRAMED],
  [13, NUMBERED],
  [HAS_TIME ? 121 : 31, LONG],
];
const SITES = [SMALL, ...LARGER];

/** A small site and one of the larger ones, in turns; where there is time, all sites with each fault. */
export const sitesFor = (fault: number): readonly SizeAndLook[] =>
  HAS_TIME ? SITES : [SMALL, LARGER[fault % LARGER.length]!];

export interface GuardedSite {
  readonly site: FakeSite;
  readonly paths: readonly string[];
  readonly pages: ReadonlyMap<string, FakeAnswer>;
  /** A page in the site's own look. */
  readonly frame: (title: string, text: string, head?: string, links?: readonly string[]) => FakeAnswer;
}

export async function guardedSite([size, look]: SizeAndLook, i: number): Promise<GuardedSite> {
  const site = await startSite(`127.0.0.${i + 2}`);
  const paths = getPaths(size);
  const frame: GuardedSite['frame'] = (title, text, head, links) =>
    createPage(title, look.around.join(text), head, links);
  const pages = new Map([
    ['/', frame('Home', look.write(`home ${size}`), '', paths)],
    ...paths.map((path) => [path, frame(`Page ${path}`, look.write(`${size} ${path}`))] as const),
  ]);
  for (const [path, page] of pages) site.set(path, page);
  return { site, paths: ['/', ...paths], pages, frame };
}

export async function guardedCrawl(attributes = DAILY, sizes: readonly SizeAndLook[] = SITES) {
  const sites = await Promise.all(sizes.map(guardedSite));
  const roots = sites.map(({ site }) => `<Root url="${site.url('/')}"/>`).join('');
  const world = await crawl({ attributes, crawler: roots });
  const stamps = await readStamps(world);
  expect(stamps.size).toBe(sizes.reduce((sum, [size]) => sum + size, 0));
  await world.pass(hours(1));
  return { sites, world, stamps };
}

/** The site is as it was when it was crawled. */
export function recover({ site, pages }: GuardedSite): void {
  for (const [path, page] of pages) site.set(path, page);
  site.otherwise({ status: 404 });
}

/** What the index holds: the stamp of the newest acknowledged order of each document. */
export async function readStamps(world: CrawlWorld): Promise<Map<string, string | undefined>> {
  const states = await world.store.list({ crawler: 'test', indexed: true }, 0, 1_000);
  return new Map(states.map(({ url, stamp }) => [url, stamp]));
}

export async function visitAll(world: CrawlWorld, rounds = 2): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(30));
  }
}

/** The number of orders of each kind that the sinks have acknowledged since the first crawl. */
export async function countOrders(world: CrawlWorld) {
  const list = async (kind: 'add' | 'delete') =>
    (await world.engine.orders.list({ kind, state: 'acknowledged' }, undefined, 5_000)).length;
  return { adds: await list('add'), deletes: await list('delete') };
}
