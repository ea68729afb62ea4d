/**
 * Measures what a second node adds when politeness is the limit: `npm run bench -- cluster nodes [--hosts 100]
 * [--throttle 2500] [--seconds 30]`. It uses real processes and a real PostgreSQL, and counts requests at the web
 * servers.
 *
 * One node crawls the given number of web servers, and two nodes crawl twice as many. For comparison, one node also
 * crawls twice as many, since the limit depends on politeness and not on the number of nodes.
 */
import { parseArgs } from 'node:util';
import { Node, type Postgres, Receiver, Sites, sleep, startPostgres } from './cluster-world.js';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    hosts: { type: 'string', default: '100' },
    throttle: { type: 'string', default: '2500' },
    seconds: { type: 'string', default: '30' },
  },
});
const hostsPerNode = Number(values.hosts);
const throttleMs = Number(values.throttle);
const measurementMs = Number(values.seconds) * 1_000;
/** Time until every node has its partitions and every web server has been found. */
const WARM_UP_MS = 20_000;

interface Run {
  readonly pagesPerSecond: number;
  readonly shortestGapMs: number;
}

async function run(postgres: Postgres, nodes: number, hosts: number): Promise<Run> {
  const pages = Math.ceil((WARM_UP_MS * 3 + measurementMs) / throttleMs) + 100;
  const [sites, receiver, database] = await Promise.all([
    Sites.start(hosts, pages),
    Receiver.start(),
    postgres.createDatabase(),
  ]);
  const roots = sites.all.map(({ url }) => `${url}/1`);
  const runningNodes: Node[] = [];
  for (let n = 0; n < nodes; n++)
    runningNodes.push(await Node.start({ database, roots, receiver: receiver.url, throttleMs }));
  await sleep(WARM_UP_MS);
  const requestsBefore = sites.requests;
  const startedAt = performance.now();
  await sleep(measurementMs);
  const pagesPerSecond = (sites.requests - requestsBefore) / ((performance.now() - startedAt) / 1_000);
  const { shortestGap } = sites;
  await Promise.all(runningNodes.map((node) => node.end()));
  sites.close();
  receiver.close();
  return { pagesPerSecond, shortestGapMs: shortestGap };
}

const postgres = await startPostgres();
console.log(`throttle ${throttleMs} ms, ${values.seconds} s per run\n`);
console.log(
  '| nodes | web servers | pages/s | share of what politeness allows | times the first row | shortest gap at a server, ms |',
);
console.log('|---|---|---|---|---|---|');
let firstRate = 0;
for (const [nodes, hosts] of [
  [1, hostsPerNode],
  [2, hostsPerNode * 2],
  [1, hostsPerNode * 2],
] as const) {
  const { pagesPerSecond, shortestGapMs } = await run(postgres, nodes, hosts);
  firstRate ||= pagesPerSecond;
  const share = (pagesPerSecond / (hosts / (throttleMs / 1_000))) * 100;
  console.log(
    `| ${nodes} | ${hosts} | ${pagesPerSecond.toFixed(1)} | ${share.toFixed(1)} % | ${(pagesPerSecond / firstRate).toFixed(2)} | ${Math.floor(shortestGapMs)} |`,
  );
}
await postgres.close();
