/**
 * Moves a store to another database: exports a store as JSON lines, and imports them. The lines are, in this order: a
 * header, the settings, the URLs with their visits, the hosts, the orders, what sinks are owed, and a summary (the
 * number and a digest of each kind) that the importing side checks. URL ids are those of the source; the target assigns
 * its own. Both sides stream. An interrupted export continues after the last complete line; an interrupted import,
 * given the same lines again, skips those that it has stored.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type {
  FrontierStore,
  HostRecord,
  LedgerEntry,
  NewUrl,
  Settlement,
  Visit,
} from '../../../engine/ports/frontier-store.js';
import { NO_URL } from '../../../engine/ports/frontier-store.js';
import type { OwedOrder } from '../../../engine/ports/owed-orders.js';
import { CONNECTOR_SETTING } from '../../../engine/ports/sink.js';
import { KEPT_VISITS } from './order-row.js';

const FORMAT = 'crawlway store 1';
const PAGE = 500;

/** Where an import records its progress, in the target's own settings. */
const PROGRESS = 'import';

/** An export cannot continue or cannot be imported; the message says why. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
}

type ExportedUrl = Omit<UrlState, 'simhash'> & { readonly simhash?: string; readonly visitList: readonly Visit[] };

type Line =
  | { readonly header: { readonly format: string; readonly id: string } }
  | { readonly setting: readonly [name: string, value: string] }
  | { readonly host: HostRecord }
  | { readonly url: ExportedUrl }
  | { readonly order: LedgerEntry }
  | { readonly owed: OwedOrder }
  | { readonly summary: Summary };

type Kind = 'setting' | 'host' | 'url' | 'order' | 'owed';

/** Number and digest of the records of each kind, regardless of their order and ids. */
export type Summary = Readonly<Record<Kind, { readonly count: number; readonly digest: string }>>;

/** Exports of earlier versions lack some kinds. */
const NONE = { count: 0, digest: '0'.repeat(32) };

/**
 * Yields the lines of a store. If `last`, the last complete line of an interrupted export, is given, only the lines
 * after it are returned.
 */
export async function* exportStore(store: FrontierStore, last?: string): AsyncGenerator<string> {
  const done = last === undefined ? undefined : parseLine(last);
  if (done && 'summary' in done) return;
  if (!done) yield formatLine({ header: { format: FORMAT, id: randomUUID() } });
  const summary = new SummaryBuilder();
  // The summary covers the whole store, so everything is read; only what comes after the last line is returned.
  let silent = done !== undefined && !('header' in done);
  for await (const line of readRecords(store)) {
    summary.add(line);
    if (!silent) yield formatLine(line);
    else if (formatLine(line) === last) silent = false;
  }
  if (silent)
    throw new TransferRefused('The store has changed since the export was interrupted: start the export again.');
  yield formatLine({ summary: summary.result() });
}

/**
 * Stores the lines of an export in an empty store and checks that everything has arrived; returns a summary. Throws if
 * the store is not empty, a line is invalid (naming its number), or the check fails.
 */
export async function importStore(store: FrontierStore, lines: AsyncIterable<string>): Promise<Summary> {
  const importing = new StoreImporter(store);
  let number = 0;
  for await (const line of lines) {
    number++;
    try {
      await importing.importLine(parseLine(line), number);
    } catch (error) {
      if (!(error instanceof TransferRefused)) throw error;
      throw new TransferRefused(`line ${number} of the export: ${error.message}`);
    }
  }
  return importing.finish();
}

/** @throws TransferRefused if an import into the store was begun but not finished */
export async function requireComplete(store: FrontierStore): Promise<void> {
  if ((await store.getSetting(PROGRESS)) === undefined) return;
  throw new TransferRefused(
    'An import into this database was not completed, so it contains only part of the data: repeat the import with the same file, or use an empty database.',
  );
}

class StoreImporter {
  readonly #store: FrontierStore;
  #id: string | undefined;
  /** Number of lines that an earlier, interrupted import stored. */
  #done = 0;
  #number = 0;
  #batch: Line[] = [];
  #expected: Summary | undefined;

  constructor(store: FrontierStore) {
    this.#store = store;
  }

  async importLine(line: Line, number: number): Promise<void> {
    this.#number = number;
    if (number === 1) return this.#begin(line);
    if (this.#expected) throw new TransferRefused('nothing may follow the summary');
    if ('summary' in line) {
      this.#expected = line.summary;
    } else if (number > this.#done) {
      this.#batch.push(line);
      if (this.#batch.length >= PAGE) await this.#write();
    }
  }

  async finish(): Promise<Summary> {
    await this.#write();
    if (!this.#expected) {
      throw new TransferRefused(
        'The export ends without its summary: it is incomplete. What it contains has been stored; import it again once it is complete.',
      );
    }
    const summing = new SummaryBuilder();
    for await (const line of readRecords(this.#store)) summing.add(line);
    const arrived = summing.result();
    for (const kind of Object.keys(arrived) as Kind[]) {
      const [want, have] = [this.#expected[kind] ?? NONE, arrived[kind]];
      if (want.count !== have.count || want.digest !== have.digest) {
        throw new TransferRefused(
          `The import does not match the export: ${want.count} ${kind} records were exported (digest ${want.digest}), ${have.count} are stored (${have.digest}).`,
        );
      }
    }
    await this.#store.putSetting(PROGRESS, undefined);
    return arrived;
  }

  async #begin(line: Line): Promise<void> {
    if (!('header' in line) || line.header.format !== FORMAT)
      throw new TransferRefused(`it is not the header of a "${FORMAT}" file`);
    this.#id = line.header.id;
    const progress = await this.#store.getSetting(PROGRESS);
    if (progress !== undefined) {
      const { id, lines } = JSON.parse(progress) as { id: string; lines: number };
      if (id !== this.#id)
        throw new TransferRefused(
          'another import into this store was interrupted; finish that one, or use an empty store',
        );
      this.#done = lines;
      return;
    }
    if ((await this.#store.list({}, 0, 1)).length > 0)
      throw new TransferRefused('the store is not empty; use an empty one');
    await this.#store.putSetting(CONNECTOR_SETTING, undefined); // the export's connector name counts
    await this.#store.putSetting(PROGRESS, JSON.stringify({ id: this.#id, lines: 1 }));
  }

  /** Stores what has accumulated and then the progress. */
  async #write(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    for (const line of batch) if ('setting' in line) await this.#store.putSetting(...line.setting);
    const hosts = batch.flatMap((line) => ('host' in line ? [line.host] : []));
    if (hosts.length > 0) await this.#store.saveHosts(hosts);
    await this.#writeUrls(batch.flatMap((line) => ('url' in line ? [line.url] : [])));
    const orders = batch.flatMap((line) => ('order' in line ? [line.order] : []));
    if (orders.length > 0) await this.#store.saveOrders(orders);
    const owed = batch.flatMap((line) => ('owed' in line ? [{ ...line.owed, change: 'put off' as const }] : []));
    if (owed.length > 0) await this.#store.settle([{ id: NO_URL, owed }]);
    const lines = Math.max(this.#done, this.#expected ? this.#number - 1 : this.#number);
    await this.#store.putSetting(PROGRESS, JSON.stringify({ id: this.#id, lines }));
  }

  async #writeUrls(urls: readonly ExportedUrl[]): Promise<void> {
    if (urls.length === 0) return;
    const added = await this.#store.discover(urls.map(toNewUrl));
    const ids = new Map(added.map(({ crawler, url, id }) => [`${crawler} ${url}`, id]));
    const settlements: Settlement[] = [];
    for (const url of urls) {
      // The URL may already have been stored if the import was interrupted between two writes.
      const id = ids.get(`${url.crawler} ${url.url}`) ?? (await this.#store.find(url.crawler, url.url))!.id;
      settlements.push({ id, changes: toChanges(url) }, ...url.visitList.map((visit) => ({ id, visit })));
    }
    await this.#store.settle(settlements);
  }
}

async function* readRecords(store: FrontierStore): AsyncGenerator<Line> {
  for (const [name, value] of await store.listSettings('')) if (name !== PROGRESS) yield { setting: [name, value] };
  const crawlers = new Set<string>();
  for await (const page of readUrlPages(store)) {
    const visits = await Promise.all(page.map(({ id }) => store.listVisits(id, KEPT_VISITS)));
    for (const [i, url] of page.entries()) {
      crawlers.add(url.crawler);
      yield { url: { ...url, simhash: url.simhash?.toString(), visitList: visits[i]! } };
    }
  }
  for await (const host of readHosts(store, [...crawlers].sort())) yield { host };
  for await (const order of readOrders(store)) yield { order };
  for await (const one of readOwed(store)) yield { owed: one };
}

async function* readUrlPages(store: FrontierStore): AsyncGenerator<UrlState[]> {
  for (let after = 0; ; ) {
    const page = await store.list({}, after, PAGE);
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

/** Reads the politeness state of every host that has URLs; that of other hosts is worthless. */
async function* readHosts(store: FrontierStore, crawlers: readonly string[]): AsyncGenerator<HostRecord> {
  const given = new Set<string>();
  for (const crawler of crawlers) {
    for (let after: string | undefined; ; ) {
      const page = (await store.listHosts(crawler, after, PAGE)).map(({ hostKey }) => hostKey);
      const fresh = page.filter((hostKey) => !given.has(hostKey));
      for (const hostKey of fresh) given.add(hostKey);
      if (fresh.length > 0) yield* await store.loadHosts(fresh);
      if (page.length < PAGE) break;
      after = page.at(-1)!;
    }
  }
}

async function* readOrders(store: FrontierStore): AsyncGenerator<LedgerEntry> {
  for (let before: number | undefined; ; ) {
    const page = await store.listOrders({}, before, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    before = page.at(-1)!.id;
  }
}

async function* readOwed(store: FrontierStore): AsyncGenerator<OwedOrder> {
  for (const { crawler, sink } of await store.countOwed()) {
    for (let after = 0; ; ) {
      const page = await store.listOwed(crawler, sink, after, PAGE);
      yield* page;
      if (page.length < PAGE) break;
      after = page.at(-1)!.orderId;
    }
  }
}

/** The URL as it was when it was found: its first due time is the time when it was first seen. */
const toNewUrl = (url: ExportedUrl): NewUrl => ({
  crawler: url.crawler,
  url: url.url,
  key: computeUrlKey(url.url),
  hostKey: url.hostKey,
  status: 'waiting',
  reason: url.reason,
  hops: url.hops,
  redirects: url.redirects,
  discoveredVia: url.discoveredVia,
  foundOn: url.foundOn,
  root: url.root,
  inheritedMetas: url.inheritedMetas,
  dueAt: url.firstSeenAt,
});

const toChanges = (url: ExportedUrl): Settlement['changes'] => ({
  ...url,
  source: url.source ?? null,
  simhash: url.simhash === undefined ? null : BigInt(url.simhash),
});

/** Sums the digests of records, so that their order does not matter and memory use is constant. */
class SummaryBuilder {
  readonly #sums = new Map<Kind, { count: number; sum: bigint }>();

  add(line: Line): void {
    const [kind, record] = Object.entries(line)[0] as [Kind, object];
    // A URL's id depends on the store; an order's id does not.
    const compared = kind === 'url' ? { ...record, id: undefined } : record;
    const digest = createHash('sha256').update(stableStringify(compared)).digest();
    const before = this.#sums.get(kind) ?? { count: 0, sum: 0n };
    this.#sums.set(kind, {
      count: before.count + 1,
      sum: BigInt.asUintN(128, before.sum + digest.readBigUInt64BE() + (digest.readBigUInt64BE(8) << 64n)),
    });
  }

  result(): Summary {
    const countKind = (kind: Kind) => {
      const { count, sum } = this.#sums.get(kind) ?? { count: 0, sum: 0n };
      return { count, digest: sum.toString(16).padStart(32, '0') };
    };
    return {
      setting: countKind('setting'),
      host: countKind('host'),
      url: countKind('url'),
      order: countKind('order'),
      owed: countKind('owed'),
    };
  }
}

/** JSON with sorted keys, so that equal records yield equal strings. */
const stableStringify = (record: object): string =>
  JSON.stringify(record, (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

const formatLine = (line: Line): string => JSON.stringify(line);

function parseLine(line: string): Line {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    // Reported below, like JSON that is not a record.
  }
  if (parsed === null || typeof parsed !== 'object') {
    throw new TransferRefused('it is not a record of a store; use a file that `crawlway store export` has written');
  }
  return parsed as Line;
}
