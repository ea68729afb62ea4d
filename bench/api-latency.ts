/**
 * Measures how fast the API responds while a crawl runs at full speed. A whole server crawls a synthetic site without
 * politeness, and a client makes each call at a fixed rate, whether or not earlier calls have been answered: first
 * while the crawler is paused, then while it is crawling.
 *
 *   node dist/bench/api-latency.js [--seconds 30] [--rate 20] [--known 0] [--beside FOLDER]
 *
 * With --beside, the server of another built checkout is measured at the same time, so that other programs on the
 * machine slow down both.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFullSpeedConfiguration, sleep } from './crawl-run.js';
import { fillStore } from './known-urls.js';
import { RUNTIME_FLAGS, readMainThread, startProgram, stop } from './processes.js';

const DIST = fileURLToPath(new URL('..', import.meta.url));
const SITE_PORT = 18_092;
const SITE = `http://127.0.0.1:${SITE_PORT}/`;
/** Size of the site: more pages than any run fetches. */
const PAGES = 100_000_000;
/** Number of pages whose histories are requested; they are stored before the measurement begins. */
const FIRST_PAGES = 500;

const getOption = (name: string, fallback: number): number => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? fallback : Number(process.argv[index + 1]);
};
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

const encodePageUrl = (n: number): string => encodeURIComponent(`${SITE}p/${n}.html`);

/** The measured calls by name, each with the path of its n-th request. */
const CALLS: Readonly<Record<string, (n: number) => string>> = {
  'GET /crawlers': () => '/crawlers',
  'GET url': (n) => `/crawlers/bench/url?url=${encodePageUrl(1 + ((n * 37) % FIRST_PAGES))}`,
  'GET explain': (n) => `/crawlers/bench/explain?url=${encodePageUrl(n * 7919)}`,
};

type CreatePath = (n: number) => string;

/** A running server of one version, which crawls the site. */
class Server {
  private readonly api: string;

  private constructor(
    readonly name: string,
    port: number,
    private readonly folder: string,
    private readonly programs: readonly ChildProcess[],
  ) {
    this.api = `http://127.0.0.1:${port}/api/v1`;
  }

  static async start(name: string, dist: string, index: number): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), 'crawlway-bench-'));
    const data = join(folder, 'data');
    mkdirSync(data);
    const knownCount = getOption('known', 0);
    if (knownCount > 0) await fillStore(join(data, 'crawlway.sqlite'), knownCount);
    const [port, receiverPort] = [18_742 + index, 18_752 + index];
    writeFileSync(join(folder, 'config.xml'), createFullSpeedConfiguration(SITE, { receiverPort }));
    const receiver = await startProgram(
      join(DIST, 'test/support/ack-receiver.js'),
      ['--port', String(receiverPort)],
      /\d/,
    );
    const args = ['serve', '--config', join(folder, 'config.xml'), '--data', data, '--port', String(port)];
    const server = await startProgram(join(dist, 'program/main.js'), args, /ready/, RUNTIME_FLAGS);
    return new Server(name, port, folder, [server, receiver]);
  }

  measureRequest(path: string): Promise<number> {
    const startedAt = performance.now();
    return new Promise((done, reject) => {
      get(`${this.api}${path}`, { agent }, (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === 200) done(performance.now() - startedAt);
          else reject(new Error(`the server responded to ${path} with ${response.statusCode}`));
        });
      }).once('error', reject);
    });
  }

  async countIndexed(): Promise<number> {
    const response = await fetch(`${this.api}/crawlers/bench`);
    return ((await response.json()) as { indexed: number }).indexed;
  }

  readMainThread(): { readonly worked: number; readonly waited: number } {
    return readMainThread(this.programs[0]!);
  }

  async setState(verb: 'pause' | 'start'): Promise<void> {
    await fetch(`${this.api}/crawlers/bench/${verb}`, { method: 'POST' });
  }

  async stop(): Promise<void> {
    for (const program of this.programs) await stop(program);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Sends requests at fixed times, so that one slow response does not delay the requests after it and hide their latency.
 */
async function measure(server: Server, createPath: CreatePath, rate: number, seconds: number): Promise<number[]> {
  const startedAt = performance.now();
  const durations: Promise<number>[] = [];
  for (let n = 0; n < rate * seconds; n++) {
    await sleep(Math.max(0, startedAt + (n * 1000) / rate - performance.now()));
    durations.push(server.measureRequest(createPath(n)));
  }
  return (await Promise.all(durations)).sort((a, b) => a - b);
}

async function measureAll(
  servers: readonly Server[],
  rate: number,
  seconds: number,
): Promise<Record<string, Record<string, number>>> {
  const calls = Object.entries(CALLS).flatMap(([name, path]) => servers.map((server) => ({ name, path, server })));
  const rows = await Promise.all(
    calls.map(async ({ name, path, server }, i) => {
      await sleep((i * 1000) / rate / calls.length);
      return [`${name}${server.name}`, createRow(await measure(server, path, rate, seconds))] as const;
    }),
  );
  return Object.fromEntries(rows);
}

function createRow(sorted: readonly number[]): Record<string, number> {
  const percentile = (share: number): number =>
    Number((sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toPrecision(3));
  return {
    responses: sorted.length,
    'p50 ms': percentile(0.5),
    'p95 ms': percentile(0.95),
    'p99 ms': percentile(0.99),
    'max ms': percentile(1),
  };
}

async function run(servers: readonly Server[], rate: number, seconds: number): Promise<void> {
  for (const server of servers) while ((await server.countIndexed()) < 10 * FIRST_PAGES) await sleep(50);
  for (const server of servers) await server.setState('pause');
  await sleep(1_000);
  console.log('while the crawler is paused');
  console.table(await measureAll(servers, rate, Math.min(10, seconds)));
  for (const server of servers) await server.setState('start');
  await sleep(1_000);
  const indexedBefore = await Promise.all(servers.map((server) => server.countIndexed()));
  const mainThreadsBefore = servers.map((server) => server.readMainThread());
  const startedAt = performance.now();
  const rows = await measureAll(servers, rate, seconds);
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  for (const [i, server] of servers.entries()) {
    const [before, after] = [mainThreadsBefore[i]!, server.readMainThread()];
    const formatShare = (part: number): string => `${((100 * part) / elapsedSeconds).toFixed(0)} %`;
    const pages = (await server.countIndexed()) - indexedBefore[i]!;
    console.log(`while the crawler fetches ${(pages / elapsedSeconds).toFixed(0)} pages/s${server.name}`);
    console.log(
      `the main thread works ${formatShare(after.worked - before.worked)} of the time and waits for a core ${formatShare(after.waited - before.waited)}${server.name}`,
    );
  }
  console.table(rows);
}

const site = await startProgram(
  join(DIST, 'bench/synthetic-site.js'),
  ['--port', String(SITE_PORT), '--pages', String(PAGES)],
  /http/,
);
const besideIndex = process.argv.indexOf('--beside');
const servers: Server[] = [];
try {
  servers.push(await Server.start('', DIST, 0));
  if (besideIndex >= 0)
    servers.push(await Server.start(', beside', join(resolve(process.argv[besideIndex + 1]!), 'dist'), 1));
  await run(servers, getOption('rate', 20), getOption('seconds', 30));
} finally {
  agent.destroy();
  for (const server of servers) await server.stop();
  await stop(site);
}
