import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import type {
  Backlog,
  LedgerEntry,
  NewUrl,
  PageLinks,
  Settlement,
  UrlFilter,
  Visit,
} from '../../../engine/ports/frontier-store.js';
import type { OwedChange } from '../../../engine/ports/owed-orders.js';
import { type Fence, FencedOut } from '../../../engine/ports/partitions.js';
import { buildUrlWhere, LIKE } from '../shared/filter-sql.js';
import { computePartition, getPartition } from '../shared/partition.js';
import {
  createDueChanges,
  createRestartChanges,
  createState,
  createSubmissionChanges,
  NEVER_CRAWLED,
  type RowChanges,
  toCounted,
  toNewValues,
  toState,
  type UrlRecord,
} from '../shared/url-row.js';
import {
  type CountedUrl,
  PostgresChanges,
  packSite,
  saveOrders,
  toCountedRow,
  toIdColumns,
} from './postgres-changes.js';
import { saveOwed } from './postgres-owed.js';
import type { Connection, PostgresPool } from './postgres-pool.js';
import { PostgresSites, type Site } from './postgres-sites.js';
import {
  BACKLOGS,
  BACKLOGS_OF_PARTITIONS,
  COUNTED,
  DUE,
  FORGETTABLE,
  HELD_PARTITIONS,
  IDS_OF_KEYS,
  INSERT_URLS,
  INSERT_WIDTH,
  LOCK_SITES,
  LOCK_SITES_OF_URLS,
  numberParameters,
  REMOVED_OF_KEYS,
  toColumns,
  UNKNOWN,
  URLS,
} from './postgres-sql.js';

interface Placed {
  readonly url: NewUrl;
  readonly site: Site;
}

/**
 * The frontier operations that change URLs, for PostgreSQL; each call is one transaction with a constant number of
 * statements.
 */
export class PostgresFrontier {
  readonly #pool: PostgresPool;
  readonly #sites: PostgresSites;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
    this.#sites = new PostgresSites(pool);
  }

  async discover(urls: readonly NewUrl[]): Promise<UrlState[]> {
    const unknown = await this.#findUnknown(await this.#resolveSites(urls));
    if (unknown.length === 0) return [];
    return this.#pool.transaction(async (connection) => {
      const changes = new PostgresChanges(connection);
      const added = await this.#insert(connection, changes, unknown);
      await changes.writeCounts();
      return added.map(({ id, url }) => createState(id, url));
    });
  }

  async seed(urls: readonly NewUrl[]): Promise<{ readonly state: UrlState; readonly known: boolean }[]> {
    const placed = await this.#resolveSites(urls);
    return this.#pool.transaction(async (connection) => {
      const changes = new PostgresChanges(connection);
      const added = new Map((await this.#insert(connection, changes, placed)).map(({ id, url }) => [url, id]));
      const ids = await findIds(connection, placed);
      const known = placed.flatMap(({ url }, i) =>
        added.has(url) ? [] : [{ id: ids[i]!, changes: createSubmissionChanges(url) }],
      );
      const rows = await changes.lockRows(known.map(({ id }) => id));
      await changes.update(
        mergeChanges(known).map(({ id, changes: change }) => ({ row: rows.get(id)!, changes: change })),
      );
      await changes.writeCounts();
      const states = await findStates(connection, ids);
      return placed.map(({ url }, i) => ({ state: states.get(ids[i]!)!, known: !added.has(url) }));
    });
  }

  async listDue(
    crawler: string,
    hostKey: string,
    source: SourceNumber,
    now: Instant,
    limit: number,
    skip: ReadonlySet<UrlId>,
  ): Promise<{ urls: UrlState[]; next?: Instant }> {
    const site = await this.#sites.find({ crawler, hostKey });
    if (!site) return { urls: [] };
    const leased = [...skip].filter((id) => getPartition(id) === site.part);
    const rows = await this.#pool.rows<UrlRecord>(DUE, [site.part, source, site.id, leased, limit + 1], 'due');
    const urls = rows.slice(0, limit).filter((row) => row.due_at <= now);
    return { urls: urls.map(toState), next: rows[urls.length]?.due_at as Instant | undefined };
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    await this.#pool.transaction(async (connection) => {
      await requireOwnership(connection, settlements);
      const changes = new PostgresChanges(connection);
      const settled = combineSettlements(settlements);
      const rows = await changes.lockRows([...settled.keys()]);
      const found = [...settled].flatMap(([id, each]) => (rows.has(id) ? [{ row: rows.get(id)!, ...each }] : []));
      const kept = found.filter(({ remove }) => !remove);
      await changes.update(kept);
      await changes.remove(found.filter(({ remove }) => remove).map(({ row }) => row));
      await changes.addVisits(
        kept.flatMap(({ row, changes: { visits }, seen }) =>
          seen.map((visit) => ({ id: row.id, visit, count: Math.max(row.visits, visits ?? 0) })),
        ),
      );
      await changes.saveLinks(kept.flatMap(({ row: { id }, links }) => (links ? [{ id, links }] : [])));
      await saveOrders(
        connection,
        settlements.flatMap(({ orders }): readonly LedgerEntry[] => orders ?? []),
      );
      await saveOwed(
        connection,
        settlements.flatMap(({ owed }): readonly OwedChange[] => owed ?? []),
      );
      await changes.writeCounts();
    });
  }

  async listBacklogs(
    crawler: string,
    horizon: Instant,
    after: string | undefined,
    limit: number,
    partitions?: readonly number[],
  ): Promise<{ backlogs: Backlog[]; next?: string }> {
    type Row = { host: string; source: SourceNumber | null; due_at: Instant };
    const of = [crawler, after ?? '', horizon, limit];
    const rows = await (partitions
      ? this.#pool.rows<Row>(BACKLOGS_OF_PARTITIONS, [...of, partitions], 'backlogs-of-partitions')
      : this.#pool.rows<Row>(BACKLOGS, of, 'backlogs'));
    const hosts = new Set(rows.map(({ host }) => host));
    return {
      backlogs: rows.flatMap(({ host, source, due_at }) =>
        source === null ? [] : [{ crawler, hostKey: host, source, dueAt: due_at }],
      ),
      next: hosts.size < limit ? undefined : rows.at(-1)?.host,
    };
  }

  /** Makes the given URLs due, as far as they (still) match the filter and may be crawled. */
  makeDueAmong(ids: readonly UrlId[], filter: UrlFilter, dueAt: Instant, source: SourceNumber): Promise<number> {
    return this.#changeMatching(ids, filter, `u.status NOT IN (${NEVER_CRAWLED.join(', ')})`, (changes, rows) =>
      changes.update(rows.map((row) => ({ row, changes: createDueChanges(row, dueAt, source) }))),
    );
  }

  /** Deletes the given URLs, as far as they (still) match the filter, have no document and have no order in flight. */
  forgetMatching(ids: readonly UrlId[], filter: UrlFilter): Promise<number> {
    return this.#changeMatching(ids, filter, FORGETTABLE, (changes, rows) => changes.remove(rows));
  }

  #changeMatching(
    ids: readonly UrlId[],
    filter: UrlFilter,
    condition: string,
    change: (changes: PostgresChanges, rows: readonly CountedUrl[]) => Promise<void>,
  ): Promise<number> {
    const where = buildUrlWhere(filter, LIKE);
    const among = `SELECT ${COUNTED} FROM unnest($1::int2[], $2::int8[]) AS i(part, id)
      JOIN url u ON u.part = i.part AND u.id = i.id JOIN site s ON s.part = u.part AND s.id = u.site_id
      WHERE ${condition} AND ${numberParameters(where.sql, 3)}`;
    return this.#pool.transaction(async (connection) => {
      const changes = new PostgresChanges(connection);
      await connection.rows(LOCK_SITES_OF_URLS, toIdColumns(ids), 'lock-sites-of-urls');
      const rows = await connection.rows<CountedUrl & { part: number }>(among, [...toIdColumns(ids), ...where.values]);
      await change(changes, rows.map(toCountedRow));
      await changes.writeCounts();
      return rows.length;
    });
  }

  async #resolveSites(urls: readonly NewUrl[]): Promise<Placed[]> {
    const sites = await this.#sites.findOrAdd(urls);
    return urls.map((url, i) => ({ url, site: sites[i]! }));
  }

  async #findUnknown(placed: readonly Placed[]): Promise<Placed[]> {
    if (placed.length === 0) return [];
    const rows = await this.#pool.rows<{ n: number }>(UNKNOWN, toKeyColumns(placed), 'unknown');
    return rows.map(({ n }) => placed[n - 1]!);
  }

  /** Stores unknown URLs in the given order. */
  async #insert(connection: Connection, changes: PostgresChanges, placed: readonly Placed[]) {
    if (placed.length === 0) return [];
    const sites = [...new Map(placed.map(({ site }) => [site.id, site])).values()];
    await connection.rows(
      LOCK_SITES,
      toColumns(
        sites.map(({ part, id }) => [part, id]),
        2,
      ),
      'lock-sites',
    );
    const byKey = new Map<string, Placed>();
    for (const each of placed) {
      const name = `${each.site.id} ${each.url.key}`;
      if (!byKey.has(name)) byKey.set(name, each);
    }
    const again = await this.#restartRemoved(connection, changes, [...byKey.values()]);
    const rows = [...byKey.values()].map(({ site, url }) => [site.part, site.id, ...toNewValues(url)]);
    type Row = { id: UrlId; site_id: number; key: string };
    const added = await connection.rows<Row>(INSERT_URLS, toColumns(rows, INSERT_WIDTH), 'insert-urls');
    const stored = added.map(({ id, site_id, key }) => {
      const { url, site } = byKey.get(`${site_id} ${key}`)!;
      changes.tally.countRow(toCounted(packSite(site), url), 1);
      return { id, url };
    });
    return [...again, ...stored];
  }

  /** Restarts known URLs whose status is removed. */
  async #restartRemoved(connection: Connection, changes: PostgresChanges, placed: readonly Placed[]) {
    const queued = placed.filter(({ url }) => url.source !== undefined);
    type Row = CountedUrl & { n: number; part: number };
    const rows = await connection.rows<Row>(REMOVED_OF_KEYS, toKeyColumns(queued), 'removed-of-keys');
    const again = rows.map(({ n, ...row }) => ({ row: toCountedRow(row), url: queued[n - 1]!.url }));
    await changes.update(again.map(({ row, url }) => ({ row, changes: createRestartChanges(url) })));
    return again.map(({ row: { id }, url }) => ({ id, url }));
  }
}

const toKeyColumns = (placed: readonly Placed[]) =>
  toColumns(
    placed.map(({ url, site }) => [computePartition(url.hostKey), site.id, url.key]),
    3,
  );

/**
 * Throws FencedOut for fences that are not those of the current owners. No one can take the partitions until the
 * transaction ends.
 */
async function requireOwnership(connection: Connection, settlements: readonly Settlement[]): Promise<void> {
  const fences = new Map<string, Fence>(
    settlements.flatMap(({ fence }) => (fence ? [[`${fence.partition} ${fence.epoch}`, fence]] : [])),
  );
  if (fences.size === 0) return;
  const wanted = [...fences.values()];
  const values = [wanted.map(({ partition }) => partition), wanted.map(({ epoch }) => epoch)];
  const held = await connection.rows<{ part: number; epoch: number }>(HELD_PARTITIONS, values, 'held-partitions');
  for (const { part, epoch } of held) fences.delete(`${part} ${epoch}`);
  if (fences.size > 0) throw new FencedOut([...fences.values()]);
}

/** Finds the ids of URLs that are all known, in the given order. */
async function findIds(connection: Connection, placed: readonly Placed[]): Promise<UrlId[]> {
  const rows = await connection.rows<{ n: number; id: UrlId }>(IDS_OF_KEYS, toKeyColumns(placed), 'ids-of-keys');
  const ids = new Map(rows.map(({ n, id }) => [n - 1, id]));
  return placed.map((_, i) => ids.get(i)!);
}

async function findStates(connection: Connection, ids: readonly UrlId[]): Promise<Map<UrlId, UrlState>> {
  const rows = await connection.rows<UrlRecord>(URLS, toIdColumns([...new Set(ids)]), 'urls');
  return new Map(rows.map((row) => [row.id, toState(row)]));
}

/**
 * Combines several changes to one URL, with later ones taking precedence, because a statement must not write a row
 * twice.
 */
function mergeChanges(words: readonly { id: UrlId; changes: RowChanges }[]): { id: UrlId; changes: RowChanges }[] {
  const byId = new Map<UrlId, RowChanges>();
  for (const { id, changes } of words) byId.set(id, { ...byId.get(id), ...withoutUndefined(changes) });
  return [...byId].map(([id, changes]) => ({ id, changes }));
}

interface Folded {
  readonly changes: RowChanges;
  readonly remove: boolean;
  readonly seen: readonly Visit[];
  readonly links?: PageLinks;
}

/** Combines the settlements of a batch for each URL. Once a URL is removed, later settlements do not change it. */
function combineSettlements(settlements: readonly Settlement[]): Map<UrlId, Folded> {
  const byId = new Map<UrlId, Folded>();
  for (const { id, changes, remove, visit, links } of settlements) {
    const before = byId.get(id);
    if (before?.remove) continue;
    byId.set(id, {
      changes: { ...before?.changes, ...withoutUndefined(changes ?? {}) },
      remove: remove ?? false,
      seen: [...(before?.seen ?? []), ...(visit ? [visit] : [])],
      links: links ?? before?.links,
    });
  }
  return byId;
}

/** Drops undefined fields, which would hide earlier values. */
const withoutUndefined = (changes: RowChanges): RowChanges =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
