/**
 * Measures what a page costs each thread of the server, and how fast a crawl is on one core and on two; computes from
 * that what limits a crawl on more cores:
 *
 *   node dist/bench/cores.js [--runs 3] [--pages 10000]
 *
 * Each run crawls a site, and then the same site under another name: a server at work, whose code is compiled. On one
 * core, everything but the server is on another one; two cores are shared with it. The model assumes that it is
 * elsewhere, that each thread can use a whole core, and that a page costs the same on any number of cores.
 */
import { execFileSync } from 'node:child_process';
import { choosePageThreadLimits } from '../src/adapters/threads/thread-load.js';
import { CrawlRun, createFullSpeedConfiguration, getOption, median } from './crawl-run.js';
import { type CrawledSite, startCrawledSite } from './crawled-site.js';
import { readUsage, stop, type ThreadUsage } from './processes.js';

const OTHER_HOST = 'localhost';
const MODEL_CORES = [1, 2, 4, 8, 16, 32];

const PARTS = ['main thread', 'page threads', 'store thread', 'V8’s helpers'] as const;
type Part = (typeof PARTS)[number];

/** Processor milliseconds a page, added up over the threads of each part. */
type Cost = Readonly<Record<Part, number>>;

interface Crawl {
  readonly pagesPerSecond: number;
  readonly cost: Cost;
  /** Processor milliseconds a page of the site, the receiver and this program. */
  readonly elsewhere: number;
}

const createCost = (measure: (part: Part) => number): Cost =>
  Object.fromEntries(PARTS.map((part) => [part, measure(part)])) as Cost;

const sumCost = (cost: Cost): number => PARTS.reduce((sum, part) => sum + cost[part], 0);

function findPart({ name }: ThreadUsage, index: number): Part {
  if (index === 0) return 'main thread';
  if (name === 'pages') return 'page threads';
  return name.startsWith('store') ? 'store thread' : 'V8’s helpers';
}

const readCost = (threads: readonly ThreadUsage[]): Cost =>
  createCost((part) =>
    threads.reduce((sum, thread, i) => sum + (findPart(thread, i) === part ? thread.cpu * 1000 : 0), 0),
  );

function readElsewhere(run: CrawlRun, { server }: CrawledSite): number {
  const { user, system } = process.cpuUsage();
  const seconds = [server && readUsage(server), run.getReceiverUsage()].reduce(
    (sum, usage) => sum + (usage?.cpu ?? 0),
    0,
  );
  return seconds * 1000 + (user + system) / 1000;
}

/** Measures one crawl, from `start` until the server is idle. */
async function measure(run: CrawlRun, site: CrawledSite, start: () => Promise<void>): Promise<Crawl> {
  const indexedBefore = (await run.getState()).indexed;
  const read = () => ({ at: performance.now(), cost: readCost(run.getThreads()), elsewhere: readElsewhere(run, site) });
  const before = read();
  await start();
  await run.waitUntilIdle(indexedBefore + 1);
  const after = read();
  return {
    pagesPerSecond: (site.pages * 1000) / (after.at - before.at),
    cost: createCost((part) => (after.cost[part] - before.cost[part]) / site.pages),
    elsewhere: (after.elsewhere - before.elsewhere) / site.pages,
  };
}

async function crawlTwice(cores: string, othersOn: string): Promise<readonly [first: Crawl, atWork: Crawl]> {
  execFileSync('taskset', ['-apc', othersOn, String(process.pid)], { stdio: 'ignore' });
  const site = await startCrawledSite();
  const { seed, server } = site;
  const other = seed.replace('127.0.0.1', OTHER_HOST);
  const run = await CrawlRun.start(createFullSpeedConfiguration(seed, { otherHosts: [OTHER_HOST] }), { cores });
  try {
    return [
      await measure(run, site, async () => {}),
      await measure(run, site, () => run.post('/roots', { url: other, site: false })),
    ];
  } finally {
    await run.stop();
    if (server) await stop(server);
  }
}

const takeMedian = (crawls: readonly Crawl[]): Crawl => ({
  pagesPerSecond: median(crawls.map(({ pagesPerSecond }) => pagesPerSecond)),
  cost: createCost((part) => median(crawls.map(({ cost }) => cost[part]))),
  elsewhere: median(crawls.map(({ elsewhere }) => elsewhere)),
});

/** The lowest limit and the next one. */
function describeLimits(cost: Cost, cores: number): string {
  const { threads } = choosePageThreadLimits(cores);
  const limits: readonly (readonly [part: string, pagesPerSecond: number])[] = [
    ['main thread', 1000 / cost['main thread']],
    [threads === 1 ? 'page thread' : `${threads} page threads`, (threads * 1000) / cost['page threads']],
    ['store thread', 1000 / cost['store thread']],
    [cores === 1 ? 'core' : 'cores', (cores * 1000) / sumCost(cost)],
  ];
  return [...limits]
    .sort(([, first], [, second]) => first - second)
    .slice(0, 2)
    .map(([part, pagesPerSecond]) => `${Math.round(pagesPerSecond)}, ${part}`)
    .join(' | ');
}

const runs = Number(getOption('runs', '3'));
const onOneCore: (readonly [Crawl, Crawl])[] = [];
const onTwoCores: (readonly [Crawl, Crawl])[] = [];
for (let i = 0; i < runs; i++) {
  onOneCore.push(await crawlTwice('0', '1'));
  onTwoCores.push(await crawlTwice('0,1', '0,1'));
}
const rows = [
  ['1 core, first crawl', takeMedian(onOneCore.map(([first]) => first))],
  ['1 core, at work', takeMedian(onOneCore.map(([, atWork]) => atWork))],
  ['2 cores, first crawl', takeMedian(onTwoCores.map(([first]) => first))],
  ['2 cores, at work', takeMedian(onTwoCores.map(([, atWork]) => atWork))],
] as const;
console.log(`medians of ${runs} runs; processor time in ms a page, without the start of the server\n`);
console.log(`| | pages/s | ${PARTS.join(' | ')} | together | site, receiver and client |`);
console.log('|---|---|---|---|---|---|---|---|');
for (const [name, { pagesPerSecond, cost, elsewhere }] of rows) {
  const figures = [...PARTS.map((part) => cost[part]), sumCost(cost), elsewhere];
  console.log(`| ${name} | ${pagesPerSecond.toFixed(0)} | ${figures.map((ms) => ms.toFixed(3)).join(' | ')} |`);
}
const [, , [, first], [, atWork]] = rows;
console.log('\nComputed from the costs on two cores: pages/s and what limits them\n');
console.log('| cores | first crawl | next limit | at work | next limit |');
console.log('|---|---|---|---|---|');
for (const cores of MODEL_CORES)
  console.log(`| ${cores} | ${describeLimits(first.cost, cores)} | ${describeLimits(atWork.cost, cores)} |`);
