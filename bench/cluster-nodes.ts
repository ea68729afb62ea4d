/**
 * What a further node brings against web servers whose politeness is the limit: `npm run bench -- cluster nodes
 * [--hosts 100] [--throttle 2500] [--seconds 30]`. Real processes, a real PostgreSQL, the site's own log as the measure.
 *
 * One node gets so many servers, two get twice as many; that many servers on one node are shown too, since politeness,
 * not the number of nodes, says what they give.
 */
import { parseArgs } from 'node:util';
import { Node, type Postgres, pause, Receiver, Sites, startPostgres } from './cluster-world.js';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    hosts: { type: 'string', default: '100' },
    throttle: { type: 'string', default: '2500' },
    seconds: { type: 'string', default: '30' },
  },
});
const hostsOfNode = Number(values.hosts);
const throttleMs = Number(values.throttle);
const measuredMs = Number(values.seconds) * 1_000;
/** Until every node has its partitions and every server has been found. */
const WARM_UP_MS = 20_000;

interface Run {
  readonly pagesPerSecond: number;
  readonly shortestGapMs: number;
}

async function run(postgres: Postgres, nodes: number, hosts: number): Promise<Run> {
  const pages = Math.ceil((WARM_UP_MS * 3 + measuredMs) / throttleMs) + 100;
  const [sites, receiver, database] = await Promise.all([
    Sites.start(hosts, pages),
    Receiver.start(),
    postgres.database(),
  ]);
  const roots = sites.all.map(({ url }) => `${url}/1`);
  const crew: Node[] = [];
  for (let n = 0; n < nodes; n++) crew.push(await Node.start({ database, roots, receiver: receiver.url, throttleMs }));
  await pause(WARM_UP_MS);
  const before = sites.requests;
  const from = performance.now();
  await pause(measuredMs);
  const pagesPerSecond = (sites.requests - before) / ((performance.now() - from) / 1_000);
  const { shortestGap } = sites;
  await Promise.all(crew.map((node) => node.end()));
  sites.close();
  receiver.close();
  return { pagesPerSecond, shortestGapMs: shortestGap };
}

const postgres = await startPostgres();
console.log(`throttle ${throttleMs} ms, ${values.seconds} s each\n`);
console.log(
  '| nodes | web servers | pages/s | of what politeness allows | times one node | shortest gap at a server, ms |',
);
console.log('|---|---|---|---|---|---|');
let one = 0;
for (const [nodes, hosts] of [
  [1, hostsOfNode],
  [2, hostsOfNode * 2],
  [1, hostsOfNode * 2],
] as const) {
  const { pagesPerSecond, shortestGapMs } = await run(postgres, nodes, hosts);
  one ||= pagesPerSecond;
  const share = (pagesPerSecond / (hosts / (throttleMs / 1_000))) * 100;
  console.log(
    `| ${nodes} | ${hosts} | ${pagesPerSecond.toFixed(1)} | ${share.toFixed(1)} % | ${(pagesPerSecond / one).toFixed(2)} | ${Math.floor(shortestGapMs)} |`,
  );
}
await postgres.close();
