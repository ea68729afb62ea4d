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
  buildCrawledCondition,
  createCountedRow,
  createDueChanges,
  createRestartChanges,
  createState,
  createSubmissionChanges,
  type RowChanges,
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

interface PlacedUrl {
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
    const unknownUrls = await this.#findUnknown(await this.#resolveSites(urls));
    if (unknownUrls.length === 0) return [];
    return this.#pool.transaction(async (connection) => {
      const changes = new PostgresChanges(connection);
      const addedUrls = await this.#insert(connection, changes, unknownUrls);
      await changes.writeCounts();
      return addedUrls.map(({ id, url }) => createState(id, url));
    });
  }

  async seed(urls: readonly NewUrl[]): Promise<{ readonly state: UrlState; readonly known: boolean }[]> {
    const placedUrls = await this.#resolveSites(urls);
    return this.#pool.transaction(async (connection) => {
      const changes = new PostgresChanges(connection);
      const addedIds = new Map((await this.#insert(connection, changes, placedUrls)).map(({ id, url }) => [url, id]));
      const ids = await findIds(connection, placedUrls);
      const knownUrls = placedUrls.flatMap(({ url }, i) =>
        addedIds.has(url) ? [] : [{ id: ids[i]!, changes: createSubmissionChanges(url) }],
      );
      const rows = await changes.lockRows(knownUrls.map(({ id }) => id));
      await changes.update(
        mergeChanges(knownUrls).map(({ id, changes: change }) => ({ row: rows.get(id)!, changes: change })),
      );
      await changes.writeCounts();
      const states = await findStates(connection, ids);
      return placedUrls.map(({ url }, i) => ({ state: states.get(ids[i]!)!, known: !addedIds.has(url) }));
    });
  }

  async listDue(
    crawler: string,
    hostKey: string,
    source: SourceNumber,
    now: Instant,
    limit: number,
    excludedIds: ReadonlySet<UrlId>,
  ): Promise<{ urls: UrlState[]; next?: Instant }> {
    const site = await this.#sites.find({ crawler, hostKey });
    if (!site) return { urls: [] };
    const excludedInPartition = [...excludedIds].filter((id) => getPartition(id) === site.part);
    const rows = await this.#pool.rows<UrlRecord>(
      DUE,
      [site.part, source, site.id, excludedInPartition, limit + 1],
      'due',
    );
    const urls = rows.slice(0, limit).filter((row) => row.due_at <= now);
    return { urls: urls.map(toState), next: rows[urls.length]?.due_at as Instant | undefined };
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    await this.#pool.transaction(async (connection) => {
      await requireOwnership(connection, settlements);
      const changes = new PostgresChanges(connection);
      const settled = combineSettlements(settlements);
      const rows = await changes.lockRows([...settled.keys()]);
      const found = [...settled].flatMap(([id, settlement]) =>
        rows.has(id) ? [{ row: rows.get(id)!, ...settlement }] : [],
      );
      const remaining = found.filter(({ remove }) => !remove);
      await changes.update(remaining);
      await changes.remove(found.filter(({ remove }) => remove).map(({ row }) => row));
      await changes.addVisits(
        remaining.flatMap(({ row, changes: { visits }, newVisits }) =>
          newVisits.map((visit) => ({ id: row.id, visit, count: Math.max(row.visits, visits ?? 0) })),
        ),
      );
      await changes.saveLinks(remaining.flatMap(({ row: { id }, links }) => (links ? [{ id, links }] : [])));
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
    const parameters = [crawler, after ?? '', horizon, limit];
    const rows = await (partitions
      ? this.#pool.rows<Row>(BACKLOGS_OF_PARTITIONS, [...parameters, partitions], 'backlogs-of-partitions')
      : this.#pool.rows<Row>(BACKLOGS, parameters, 'backlogs'));
    const hosts = new Set(rows.map(({ host }) => host));
    return {
      backlogs: rows.flatMap(({ host, source, due_at }) =>
        source === null ? [] : [{ crawler, hostKey: host, source, dueAt: due_at }],
      ),
      next: hosts.size < limit ? undefined : rows.at(-1)?.host,
    };
  }

  /** Makes those of the given URLs due that (still) match the filter and may be crawled. */
  makeDueAmong(ids: readonly UrlId[], filter: UrlFilter, dueAt: Instant, source: SourceNumber): Promise<number> {
    return this.#changeMatching(ids, filter, buildCrawledCondition(filter), (changes, rows) =>
      changes.update(rows.map((row) => ({ row, changes: createDueChanges(row, dueAt, source) }))),
    );
  }

  /**
   * Deletes those of the given URLs that (still) match the filter and have neither a document nor an unfinished order.
   */
  forgetMatching(ids: readonly UrlId[], filter: UrlFilter): Promise<number> {
    return this.#changeMatching(ids, filter, FORGETTABLE, (changes, rows) => changes.remove(rows));
  }

  #changeMatching(
    ids: readonly UrlId[],
    filter: UrlFilter,
    condition: string,
    applyChange: (changes: PostgresChanges, rows: readonly CountedUrl[]) => Promise<void>,
  ): Promise<number> {
    const where = buildUrlWhere(filter, LIKE);
    const query = `SELECT ${COUNTED} FROM unnest($1::int2[], $2::int8[]) AS i(part, id)
      JOIN url u ON u.part = i.part AND u.id = i.id JOIN site s ON s.part = u.part AND s.id = u.site_id
      WHERE ${condition} AND ${numberParameters(where.sql, 3)}`;
    return this.#pool.transaction(async (connection) => {
      const changes = new PostgresChanges(connection);
      await connection.rows(LOCK_SITES_OF_URLS, toIdColumns(ids), 'lock-sites-of-urls');
      const rows = await connection.rows<CountedUrl & { part: number }>(query, [...toIdColumns(ids), ...where.values]);
      await applyChange(changes, rows.map(toCountedRow));
      await changes.writeCounts();
      return rows.length;
    });
  }

  async #resolveSites(urls: readonly NewUrl[]): Promise<PlacedUrl[]> {
    const sites = await this.#sites.findOrAdd(urls);
    return urls.map((url, i) => ({ url, site: sites[i]! }));
  }

  async #findUnknown(placedUrls: readonly PlacedUrl[]): Promise<PlacedUrl[]> {
    if (placedUrls.length === 0) return [];
    const rows = await this.#pool.rows<{ n: number }>(UNKNOWN, toKeyColumns(placedUrls), 'unknown');
    return rows.map(({ n }) => placedUrls[n - 1]!);
  }

  /** Stores unknown URLs and restarts removed ones; returns both with their ids. */
  async #insert(connection: Connection, changes: PostgresChanges, placedUrls: readonly PlacedUrl[]) {
    if (placedUrls.length === 0) return [];
    const sites = [...new Map(placedUrls.map(({ site }) => [site.id, site])).values()];
    await connection.rows(
      LOCK_SITES,
      toColumns(
        sites.map(({ part, id }) => [part, id]),
        2,
      ),
      'lock-sites',
    );
    const byKey = new Map<string, PlacedUrl>();
    for (const placedUrl of placedUrls) {
      const siteAndKey = `${placedUrl.site.id} ${placedUrl.url.key}`;
      if (!byKey.has(siteAndKey)) byKey.set(siteAndKey, placedUrl);
    }
    const restarted = await this.#restartRemoved(connection, changes, [...byKey.values()]);
    const rows = [...byKey.values()].map(({ site, url }) => [site.part, site.id, ...toNewValues(url)]);
    type Row = { id: UrlId; site_id: number; key: string };
    const addedRows = await connection.rows<Row>(INSERT_URLS, toColumns(rows, INSERT_WIDTH), 'insert-urls');
    const addedUrls = addedRows.map(({ id, site_id, key }) => {
      const { url, site } = byKey.get(`${site_id} ${key}`)!;
      changes.tally.countRow(createCountedRow(packSite(site), url), 1);
      return { id, url };
    });
    return [...restarted, ...addedUrls];
  }

  /** Restarts known URLs whose status is removed. */
  async #restartRemoved(connection: Connection, changes: PostgresChanges, placedUrls: readonly PlacedUrl[]) {
    const queuedUrls = placedUrls.filter(({ url }) => url.source !== undefined);
    type Row = CountedUrl & { n: number; part: number };
    const rows = await connection.rows<Row>(REMOVED_OF_KEYS, toKeyColumns(queuedUrls), 'removed-of-keys');
    const restarted = rows.map(({ n, ...row }) => ({ row: toCountedRow(row), url: queuedUrls[n - 1]!.url }));
    await changes.update(restarted.map(({ row, url }) => ({ row, changes: createRestartChanges(url) })));
    return restarted.map(({ row: { id }, url }) => ({ id, url }));
  }
}

const toKeyColumns = (placedUrls: readonly PlacedUrl[]) =>
  toColumns(
    placedUrls.map(({ url, site }) => [computePartition(url.hostKey), site.id, url.key]),
    3,
  );

/**
 * Throws FencedOut if any fence is not that of the current owner. Other nodes cannot take the partitions until the
 * transaction ends.
 */
async function requireOwnership(connection: Connection, settlements: readonly Settlement[]): Promise<void> {
  const fences = new Map<string, Fence>(
    settlements.flatMap(({ fence }) => (fence ? [[`${fence.partition} ${fence.epoch}`, fence]] : [])),
  );
  if (fences.size === 0) return;
  const wantedFences = [...fences.values()];
  const values = [wantedFences.map(({ partition }) => partition), wantedFences.map(({ epoch }) => epoch)];
  const heldPartitions = await connection.rows<{ part: number; epoch: number }>(
    HELD_PARTITIONS,
    values,
    'held-partitions',
  );
  for (const { part, epoch } of heldPartitions) fences.delete(`${part} ${epoch}`);
  if (fences.size > 0) throw new FencedOut([...fences.values()]);
}

/** Returns the ids of the URLs, all of which must be known, in the given order. */
async function findIds(connection: Connection, placedUrls: readonly PlacedUrl[]): Promise<UrlId[]> {
  const rows = await connection.rows<{ n: number; id: UrlId }>(IDS_OF_KEYS, toKeyColumns(placedUrls), 'ids-of-keys');
  const ids = new Map(rows.map(({ n, id }) => [n - 1, id]));
  return placedUrls.map((_, i) => ids.get(i)!);
}

async function findStates(connection: Connection, ids: readonly UrlId[]): Promise<Map<UrlId, UrlState>> {
  const rows = await connection.rows<UrlRecord>(URLS, toIdColumns([...new Set(ids)]), 'urls');
  return new Map(rows.map((row) => [row.id, toState(row)]));
}

/**
 * Combines several changes to one URL, with later ones taking precedence, because a statement must not write a row
 * twice.
 */
function mergeChanges(entries: readonly { id: UrlId; changes: RowChanges }[]): { id: UrlId; changes: RowChanges }[] {
  const byId = new Map<UrlId, RowChanges>();
  for (const { id, changes } of entries) byId.set(id, { ...byId.get(id), ...omitUndefined(changes) });
  return [...byId].map(([id, changes]) => ({ id, changes }));
}

interface CombinedSettlement {
  readonly changes: RowChanges;
  readonly remove: boolean;
  readonly newVisits: readonly Visit[];
  readonly links?: PageLinks;
}

/** Combines the settlements of a batch for each URL. Once a URL is removed, later settlements do not change it. */
function combineSettlements(settlements: readonly Settlement[]): Map<UrlId, CombinedSettlement> {
  const byId = new Map<UrlId, CombinedSettlement>();
  for (const { id, changes, remove, visit, links } of settlements) {
    const previous = byId.get(id);
    if (previous?.remove) continue;
    byId.set(id, {
      changes: { ...previous?.changes, ...omitUndefined(changes ?? {}) },
      remove: remove ?? false,
      newVisits: [...(previous?.newVisits ?? []), ...(visit ? [visit] : [])],
      links: links ?? previous?.links,
    });
  }
  return byId;
}

/** Drops undefined fields, which would overwrite earlier values. */
const omitUndefined = (changes: RowChanges): RowChanges =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
