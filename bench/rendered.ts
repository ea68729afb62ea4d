/**
 * Measures crawls whose pages a browser renders: applications built with React, Vue and Svelte, crawled to the end with
 * `render="always"`; and a site of which half the pages are plain and half made by scripts, with `always`, `auto` and,
 * to show what a plain page costs, `never`. The browser may use the whole machine. Each crawl is a new process, and the
 * time includes its start.
 *
 *   node dist/bench/rendered.js [--part applications] [--pages 300] [--runs 1] [--peer 'name=command SEEDS']…
 *   node dist/bench/rendered.js --part auto [--pages 300]
 *   node dist/bench/rendered.js --part memory [--pages 5000]     memory of server and browser, by tenths of the crawl
 *
 * A peer is a command that crawls SEEDS (URLs separated by spaces), prints `"pages": N` and `"characters": N` and
 * exits; it alternates with Crawlway.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { htmlPage, json, publishScripts } from '../test/rendering/applications/build.js';
import { sentence } from '../test/rendering/applications/sentences.js';
import { FakeSite } from '../test/support/fake-site.js';
import { CrawlRun, getOption, getOptions, median } from './crawl-run.js';
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
  /** Number of documents that were rendered; unknown for a peer. */
  readonly rendered?: number;
}

interface Document {
  readonly text: string;
  readonly metas: readonly { readonly name: string; readonly value: string }[];
}

const isRendered = ({ metas }: Document): boolean =>
  metas.some(({ name, value }) => name === 'render' && value === 'browser');

/** Publishes an application with a start page and `count` pages to which it links. */
async function publishApplication(entry: string, count: number): Promise<FakeSite> {
  const site = await FakeSite.start();
  const [name = ''] = entry.split('/');
  await publishScripts(site, entry);
  site.otherwise((request) => (request.url?.startsWith('/api/') ? { status: 404 } : htmlPage(SHELL)));
  const [listPath, kind] = name === 'svelte' ? ['/api/stories/0', 'story'] : ['/api/products', 'product'];
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  site.set(listPath, json(ids.map((id) => ({ id, name: `Page ${id}` }))));
  site.set('/api/stories/1', json([]));
  for (const id of ids)
    site.set(`/api/${kind}/${id}`, json({ name: `Page ${id}`, text: sentence(name, `${kind}-${id}`) }));
  return site;
}

/** Publishes a React application and plain pages, half of `count` pages each. */
async function publishMixedSite(count: number): Promise<FakeSite> {
  const site = await publishApplication('react/main.jsx', count / 2);
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

/** @param onProgress is called once a second with the processes of the crawl and the number of documents so far */
async function crawl(
  seeds: readonly string[],
  render: string,
  onProgress?: (tree: ProcessTree, documents: number) => void,
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
  const tree = run.watchProcesses();
  const watchTimer =
    onProgress && setInterval(() => run.getState().then(({ indexed }) => onProgress(tree, indexed)), 1_000);
  try {
    await run.waitUntilIdle(seeds.length);
    const seconds = (performance.now() - run.startedAt) / 1000;
    tree.sample();
    const lines = readFileSync(orders, 'utf8').trim().split('\n');
    const documents = new Map<string, Document>(
      lines.map((line) => JSON.parse(line)).map(({ uri, document }) => [uri, document]),
    );
    const addedDocuments = [...documents.values()].filter((document) => document !== undefined);
    const characters = addedDocuments.reduce((sum, { text }) => sum + text.length, 0);
    const rendered = addedDocuments.filter(isRendered).length;
    return { documents: documents.size, rendered, characters, seconds, cpu: tree.cpu };
  } finally {
    clearInterval(watchTimer);
    tree.stop();
    await run.stop();
    rmSync(folder, { recursive: true });
  }
}

function runPeer(command: string, seeds: readonly string[]): Promise<Result> {
  const startedAt = performance.now();
  const child = spawn('sh', ['-c', command.replaceAll('SEEDS', seeds.join(' '))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const tree = new ProcessTree(child.pid!);
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      const readNumber = (name: string) => Number(new RegExp(`"${name}":\\s*(\\d+)`).exec(output)?.[1]);
      const seconds = (performance.now() - startedAt) / 1000;
      tree.stop();
      resolve({ documents: readNumber('pages'), characters: readNumber('characters'), seconds, cpu: tree.cpu });
    });
  });
}

function printRow(name: string, results: readonly Result[]): void {
  const pagesPerSecond = median(results.map(({ documents, seconds }) => documents / seconds));
  const cpuMsPerPage = median(results.map(({ documents, cpu }) => (cpu / documents) * 1000));
  const [documents, characters, seconds] = (['documents', 'characters', 'seconds'] as const).map((key) =>
    median(results.map((result) => result[key])),
  );
  console.log(
    `| ${name} | ${documents} | ${results[0]?.rendered ?? ''} | ${characters} | ${seconds!.toFixed(1)} | ${pagesPerSecond.toFixed(2)} | ${cpuMsPerPage.toFixed(0)} |`,
  );
}

const formatRange = (numbers: readonly number[]): string =>
  [Math.min(...numbers), median(numbers), Math.max(...numbers)].map((mb) => mb.toFixed(0)).join(' ');

async function measureMemory(pages: number): Promise<void> {
  const sites = await publishApplications(Math.ceil(pages / 3));
  const tenths = Array.from({ length: 10 }, () => ({ server: [] as number[], browser: [] as number[] }));
  const result = await crawl(
    sites.map((site) => site.url('/')),
    'always',
    ({ memory: memoryMb }, documents) => {
      const tenth = tenths[Math.min(9, Math.floor((documents / pages) * 10))]!;
      tenth.server.push(memoryMb.own);
      tenth.browser.push(memoryMb.others);
    },
  );
  console.log('| pages | server: min, median, max MB | browser: min, median, max MB |');
  console.log('|---|---|---|');
  for (const [n, { server, browser }] of tenths.entries())
    console.log(
      `| ${(n * pages) / 10} to ${((n + 1) * pages) / 10} | ${formatRange(server)} | ${formatRange(browser)} |`,
    );
  console.log(`\n${result.documents} documents in ${result.seconds.toFixed(0)} s`);
  await Promise.all(sites.map((site) => site.close()));
}

const publishApplications = (count: number): Promise<FakeSite[]> =>
  Promise.all(['react/main.jsx', 'vue/main.js', 'svelte/main.js'].map((entry) => publishApplication(entry, count)));

const HEAD =
  '| crawl | documents | of these rendered | characters of text | seconds | pages/s | CPU ms per page |\n|---|---|---|---|---|---|---|';

async function compareWithPeers(pages: number): Promise<void> {
  const runs = Number(getOption('runs', '1'));
  const peers = getOptions('peer').map((text) => ({
    name: text.slice(0, text.indexOf('=')),
    command: text.slice(text.indexOf('=') + 1),
  }));
  const sites = await publishApplications(pages);
  const seeds = sites.map((site) => site.url('/'));
  console.log(HEAD);
  const crawls = [
    { name: `Crawlway, ${pages} pages each with React, Vue and Svelte`, crawl: () => crawl(seeds, 'always') },
    ...peers.map(({ name, command }) => ({ name, crawl: () => runPeer(command, seeds) })),
  ];
  const results = new Map<string, Result[]>(crawls.map(({ name }) => [name, []]));
  for (let run = 1; run <= runs; run++)
    for (const { name, crawl } of crawls) {
      const result = await crawl();
      results.get(name)!.push(result);
      if (runs > 1) printRow(`run ${run}: ${name}`, [result]);
    }
  for (const { name } of crawls) printRow(name, results.get(name)!);
  await Promise.all(sites.map((site) => site.close()));
}

async function compareModes(pages: number): Promise<void> {
  const site = await publishMixedSite(pages);
  const seeds = [site.url('/'), site.url('/articles/')];
  console.log(HEAD);
  for (const render of ['always', 'auto', 'never'])
    printRow(`render="${render}", half of ${pages} pages plain`, [await crawl(seeds, render)]);
  await site.close();
}

const part = getOption('part', 'applications');
if (part === 'memory') await measureMemory(Number(getOption('pages', '5000')));
else await (part === 'auto' ? compareModes : compareWithPeers)(Number(getOption('pages', '300')));
