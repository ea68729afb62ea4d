/**
 * Measures how long the lists of the console take on a store of a million URLs, over the HTTP API of a whole server:
 * each filter of the URL list and some combinations, the first page and a late one, errors by class and host, and
 * folders of a host.
 *
 *   node dist/bench/lists.js [--known 1000000] [--runs 5] [--keep FOLDER | --postgres URL]
 *
 * With --keep, the filled store is left in the folder and used again in the next run. The PostgreSQL database is filled
 * if it has no URLs.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPostgresStore } from '../src/adapters/storage/postgres/postgres-store.js';
import { openSqliteStore } from '../src/adapters/storage/sqlite/sqlite-store.js';
import { Secret } from '../src/domain/secret.js';
import { type Instant, instant } from '../src/domain/time/units.js';
import { computeUrlKey } from '../src/domain/url/url-key.js';
import type { FrontierStore, NewUrl, UrlChanges } from '../src/engine/ports/frontier-store.js';
import { startProgram, stop } from './processes.js';

const DIST = fileURLToPath(new URL('..', import.meta.url));
const PORT = 18_743;
const API = `http://127.0.0.1:${PORT}/api/v1`;
const LARGE_HOST = 'large.example.com';
const BATCH_SIZE = 10_000;
const HOUR = 3_600_000;
const NOW = Date.now();
const FAR_FUTURE = instant(NOW + 1_000 * HOUR);

const CONFIGURATION = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="bench" defaultAccept="true"><cw:PushTo sink="main"/></Crawler>
  <cw:Fetcher name="default"/>
  <cw:Sink name="main" type="json" url="http://127.0.0.1:9/"/>
</CrawlConfig>`;

const getOption = (name: string): string | undefined => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? undefined : process.argv[index + 1];
};

/** A third of the URLs are on one host, the others on a thousand; one in a hundred thousand was submitted. */
function createUrl(n: number): NewUrl {
  const hostKey = n % 3 === 0 ? LARGE_HOST : `known-${n % 1000}.example.com`;
  const url = `https://${hostKey}/section-${n % 97}/part-${n % 1009}/page-of-average-length-${n}.html`;
  return {
    crawler: 'bench',
    url,
    key: computeUrlKey(url),
    hostKey,
    source: n % 100_000 === 99_993 ? 0 : 3,
    status: 'waiting',
    reason: 'accepted',
    hops: 3,
    redirects: 0,
    discoveredVia: 'link',
    foundOn: `https://${hostKey}/section-${n % 89}/part-${n % 1013}/page-of-average-length-${n % 1000}.html`,
    root: `https://${hostKey}/`,
    dueAt: FAR_FUTURE,
  };
}

/** Of ten URLs, four are waiting, four indexed, one in error and one visited but not indexed; a few are excluded. */
function createChanges(n: number): UrlChanges | undefined {
  const lastVisitAt = instant(NOW - (n % 1_500) * HOUR) as Instant;
  if (n % 50_000 === 49_999) return { status: 'excluded', reason: 'rule-ignored', source: null };
  if (n % 10 < 4) return undefined;
  if (n % 10 === 8) {
    const reason = n % 200_000 === 199_998 ? 'tls-expired' : n % 70 === 8 ? 'read-timeout' : 'http-404';
    return { status: 'error', reason, lastVisitAt, visits: 1, lastStatus: 404, source: 5, dueAt: FAR_FUTURE };
  }
  if (n % 10 === 9)
    return { status: 'visited', reason: 'noindex', lastVisitAt, visits: 1, source: 5, dueAt: FAR_FUTURE };
  return {
    status: 'indexed',
    reason: 'indexed',
    lastVisitAt,
    visits: 3,
    lastStatus: 200,
    etag: '"5f3e-1a2b3c4d5e6f"',
    stamp: '0123456789abcdef0123456789abcdef',
    title: 'The title of a page of average length',
    contentType: 'text/html',
    source: 5,
    dueAt: FAR_FUTURE,
  };
}

async function fill(store: FrontierStore, knownCount: number): Promise<void> {
  for (let from = 0; from < knownCount; from += BATCH_SIZE)
    await fillBatch(store, from, Math.min(BATCH_SIZE, knownCount - from));
  await store.close();
}

async function fillBatch(store: FrontierStore, from: number, size: number): Promise<void> {
  const states = await store.discover(Array.from({ length: size }, (_, i) => createUrl(from + i)));
  await store.settle(
    states.flatMap(({ id }, i) => {
      const changes = createChanges(from + i);
      return changes ? [{ id, changes }] : [];
    }),
  );
}

const formatTimeAgo = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();

/** The filters that the console offers, alone and combined. */
const FILTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no filter': {},
  'status: waiting': { status: 'waiting' },
  'status: error': { status: 'error' },
  'status: excluded (20)': { status: 'excluded' },
  'status: filtered (none)': { status: 'filtered' },
  'host of 330,000 URLs': { host: LARGE_HOST },
  'host of 670 URLs': { host: 'known-17.example.com' },
  'source: index_follow': { source: 'index_follow' },
  'source: user (10)': { source: 'user' },
  'in the index': { indexed: 'true' },
  'reason: indexed': { reason: 'indexed' },
  'reason: http-404': { reason: 'http-404' },
  'reason: tls-expired (5)': { reason: 'tls-expired' },
  'reason: rule (20)': { reason: 'rule-ignored' },
  'visited in the last hour': { visitedSince: formatTimeAgo(1) },
  'visited more than a month ago': { visitedBefore: formatTimeAgo(720) },
  'begins with a large host': { prefix: `https://${LARGE_HOST}/section-5/` },
  'begins with a page': { prefix: `https://${LARGE_HOST}/section-5/part-7/page-of-average-length-99` },
  'begins with part of a host': { prefix: 'https://known-99' },
  'is like, common': { like: '%/section-5/%' },
  'is like, rare': { like: '%-777777.html' },
  'is like, none': { like: '%nothing%' },
  'error and is like, none': { status: 'error', like: '%nothing%' },
  'waiting, large host, is like, none': { status: 'waiting', host: LARGE_HOST, like: '%nothing%' },
  'indexed, old, large host': { status: 'indexed', host: LARGE_HOST, visitedBefore: formatTimeAgo(1_499) },
  'error, http-404, small host': { status: 'error', reason: 'http-404', host: 'known-18.example.com' },
  'refresh, in the index, last hour': { source: 'refresh', indexed: 'true', visitedSince: formatTimeAgo(1) },
};

interface ListResponse {
  readonly items?: readonly unknown[];
  readonly folders?: readonly unknown[];
  readonly next: string | null;
  readonly searched?: number;
}

interface Row {
  readonly list: string;
  readonly items: number;
  readonly 'searched %': number;
  readonly ms: number;
  readonly 'max ms': number;
}

async function measureList(list: string, path: string, runs: number): Promise<Row> {
  const laps: number[] = [];
  let body: ListResponse = { next: null };
  for (let run = 0; run <= runs; run++) {
    const startedAt = performance.now();
    const response = await fetch(`${API}${path}`);
    body = (await response.json()) as ListResponse;
    if (!response.ok) throw new Error(`the server responded to ${path} with ${response.status}`);
    // The first run loads the pages of the database file into memory and is not counted.
    if (run > 0) laps.push(performance.now() - startedAt);
  }
  laps.sort((a, b) => a - b);
  return {
    list,
    items: (body.items ?? body.folders ?? []).length,
    'searched %': Math.round((body.searched ?? 1) * 100),
    ms: Math.round(laps[laps.length >> 1]!),
    'max ms': Math.round(laps.at(-1)!),
  };
}

/** @param lateId id of a URL that comes after four fifths of the others */
async function measure(lateId: number, runs: number): Promise<Row[]> {
  const rows: Row[] = [];
  const lateCursor = Buffer.from(String(lateId)).toString('base64url');
  for (const [name, filter] of Object.entries(FILTERS)) {
    const query = new URLSearchParams({ limit: '100', ...filter });
    rows.push(await measureList(name, `/crawlers/bench/urls?${query}`, runs));
    rows.push(await measureList(`${name}, late page`, `/crawlers/bench/urls?${query}&cursor=${lateCursor}`, runs));
  }
  rows.push(await measureList('errors by class', '/crawlers/bench/errors', runs));
  rows.push(await measureList('hosts of an error', '/crawlers/bench/errors/http-404/hosts?limit=20', runs));
  rows.push(await measureList('hosts', '/hosts?crawler=bench&limit=100', runs));
  const folder = encodeURIComponent(`https://${LARGE_HOST}/section-5/`);
  rows.push(await measureList('origins of a large host', `/hosts/${LARGE_HOST}/folders?crawler=bench`, runs));
  rows.push(await measureList('a folder of it', `/hosts/${LARGE_HOST}/folders?crawler=bench&folder=${folder}`, runs));
  return rows;
}

/** Fills the store unless a previous run has done so. */
async function prepare(file: string, postgres: string | undefined, knownCount: number): Promise<void> {
  const store = postgres ? await openPostgresStore(new Secret(postgres)) : await openSqliteStore(file);
  if ((await store.count({})) === 0) await fill(store, knownCount);
  else await store.close();
}

async function main(): Promise<void> {
  const knownCount = Number(getOption('known') ?? 1_000_000);
  const keptFolder = getOption('keep');
  const postgres = getOption('postgres');
  const folder = keptFolder ?? mkdtempSync(join(tmpdir(), 'crawlway-bench-'));
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  await prepare(join(data, 'crawlway.sqlite'), postgres, knownCount);
  writeFileSync(join(folder, 'config.xml'), CONFIGURATION);
  if (postgres) process.env['CRAWLWAY_DATABASE_URL'] = postgres;
  const args = ['serve', '--config', join(folder, 'config.xml'), '--data', data, '--port', String(PORT)];
  const server = await startProgram(join(DIST, 'program/main.js'), args, /is ready/);
  try {
    // On PostgreSQL, URLs are ordered by partition, which is the remainder of their id divided by 1,024.
    const rows = await measure(postgres ? 819 : Math.round(knownCount * 0.8), Number(getOption('runs') ?? 5));
    console.table(rows);
    const slowest = rows.reduce((a, b) => (a.ms > b.ms ? a : b));
    console.log(`${knownCount} URLs, ${rows.length} lists; the slowest takes ${slowest.ms} ms (${slowest.list})`);
  } finally {
    await stop(server);
    if (keptFolder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

await main();
