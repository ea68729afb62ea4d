/**
 * How long the lists of the console take on a store of a million URLs, over the HTTP API of a whole server: each filter of
 * the URL list and some of them together, the first page and one far behind, errors by class and host, folders of a host.
 *
 *   node dist/bench/lists.js [--known 1000000] [--runs 5] [--keep FOLDER | --postgres URL]
 *
 * With --keep the filled store stays in the folder and is taken from there the next time. The PostgreSQL database is filled
 * when it has no URLs.
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
const LARGE = 'large.example.com';
const BATCH = 10_000;
const HOUR = 3_600_000;
const NOW = Date.now();
const FAR = instant(NOW + 1_000 * HOUR);

const CONFIGURATION = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="bench" defaultAccept="true"><cw:PushTo sink="main"/></Crawler>
  <cw:Fetcher name="default"/>
  <cw:Sink name="main" type="json" url="http://127.0.0.1:9/"/>
</CrawlConfig>`;

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};

/** A third of the URLs are on one host, the others on a thousand; one in a hundred thousand was submitted by a person. */
function urlOf(n: number): NewUrl {
  const hostKey = n % 3 === 0 ? LARGE : `known-${n % 1000}.example.com`;
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
    dueAt: FAR,
  };
}

/** Of ten URLs four wait, four are indexed, one is in error and one was only read; a few are out of the crawl space. */
function changesOf(n: number): UrlChanges | undefined {
  const lastVisitAt = instant(NOW - (n % 1_500) * HOUR) as Instant;
  if (n % 50_000 === 49_999) return { status: 'excluded', reason: 'rule-ignored', source: null };
  if (n % 10 < 4) return undefined;
  if (n % 10 === 8) {
    const reason = n % 200_000 === 199_998 ? 'tls-expired' : n % 70 === 8 ? 'read-timeout' : 'http-404';
    return { status: 'error', reason, lastVisitAt, visits: 1, lastStatus: 404, source: 5, dueAt: FAR };
  }
  if (n % 10 === 9) return { status: 'visited', reason: 'noindex', lastVisitAt, visits: 1, source: 5, dueAt: FAR };
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
    dueAt: FAR,
  };
}

async function fill(store: FrontierStore, known: number): Promise<void> {
  for (let from = 0; from < known; from += BATCH) await fillBatch(store, from, Math.min(BATCH, known - from));
  await store.close();
}

async function fillBatch(store: FrontierStore, from: number, size: number): Promise<void> {
  const states = await store.discover(Array.from({ length: size }, (_, i) => urlOf(from + i)));
  await store.settle(
    states.flatMap(({ id }, i) => {
      const changes = changesOf(from + i);
      return changes ? [{ id, changes }] : [];
    }),
  );
}

const ago = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();

/** What the screen offers, by its name there. */
const FILTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no filter': {},
  'status: waiting': { status: 'waiting' },
  'status: error': { status: 'error' },
  'status: excluded (20)': { status: 'excluded' },
  'status: filtered (none)': { status: 'filtered' },
  'host of 330,000 URLs': { host: LARGE },
  'host of 670 URLs': { host: 'known-17.example.com' },
  'source: index_follow': { source: 'index_follow' },
  'source: user (10)': { source: 'user' },
  'in the index': { indexed: 'true' },
  'reason: indexed': { reason: 'indexed' },
  'reason: http-404': { reason: 'http-404' },
  'reason: tls-expired (5)': { reason: 'tls-expired' },
  'reason: rule (20)': { reason: 'rule-ignored' },
  'visited in the last hour': { visitedSince: ago(1) },
  'visited more than a month ago': { visitedBefore: ago(720) },
  'begins with a large host': { prefix: `https://${LARGE}/section-5/` },
  'begins with a page': { prefix: `https://${LARGE}/section-5/part-7/page-of-average-length-99` },
  'begins with part of a host': { prefix: 'https://known-99' },
  'is like, common': { like: '%/section-5/%' },
  'is like, rare': { like: '%-777777.html' },
  'is like, none': { like: '%nothing%' },
  'error and is like, none': { status: 'error', like: '%nothing%' },
  'waiting, large host, is like, none': { status: 'waiting', host: LARGE, like: '%nothing%' },
  'indexed, old, large host': { status: 'indexed', host: LARGE, visitedBefore: ago(1_499) },
  'error, http-404, small host': { status: 'error', reason: 'http-404', host: 'known-18.example.com' },
  'refresh, in the index, last hour': { source: 'refresh', indexed: 'true', visitedSince: ago(1) },
};

interface Answer {
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

async function timed(list: string, path: string, runs: number): Promise<Row> {
  const laps: number[] = [];
  let answer: Answer = { next: null };
  for (let run = 0; run <= runs; run++) {
    const started = performance.now();
    const response = await fetch(`${API}${path}`);
    answer = (await response.json()) as Answer;
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}`);
    // The first run brings the pages of the file into memory and is not counted.
    if (run > 0) laps.push(performance.now() - started);
  }
  laps.sort((a, b) => a - b);
  return {
    list,
    items: (answer.items ?? answer.folders ?? []).length,
    'searched %': Math.round((answer.searched ?? 1) * 100),
    ms: Math.round(laps[laps.length >> 1]!),
    'max ms': Math.round(laps.at(-1)!),
  };
}

/** @param behind id of a URL that four fifths of the others come before */
async function measure(behind: number, runs: number): Promise<Row[]> {
  const rows: Row[] = [];
  const far = Buffer.from(String(behind)).toString('base64url');
  for (const [name, filter] of Object.entries(FILTERS)) {
    const query = new URLSearchParams({ limit: '100', ...filter });
    rows.push(await timed(name, `/crawlers/bench/urls?${query}`, runs));
    rows.push(await timed(`${name}, far behind`, `/crawlers/bench/urls?${query}&cursor=${far}`, runs));
  }
  rows.push(await timed('errors by class', '/crawlers/bench/errors', runs));
  rows.push(await timed('hosts of an error', '/crawlers/bench/errors/http-404/hosts?limit=20', runs));
  rows.push(await timed('hosts', '/hosts?crawler=bench&limit=100', runs));
  const folder = encodeURIComponent(`https://${LARGE}/section-5/`);
  rows.push(await timed('origins of a large host', `/hosts/${LARGE}/folders?crawler=bench`, runs));
  rows.push(await timed('a folder of it', `/hosts/${LARGE}/folders?crawler=bench&folder=${folder}`, runs));
  return rows;
}

/** Fills the store unless that was done before. */
async function prepare(file: string, postgres: string | undefined, known: number): Promise<void> {
  const store = postgres ? await openPostgresStore(new Secret(postgres)) : await openSqliteStore(file);
  if ((await store.count({})) === 0) await fill(store, known);
  else await store.close();
}

async function main(): Promise<void> {
  const known = Number(option('known') ?? 1_000_000);
  const kept = option('keep');
  const postgres = option('postgres');
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'crawlway-bench-'));
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  await prepare(join(data, 'crawlway.sqlite'), postgres, known);
  writeFileSync(join(folder, 'config.xml'), CONFIGURATION);
  if (postgres) process.env['CRAWLWAY_DATABASE_URL'] = postgres;
  const args = ['serve', '--config', join(folder, 'config.xml'), '--data', data, '--port', String(PORT)];
  const server = await startProgram(join(DIST, 'program/main.js'), args, /is ready/);
  try {
    // PostgreSQL orders by partition, the remainder of an id by 1,024.
    const rows = await measure(postgres ? 819 : Math.round(known * 0.8), Number(option('runs') ?? 5));
    console.table(rows);
    const slowest = rows.reduce((a, b) => (a.ms > b.ms ? a : b));
    console.log(`${known} URLs, ${rows.length} lists; the slowest takes ${slowest.ms} ms (${slowest.list})`);
  } finally {
    await stop(server);
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

await main();
