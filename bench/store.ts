/**
 * Measures the store alone: how fast it recognizes or stores links, settles visits and lists due URLs when it knows
 * 100,000, 1 million and (with --large) 10 million URLs. Prints a table: `node dist/bench/store.js [--large]
 * [--postgres=URL]`, where URL is that of an empty database.
 *
 * Each page of the model has 100 links: 60 to 200 pages to which its whole host links (navigation), 30 to any page of
 * its host, 5 to the first pages of other hosts, and 5 to new pages of its host. A batch consists of 50 pages of 20
 * hosts, as in a crawl of many hosts.
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
import { createLink, createSettlement, LINKS, NAVIGATION_PAGES, POPULAR_PAGES, START } from './model-pages.js';

const HOSTS = 200;
const HOSTS_PER_BATCH = 20;
const PAGES_PER_BATCH = 50;
const BATCHES = 100;
const LINKS_PER_PAGE = Object.values(LINKS).reduce((a, b) => a + b);

/** Creates a generator of pseudo-random numbers, which are the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * limit);
  };
}

/** A model of the web that grows while it is crawled. */
class Model {
  readonly pages: number[] = Array.from({ length: HOSTS }, () => 0);
  lastOrderId = 0;
  readonly #random = createRandom(1);

  get knownCount(): number {
    return this.pages.reduce((a, b) => a + b);
  }

  createPage(host: number): NewUrl {
    const page = this.pages[host]!;
    this.pages[host] = page + 1;
    return createLink(host, page);
  }

  /** Creates the links of one page of a host. */
  createLinks(host: number): NewUrl[] {
    return [
      ...Array.from({ length: LINKS.navigation }, () => createLink(host, this.#random(NAVIGATION_PAGES))),
      ...Array.from({ length: LINKS.own }, () => createLink(host, this.#random(this.pages[host]!))),
      ...Array.from({ length: LINKS.popular }, () => createLink(this.#random(HOSTS), this.#random(POPULAR_PAGES))),
      ...Array.from({ length: LINKS.fresh }, () => this.createPage(host)),
    ];
  }

  chooseHosts(): number[] {
    return Array.from({ length: HOSTS_PER_BATCH }, () => this.#random(HOSTS));
  }
}

/** Fills the store with pages of all hosts, 50 of a host at a time. Returns how many per second were stored. */
async function fill(store: FrontierStore, model: Model, size: number): Promise<number> {
  const start = performance.now();
  const knownBefore = model.knownCount;
  const pending: Promise<unknown>[] = [];
  let host = 0;
  while (model.knownCount < size) {
    const batch = Array.from({ length: HOSTS_PER_BATCH }, () => {
      host = (host + 1) % HOSTS;
      return Array.from({ length: 50 }, () => model.createPage(host));
    });
    pending.push(store.discover(batch.flat()));
    if (pending.length > 3) await pending.shift();
  }
  await Promise.all(pending);
  return (model.knownCount - knownBefore) / ((performance.now() - start) / 1000);
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

  getPercentile(share: number): number {
    return [...this.laps].sort((a, b) => a - b)[Math.floor((this.laps.length - 1) * share)] ?? 0;
  }
}

/** Crawls some batches as the engine does: lists due URLs, stores the links that are found, and settles the visits. */
async function crawl(store: FrontierStore, model: Model) {
  const watches = { due: new Stopwatch(), discover: new Stopwatch(), settle: new Stopwatch() };
  const cpu = { user: 0, system: 0 };
  const leased = new Set<UrlId>(Array.from({ length: 2_000 }, (_, i) => 1e9 + i));
  let settled = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    const hosts = model.chooseHosts();
    const links = Array.from({ length: PAGES_PER_BATCH }, (_, page) =>
      model.createLinks(hosts[page % HOSTS_PER_BATCH]!),
    ).flat();
    const cpuBefore = process.cpuUsage();
    const pages: UrlState[] = [];
    for (let page = 0; page < PAGES_PER_BATCH; page += 10) {
      const host = createLink(hosts[page / 10]!, 0).hostKey;
      const { urls } = await watches.due.time(() => store.listDue('bench', host, 3, instant(START * 2), 10, leased));
      pages.push(...urls);
    }
    await watches.discover.time(() => store.discover(links));
    const settlements = pages.map((url) => createSettlement(url, ++model.lastOrderId));
    await watches.settle.time(() => store.settle(settlements));
    const usage = process.cpuUsage(cpuBefore);
    cpu.user += usage.user;
    cpu.system += usage.system;
    settled += pages.length;
  }
  return { watches, settled, cpuMs: (cpu.user + cpu.system) / 1000 };
}

async function measure(store: FrontierStore, model: Model): Promise<Record<string, number>> {
  const knownCount = model.knownCount;
  const { watches, settled, cpuMs } = await crawl(store, model);
  const counts = new Stopwatch();
  await counts.time(() => store.countByStatus('bench'));
  const pages = BATCHES * PAGES_PER_BATCH;
  return {
    'known URLs': knownCount,
    'links/s': Math.round((pages * LINKS_PER_PAGE) / watches.discover.seconds),
    'settles/s': Math.round(settled / watches.settle.seconds),
    'due() ms, median': round(watches.due.getPercentile(0.5)),
    'due() ms, 99 %': round(watches.due.getPercentile(0.99)),
    'counts() ms': round(counts.seconds * 1000),
    'ms/page': round(((watches.discover.seconds + watches.settle.seconds + watches.due.seconds) * 1000) / pages),
    'CPU ms/page': round(cpuMs / pages),
    'RSS MB': toMegabytes(process.memoryUsage().rss),
  };
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1_048_576);
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
    const storedPerSecond = await fill(store, model, size);
    const row = await measure(store, model);
    rows.push({
      ...row,
      'stored/s': Math.round(storedPerSecond),
      ...(postgres ? {} : { 'file MB': toMegabytes(statSync(file).size) }),
    });
    console.table(rows.slice(-1));
  }
  console.table(rows);
  await store.close();
  rmSync(directory, { recursive: true });
}

await main();
