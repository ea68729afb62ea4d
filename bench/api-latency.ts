/**
 * How soon the API answers while a crawl runs at full speed: a whole server crawls a synthetic site without politeness, and
 * a client asks each call so many times a second, on time whether the answers come or not, first of the paused server, then
 * of the crawling one.
 *
 *   node dist/bench/api-latency.js [--seconds 30] [--rate 20] [--known 0] [--beside FOLDER]
 *
 * With --beside, the server of another built checkout does the same at the same time: neighbours on the machine slow down both.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fullSpeed, sleep } from './crawl-run.js';
import { fillStore } from './known-urls.js';
import { RUNTIME_FLAGS, startProgram, stop } from './processes.js';

const DIST = fileURLToPath(new URL('..', import.meta.url));
const SITE_PORT = 18_092;
const SITE = `http://127.0.0.1:${SITE_PORT}/`;
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

type Path = (n: number) => string;

/** One version of the server, which crawls the site. */
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

  static async start(name: string, dist: string, number: number): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), 'crawlway-bench-'));
    const data = join(folder, 'data');
    mkdirSync(data);
    const known = option('known', 0);
    if (known > 0) await fillStore(join(data, 'crawlway.sqlite'), known);
    const [port, receiverPort] = [18_742 + number, 18_752 + number];
    writeFileSync(join(folder, 'config.xml'), fullSpeed(SITE, receiverPort));
    const receiver = await startProgram(
      join(DIST, 'test/support/ack-receiver.js'),
      ['--port', String(receiverPort)],
      /\d/,
    );
    const args = ['serve', '--config', join(folder, 'config.xml'), '--data', data, '--port', String(port)];
    const server = await startProgram(join(dist, 'program/main.js'), args, /ready/, RUNTIME_FLAGS);
    return new Server(name, port, folder, [server, receiver]);
  }

  timed(path: string): Promise<number> {
    const started = performance.now();
    return new Promise((done, reject) => {
      get(`${this.api}${path}`, { agent }, (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === 200) done(performance.now() - started);
          else reject(new Error(`${path} was answered with ${response.statusCode}`));
        });
      }).once('error', reject);
    });
  }

  async indexed(): Promise<number> {
    const answer = await fetch(`${this.api}/crawlers/bench`);
    return ((await answer.json()) as { indexed: number }).indexed;
  }

  async move(verb: 'pause' | 'start'): Promise<void> {
    await fetch(`${this.api}/crawlers/bench/${verb}`, { method: 'POST' });
  }

  async stop(): Promise<void> {
    for (const program of this.programs) await stop(program);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Asks on time, so that one slow answer does not hide those that would have been slow behind it. */
async function measure(server: Server, path: Path, rate: number, seconds: number): Promise<number[]> {
  const started = performance.now();
  const answers: Promise<number>[] = [];
  for (let n = 0; n < rate * seconds; n++) {
    await sleep(Math.max(0, started + (n * 1000) / rate - performance.now()));
    answers.push(server.timed(path(n)));
  }
  return (await Promise.all(answers)).sort((a, b) => a - b);
}

async function measureAll(
  servers: readonly Server[],
  rate: number,
  seconds: number,
): Promise<Record<string, Record<string, number>>> {
  const asked = Object.entries(CALLS).flatMap(([name, path]) => servers.map((server) => ({ name, path, server })));
  const rows = await Promise.all(
    asked.map(async ({ name, path, server }, i) => {
      await sleep((i * 1000) / rate / asked.length);
      return [`${name}${server.name}`, rowOf(await measure(server, path, rate, seconds))] as const;
    }),
  );
  return Object.fromEntries(rows);
}

function rowOf(sorted: readonly number[]): Record<string, number> {
  const at = (share: number): number =>
    Number((sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toPrecision(3));
  return { answers: sorted.length, 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'p99 ms': at(0.99), 'max ms': at(1) };
}

async function run(servers: readonly Server[], rate: number, seconds: number): Promise<void> {
  for (const server of servers) while ((await server.indexed()) < 10 * FIRST_PAGES) await sleep(50);
  for (const server of servers) await server.move('pause');
  await sleep(1_000);
  console.log('the crawler is paused');
  console.table(await measureAll(servers, rate, Math.min(10, seconds)));
  for (const server of servers) await server.move('start');
  await sleep(1_000);
  const before = await Promise.all(servers.map((server) => server.indexed()));
  const started = performance.now();
  const rows = await measureAll(servers, rate, seconds);
  const took = (performance.now() - started) / 1000;
  for (const [i, server] of servers.entries()) {
    const pages = (await server.indexed()) - before[i]!;
    console.log(`it crawls ${(pages / took).toFixed(0)} pages a second${server.name}`);
  }
  console.table(rows);
}

const site = await startProgram(
  join(DIST, 'bench/synthetic-site.js'),
  ['--port', String(SITE_PORT), '--pages', String(PAGES)],
  /http/,
);
const beside = process.argv.indexOf('--beside');
const servers: Server[] = [];
try {
  servers.push(await Server.start('', DIST, 0));
  if (beside >= 0) servers.push(await Server.start(', beside', join(resolve(process.argv[beside + 1]!), 'dist'), 1));
  await run(servers, option('rate', 20), option('seconds', 30));
} finally {
  agent.destroy();
  for (const server of servers) await server.stop();
  await stop(site);
}
