/**
 * How soon the API answers while a crawl runs at full speed: a whole server crawls a synthetic site without politeness, and
 * a client asks each call so many times a second, on time whether the answers come or not, first of the paused server, then
 * of the crawling one.
 *
 *   node dist/bench/api-latency.js [--seconds 30] [--rate 20] [--known 0]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fullSpeed, sleep } from './crawl-run.js';
import { fillStore } from './known-urls.js';
import { RUNTIME_FLAGS, startProgram, stop } from './processes.js';

const DIST = fileURLToPath(new URL('..', import.meta.url));
const API_PORT = 18_742;
const RECEIVER_PORT = 18_752;
const SITE_PORT = 18_092;
const SITE = `http://127.0.0.1:${SITE_PORT}/`;
const API = `http://127.0.0.1:${API_PORT}/api/v1`;
/** More pages than any run fetches. */
const PAGES = 100_000_000;
/** Pages that are stored before the measurement begins: their biographies are asked for. */
const FIRST_PAGES = 500;

const option = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

const pageUrl = (n: number): string => encodeURIComponent(`${SITE}p/${n}.html`);

/** By name: the path of the n-th request. */
const CALLS: Readonly<Record<string, (n: number) => string>> = {
  'GET /crawlers': () => '/crawlers',
  'GET url': (n) => `/crawlers/bench/url?url=${pageUrl(1 + ((n * 37) % FIRST_PAGES))}`,
  'GET explain': (n) => `/crawlers/bench/explain?url=${pageUrl(n * 7919)}`,
};

function timed(path: string): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    get(`${API}${path}`, { agent }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - started);
        else reject(new Error(`${path} was answered with ${response.statusCode}`));
      });
    }).once('error', reject);
  });
}

/** Asks on time, so that one slow answer does not hide those that would have been slow behind it. */
async function measure(path: (n: number) => string, rate: number, seconds: number): Promise<number[]> {
  const started = performance.now();
  const answers: Promise<number>[] = [];
  for (let n = 0; n < rate * seconds; n++) {
    await sleep(Math.max(0, started + (n * 1000) / rate - performance.now()));
    answers.push(timed(path(n)));
  }
  return (await Promise.all(answers)).sort((a, b) => a - b);
}

async function measureAll(rate: number, seconds: number): Promise<Record<string, Record<string, number>>> {
  const rows = await Promise.all(
    Object.entries(CALLS).map(async ([name, path], i) => {
      await sleep((i * 1000) / rate / 3);
      return [name, rowOf(await measure(path, rate, seconds))] as const;
    }),
  );
  return Object.fromEntries(rows);
}

function rowOf(sorted: readonly number[]): Record<string, number> {
  const at = (share: number): number =>
    Number((sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toPrecision(3));
  return { answers: sorted.length, 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'p99 ms': at(0.99), 'max ms': at(1) };
}

async function crawlerView(): Promise<{ indexed: number }> {
  const answer = await fetch(`${API}/crawlers/bench`);
  return (await answer.json()) as { indexed: number };
}

const move = (verb: 'pause' | 'start'): Promise<unknown> => fetch(`${API}/crawlers/bench/${verb}`, { method: 'POST' });

async function run(rate: number, seconds: number): Promise<void> {
  while ((await crawlerView()).indexed < 10 * FIRST_PAGES) await sleep(50);
  await move('pause');
  await sleep(1_000);
  console.log('the crawler is paused');
  console.table(await measureAll(rate, Math.min(10, seconds)));
  await move('start');
  await sleep(1_000);
  const before = await crawlerView();
  const started = performance.now();
  const rows = await measureAll(rate, seconds);
  const pages = (await crawlerView()).indexed - before.indexed;
  console.log(`it crawls ${(pages / ((performance.now() - started) / 1000)).toFixed(0)} pages a second`);
  console.table(rows);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-bench-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  const known = option('known', 0);
  if (known > 0) await fillStore(join(data, 'crawlway.sqlite'), known);
  writeFileSync(join(folder, 'config.xml'), fullSpeed(SITE, RECEIVER_PORT));
  const site = await startProgram(
    join(DIST, 'bench/synthetic-site.js'),
    ['--port', String(SITE_PORT), '--pages', String(PAGES)],
    /http/,
  );
  const receiver = await startProgram(
    join(DIST, 'test/support/ack-receiver.js'),
    ['--port', String(RECEIVER_PORT)],
    /\d/,
  );
  const args = ['serve', '--config', join(folder, 'config.xml'), '--data', data, '--port', String(API_PORT)];
  const server = await startProgram(join(DIST, 'program/main.js'), args, /is ready/, RUNTIME_FLAGS);
  try {
    await run(option('rate', 20), option('seconds', 30));
  } finally {
    agent.destroy();
    for (const program of [server, receiver, site]) await stop(program);
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
