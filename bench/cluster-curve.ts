/**
 * Measures what a page costs several nodes and their PostgreSQL if nothing is polite, and computes how fast as many
 * nodes would be with a core each: `npm run bench -- cluster curve [--nodes 1,2,4,8,16] [--hosts 128] [--pages 6000]`.
 *
 * Real processes crawl web servers without an end. The costs are those of the given number of pages, after each node has
 * had time to compile its code. Nodes, PostgreSQL and web servers share the machine, which slows them down, but hardly
 * changes what a page costs.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Node, type Postgres, Receiver, Sites, sleep, startPostgres } from './cluster-world.js';
import { ProcessTree, readUsage } from './processes.js';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    nodes: { type: 'string', default: '1,2,4,8,16' },
    hosts: { type: 'string', default: '128' },
    pages: { type: 'string', default: '6000' },
  },
});
const hosts = Number(values.hosts);
const pages = Number(values.pages);
const WARM_UP_PAGES_PER_NODE = 2_000;
/** More pages than a server is asked for. */
const PAGES_OF_A_SERVER = 1_000_000;
const POLL_MS = 20;
/** Time until all connections plan their statements with what it has learnt. */
const AFTER_ANALYSIS_MS = 1_000;

interface Cost {
  readonly pagesPerSecond: number;
  /** Processor milliseconds a page of all nodes together, and of PostgreSQL. */
  readonly nodes: number;
  readonly postgres: number;
}

async function measure(postgres: Postgres, count: number): Promise<Cost> {
  const [sites, receiver, database] = await Promise.all([
    Sites.start(hosts, PAGES_OF_A_SERVER),
    Receiver.start(),
    postgres.createDatabase(),
  ]);
  const roots = sites.all.map(({ url }) => `${url}/0`);
  const options = { database, roots, receiver: receiver.url, throttleMs: 0 };
  const nodes = await Promise.all(Array.from({ length: count }, () => Node.start(options)));
  const server = new ProcessTree(postgres.pid);
  const read = () => {
    server.sample();
    const nodeSeconds = nodes.reduce((sum, node) => sum + readUsage(node.process)!.cpu, 0);
    return { pages: sites.requests, at: performance.now(), nodes: nodeSeconds * 1000, postgres: server.cpu * 1000 };
  };
  const waitFor = async (requests: number) => {
    while (sites.requests < requests) await sleep(POLL_MS);
  };
  await waitFor(count * WARM_UP_PAGES_PER_NODE);
  // PostgreSQL learns the sizes of the tables, as it does by itself every minute.
  await analyze(database);
  await sleep(AFTER_ANALYSIS_MS);
  const before = read();
  await waitFor(before.pages + pages);
  const after = read();
  server.stop();
  await Promise.all(nodes.map((node) => node.end()));
  sites.close();
  receiver.close();
  const fetched = after.pages - before.pages;
  return {
    pagesPerSecond: (fetched * 1000) / (after.at - before.at),
    nodes: (after.nodes - before.nodes) / fetched,
    postgres: (after.postgres - before.postgres) / fetched,
  };
}

async function analyze(database: string): Promise<void> {
  const client = new pg.Client(database);
  await client.connect();
  await client.query('ANALYZE').finally(() => client.end());
}

const postgres = await startPostgres();
console.log(`${hosts} web servers, ${pages} pages; processor time in ms a page; the last two columns are computed\n`);
console.log(
  '| nodes | pages/s here | nodes | times one node | PostgreSQL | its share | pages/s with a core a node | cores of PostgreSQL for them |',
);
console.log('|---|---|---|---|---|---|---|---|');
let single: number | undefined;
for (const count of values.nodes.split(',').map(Number)) {
  const cost = await measure(postgres, count);
  single ??= cost.nodes;
  const pagesPerSecond = (count * 1000) / cost.nodes;
  const figures = [
    cost.pagesPerSecond.toFixed(0),
    cost.nodes.toFixed(2),
    (cost.nodes / single).toFixed(2),
    cost.postgres.toFixed(2),
    `${((100 * cost.postgres) / (cost.nodes + cost.postgres)).toFixed(0)} %`,
    pagesPerSecond.toFixed(0),
    ((pagesPerSecond * cost.postgres) / 1000).toFixed(1),
  ];
  console.log(`| ${count} | ${figures.join(' | ')} |`);
}
await postgres.close();
