/**
 * The store alone: how fast links are recognized or stored, visits settled and work handed out, on a store that knows
 * 100,000, 1 million and (with --large) 10 million URLs. Prints a table;
 * `node dist/bench/store.js [--large] [--postgres=URL]`, the URL being that of an empty database.
 *
 * The pages are modelled: each has 100 links, 60 of them to 200 pages that its whole host links to (navigation), 30 to
 * any page of its host, 5 to the first pages of other hosts and 5 to pages of its host that nobody has seen before. A batch holds 50
 * pages of 20 hosts, as a crawl of many hosts at a time makes them.
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../src/adapters/storage/postgres/postgres-store.js';
import { openSqliteStore } from '../src/adapters/storage/sqlite/sqlite-store.js';
import type { UrlId, UrlState } from '../src/domain/crawl/url-state.js';
import { Secret } from '../src/domain/secret.js';
import { instant } from '../src/domain/time/units.js';
import type { FrontierStore, NewUrl } from '../src/engine/ports/frontier-store.js';
import { LINKS, link, NAVIGATION_PAGES, POPULAR_PAGES, START, visited } from './model-pages.js';

const HOSTS = 200;
const HOSTS_OF_BATCH = 20;
const PAGES_OF_BATCH = 50;
const BATCHES = 100;
const LINKS_OF_PAGE = Object.values(LINKS).reduce((a, b) => a + b);

/** Numbers that look random and repeat from run to run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

/** A model of the web that grows while it is crawled. */
class Model {
  readonly pages: number[] = Array.from({ length: HOSTS }, () => 0);
  order = 0;
  readonly #random = randomOf(1);

  get known(): number {
    return this.pages.reduce((a, b) => a + b);
  }

  fresh(host: number): NewUrl {
    const page = this.pages[host]!;
    this.pages[host] = page + 1;
    return link(host, page);
  }

  /** The links of one page of a host. */
  links(host: number): NewUrl[] {
    return [
      ...Array.from({ length: LINKS.navigation }, () => link(host, this.#random(NAVIGATION_PAGES))),
      ...Array.from({ length: LINKS.own }, () => link(host, this.#random(this.pages[host]!))),
      ...Array.from({ length: LINKS.popular }, () => link(this.#random(HOSTS), this.#random(POPULAR_PAGES))),
      ...Array.from({ length: LINKS.fresh }, () => this.fresh(host)),
    ];
  }

  hostsOfBatch(): number[] {
    return Array.from({ length: HOSTS_OF_BATCH }, () => this.#random(HOSTS));
  }
}

/** Fills the store with pages of all hosts in turn, some of one host at a time. Returns how many a second. */
async function fill(store: FrontierStore, model: Model, size: number): Promise<number> {
  const start = performance.now();
  const first = model.known;
  const under: Promise<unknown>[] = [];
  let host = 0;
  while (model.known < size) {
    const batch = Array.from({ length: HOSTS_OF_BATCH }, () => {
      host = (host + 1) % HOSTS;
      return Array.from({ length: 50 }, () => model.fresh(host));
    });
    under.push(store.discover(batch.flat()));
    if (under.length > 3) await under.shift();
  }
  await Promise.all(under);
  return (model.known - first) / ((performance.now() - start) / 1000);
}

class Stopwatch {
  readonly laps: number[] = [];

  async time<T>(action: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await action();
    this.laps.push(performance.now() - start);
    return result;
  }

  get seconds(): number {
    return this.laps.reduce((a, b) => a + b, 0) / 1000;
  }

  percentile(share: number): number {
    return [...this.laps].sort((a, b) => a - b)[Math.floor((this.laps.length - 1) * share)] ?? 0;
  }
}

/** Crawls some batches the way the engine does: take what is due, store what is found, settle. */
async function crawl(store: FrontierStore, model: Model) {
  const watches = { due: new Stopwatch(), discover: new Stopwatch(), settle: new Stopwatch() };
  const cpu = { user: 0, system: 0 };
  const leased = new Set<UrlId>(Array.from({ length: 2_000 }, (_, i) => 1e9 + i));
  let settled = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    const hosts = model.hostsOfBatch();
    const links = Array.from({ length: PAGES_OF_BATCH }, (_, page) =>
      model.links(hosts[page % HOSTS_OF_BATCH]!),
    ).flat();
    const before = process.cpuUsage();
    const pages: UrlState[] = [];
    for (let page = 0; page < PAGES_OF_BATCH; page += 10) {
      const host = link(hosts[page / 10]!, 0).hostKey;
      const { urls } = await watches.due.time(() => store.listDue('bench', host, 3, instant(START * 2), 10, leased));
      pages.push(...urls);
    }
    await watches.discover.time(() => store.discover(links));
    const settlements = pages.map((url) => visited(url, ++model.order));
    await watches.settle.time(() => store.settle(settlements));
    const used = process.cpuUsage(before);
    cpu.user += used.user;
    cpu.system += used.system;
    settled += pages.length;
  }
  return { watches, settled, cpuMs: (cpu.user + cpu.system) / 1000 };
}

async function measure(store: FrontierStore, model: Model): Promise<Record<string, number>> {
  const known = model.known;
  const { watches, settled, cpuMs } = await crawl(store, model);
  const counts = new Stopwatch();
  await counts.time(() => store.countByStatus('bench'));
  const pages = BATCHES * PAGES_OF_BATCH;
  return {
    'known URLs': known,
    'links/s': Math.round((pages * LINKS_OF_PAGE) / watches.discover.seconds),
    'settles/s': Math.round(settled / watches.settle.seconds),
    'due() ms, median': round(watches.due.percentile(0.5)),
    'due() ms, 99 %': round(watches.due.percentile(0.99)),
    'counts() ms': round(counts.seconds * 1000),
    'ms/page': round(((watches.discover.seconds + watches.settle.seconds + watches.due.seconds) * 1000) / pages),
    'CPU ms/page': round(cpuMs / pages),
    'RSS MB': megabytes(process.memoryUsage().rss),
  };
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576);
const round = (value: number): number => Number(value.toPrecision(3));

async function main(): Promise<void> {
  const sizes = [100_000, 1_000_000, ...(process.argv.includes('--large') ? [10_000_000] : [])];
  const postgres = process.argv.find((argument) => argument.startsWith('--postgres='))?.slice('--postgres='.length);
  const directory = mkdtempSync(join(tmpdir(), 'crawlway-bench-'));
  const file = join(directory, 'crawlway.db');
  const store = postgres ? await openPostgresStore(new Secret(postgres)) : await openSqliteStore(file);
  const model = new Model();
  await fill(store, model, 50_000);
  // The first round warms up the compiler and is not shown.
  await crawl(store, model);
  const rows = [];
  for (const size of sizes) {
    const stored = await fill(store, model, size);
    const row = await measure(store, model);
    rows.push({
      ...row,
      'stored/s': Math.round(stored),
      ...(postgres ? {} : { 'file MB': megabytes(statSync(file).size) }),
    });
    console.table(rows.slice(-1));
  }
  console.table(rows);
  await store.close();
  rmSync(directory, { recursive: true });
}

await main();
