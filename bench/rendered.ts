/**
 * Pages that a browser renders: applications of React, Vue and Svelte, built here, crawled to the end with `render="always"`; and a site
 * of half plain and half script-made pages with `auto` beside `always`, and `never` for what a plain page costs. The browser may use the
 * whole machine. Each crawl is a process that is started for it, and its start counts.
 *
 *   node dist/bench/rendered.js [--part applications] [--pages 300] [--runs 1] [--peer 'name=command SEEDS']…
 *   node dist/bench/rendered.js --part auto [--pages 300]
 *   node dist/bench/rendered.js --part memory [--pages 5000]     of server and browser, by tenths of the crawl
 *
 * A peer is a command that crawls SEEDS (URLs with spaces between them), prints `"pages": N` and `"characters": N` and ends; it is run
 * in turn with Crawlway.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { htmlPage, json, publishScripts } from '../test/rendering/applications/build.js';
import { sentence } from '../test/rendering/applications/sentences.js';
import { FakeSite } from '../test/support/fake-site.js';
import { CrawlRun, median, option, options } from './crawl-run.js';
import { ProcessTree } from './processes.js';

const SHELL = '<div id="root"></div>';
const SANDBOX = process.getuid?.() === 0 ? 'sandbox="false"' : '';
const PLAIN_TEXT = Array.from({ length: 60 }, (_, n) => `<p>Paragraph ${n} of a page that its server writes.</p>`).join(
  '',
);

interface Result {
  readonly documents: number;
  readonly characters: number;
  readonly seconds: number;
  /** Processor seconds of all processes of the crawl. */
  readonly cpu: number;
  /** Documents that were read as a browser made them; of a peer unknown. */
  readonly rendered?: number;
}

interface Document {
  readonly text: string;
  readonly metas: readonly { readonly name: string; readonly value: string }[];
}

const isRendered = ({ metas }: Document): boolean =>
  metas.some(({ name, value }) => name === 'render' && value === 'browser');

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
  const links = Array.from({ length: count / 2 }, (_, index) => `/articles/${index + 1}`);
  for (const path of links)
    site.set(path, {
      headers: { 'content-type': 'text/html' },
      body: `<!doctype html><title>${path}</title><h1>Article ${path}</h1>${PLAIN_TEXT}`,
    });
  const { headers } = htmlPage('');
  site.set('/articles/', {
    headers,
    body: `<title>Articles</title>${links.map((path) => `<a href="${path}">${path}</a>`).join('')}`,
  });
  return site;
}

/** @param watch is called with what the crawl's processes hold, a few times a second */
async function crawl(
  seeds: readonly string[],
  render: string,
  watch?: (tree: ProcessTree, documents: number) => void,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-rendered-'));
  const orders = join(folder, 'orders.jsonl');
  process.env['CRAWLWAY_FILE_SINKS'] = folder;
  const roots = seeds.map((seed) => `<Root url="${seed}"/>`).join('');
  const run =
    await CrawlRun.start(`<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="bench" nthreads="16" aggressive="true" throttleTimeMS="0" crawlSitemaps="false" nearDuplicateDetector="false" render="${render}">
    ${roots}<cw:PushTo sink="main"/></Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Renderer maxShare="1" ${SANDBOX}/>
  <cw:Sink name="main" type="file" url="${orders}"/>
</CrawlConfig>`);
  const tree = run.tree();
  const watching = watch && setInterval(() => run.state().then(({ indexed }) => watch(tree, indexed)), 1_000);
  try {
    await run.untilIdle(seeds.length);
    const seconds = (performance.now() - run.startedAt) / 1000;
    tree.look();
    const lines = readFileSync(orders, 'utf8').trim().split('\n');
    const documents = new Map<string, Document>(
      lines.map((line) => JSON.parse(line)).map(({ uri, document }) => [uri, document]),
    );
    const all = [...documents.values()].filter((document) => document !== undefined);
    const characters = all.reduce((sum, { text }) => sum + text.length, 0);
    const rendered = all.filter(isRendered).length;
    return { documents: documents.size, rendered, characters, seconds, cpu: tree.cpu };
  } finally {
    clearInterval(watching);
    tree.stop();
    await run.stop();
    rmSync(folder, { recursive: true });
  }
}

function peer(command: string, seeds: readonly string[]): Promise<Result> {
  const startedAt = performance.now();
  const child = spawn('sh', ['-c', command.replaceAll('SEEDS', seeds.join(' '))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const tree = new ProcessTree(child.pid!);
  let out = '';
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      const number = (name: string) => Number(new RegExp(`"${name}":\\s*(\\d+)`).exec(out)?.[1]);
      const seconds = (performance.now() - startedAt) / 1000;
      tree.stop();
      resolve({ documents: number('pages'), characters: number('characters'), seconds, cpu: tree.cpu });
    });
  });
}

function row(name: string, results: readonly Result[]): void {
  const perSecond = median(results.map(({ documents, seconds }) => documents / seconds));
  const perPage = median(results.map(({ documents, cpu }) => (cpu / documents) * 1000));
  const [documents, characters, seconds] = (['documents', 'characters', 'seconds'] as const).map((key) =>
    median(results.map((result) => result[key])),
  );
  console.log(
    `| ${name} | ${documents} | ${results[0]?.rendered ?? ''} | ${characters} | ${seconds!.toFixed(1)} | ${perSecond.toFixed(2)} | ${perPage.toFixed(0)} |`,
  );
}

const range = (numbers: readonly number[]): string =>
  [Math.min(...numbers), median(numbers), Math.max(...numbers)].map((mb) => mb.toFixed(0)).join(' ');

async function memory(pages: number): Promise<void> {
  const sites = await applications(Math.ceil(pages / 3));
  const tenths = Array.from({ length: 10 }, () => ({ server: [] as number[], browser: [] as number[] }));
  const result = await crawl(
    sites.map((site) => site.url('/')),
    'always',
    ({ memory: held }, documents) => {
      const tenth = tenths[Math.min(9, Math.floor((documents / pages) * 10))]!;
      tenth.server.push(held.own);
      tenth.browser.push(held.others);
    },
  );
  console.log('| pages | server: min, median, max MB | browser: min, median, max MB |');
  console.log('|---|---|---|');
  for (const [n, { server, browser }] of tenths.entries())
    console.log(`| ${(n * pages) / 10} to ${((n + 1) * pages) / 10} | ${range(server)} | ${range(browser)} |`);
  console.log(`\n${result.documents} documents in ${result.seconds.toFixed(0)} s`);
  await Promise.all(sites.map((site) => site.close()));
}

const applications = (count: number): Promise<FakeSite[]> =>
  Promise.all(['react/main.jsx', 'vue/main.js', 'svelte/main.js'].map((entry) => application(entry, count)));

const HEAD =
  '| crawl | documents | of them rendered | characters of text | seconds | pages/s | CPU ms a page |\n|---|---|---|---|---|---|---|';

async function besidePeers(pages: number): Promise<void> {
  const runs = Number(option('runs', '1'));
  const peers = options('peer').map((text) => ({
    name: text.slice(0, text.indexOf('=')),
    command: text.slice(text.indexOf('=') + 1),
  }));
  const sites = await applications(pages);
  const seeds = sites.map((site) => site.url('/'));
  console.log(HEAD);
  const crawls = [
    { name: `Crawlway, ${pages} pages each of React, Vue and Svelte`, crawl: () => crawl(seeds, 'always') },
    ...peers.map(({ name, command }) => ({ name, crawl: () => peer(command, seeds) })),
  ];
  const results = new Map<string, Result[]>(crawls.map(({ name }) => [name, []]));
  for (let run = 1; run <= runs; run++)
    for (const { name, crawl } of crawls) {
      const result = await crawl();
      results.get(name)!.push(result);
      if (runs > 1) row(`run ${run}: ${name}`, [result]);
    }
  for (const { name } of crawls) row(name, results.get(name)!);
  await Promise.all(sites.map((site) => site.close()));
}

async function auto(pages: number): Promise<void> {
  const site = await mixed(pages);
  const starts = [site.url('/'), site.url('/articles/')];
  console.log(HEAD);
  for (const render of ['always', 'auto', 'never'])
    row(`render="${render}", half of ${pages} pages plain`, [await crawl(starts, render)]);
  await site.close();
}

const part = option('part', 'applications');
if (part === 'memory') await memory(Number(option('pages', '5000')));
else await (part === 'auto' ? auto : besidePeers)(Number(option('pages', '300')));
