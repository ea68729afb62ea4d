/**
 * What one PostgreSQL does for several nodes, by the number of URLs that it holds: statements and processor time per page,
 * and bytes per URL. `npm run bench -- cluster statements [--sizes 100000,1000000,10000000] [--postgres URL]`; the URL is
 * that of an empty database on this Linux machine, which otherwise gets a server of its own. 10 million take some minutes
 * and 10 GB of disk.
 *
 * Each node has hosts of its own and works as the engine does: links, host before the request, settlement with order under
 * a fence. Which pages are due was read before the clock starts: a node reads some dozens at a time.
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
import { LINKS, link, NAVIGATION_PAGES, POPULAR_PAGES, START, visited } from './model-pages.js';

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
const WAYS = [
  { nodes: 1, pagesOfCall: 10 },
  { nodes: 1, pagesOfCall: 50 },
  { nodes: 4, pagesOfCall: 10 },
] as const;
const FILLED_AT_ONCE = 20_000;
/** Clock ticks of /proc/PID/stat in a second, on every Linux in use. */
const TICKS = 100;

let statements = 0;
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
  statements++;
  return Reflect.apply(query, this, args) as unknown;
} as typeof query;

const statOf = (pid: number | string): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

/** Processor seconds of the server with this process id, ended backends included. */
function serverSeconds(server: string): number {
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = statOf(pid);
        return pid === server || stat[1] === server ? [Number(stat[11]) + Number(stat[12])] : [];
      } catch {
        return []; // it has just ended
      }
    });
  const ended = statOf(server);
  return (ticks.reduce((a, b) => a + b, 0) + Number(ended[13]) + Number(ended[14])) / TICKS;
}

/** Numbers that look random and repeat from run to run. */
let random = 1;
const below = (limit: number): number => {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((random / 4_294_967_296) * limit);
};

/** Pages known of each host. */
const known = Array.from({ length: HOSTS }, () => 0);
let nextOrder = 1;

const some = (count: number, make: () => NewUrl): NewUrl[] => Array.from({ length: count }, make);

const linksOf = (host: number): NewUrl[] => [
  ...some(LINKS.navigation, () => link(host, below(NAVIGATION_PAGES))),
  ...some(LINKS.own, () => link(host, below(known[host]!))),
  ...some(LINKS.popular, () => link(below(HOSTS), below(POPULAR_PAGES))),
  ...some(LINKS.fresh, () => link(host, known[host]!++)),
];

/** Stores the pages of the model up to a size by the shortest way: no indexes to keep, no questions asked. */
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
  // As after hours of crawling: a store that was filled in one go has nothing in its buffers yet.
  await pool.rows('CREATE EXTENSION IF NOT EXISTS pg_prewarm');
  await pool.rows(
    `SELECT sum(pg_prewarm(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`,
  );
}

async function fillSite(pool: PostgresPool, site: { part: number; id: number; host: string }, perHost: number) {
  const host = Number(/\d+/.exec(site.host)![0]);
  while (known[host]! < perHost) {
    const from = known[host]!;
    known[host] = Math.min(perHost, from + FILLED_AT_ONCE);
    const urls = Array.from({ length: known[host]! - from }, (_, i) => link(host, from + i));
    const columns = [
      urls.map(({ key }) => key),
      urls.map(({ url }) => url),
      urls.map((url) => url.foundOn!),
      urls.map(({ dueAt }) => dueAt),
    ];
    await pool.rows(
      `INSERT INTO url (id, part, site_id, due_at, key, first_seen_at, hops, redirects, status, source, arrival, url, reason, found_on, root)
       SELECT nextval('url_seq') * ${PARTITIONS} + $1, $1, $2, due_at, key, due_at, 3, 0, 0, 3, 1, url, 'accepted', found_on, $3
       FROM unnest($4::int8[], $5::text[], $6::text[], $7::int8[]) AS i(key, url, found_on, due_at)`,
      [site.part, site.id, urls[0]!.root!, ...columns],
      'fill',
    );
  }
}

interface Node {
  readonly store: FrontierStore;
  /** Due pages, of every host in turn. */
  readonly pages: UrlState[];
}

async function crawl({ store, pages }: Node, fences: ReadonlyMap<number, Fence>, batch: number): Promise<void> {
  for (let turn = 0; pages.length > 0; turn++) {
    const chosen = pages.splice(0, batch);
    const hosts = chosen.map(({ hostKey }) => Number(/\d+/.exec(hostKey)![0]));
    await store.discover(hosts.flatMap(linksOf));
    const asked = {
      nextRequestAt: instant(START + turn),
      backOffUntil: instant(0),
      backOffStep: 0,
      paused: false,
      visitPrice: milliseconds(0),
    };
    await store.saveHosts([...new Set(chosen.map(({ hostKey }) => hostKey))].map((hostKey) => ({ hostKey, ...asked })));
    await store.settle(
      chosen.map((url) => ({ ...visited(url, nextOrder++), fence: fences.get(computePartition(url.hostKey))! })),
    );
  }
}

/** So many due pages for each node, of its own hosts in turn. */
async function duePages(store: FrontierStore, hosts: readonly number[], count: number): Promise<UrlState[]> {
  const ofHost = Math.ceil(count / hosts.length);
  const windows: UrlState[][] = [];
  for (const host of hosts.slice(0, count)) {
    const { urls } = await store.listDue('bench', `host-${host}.example.com`, 3, instant(START * 2), ofHost, new Set());
    windows.push(urls);
  }
  return Array.from({ length: ofHost }, (_, i) => windows.flatMap((urls) => urls[i] ?? []))
    .flat()
    .slice(0, count);
}

async function run(stores: readonly FrontierStore[], fences: ReadonlyMap<number, Fence>, pages: number, batch: number) {
  const crew = await Promise.all(
    stores.map(async (store, i): Promise<Node> => {
      const hosts = Array.from({ length: HOSTS / stores.length }, (_, n) => n * stores.length + i);
      return { store, pages: await duePages(store, hosts, pages / stores.length) };
    }),
  );
  const before = { statements, seconds: serverSeconds(server), at: performance.now() };
  await Promise.all(crew.map((node) => crawl(node, fences, batch)));
  return {
    pagesPerSecond: (pages * 1_000) / (performance.now() - before.at),
    statementsOfPage: (statements - before.statements) / pages,
    msOfPage: ((serverSeconds(server) - before.seconds) * 1_000) / pages,
  };
}

const postgres = values.postgres === undefined ? await startPostgres() : undefined;
const url = values.postgres ?? (await postgres!.database());
const first = await openPostgresStore(new Secret(url));
const pool = new PostgresPool(new Secret(url));
await first.discover(Array.from({ length: HOSTS }, (_, host) => link(host, known[host]!++)));
const [{ pid }] = (await pool.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
const server = statOf(pid)[1]!;
const leases = new Leases(pool);
await leases.join('bench', true, 36_000_000);
const standing = await leases.renew('bench', { leaseMs: 36_000_000, watching: false, wants: () => PARTITIONS });
const fences = new Map(standing!.owned.map(({ part, epoch }) => [part, { partition: part, epoch }]));

console.log(
  '| URLs | nodes | pages a call | pages/s | statements a page | ms of a PostgreSQL core a page | times the cost at the first size |',
);
console.log('|---|---|---|---|---|---|---|');
const firstCost = new Map<string, number>();
for (const size of values.sizes.split(',').map(Number)) {
  await fill(pool, Math.ceil(size / HOSTS));
  for (const { nodes, pagesOfCall } of WAYS) {
    const more = await Promise.all(Array.from({ length: nodes - 1 }, () => openPostgresStore(new Secret(url))));
    const stores = [first, ...more];
    await run(stores, fences, WARM_UP_PAGES, pagesOfCall);
    const { pagesPerSecond, statementsOfPage, msOfPage } = await run(stores, fences, PAGES, pagesOfCall);
    const way = `${nodes} ${pagesOfCall}`;
    if (!firstCost.has(way)) firstCost.set(way, msOfPage);
    console.log(
      `| ${size.toLocaleString('en')} | ${nodes} | ${pagesOfCall} | ${Math.round(pagesPerSecond)} | ${statementsOfPage.toFixed(2)} | ${msOfPage.toFixed(2)} | ${(msOfPage / firstCost.get(way)!).toFixed(2)} |`,
    );
    for (const store of more) await store.close();
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
  `\nbytes a row, indexes included: ${sizes.flatMap(({ name, bytes }) => (rows[name] ? [`${name} ${Math.round(bytes / rows[name])}`] : [])).join(', ')}`,
);
await leases.leave('bench');
await first.close();
await pool.close();
await postgres?.close();
