/**
 * What one PostgreSQL can do for several nodes: statements, transactions and seconds of its processors per page, and bytes
 * per URL. `node dist/bench/cluster.js --postgres=URL [--urls=N]`, the URL being that of an empty database on this Linux
 * machine. Numbers for docs/SCALING.md.
 *
 * A page of the model has 100 links, 5 of them to URLs that nobody has seen; half of those are on other hosts. Each node
 * has hosts of its own and works as the engine does: links, host before the request, settlement with order under a fence.
 */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { Leases } from '../src/adapters/storage/cluster/leases.js';
import { partitionOf } from '../src/adapters/storage/partition.js';
import { PostgresPool } from '../src/adapters/storage/postgres-pool.js';
import { openPostgresStore } from '../src/adapters/storage/postgres-store.js';
import type { UrlState } from '../src/domain/crawl/url-state.js';
import { instant, milliseconds } from '../src/domain/time/units.js';
import { urlKey } from '../src/domain/url/url-key.js';
import type { FrontierStore, NewUrl, Settlement } from '../src/engine/ports/frontier-store.js';
import type { Fence } from '../src/engine/ports/partitions.js';

const HOSTS = 1_000;
const LINKS = { known: 95, fresh: 5 };
const PAGES = 4_000;
const START = 1_700_000_000_000;
/** Clock ticks of /proc/PID/stat in a second, on every Linux in use. */
const TICKS = 100;

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);

let statements = 0;
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
  statements++;
  return Reflect.apply(query, this, args) as unknown;
} as typeof query;

function link(host: number, n: number): NewUrl {
  const hostKey = `host-${host}.example.com`;
  const url = `https://${hostKey}/section-${n % 97}/some/page-of-average-length-${n}.html`;
  return {
    crawler: 'bench',
    url,
    key: urlKey(url),
    hostKey,
    source: 3,
    status: 'waiting',
    reason: 'accepted',
    hops: 3,
    redirects: 0,
    arrival: 'link',
    foundOn: `https://${hostKey}/section-${n % 89}/some/page-of-average-length-${n % 1000}.html`,
    root: `https://${hostKey}/`,
    dueAt: instant(START + n),
  };
}

function settlement(url: UrlState, id: number, fence: Fence): Settlement {
  const at = instant(START + id);
  return {
    id: url.id,
    fence,
    changes: {
      status: 'indexed',
      reason: 'accepted',
      source: 5,
      dueAt: instant(START + 1e9 + id),
      lastVisitAt: at,
      lastStatus: 200,
      visits: url.visits + 1,
      etag: '"5f3e-1a2b3c4d5e6f"',
      lastModified: 'Tue, 04 Nov 2025 10:00:00 GMT',
      stamp: '0123456789abcdef0123456789abcdef',
      simhash: urlKey(url.url),
      contentType: 'text/html',
      title: 'The title of a page of average length',
    },
    visit: { at, status: 200, outcome: 'document', duration: milliseconds(40), bytes: 42_000, changed: true },
    orders: [
      {
        id,
        crawler: 'bench',
        uri: url.url,
        hostKey: url.hostKey,
        kind: 'add',
        reason: 'accepted',
        decidedAt: at,
        state: 'acknowledged',
        attempts: 1,
        answeredAt: at,
      },
    ],
  };
}

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

interface Node {
  readonly store: FrontierStore;
  readonly hosts: readonly number[];
  fences: ReadonlyMap<number, Fence>;
}

let nextOrder = 1;
let nextFresh = 1e9;

async function crawl({ store, hosts, fences }: Node, pages: number, batch: number, known: number): Promise<void> {
  for (let done = 0, turn = 0; done < pages; done += batch, turn++) {
    const chosen = Array.from({ length: batch }, (_, i) => hosts[(turn * batch + i) % hosts.length]!);
    const links = chosen.flatMap((host) => [
      ...Array.from({ length: LINKS.known }, () => link(host, Math.floor(Math.random() * known))),
      ...Array.from({ length: LINKS.fresh }, (_, i) =>
        link(i % 2 ? host : Math.floor(Math.random() * HOSTS), nextFresh++),
      ),
    ]);
    await store.discover(links);
    const own = await Promise.all(chosen.map((host) => store.find('bench', link(host, turn % known).url)));
    await store.saveHosts(
      [...new Set(chosen)].map((host) => ({
        hostKey: `host-${host}.example.com`,
        nextRequestAt: instant(START + turn),
        backOffUntil: instant(0),
        backOffStep: 0,
        paused: false,
      })),
    );
    const settled = own.flatMap((url) =>
      url ? [settlement(url, nextOrder++, fences.get(partitionOf(url.hostKey))!)] : [],
    );
    await store.settle(settled);
  }
}

const url = option('postgres');
if (!url) throw new Error('--postgres=URL is needed: an empty database on this machine');
const urls = Number(option('urls') ?? 100_000);
const perHost = Math.ceil(urls / HOSTS);
const first = await openPostgresStore(url);
const pool = new PostgresPool(url);
for (let host = 0; host < HOSTS; host += 10) {
  const some = Array.from({ length: 10 }, (_, i) => Array.from({ length: perHost }, (_, n) => link(host + i, n)));
  await first.discover(some.flat());
}
await pool.rows('ANALYZE');
const [{ pid }] = (await pool.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
const server = statOf(pid)[1]!;
const leases = new Leases(pool);
await leases.join('bench', true, 3_600_000);
const standing = await leases.renew('bench', { leaseMs: 3_600_000, watching: false, wants: () => 1_024 });
const fences = new Map(standing!.owned.map(({ part, epoch }) => [part, { partition: part, epoch }]));

console.log(`| URLs | nodes | pages a call | pages/s | statements a page | pages per second of a PostgreSQL core |`);
console.log('|---|---|---|---|---|---|');
for (const [nodes, batch] of [
  [1, 1],
  [1, 10],
  [1, 50],
  [4, 10],
] as const) {
  const stores = [first, ...(await Promise.all(Array.from({ length: nodes - 1 }, () => openPostgresStore(url))))];
  const crew = stores.map(
    (store, i): Node => ({
      store,
      fences,
      hosts: Array.from({ length: HOSTS / nodes }, (_, n) => n * nodes + i),
    }),
  );
  const pages = batch === 1 ? PAGES / 4 : PAGES;
  const before = { statements, seconds: serverSeconds(server), at: performance.now() };
  await Promise.all(crew.map((node) => crawl(node, pages / nodes, batch, perHost)));
  const took = (performance.now() - before.at) / 1000;
  // The engine has read the URL with others of its window: the model's one look for each is not counted.
  const perPage = (statements - before.statements) / pages - 1;
  const cores = serverSeconds(server) - before.seconds;
  console.log(
    `| ${urls.toLocaleString('en')} | ${nodes} | ${batch} | ${Math.round(pages / took)} | ${perPage.toFixed(2)} | ${Math.round(pages / cores)} |`,
  );
  for (const store of stores.slice(1)) await store.close();
}
const sizes = await pool.rows<{ name: string; rows: number; bytes: number }>(
  `SELECT relname AS name, greatest(reltuples, 0)::int8 AS rows, pg_total_relation_size(oid)::int8 AS bytes FROM pg_class
   WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 3 DESC LIMIT 6`,
);
const [{ count }] = (await pool.rows<{ count: number }>('SELECT count(*) FROM url')) as [{ count: number }];
console.log(
  `\n${count} URLs: ${sizes.map(({ name, bytes }) => `${name} ${(bytes / count).toFixed(0)}`).join(', ')} bytes a URL`,
);
await leases.leave('bench');
await first.close();
await pool.close();
