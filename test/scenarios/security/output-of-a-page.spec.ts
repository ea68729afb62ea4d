/** What is delivered for a page is bounded by its size, and whatever a page does to its reader ends its visit. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPageReader } from '../../../src/adapters/parsers/page-reader.js';
import { OutputBudget } from '../../../src/domain/content/output-budget.js';
import { minutes } from '../../../src/domain/time/units.js';
import type { SyncExtractor } from '../../../src/engine/ports/content-extractor.js';
import { type PageProcessor, WorkLost } from '../../../src/engine/ports/page-processor.js';
import { crawl, start, startSite } from '../../support/scenario.js';

const html = (body: string) => ({ body, headers: { 'content-type': 'text/html; charset=utf-8' } });
const attributes = 'nearDuplicateDetector="false" smartRefreshMinAgeS="72000" smartRefreshMaxAgeS="86400"';
const CONTENT = `<cw:Content><cw:Field name="text" select="p" multiple="true"/>
  <cw:Field name="link" select="a" attribute="href" type="url" multiple="true"/><cw:Split select="article"/>
  <cw:Output headings="true" markdown="true" chunks="20"/></cw:Content>`;

const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');
const METAS = times(100, (i) => `<meta name="og:${i}" content="${'m'.repeat(4_000)}">`);
/** 400,000 characters of metas, which each of 200 documents would repeat. */
const PRODUCT = `<title>Product</title>${METAS}${times(200, (i) => `<article id=a${i}><h2>Part ${i}</h2>Text</article>`)}`;

it('headings and bases are delivered shortened, and what is still too large is named, at no cost to other pages', async () => {
  const site = await startSite();
  const paths = ['/heading', '/base', '/product', '/good'];
  site.page('/', paths);
  site.set('/heading', html(`<h1>${'long '.repeat(40_000)}</h1><p>${'word '.repeat(40_000)}`));
  site.set('/base', html(`<base href="${'/a'.repeat(100_000)}/">${times(1_000, (i) => `<a href=x${i}>l</a>`)}`));
  site.set('/product', html(PRODUCT));
  site.page('/good');
  const world = await crawl({
    index: 'none',
    attributes,
    crawler: `<Root url="${site.url('/')}" site="false"/>${CONTENT}`,
  });
  const pushed = world.pushed();
  const heading = pushed.get(site.url('/heading'))!;
  expect(heading.headings).toEqual([{ level: 1, text: 'long '.repeat(100).trim(), start: 0 }]);
  expect(new Set(heading.chunks!.flatMap(({ path }) => path.map(({ length }) => length)))).toEqual(new Set([499]));
  expect(pushed.get(site.url('/base'))!.markdown!.length).toBeLessThan(1_000_000);
  expect(await world.state(site.url('/product'))).toMatchObject({ status: 'error', reason: 'document-too-large' });
  expect([...pushed.keys()].filter((uri) => uri.startsWith(site.url('/product')))).toEqual([]);
  expect(pushed.has(site.url('/good'))).toBe(true);
});

const text = fc.nat(3_000).map((count) => 'word '.repeat(count));
const piece = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), text, fc.boolean())
    .map(([n, words, open]) => `<h${n}>${words}${open ? '' : `</h${n}>`}`),
  fc.nat(50_000).map((count) => `<base href="/${'b'.repeat(count)}/">`),
  fc.nat(5_000).map((count) => times(count, (i) => `<a href=x${i}>l</a>`)),
  fc
    .tuple(fc.nat(120), fc.nat(8_000))
    .map(([count, size]) => times(count, (i) => `<meta property="og:${i}" content="${'m'.repeat(size)}">`)),
  fc
    .tuple(fc.nat(300), text)
    .map(([count, words]) => times(count, (i) => `<article id=${i}><p>${words.slice(0, 200)}<h2>${i}</h2></article>`)),
  fc.nat(400).map((count) => '<h1>'.repeat(count)),
  fc
    .tuple(fc.nat(30), fc.nat(2_000))
    .map(([depth, lines]) => '<ol start=1e300><li>'.repeat(depth) + 'x<br>'.repeat(lines)),
  fc.tuple(fc.nat(30), fc.nat(2_000)).map(([depth, lines]) => '<blockquote>'.repeat(depth) + 'x<br>'.repeat(lines)),
  fc.nat(300).map((depth) => `${'<div><p>'.repeat(depth)}deep`),
  text.map((words) => `<p>${words}</p>`),
);

it('of any hostile page, at most its budget is delivered, and its visit ends', async () => {
  const pages = fc.sample(
    fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
    { numRuns: 6, seed: 7 },
  );
  const site = await startSite();
  const paths = pages.map((_, i) => `/${i}`);
  site.page('/', paths);
  pages.forEach((body, i) => void site.set(paths[i]!, html(body)));
  const world = await crawl({
    index: 'none',
    attributes,
    crawler: `<Root url="${site.url('/')}" site="false"/>${CONTENT}`,
  });
  const pushed = [...world.pushed()];
  for (const [i, path] of paths.entries()) {
    const state = await world.state(site.url(path));
    expect([path, state?.status]).not.toEqual([path, 'waiting']);
    const documents = pushed.filter(([uri]) => uri.split('#')[0] === site.url(path));
    expect(documents.length > 0).toBe(state?.reason !== 'document-too-large');
    const delivered = documents.map(([, { master, ...rest }]) => JSON.stringify(rest).length);
    // Names of fields and line ends of Markdown take more in JSON than the budget counts.
    expect(delivered.reduce((sum, size) => sum + size, 0)).toBeLessThan(new OutputBudget(pages[i]!.length).limit * 1.5);
  }
});

const reader = createPageReader().findExtractor('text/html') as SyncExtractor;
/** Reads HTML as usual, except for pages that find a mistake of the program. */
const faulty: SyncExtractor = {
  ...reader,
  extract: (...page) => {
    if (Buffer.from(page[0]).includes('mistake')) throw new RangeError('Invalid string length');
    return reader.extract(...page);
  },
};

it('a page that the program fails to read ends its visit with the mistake, and its document stays', async () => {
  const site = await startSite();
  site.page('/', ['/a', '/b']).page('/a').page('/b', [], 'A mistake.');
  const world = await crawl({ attributes, crawler: `<Root url="${site.url('/')}"/>`, extractors: [faulty] });
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  expect(await world.state(site.url('/b'))).toMatchObject({ status: 'error', reason: 'reading-failed' });
  const last = await world.engine.explanations.getUrlHistory('test', site.url('/b'));
  expect(JSON.stringify(last)).toContain('RangeError: Invalid string length');
  site.page('/a', [], 'A mistake, too.');
  await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  await world.untilIdle();
  expect((await world.state(site.url('/a')))?.reason).toBe('reading-failed');
  expect(await world.indexed()).toContain(site.url('/a'));
});

it('a page with which its thread ends each time is not requested again and again', async () => {
  const site = await startSite();
  site.page('/', ['/a']).page('/a');
  let asked = 0;
  const processor = (pages: PageProcessor): void => {
    const process = pages.process.bind(pages);
    pages.process = async (task) => {
      if (!task.url.endsWith('/a')) return process(task);
      asked++;
      throw new WorkLost('a page thread ended');
    };
  };
  const world = await start({ index: 'none', attributes, crawler: `<Root url="${site.url('/')}"/>`, processor });
  await world.pass(minutes(10));
  expect(asked).toBeLessThan(10);
  expect((await world.state(site.url('/a')))?.reason).toBe('reading-failed');
});
