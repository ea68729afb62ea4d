/**
 * Measures the start of a server with an empty store: until it is ready, and until its first request to a site, with the
 * processor time until then. Then the memory of that server when it has been idle for a while.
 *
 *   node dist/bench/start.js [--runs 10] [--idle 5] [--beside CHECKOUT]
 *
 * The first start after a build, which compiles the program, is not counted. --beside alternates with the server of
 * another built checkout.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { CrawlRun, createConfiguration, getOption, getOptions, median, sleep } from './crawl-run.js';

const SITE_PORT = 18_094;
const SEED = `http://127.0.0.1:${SITE_PORT}/`;

interface Start {
  /** Milliseconds from the start of the process. */
  readonly ready: number;
  readonly firstRequest: number;
  /** Processor time of the server until it was ready, in seconds. */
  readonly cpu: number;
  /** Resident memory of the idle server in MB, and the part of it that belongs to no file, such as that of Node's program. */
  readonly memory: { readonly all: number; readonly unshared: number };
}

const runs = Number(getOption('runs', '10'));
const idleSeconds = Number(getOption('idle', '5'));
const site = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Page</title><p>One page.');
});
site.listen(SITE_PORT, '127.0.0.1');
await once(site, 'listening');

async function measure(checkout: string | undefined): Promise<Start> {
  const firstRequest = once(site, 'request').then(() => performance.now());
  const root = `<Root url="${SEED}" site="false"/>`;
  const run = await CrawlRun.start(createConfiguration('throttleTimeMS="0" defaultAccept="true"', root), { checkout });
  try {
    const cpu = run.getUsage()?.cpu ?? Number.NaN;
    const times = { ready: run.readyAt - run.startedAt, firstRequest: (await firstRequest) - run.startedAt };
    await run.waitUntilIdle();
    await sleep(idleSeconds * 1000);
    return { ...times, cpu, memory: run.getMemory() };
  } finally {
    await run.stop();
  }
}

const checkouts = [undefined, ...getOptions('beside').map((folder) => resolve(folder))];
const starts = new Map<string | undefined, Start[]>(checkouts.map((checkout) => [checkout, []]));
for (let i = -1; i < runs; i++)
  for (const checkout of checkouts) {
    const start = await measure(checkout);
    if (i >= 0) starts.get(checkout)!.push(start);
  }
site.close();
console.log(`medians of ${runs}; memory after ${idleSeconds} s without work\n`);
console.log('| server | ready, ms | first request, ms | CPU ms until ready | idle, MB | of it unshared |');
console.log('|---|---|---|---|---|---|');
for (const [checkout, measured] of starts) {
  const cells = [
    measured.map(({ ready }) => ready),
    measured.map(({ firstRequest }) => firstRequest),
    measured.map(({ cpu }) => cpu * 1000),
    measured.map(({ memory }) => memory.all),
    measured.map(({ memory }) => memory.unshared),
  ].map((values) => median(values).toFixed(0));
  console.log(`| ${checkout ?? 'Crawlway'} | ${cells.join(' | ')} |`);
}
