/**
 * Measures what happens when a node dies during a crawl: `npm run bench -- cluster failover [--runs 3] [--throttle
 * 1000] [--hosts 45]`. Three nodes crawl, and one is killed with kill -9. The benchmark reports after how many seconds
 * the web servers of that node received requests again, and whether the throttle was kept and orders arrived complete
 * and in order.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { computePartition } from '../src/adapters/storage/shared/partition.js';
import { Node, type Postgres, Receiver, type Site, Sites, sleep, startPostgres } from './cluster-world.js';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    runs: { type: 'string', default: '3' },
    hosts: { type: 'string', default: '45' },
    throttle: { type: 'string', default: '1000' },
  },
});
const throttleMs = Number(values.throttle);
const hosts = Number(values.hosts);
const NODES = 3;
const PAGES = 40;
const CRAWL_MS = 12_000;
const MAX_WAIT_MS = 180_000;

/** Groups the web servers by the node that owns their partitions. */
async function groupSitesByOwner(database: string, sites: Sites): Promise<Map<string, Site[]>> {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client
    .query<{ part: number; node: string }>('SELECT part, node FROM partition_owner WHERE node IS NOT NULL')
    .finally(() => client.end());
  const owners = new Map(rows.map(({ part, node }) => [part, node]));
  return Map.groupBy(sites.all, ({ url }) => owners.get(computePartition(new URL(url).host)) ?? 'nobody');
}

/**
 * Milliseconds from the kill until each web server received its next request. The node with the longest ones is the one
 * that was killed; the owner's name in the database does not reveal its process.
 */
function measureSilence(sites: readonly Site[], killedAt: number): number[] {
  return sites.map(
    ({ requests }) => (requests.find(({ at }) => at > killedAt)?.at ?? Number.POSITIVE_INFINITY) - killedAt,
  );
}

async function run(postgres: Postgres, runNumber: number): Promise<void> {
  const [sites, receiver, database] = await Promise.all([
    Sites.start(hosts, PAGES),
    Receiver.start(),
    postgres.createDatabase(),
  ]);
  const roots = sites.all.map(({ url }) => `${url}/1`);
  const nodes: Node[] = [];
  for (let n = 0; n < NODES; n++) nodes.push(await Node.start({ database, roots, receiver: receiver.url, throttleMs }));
  await sleep(CRAWL_MS);
  const sitesByOwner = await groupSitesByOwner(database, sites);
  const killedAt = performance.now();
  await nodes[0]!.end('SIGKILL');
  const expectedDocuments = hosts * (PAGES - 1);
  while (receiver.documents.size < expectedDocuments && performance.now() - killedAt < MAX_WAIT_MS) await sleep(200);
  const waitsByNode = [...sitesByOwner.values()].map((sitesOfNode) =>
    measureSilence(sitesOfNode, killedAt).sort((a, b) => a - b),
  );
  const killedNodeWaits = waitsByNode.sort((a, b) => (b[0] ?? 0) - (a[0] ?? 0))[0] ?? [];
  const formatSeconds = (ms: number | undefined): string => ((ms ?? Number.NaN) / 1_000).toFixed(1);
  console.log(
    `| ${runNumber} | ${killedNodeWaits.length} of ${hosts} | ${formatSeconds(killedNodeWaits[0])} | ${formatSeconds(killedNodeWaits.at(-1))} | ${Math.floor(sites.shortestGap)} | ${expectedDocuments - receiver.documents.size} | ${receiver.outOfOrder} |`,
  );
  await Promise.all(nodes.slice(1).map((node) => node.end()));
  sites.close();
  receiver.close();
}

const postgres = await startPostgres();
console.log(`${NODES} nodes, ${hosts} servers of ${PAGES - 1} pages, throttle ${throttleMs} ms\n`);
console.log(
  '| run | servers of the killed node | first request again, s | last request again, s | shortest gap at a server, ms | documents lost | orders out of order |',
);
console.log('|---|---|---|---|---|---|---|');
for (let n = 1; n <= Number(values.runs); n++) await run(postgres, n);
await postgres.close();
