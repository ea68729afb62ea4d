/**
 * Whole crawls of one host from one root, with everything on: robots.txt, policy, durable frontier, text extraction, delivery to
 * a receiver that only acknowledges. Each run is a process of its own with a new data directory.
 *
 *   node dist/bench/crawl.js [--pages 10000] [--runs 3] [--known 1000000] [--refresh]
 *   node dist/bench/crawl.js --seed http://host/start.html --expect 10137 [--peer 'name=command with SEED']…
 *
 * Without --seed it crawls a synthetic site that it starts itself. A peer is any command that crawls SEED and ends; it is run in
 * turn with Crawlway and timed as a whole process, so quote the ratio of one run, not a time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillStore } from './known-urls.js';
import { RUNTIME_FLAGS, startProgram, stop, type Usage, usageOf } from './processes.js';

interface Run {
  readonly pages: number;
  /** From the first request to the last acknowledgement, in seconds. */
  readonly crawlSeconds: number;
  /** From the start of the process to the last acknowledgement. */
  readonly wallSeconds: number;
  readonly usage: Usage | undefined;
}

const DIST = fileURLToPath(new URL('..', import.meta.url));
const API_PORT = 18_740;
const RECEIVER_PORT = 18_750;
const SITE_PORT = 18_090;
const POLL_MS = 100;

const options = (name: string): string[] =>
  process.argv.flatMap((argument, i) => (argument === `--${name}` ? [process.argv[i + 1] ?? ''] : []));
const option = (name: string, otherwise: string): string => options(name)[0] ?? otherwise;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function configuration(seed: string): string {
  const { hostname } = new URL(seed);
  return `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="bench" nthreads="32" aggressive="true" throttleTimeMS="0" nearDuplicateDetector="false" crawlSitemaps="false">
    <Root url="${seed}"/>
    <Rules group="bench"><Rule><ar:Host val="${hostname}"/><Index/><Follow/><Accept/></Rule></Rules>
    <cw:Traps maxUrlsPerHost="100000000"/>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="http://127.0.0.1:${RECEIVER_PORT}" connector="bench"/>
</CrawlConfig>`;
}

async function crawl(seed: string, known: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-bench-'));
  mkdirSync(join(folder, 'data'));
  if (known > 0) await fillStore(join(folder, 'data', 'crawlway.sqlite'), known);
  writeFileSync(join(folder, 'config.xml'), configuration(seed));
  const receiver = await startProgram(
    join(DIST, 'test/support/ack-receiver.js'),
    ['--port', String(RECEIVER_PORT)],
    /\d/,
  );
  const started = performance.now();
  const args = [
    'serve',
    '--config',
    join(folder, 'config.xml'),
    '--data',
    join(folder, 'data'),
    '--port',
    String(API_PORT),
  ];
  const server = await startProgram(join(DIST, 'src/main.js'), args, /is ready/, RUNTIME_FLAGS);
  const ready = performance.now();
  try {
    const pages = await untilIdle();
    const end = performance.now();
    return { pages, crawlSeconds: (end - ready) / 1000, wallSeconds: (end - started) / 1000, usage: usageOf(server) };
  } finally {
    await stop(server);
    await stop(receiver);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function untilIdle(): Promise<number> {
  for (;;) {
    await sleep(POLL_MS);
    const response = await fetch(`http://127.0.0.1:${API_PORT}/api/v1/crawlers/bench`);
    const view = (await response.json()) as { idle: boolean; pendingOrders: number; indexed: number };
    if (view.idle && view.pendingOrders === 0 && view.indexed > 0) return view.indexed;
  }
}

/** A whole process, timed from outside; GNU time tells its processor time and memory where it is installed. */
function peer(command: string, seed: string): Promise<Run> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(
      '/usr/bin/time',
      ['-f', '%U %S %M', 'sh', '-c', command.replaceAll('SEED', seed)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let out = '';
    let errors = '';
    child.stdout!.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr!.on('data', (data: Buffer) => (errors += data.toString()));
    child.once('error', reject);
    child.once('exit', () => {
      const seconds = (performance.now() - started) / 1000;
      const [user, system, kb] = (errors.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
      const pages = Number(/"pages":\s*(\d+)/.exec(out)?.[1] ?? Number.NaN);
      resolve({
        pages,
        crawlSeconds: seconds,
        wallSeconds: seconds,
        usage: { cpu: user! + system!, peakMb: kb! / 1024 },
      });
    });
  });
}

const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

function row(name: string, runs: readonly Run[], expected: number): string {
  const pages = median(runs.map((run) => run.pages));
  const counted = Number.isNaN(pages) ? expected : pages;
  const perSecond = median(runs.map((run) => counted / run.wallSeconds));
  const alone = median(runs.map((run) => counted / run.crawlSeconds));
  const cpu = median(runs.map((run) => ((run.usage?.cpu ?? Number.NaN) / counted) * 1000));
  const peak = median(runs.map((run) => run.usage?.peakMb ?? Number.NaN));
  return `| ${name} | ${counted} | ${perSecond.toFixed(0)} | ${alone.toFixed(0)} | ${cpu.toFixed(2)} | ${peak.toFixed(0)} |`;
}

async function main(): Promise<void> {
  const pages = Number(option('pages', '10000'));
  const runs = Number(option('runs', '3'));
  const known = Number(option('known', '0'));
  const ownSite = options('seed').length === 0;
  const site = ownSite
    ? await startProgram(
        join(DIST, 'bench/synthetic-site.js'),
        ['--port', String(SITE_PORT), '--pages', String(pages)],
        /http/,
      )
    : undefined;
  const seed = option('seed', `http://127.0.0.1:${SITE_PORT}/`);
  const expected = Number(option('expect', String(pages)));
  const peers = options('peer').map((text) => ({
    name: text.slice(0, text.indexOf('=')),
    command: text.slice(text.indexOf('=') + 1),
  }));
  const own: Run[] = [];
  const others = new Map<string, Run[]>(peers.map(({ name }) => [name, []]));
  for (let i = 0; i < runs; i++) {
    own.push(await crawl(seed, known));
    for (const { name, command } of peers) others.get(name)!.push(await peer(command, seed));
  }
  if (site) await stop(site);
  console.log(`${seed}, ${runs} runs each, medians; Node ${process.versions.node}`);
  console.log('| crawler | pages | pages/s, whole process | pages/s, crawl alone | CPU s per 1,000 | peak MB |');
  console.log('|---|---|---|---|---|---|');
  console.log(row(known > 0 ? `Crawlway, ${known} URLs known before` : 'Crawlway', own, expected));
  for (const [name, list] of others) console.log(row(name, list, expected));
  if (own.some((run) => run.pages !== expected))
    console.log(`expected ${expected} pages; got ${own.map((run) => run.pages).join(', ')}`);
}

await main();
