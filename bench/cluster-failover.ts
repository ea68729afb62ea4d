/**
 * What happens when a node dies in mid-crawl: `npm run bench -- cluster failover [--runs 3] [--throttle 1000] [--hosts 45]`.
 * Three nodes crawl, one gets kill -9. Told are the seconds until the servers that it had were asked again, and whether the
 * servers and the receiver of the orders noticed anything else.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { computePartition } from '../src/adapters/storage/shared/partition.js';
import { Node, type Postgres, pause, Receiver, type Site, Sites, startPostgres } from './cluster-world.js';

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
const WORKS_MS = 12_000;
const LONGEST_MS = 180_000;

/** Servers by the partitions that each node owns. */
async function ownedSites(database: string, sites: Sites): Promise<Map<string, Site[]>> {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client
    .query<{ part: number; node: string }>('SELECT part, node FROM partition_owner WHERE node IS NOT NULL')
    .finally(() => client.end());
  const owners = new Map(rows.map(({ part, node }) => [part, node]));
  return Map.groupBy(sites.all, ({ url }) => owners.get(computePartition(new URL(url).host)) ?? 'nobody');
}

/** The servers that nobody asked for longest are those of the dead: their owner's name says nothing of its process. */
function silence(sites: readonly Site[], killedAt: number): number[] {
  return sites.map(
    ({ requests }) => (requests.find(({ at }) => at > killedAt)?.at ?? Number.POSITIVE_INFINITY) - killedAt,
  );
}

async function run(postgres: Postgres, number: number): Promise<void> {
  const [sites, receiver, database] = await Promise.all([
    Sites.start(hosts, PAGES),
    Receiver.start(),
    postgres.database(),
  ]);
  const roots = sites.all.map(({ url }) => `${url}/1`);
  const crew: Node[] = [];
  for (let n = 0; n < NODES; n++) crew.push(await Node.start({ database, roots, receiver: receiver.url, throttleMs }));
  await pause(WORKS_MS);
  const owned = await ownedSites(database, sites);
  const killedAt = performance.now();
  await crew[0]!.end('SIGKILL');
  const expected = hosts * (PAGES - 1);
  while (receiver.documents.size < expected && performance.now() - killedAt < LONGEST_MS) await pause(200);
  const waits = [...owned.values()].map((of) => silence(of, killedAt).sort((a, b) => a - b));
  const dead = waits.sort((a, b) => (b[0] ?? 0) - (a[0] ?? 0))[0] ?? [];
  const s = (ms: number | undefined): string => ((ms ?? Number.NaN) / 1_000).toFixed(1);
  console.log(
    `| ${number} | ${dead.length} of ${hosts} | ${s(dead[0])} | ${s(dead.at(-1))} | ${Math.floor(sites.shortestGap)} | ${expected - receiver.documents.size} | ${receiver.outOfOrder} |`,
  );
  await Promise.all(crew.slice(1).map((node) => node.end()));
  sites.close();
  receiver.close();
}

const postgres = await startPostgres();
console.log(`${NODES} nodes, ${hosts} servers of ${PAGES - 1} pages, throttle ${throttleMs} ms\n`);
console.log(
  '| run | servers of the dead node | first asked again, s | last asked again, s | shortest gap at a server, ms | documents lost | orders out of order |',
);
console.log('|---|---|---|---|---|---|---|');
for (let n = 1; n <= Number(values.runs); n++) await run(postgres, n);
await postgres.close();
