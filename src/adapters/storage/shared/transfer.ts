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
import { MAX_VISITS } from './order-row.js';

const FORMAT = 'crawlway store 1';
const PAGE_SIZE = 500;

/** The setting of the target in which an import records its progress. */
const PROGRESS_SETTING = 'import';

/** An export cannot continue or cannot be imported; the message says why. */
class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
}

type ExportedUrl = Omit<UrlState, 'simhash' | 'textSketch'> & {
  readonly simhash?: string;
  readonly textSketch?: string;
  readonly visitList: readonly Visit[];
};

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

/** Used for kinds that the exports of earlier versions lack. */
const NO_RECORDS = { count: 0, digest: '0'.repeat(32) };

/**
 * Yields the lines of a store. If `lastLine`, the last complete line of an interrupted export, is given, yields only the
 * lines after it.
 */
export async function* exportStore(store: FrontierStore, lastLine?: string): AsyncGenerator<string> {
  const lastRecord = lastLine === undefined ? undefined : parseLine(lastLine);
  if (lastRecord && 'summary' in lastRecord) return;
  if (!lastRecord) yield formatLine({ header: { format: FORMAT, id: randomUUID() } });
  const summary = new SummaryBuilder();
  // The summary covers the whole store, so everything is read, but only the lines after the last one are yielded.
  let isSkipping = lastRecord !== undefined && !('header' in lastRecord);
  for await (const line of readRecords(store)) {
    summary.add(line);
    if (!isSkipping) yield formatLine(line);
    else if (formatLine(line) === lastLine) isSkipping = false;
  }
  if (isSkipping)
    throw new TransferRefused('The store has changed since the export was interrupted: start the export again.');
  yield formatLine({ summary: summary.build() });
}

/**
 * Stores the lines of an export in an empty store and checks that everything has arrived; returns a summary. Throws if
 * the store is not empty, a line is invalid (naming its number), or the check fails.
 */
export async function importStore(store: FrontierStore, lines: AsyncIterable<string>): Promise<Summary> {
  const importer = new StoreImporter(store);
  let lineNumber = 0;
  for await (const line of lines) {
    lineNumber++;
    try {
      await importer.importLine(parseLine(line), lineNumber);
    } catch (error) {
      if (!(error instanceof TransferRefused)) throw error;
      throw new TransferRefused(`line ${lineNumber} of the export: ${error.message}`);
    }
  }
  return importer.finishImport();
}

/** @throws TransferRefused if an import into the store was begun but not finished */
export async function requireCompleteImport(store: FrontierStore): Promise<void> {
  if ((await store.getSetting(PROGRESS_SETTING)) === undefined) return;
  throw new TransferRefused(
    'An import into this database was not completed, so it contains only part of the data: repeat the import with the same file, or use an empty database.',
  );
}

class StoreImporter {
  readonly #store: FrontierStore;
  #id: string | undefined;
  /** Number of lines that an earlier, interrupted import stored. */
  #storedLines = 0;
  #lineNumber = 0;
  #batch: Line[] = [];
  #expected: Summary | undefined;
  readonly #received = new SummaryBuilder();
  /** The same records with the names that their fields have today. */
  readonly #wanted = new SummaryBuilder();

  constructor(store: FrontierStore) {
    this.#store = store;
  }

  async importLine(received: Line, lineNumber: number): Promise<void> {
    this.#lineNumber = lineNumber;
    if (lineNumber === 1) return this.#begin(received);
    if (this.#expected) throw new TransferRefused('nothing may follow the summary');
    if ('summary' in received) {
      this.#expected = received.summary;
      return;
    }
    const line = renameFields(received);
    const digest = computeDigest(received);
    this.#received.add(received, digest);
    this.#wanted.add(line, line === received ? digest : computeDigest(line));
    if (lineNumber <= this.#storedLines) return;
    this.#batch.push(line);
    if (this.#batch.length >= PAGE_SIZE) await this.#storeBatch();
  }

  async finishImport(): Promise<Summary> {
    await this.#storeBatch();
    if (!this.#expected) {
      throw new TransferRefused(
        'The export ends without its summary: it is incomplete. What it contains has been stored; import it again once it is complete.',
      );
    }
    requireEqual(this.#expected, this.#received.build(), 'are in the file');
    const builder = new SummaryBuilder();
    for await (const line of readRecords(this.#store)) builder.add(line);
    const actual = builder.build();
    requireEqual(this.#wanted.build(), actual, 'are stored');
    await this.#store.putSetting(PROGRESS_SETTING, undefined);
    return actual;
  }

  async #begin(line: Line): Promise<void> {
    if (!('header' in line) || line.header.format !== FORMAT)
      throw new TransferRefused(`it is not the header of a "${FORMAT}" file`);
    this.#id = line.header.id;
    const progress = await this.#store.getSetting(PROGRESS_SETTING);
    if (progress !== undefined) {
      const { id, lines } = JSON.parse(progress) as { id: string; lines: number };
      if (id !== this.#id)
        throw new TransferRefused(
          'another import into this store was interrupted; finish that one, or use an empty store',
        );
      this.#storedLines = lines;
      return;
    }
    if ((await this.#store.list({}, 0, 1)).length > 0)
      throw new TransferRefused('the store is not empty; use an empty one');
    // The export contains all of them, also the name of the connector; others are of a server without URLs.
    for (const name of (await this.#store.listSettings('')).keys()) await this.#store.putSetting(name, undefined);
    await this.#store.putSetting(PROGRESS_SETTING, JSON.stringify({ id: this.#id, lines: 1 }));
  }

  /** Stores the accumulated lines, then records the progress. */
  async #storeBatch(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    for (const line of batch) if ('setting' in line) await this.#store.putSetting(...line.setting);
    const hosts = batch.flatMap((line) => ('host' in line ? [line.host] : []));
    if (hosts.length > 0) await this.#store.saveHosts(hosts);
    await this.#storeUrls(batch.flatMap((line) => ('url' in line ? [line.url] : [])));
    const orders = batch.flatMap((line) => ('order' in line ? [line.order] : []));
    if (orders.length > 0) await this.#store.saveOrders(orders);
    const owed = batch.flatMap((line) => ('owed' in line ? [{ ...line.owed, change: 'put off' as const }] : []));
    if (owed.length > 0) await this.#store.settle([{ id: NO_URL, owed }]);
    const lines = Math.max(this.#storedLines, this.#expected ? this.#lineNumber - 1 : this.#lineNumber);
    await this.#store.putSetting(PROGRESS_SETTING, JSON.stringify({ id: this.#id, lines }));
  }

  async #storeUrls(urls: readonly ExportedUrl[]): Promise<void> {
    if (urls.length === 0) return;
    const addedUrls = await this.#store.discover(urls.map(toNewUrl));
    const ids = new Map(addedUrls.map(({ crawler, url, id }) => [`${crawler} ${url}`, id]));
    const settlements: Settlement[] = [];
    for (const url of urls) {
      // The URL may already have been stored if the import was interrupted between two writes.
      const id = ids.get(`${url.crawler} ${url.url}`) ?? (await this.#store.find(url.crawler, url.url))!.id;
      settlements.push({ id, changes: toChanges(url) }, ...url.visitList.map((visit) => ({ id, visit })));
    }
    await this.#store.settle(settlements);
  }
}

function requireEqual(exported: Summary, actual: Summary, where: string): void {
  for (const kind of Object.keys(actual) as Kind[]) {
    const [expected, found] = [exported[kind] ?? NO_RECORDS, actual[kind]];
    if (expected.count === found.count && expected.digest === found.digest) continue;
    throw new TransferRefused(
      `The import does not match the export: ${expected.count} ${kind} records were exported (digest ${expected.digest}), ${found.count} ${where} (${found.digest}).`,
    );
  }
}

/** Former names of fields, in exports of earlier commits. */
const FORMER_FIELDS = { arrival: 'discoveredVia', changeDoubt: 'changeUncertainty' };

function renameFields(line: Line): Line {
  if (!('url' in line) || !Object.keys(FORMER_FIELDS).some((name) => name in line.url)) return line;
  const fields = Object.entries(line.url).map(([name, value]) => [
    FORMER_FIELDS[name as keyof typeof FORMER_FIELDS] ?? name,
    value,
  ]);
  return { url: Object.fromEntries(fields) as ExportedUrl };
}

async function* readRecords(store: FrontierStore): AsyncGenerator<Line> {
  for (const [name, value] of await store.listSettings(''))
    if (name !== PROGRESS_SETTING) yield { setting: [name, value] };
  const crawlers = new Set<string>();
  for await (const page of readUrlPages(store)) {
    const visits = await Promise.all(page.map(({ id }) => store.listVisits(id, MAX_VISITS)));
    for (const [i, url] of page.entries()) {
      crawlers.add(url.crawler);
      const hashes = { simhash: url.simhash?.toString(), textSketch: url.textSketch?.toString() };
      yield { url: { ...url, ...hashes, visitList: visits[i]! } };
    }
  }
  for await (const host of readHosts(store, [...crawlers].sort())) yield { host };
  for await (const order of readOrders(store)) yield { order };
  for await (const order of readOwedOrders(store)) yield { owed: order };
}

async function* readUrlPages(store: FrontierStore): AsyncGenerator<UrlState[]> {
  for (let after = 0; ; ) {
    const page = await store.list({}, after, PAGE_SIZE);
    yield page;
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)!.id;
  }
}

/** Reads the politeness state of every host that has URLs; that of other hosts is not needed. */
async function* readHosts(store: FrontierStore, crawlers: readonly string[]): AsyncGenerator<HostRecord> {
  const seen = new Set<string>();
  for (const crawler of crawlers) {
    for (let after: string | undefined; ; ) {
      const page = (await store.listHosts(crawler, after, PAGE_SIZE)).map(({ hostKey }) => hostKey);
      const newHostKeys = page.filter((hostKey) => !seen.has(hostKey));
      for (const hostKey of newHostKeys) seen.add(hostKey);
      if (newHostKeys.length > 0) yield* await store.loadHosts(newHostKeys);
      if (page.length < PAGE_SIZE) break;
      after = page.at(-1)!;
    }
  }
}

async function* readOrders(store: FrontierStore): AsyncGenerator<LedgerEntry> {
  for (let before: number | undefined; ; ) {
    const page = await store.listOrders({}, before, PAGE_SIZE);
    yield* page;
    if (page.length < PAGE_SIZE) return;
    before = page.at(-1)!.id;
  }
}

async function* readOwedOrders(store: FrontierStore): AsyncGenerator<OwedOrder> {
  for (const { crawler, sink } of await store.countOwed()) {
    for (let after = 0; ; ) {
      const page = await store.listOwed(crawler, sink, after, PAGE_SIZE);
      yield* page;
      if (page.length < PAGE_SIZE) break;
      after = page.at(-1)!.orderId;
    }
  }
}

/** Restores the URL as it was when it was found: it was first due when it was first seen. */
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
  textSketch: url.textSketch === undefined ? null : BigInt(url.textSketch),
});

/** Sums up the digests of records, so that their order does not matter and memory use is constant. */
class SummaryBuilder {
  readonly #sums = new Map<Kind, { count: number; sum: bigint }>();

  add(line: Line, digest = computeDigest(line)): void {
    const [kind] = Object.keys(line) as [Kind];
    const previous = this.#sums.get(kind) ?? { count: 0, sum: 0n };
    this.#sums.set(kind, {
      count: previous.count + 1,
      sum: BigInt.asUintN(128, previous.sum + digest.readBigUInt64BE() + (digest.readBigUInt64BE(8) << 64n)),
    });
  }

  build(): Summary {
    const getKindSummary = (kind: Kind) => {
      const { count, sum } = this.#sums.get(kind) ?? { count: 0, sum: 0n };
      return { count, digest: sum.toString(16).padStart(32, '0') };
    };
    return {
      setting: getKindSummary('setting'),
      host: getKindSummary('host'),
      url: getKindSummary('url'),
      order: getKindSummary('order'),
      owed: getKindSummary('owed'),
    };
  }
}

function computeDigest(line: Line): Buffer {
  const [kind, record] = Object.entries(line)[0] as [Kind, object];
  // A URL's id depends on the store; an order's id does not.
  const input = kind === 'url' ? { ...record, id: undefined } : record;
  return createHash('sha256').update(stableStringify(input)).digest();
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
