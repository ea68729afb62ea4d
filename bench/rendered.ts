/**
 * Pages that a browser renders: applications of React, Vue and Svelte, built here, crawled to the end with `render="always"`; and a site
 * of half plain and half script-made pages with `auto` beside `always`. The browser may use the whole machine.
 *
 *   node dist/bench/rendered.js [--pages 300] [--runs 1] [--peer 'name=command SEEDS']…
 *
 * A peer is a command that crawls SEEDS (URLs with spaces between them), prints `"pages": N` and ends; it is run in turn with
 * Crawlway and timed as a whole process.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { htmlPage, json, publishScripts } from '../test/rendering/applications/build.js';
import { sentence } from '../test/rendering/applications/sentences.js';
import { FakeSite } from '../test/support/fake-site.js';
import { CrawlRun, median, option, options } from './crawl-run.js';

const SHELL = '<div id="root"></div>';
const SANDBOX = process.getuid?.() === 0 ? 'sandbox="false"' : '';
const PLAIN_TEXT = Array.from({ length: 60 }, (_, n) => `<p>Paragraph ${n} of a page that its server writes.</p>`).join(
  '',
);

interface Result {
  readonly documents: number;
  readonly characters: number;
  readonly seconds: number;
}

/** A start page, and `count` pages that it links to. */
async function application(entry: string, count: number): Promise<FakeSite> {
  const site = await FakeSite.start();
  const [name = ''] = entry.split('/');
  await publishScripts(site, entry);
  site.otherwise((request) => (request.url?.startsWith('/api/') ? { status: 404 } : htmlPage(SHELL)));
  const [list, kind] = name === 'svelte' ? ['/api/stories/0', 'story'] : ['/api/products', 'product'];
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  site.set(list, json(ids.map((id) => ({ id, name: `Page ${id}` }))));
  site.set('/api/stories/1', json([]));
  for (const id of ids)
    site.set(`/api/${kind}/${id}`, json({ name: `Page ${id}`, text: sentence(name, `${kind}-${id}`) }));
  return site;
}

/** Half of the pages that React's application links to are plain. */
async function mixed(count: number): Promise<FakeSite> {
  const site = await application('react/main.jsx', count / 2);
  const links = Array.from({ length: count / 2 }, (_, index) => `/article/${index + 1}`);
  for (const path of links)
    site.set(path, {
      headers: { 'content-type': 'text/html' },
      body: `<!doctype html><title>${path}</title><h1>Article ${path}</h1>${PLAIN_TEXT}`,
    });
  const { headers } = htmlPage('');
  site.set('/articles', {
    headers,
    body: `<title>Articles</title>${links.map((path) => `<a href="${path}">${path}</a>`).join('')}`,
  });
  return site;
}

async function crawl(seeds: readonly string[], render: string): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-rendered-'));
  const orders = join(folder, 'orders.jsonl');
  const roots = seeds.map((seed) => `<Root url="${seed}"/>`).join('');
  const run =
    await CrawlRun.start(`<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="bench" nthreads="16" aggressive="true" throttleTimeMS="0" crawlSitemaps="false" nearDuplicateDetector="false" render="${render}">
    ${roots}<cw:PushTo sink="main"/></Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Renderer maxShare="1" ${SANDBOX}/>
  <cw:Sink name="main" type="file" url="${orders}"/>
</CrawlConfig>`);
  try {
    await run.untilIdle(seeds.length);
    const seconds = (performance.now() - run.readyAt) / 1000;
    const lines = readFileSync(orders, 'utf8').trim().split('\n');
    const texts = new Map(
      lines.map((line) => JSON.parse(line)).map(({ uri, document }) => [uri, document?.text ?? '']),
    );
    const characters = [...texts.values()].reduce((sum, text: string) => sum + text.length, 0);
    return { documents: texts.size, characters, seconds };
  } finally {
    await run.stop();
    rmSync(folder, { recursive: true });
  }
}

function peer(command: string, seeds: readonly string[]): Promise<Result> {
  const startedAt = performance.now();
  const child = spawn('sh', ['-c', command.replaceAll('SEEDS', seeds.join(' '))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      const number = (name: string) => Number(new RegExp(`"${name}":\\s*(\\d+)`).exec(out)?.[1]);
      const seconds = (performance.now() - startedAt) / 1000;
      resolve({ documents: number('pages'), characters: number('characters'), seconds });
    });
  });
}

function row(name: string, results: readonly Result[]): void {
  const perSecond = median(results.map(({ documents, seconds }) => documents / seconds));
  const [documents, characters, seconds] = (['documents', 'characters', 'seconds'] as const).map((key) =>
    median(results.map((result) => result[key])),
  );
  console.log(`| ${name} | ${documents} | ${characters} | ${seconds!.toFixed(1)} | ${perSecond.toFixed(2)} |`);
}

const pages = Number(option('pages', '300'));
const runs = Number(option('runs', '1'));
const peers = options('peer').map((text) => ({
  name: text.slice(0, text.indexOf('=')),
  command: text.slice(text.indexOf('=') + 1),
}));
const sites = await Promise.all(
  ['react/main.jsx', 'vue/main.js', 'svelte/main.js'].map((entry) => application(entry, pages)),
);
const seeds = sites.map((site) => site.url('/'));
console.log('| crawl | documents | characters of text | seconds | pages/s |');
console.log('|---|---|---|---|---|');
const own: Result[] = [];
const others = new Map<string, Result[]>(peers.map(({ name }) => [name, []]));
for (let run = 0; run < runs; run++) {
  own.push(await crawl(seeds, 'always'));
  for (const { name, command } of peers) others.get(name)!.push(await peer(command, seeds));
}
row(`Crawlway, ${pages} pages each of React, Vue and Svelte`, own);
for (const [name, results] of others) row(name, results);
await Promise.all(sites.map((site) => site.close()));
const both = await mixed(pages);
const starts = [both.url('/'), both.url('/articles')];
for (const render of ['always', 'auto'])
  row(`render="${render}", half of ${pages} pages plain`, [await crawl(starts, render)]);
await both.close();
