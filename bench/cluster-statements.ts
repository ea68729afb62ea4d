/**
 * Measures what one PostgreSQL does for several nodes, by the number of URLs that it holds: statements and processor
 * time per page, and bytes per URL. `npm run bench -- cluster statements [--sizes 100000,1000000,10000000] [--postgres
 * URL]`. The URL is that of an empty database on this Linux machine; without it, a PostgreSQL server is started. 10
 * million URLs take some minutes and 10 GB of disk.
 *
 * Each node has hosts of its own and works as the engine does: it stores links, saves the host before the request, and
 * settles the visit with its order under a fence. Due pages are read before the measurement begins, because a node
 * reads dozens of them at a time.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Leases } from '../src/adapters/storage/cluster/leases.js';
import { PostgresPool } from '../src/adapters/storage/postgres/postgres-pool.js';
import { openPostgresStore } from '../src/adapters/storage/postgres/postgres-store.js';
import { computePartition, PARTITIONS } from '../src/adapters/storage/shared/partition.js';
import type { UrlState } from '../src/domain/crawl/url-state.js';
import { Secret } from '../src/domain/secret.js';
import { instant, milliseconds } from '../src/domain/time/units.js';
import type { FrontierStore, NewUrl } from '../src/engine/ports/frontier-store.js';
import type { Fence } from '../src/engine/ports/partitions.js';
import { startPostgres } from './cluster-world.js';
import { createLink, createSettlement, LINKS, NAVIGATION_PAGES, POPULAR_PAGES, START } from './model-pages.js';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    sizes: { type: 'string', default: '100000,1000000,10000000' },
    postgres: { type: 'string' },
  },
});

const HOSTS = 400;
const PAGES = 4_000;
const WARM_UP_PAGES = 1_000;
const VARIANTS = [
  { nodes: 1, pagesPerCall: 10 },
  { nodes: 1, pagesPerCall: 50 },
  { nodes: 4, pagesPerCall: 10 },
] as const;
const FILL_BATCH = 20_000;
/** Clock ticks per second in /proc/PID/stat, the same on all common Linux systems. */
const TICKS_PER_SECOND = 100;

let statements = 0;
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function countedQuery(this: pg.Client, ...args: unknown[]) {
  statements++;
  return Reflect.apply(query, this, args) as unknown;
} as typeof query;

const readStat = (pid: number | string): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

/** Processor seconds used by the PostgreSQL server with this process id, including backends that have ended. */
function readServerSeconds(server: string): number {
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readStat(pid);
        return pid === server || stat[1] === server ? [Number(stat[11]) + Number(stat[12])] : [];
      } catch {
        return []; // the process has just ended
      }
    });
  const serverStat = readStat(server);
  return (ticks.reduce((a, b) => a + b, 0) + Number(serverStat[13]) + Number(serverStat[14])) / TICKS_PER_SECOND;
}

/** State of a generator of pseudo-random numbers, which are the same in every run. */
let randomState = 1;
const drawBelow = (limit: number): number => {
  randomState = (Math.imul(randomState, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((randomState / 4_294_967_296) * limit);
};

/** Number of known pages of each host. */
const knownPageCounts = Array.from({ length: HOSTS }, () => 0);
let nextOrder = 1;

const createUrls = (count: number, make: () => NewUrl): NewUrl[] => Array.from({ length: count }, make);

const createLinks = (host: number): NewUrl[] => [
  ...createUrls(LINKS.navigation, () => createLink(host, drawBelow(NAVIGATION_PAGES))),
  ...createUrls(LINKS.own, () => createLink(host, drawBelow(knownPageCounts[host]!))),
  ...createUrls(LINKS.popular, () => createLink(drawBelow(HOSTS), drawBelow(POPULAR_PAGES))),
  ...createUrls(LINKS.fresh, () => createLink(host, knownPageCounts[host]!++)),
];

/** Stores the pages of the model up to a size in the fastest way: without indexes and without looking up known URLs. */
async function fill(pool: PostgresPool, perHost: number): Promise<void> {
  const sites = await pool.rows<{ part: number; id: number; host: string }>('SELECT part, id, host FROM site');
  const indexes = await pool.rows<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'url' AND indexname <> 'url_pkey'`,
  );
  for (const { name } of indexes) await pool.rows(`DROP INDEX ${name}`);
  for (const site of sites) await fillSite(pool, site, perHost);
  for (const { definition } of indexes) await pool.rows(definition);
  await pool.rows('UPDATE counter c SET urls = (SELECT count(*) FROM url u WHERE u.part = c.part)');
  await pool.rows(
    'UPDATE site s SET urls = n, queued = n FROM (SELECT part, site_id, count(*) AS n FROM url GROUP BY 1, 2) u WHERE s.part = u.part AND s.id = u.site_id',
  );
  await pool.rows('VACUUM ANALYZE');
  await pool.rows('CHECKPOINT');
  // Loads the tables into the buffers, where they would be after hours of crawling; filling the store does not do that.
  await pool.rows('CREATE EXTENSION IF NOT EXISTS pg_prewarm');
  await pool.rows(
    `SELECT sum(pg_prewarm(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`,
  );
}

async function fillSite(pool: PostgresPool, site: { part: number; id: number; host: string }, perHost: number) {
  const host = Number(/\d+/.exec(site.host)![0]);
  while (knownPageCounts[host]! < perHost) {
    const from = knownPageCounts[host]!;
    knownPageCounts[host] = Math.min(perHost, from + FILL_BATCH);
    const urls = Array.from({ length: knownPageCounts[host]! - from }, (_, i) => createLink(host, from + i));
    const columns = [
      urls.map(({ key }) => key),
      urls.map(({ url }) => url),
      urls.map((url) => url.foundOn!),
      urls.map(({ dueAt }) => dueAt),
    ];
    await pool.rows(
      `INSERT INTO url (id, part, site_id, due_at, key, first_seen_at, hops, redirects, status, source, discovered_via, url, reason, found_on, root)
       SELECT nextval('url_seq') * ${PARTITIONS} + $1, $1, $2, due_at, key, due_at, 3, 0, 0, 3, 1, url, 'accepted', found_on, $3
       FROM unnest($4::int8[], $5::text[], $6::text[], $7::int8[]) AS i(key, url, found_on, due_at)`,
      [site.part, site.id, urls[0]!.root!, ...columns],
      'fill',
    );
  }
}

interface Node {
  readonly store: FrontierStore;
  /** Due pages, alternating between hosts. */
  readonly pages: UrlState[];
}

async function crawl({ store, pages }: Node, fences: ReadonlyMap<number, Fence>, batch: number): Promise<void> {
  for (let turn = 0; pages.length > 0; turn++) {
    const batchPages = pages.splice(0, batch);
    const hosts = batchPages.map(({ hostKey }) => Number(/\d+/.exec(hostKey)![0]));
    await store.discover(hosts.flatMap(createLinks));
    const hostState = {
      nextRequestAt: instant(START + turn),
      backOffUntil: instant(0),
      backOffStep: 0,
      paused: false,
      visitPrice: milliseconds(0),
    };
    await store.saveHosts(
      [...new Set(batchPages.map(({ hostKey }) => hostKey))].map((hostKey) => ({ hostKey, ...hostState })),
    );
    await store.settle(
      batchPages.map((url) => ({
        ...createSettlement(url, nextOrder++),
        fence: fences.get(computePartition(url.hostKey))!,
      })),
    );
  }
}

/** Reads `count` due pages of a node's hosts, alternating between hosts. */
async function listDuePages(store: FrontierStore, hosts: readonly number[], count: number): Promise<UrlState[]> {
  const perHost = Math.ceil(count / hosts.length);
  const pagesByHost: UrlState[][] = [];
  for (const host of hosts.slice(0, count)) {
    const { urls } = await store.listDue(
      'bench',
      `host-${host}.example.com`,
      3,
      instant(START * 2),
      perHost,
      new Set(),
    );
    pagesByHost.push(urls);
  }
  return Array.from({ length: perHost }, (_, i) => pagesByHost.flatMap((urls) => urls[i] ?? []))
    .flat()
    .slice(0, count);
}

async function run(stores: readonly FrontierStore[], fences: ReadonlyMap<number, Fence>, pages: number, batch: number) {
  const runningNodes = await Promise.all(
    stores.map(async (store, i): Promise<Node> => {
      const hosts = Array.from({ length: HOSTS / stores.length }, (_, n) => n * stores.length + i);
      return { store, pages: await listDuePages(store, hosts, pages / stores.length) };
    }),
  );
  const before = { statements, seconds: readServerSeconds(server), at: performance.now() };
  await Promise.all(runningNodes.map((node) => crawl(node, fences, batch)));
  return {
    pagesPerSecond: (pages * 1_000) / (performance.now() - before.at),
    statementsPerPage: (statements - before.statements) / pages,
    msPerPage: ((readServerSeconds(server) - before.seconds) * 1_000) / pages,
  };
}

const postgres = values.postgres === undefined ? await startPostgres() : undefined;
const url = values.postgres ?? (await postgres!.createDatabase());
const firstStore = await openPostgresStore(new Secret(url));
const pool = new PostgresPool(new Secret(url));
await firstStore.discover(Array.from({ length: HOSTS }, (_, host) => createLink(host, knownPageCounts[host]!++)));
const [{ pid }] = (await pool.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
const server = readStat(pid)[1]!;
const leases = new Leases(pool);
await leases.join('bench', true, 36_000_000);
const renewal = await leases.renew('bench', { leaseMs: 36_000_000, isWatching: false, countWanted: () => PARTITIONS });
const fences = new Map(renewal!.owned.map(({ part, epoch }) => [part, { partition: part, epoch }]));

console.log(
  '| URLs | nodes | pages per call | pages/s | statements per page | ms of a PostgreSQL core per page | times the cost at the first size |',
);
console.log('|---|---|---|---|---|---|---|');
const firstCost = new Map<string, number>();
for (const size of values.sizes.split(',').map(Number)) {
  await fill(pool, Math.ceil(size / HOSTS));
  for (const { nodes, pagesPerCall } of VARIANTS) {
    const furtherStores = await Promise.all(
      Array.from({ length: nodes - 1 }, () => openPostgresStore(new Secret(url))),
    );
    const stores = [firstStore, ...furtherStores];
    await run(stores, fences, WARM_UP_PAGES, pagesPerCall);
    const { pagesPerSecond, statementsPerPage, msPerPage } = await run(stores, fences, PAGES, pagesPerCall);
    const variant = `${nodes} ${pagesPerCall}`;
    if (!firstCost.has(variant)) firstCost.set(variant, msPerPage);
    console.log(
      `| ${size.toLocaleString('en')} | ${nodes} | ${pagesPerCall} | ${Math.round(pagesPerSecond)} | ${statementsPerPage.toFixed(2)} | ${msPerPage.toFixed(2)} | ${(msPerPage / firstCost.get(variant)!).toFixed(2)} |`,
    );
    for (const store of furtherStores) await store.close();
  }
}
const sizes = await pool.rows<{ name: string; bytes: number }>(
  `SELECT relname AS name, pg_total_relation_size(oid)::int8 AS bytes FROM pg_class
   WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 2 DESC LIMIT 6`,
);
const [{ urls, visits, orders }] = (await pool.rows(
  'SELECT (SELECT count(*) FROM url) AS urls, (SELECT count(*) FROM visit) AS visits, (SELECT count(*) FROM push_order) AS orders',
)) as [{ urls: number; visits: number; orders: number }];
const rows: Readonly<Record<string, number>> = {
  url: urls,
  visit: visits,
  push_order: orders,
  host: HOSTS,
  site: HOSTS,
};
console.log(
  `\nbytes per row, including indexes: ${sizes.flatMap(({ name, bytes }) => (rows[name] ? [`${name} ${Math.round(bytes / rows[name])}`] : [])).join(', ')}`,
);
await leases.leave('bench');
await firstStore.close();
await pool.close();
await postgres?.close();
