/**
 * Compares the text of pages made by scripts: what a crawl with `render="auto"` indexes against the text that Playwright
 * shows in the page and its frames when the network has been quiet for half a second (`networkidle`). Prints each page
 * of which words are missing, and each that was not noticed.
 *
 *   node dist/bench/rendered-text.js
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../test/console/chromium.js';
import { type FakeAnswer, FakeSite } from '../test/support/fake-site.js';
import { CrawlRun } from './crawl-run.js';
import { SCRIPT_MADE_PAGES } from './script-made-pages.js';

const NAMES = Object.keys(SCRIPT_MADE_PAGES);
const SANDBOX = process.getuid?.() === 0 ? 'sandbox="false"' : '';
const PLAYWRIGHT_TIMEOUT_MS = 15_000;

/** Takes the place of every script that a page names: fetches words and writes them into the page's first empty element. */
const STAND_IN = `(() => {
  const load = async () => {
    const words = await (await fetch('/data?page=' + location.pathname)).json();
    const place = document.querySelector('body :empty:not(script, iframe, template)') ?? document.body;
    for (const word of words) place.append(Object.assign(document.createElement('p'), { textContent: word }));
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', load);
  else load();
})();
globalThis.Elm = { Main: { init() {} } };
globalThis.SwaggerUIBundle = () => {};
globalThis.System = { import() {} };
globalThis.Mustache = { render: (template) => template };
globalThis.$ = (selector) => ({ load: async (url) => { document.querySelector(selector).innerHTML = await (await fetch(url)).text(); } });`;

const answer = (type: string, body: string): FakeAnswer => ({
  headers: { 'content-type': type, 'access-control-allow-origin': '*' },
  body,
});

function createAnswer(path: string, peer: string): FakeAnswer {
  const name = path.slice(1, -1);
  const page = SCRIPT_MADE_PAGES[name];
  if (page !== undefined)
    return answer('text/html', `<!doctype html><title>${name}</title><body>${page.replaceAll('{{peer}}', peer)}`);
  if (path === '/w.js') return answer('text/javascript', `postMessage('words of a worker')`);
  if (/\.js$/.test(path)) return answer('text/javascript', STAND_IN);
  if (/\.html$|^\/real$/.test(path)) return answer('text/html', `<p>words of the page ${path}</p>`);
  if (path === '/e') return answer('text/event-stream', 'data: words of an event\n\n');
  if (path === '/d') return answer('application/json', JSON.stringify({ default: ['words of a module'] }));
  return answer('application/json', JSON.stringify([`words of ${path}`, `more words for ${path}`]));
}

/** Text of each page in a browser; of a page that is never quiet, what it shows when the time is up. */
async function readWithPlaywright(site: FakeSite): Promise<Map<string, string>> {
  if (!CHROMIUM) throw new Error('Chromium was not found: apt-get install chromium, or set CHROMIUM to its path');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const texts = new Map<string, string>();
  for (const name of NAMES) {
    const page = await browser.newPage();
    await page
      .goto(site.url(`/${name}/`), { waitUntil: 'networkidle', timeout: PLAYWRIGHT_TIMEOUT_MS })
      .catch((error: Error) => console.log(`${name}: Playwright: ${error.message.split('\n')[0]}`));
    const parts = await Promise.all(
      page.frames().map((frame) =>
        frame
          .locator('body')
          .innerText({ timeout: 2_000 })
          .catch(() => ''),
      ),
    );
    texts.set(name, parts.join('\n'));
    await page.close();
  }
  await browser.close();
  return texts;
}

/** Documents that a crawl indexes, by URL. */
async function readWithCrawlway(site: FakeSite): Promise<Map<string, { text: string; isRendered: boolean }>> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-rendered-text-'));
  const orders = join(folder, 'orders.jsonl');
  process.env['CRAWLWAY_FILE_SINKS'] = folder;
  const run =
    await CrawlRun.start(`<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="bench" nthreads="4" aggressive="true" throttleTimeMS="0" crawlSitemaps="false" nearDuplicateDetector="false" render="auto">
    ${NAMES.map((name) => `<Root url="${site.url(`/${name}/`)}"/>`).join('')}<cw:PushTo sink="main"/></Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Renderer maxShare="1" ${SANDBOX}/>
  <cw:Sink name="main" type="file" url="${orders}"/>
</CrawlConfig>`);
  try {
    await run.waitUntilIdle();
    const lines = readFileSync(orders, 'utf8').trim().split('\n');
    return new Map(
      lines
        .map((line) => JSON.parse(line))
        .filter(({ document }) => document !== undefined)
        .map(({ uri, document: { text, metas } }) => [
          uri,
          { text, isRendered: metas.some((meta: { name: string }) => meta.name === 'render') },
        ]),
    );
  } finally {
    await run.stop();
    rmSync(folder, { recursive: true });
  }
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

const site = await FakeSite.start();
const peer = await FakeSite.start('127.0.0.2');
for (const each of [site, peer]) {
  each.otherwise({ status: 404 });
  each.elsewhere((path) => createAnswer(path.split('?')[0]!, peer.origin));
}
const expectedTexts = await readWithPlaywright(site);
const documents = await readWithCrawlway(site);
const emptyForPlaywright = [...expectedTexts].filter(([, text]) => wordsOf(text).length === 0).map(([name]) => name);
let complete = 0;
let richer = 0;
for (const [name, expected] of expectedTexts) {
  const document = documents.get(site.url(`/${name}/`)) ?? documents.get(site.url('/real'));
  const words = wordsOf(document?.text ?? '');
  const expectedWords = wordsOf(expected);
  const missing = expectedWords.filter((word) => !words.includes(word));
  if (missing.length === 0) complete++;
  if (missing.length === 0 && words.length > expectedWords.length) {
    richer++;
    console.log(`${name}: ${words.length} words, ${expectedWords.length} with Playwright`);
  }
  if (missing.length > 0 || !document?.isRendered)
    console.log(
      `${name}: ${words.length} words, ${expectedWords.length} with Playwright, missing "${missing.slice(0, 8).join(' ')}"${document?.isRendered ? '' : document ? '; not rendered' : '; no document'}`,
    );
}
console.log(`${NAMES.length} pages: ${complete} with all words that Playwright reads, of which ${richer} with more`);
console.log(`Playwright reads no word of ${emptyForPlaywright.length}: ${emptyForPlaywright.join(', ')}`);
await site.close();
await peer.close();
