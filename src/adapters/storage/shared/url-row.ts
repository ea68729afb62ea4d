/**
 * Conversion between rows of `url` and states; shared by both databases. Status, source and discovery are stored as small
 * integers, because 10 million rows are read and written often. Status and discovery are stored as positions in lists, so
 * entries may only be added at the end.
 */
import { type IndexedText, NEVER_CRAWLED, URL_STATUSES, type UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import { toReason } from '../../../domain/policy/reasons.js';
import { type Duration, earlier, type Instant } from '../../../domain/time/units.js';
import type { NewUrl, UrlChanges, UrlFilter } from '../../../engine/ports/frontier-store.js';
import type { CountedRow } from './tally.js';

export const DISCOVERED_VIA = [
  'root',
  'link',
  'redirect',
  'sitemap',
  'robots',
  'indexnow',
] as const satisfies readonly UrlState['discoveredVia'][];

export const toStatusCode = (status: UrlState['status']): number => URL_STATUSES.indexOf(status);
export const toDiscoveredViaCode = (discoveredVia: UrlState['discoveredVia']): number =>
  DISCOVERED_VIA.indexOf(discoveredVia);

/** A value that both databases accept as a parameter. */
export type Value = string | number | bigint | Buffer | null;

/** A row of SELECT_URL. */
export interface UrlRecord {
  readonly id: number;
  readonly crawler: string;
  readonly host: string;
  readonly url: string;
  readonly status: number;
  readonly reason: string;
  readonly source: number | null;
  readonly due_at: number;
  readonly hops: number;
  readonly redirects: number;
  readonly discovered_via: number;
  readonly found_on: string | null;
  readonly root: string | null;
  readonly inherited_metas: string | null;
  readonly first_seen_at: number;
  readonly last_visit_at: number | null;
  readonly last_status: number | null;
  readonly temporary_errors: number;
  readonly permanent_error: number;
  readonly visits: number;
  readonly changes: number;
  readonly last_change_at: number | null;
  readonly change_interval: number | null;
  readonly change_uncertainty: number | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly stamp: string | null;
  readonly simhash: string | null;
  readonly text_sketch: string | null;
  readonly content_type: string | null;
  readonly title: string | null;
  readonly pending_deletion: string | null;
  readonly canonical: string | null;
  readonly parts: string | null;
}

/** All fields of a type, also the optional ones: a field that is forgotten does not compile. */
type Complete<T> = { [F in keyof Required<T>]: T[F] };

export function toState(row: UrlRecord): Complete<UrlState> {
  return {
    id: row.id,
    crawler: row.crawler,
    url: row.url,
    hostKey: row.host,
    status: URL_STATUSES[row.status] ?? 'waiting',
    reason: toReason(row.reason),
    source: (row.source ?? undefined) as SourceNumber | undefined,
    dueAt: row.due_at as Instant,
    hops: row.hops,
    redirects: row.redirects,
    foundOn: row.found_on ?? undefined,
    root: row.root ?? undefined,
    discoveredVia: DISCOVERED_VIA[row.discovered_via] ?? 'link',
    firstSeenAt: row.first_seen_at as Instant,
    lastVisitAt: (row.last_visit_at ?? undefined) as Instant | undefined,
    lastStatus: row.last_status ?? undefined,
    temporaryErrors: row.temporary_errors,
    permanentError: row.permanent_error === 1,
    visits: row.visits,
    changes: row.changes,
    lastChangeAt: (row.last_change_at ?? undefined) as Instant | undefined,
    changeInterval: (row.change_interval ?? undefined) as Duration | undefined,
    changeUncertainty: row.change_uncertainty ?? undefined,
    etag: row.etag ?? undefined,
    lastModified: row.last_modified ?? undefined,
    stamp: row.stamp ?? undefined,
    simhash: row.simhash === null ? undefined : BigInt(row.simhash),
    textSketch: row.text_sketch === null ? undefined : BigInt(row.text_sketch),
    contentType: row.content_type ?? undefined,
    title: row.title ?? undefined,
    inheritedMetas: row.inherited_metas === null ? [] : JSON.parse(row.inherited_metas),
    pendingDeletion: row.pending_deletion === null ? undefined : toReason(row.pending_deletion),
    canonical: row.canonical ?? undefined,
    parts: row.parts === null ? undefined : (JSON.parse(row.parts) as UrlState['parts']),
  };
}

/** Times and durations are stored as whole milliseconds. */
export const roundTime = <N extends number>(value: N): N => Math.round(value) as N;

/** Creates the state of a URL that was just stored for the first time; its due time is also when it was first seen. */
export function createState(id: number, url: NewUrl): UrlState {
  return {
    id,
    crawler: url.crawler,
    url: url.url,
    hostKey: url.hostKey,
    status: url.status,
    reason: url.reason,
    source: url.source,
    dueAt: roundTime(url.dueAt),
    hops: url.hops,
    redirects: url.redirects,
    foundOn: url.foundOn,
    root: url.root,
    discoveredVia: url.discoveredVia,
    firstSeenAt: roundTime(url.dueAt),
    temporaryErrors: 0,
    permanentError: false,
    visits: 0,
    changes: 0,
    inheritedMetas: url.inheritedMetas ?? [],
  };
}

const serializeMetas = (metas: NewUrl['inheritedMetas']): string | null =>
  metas && metas.length > 0 ? JSON.stringify(metas) : null;

type ColumnType = 'int2' | 'int4' | 'int8' | 'float8' | 'text';

/** Columns of a new row after site_id, in the order of `toNewValues`, with their PostgreSQL types. */
const NEW: Readonly<Record<string, ColumnType>> = {
  key: 'int8',
  url: 'text',
  status: 'int2',
  reason: 'text',
  source: 'int2',
  due_at: 'int8',
  hops: 'int4',
  redirects: 'int4',
  discovered_via: 'int2',
  found_on: 'text',
  root: 'text',
  inherited_metas: 'text',
  first_seen_at: 'int8',
};

export const NEW_COLUMNS = Object.keys(NEW);
export const NEW_TYPES = Object.values(NEW);

export const toNewValues = (url: NewUrl): Value[] => [
  url.key,
  url.url,
  toStatusCode(url.status),
  url.reason,
  url.source ?? null,
  roundTime(url.dueAt),
  url.hops,
  url.redirects,
  toDiscoveredViaCode(url.discoveredVia),
  url.foundOn ?? null,
  url.root ?? null,
  serializeMetas(url.inheritedMetas),
  roundTime(url.dueAt),
];

/** The fields that may change because of a settlement, a submission, or a link to a URL whose status is removed. */
export type RowChanges = UrlChanges &
  Partial<Pick<UrlState, 'firstSeenAt' | 'hops' | 'redirects' | 'discoveredVia' | 'foundOn' | 'inheritedMetas'>>;

type Field = keyof RowChanges;

/** Where and how a field is stored. Types are PostgreSQL's; SQLite stores values of any type. */
interface StoredField {
  readonly column: string;
  readonly type: ColumnType;
  readonly convert?: (value: never) => Value;
  /** Read as text, because a 64-bit integer would be rounded to a JavaScript number. */
  readonly isReadAsText?: boolean;
  /** Number of the migration that adds the column; absent if the first tables have it. */
  readonly since?: number;
}

export const CHANGES: Readonly<Record<Field, StoredField>> = {
  status: { column: 'status', type: 'int2', convert: toStatusCode },
  reason: { column: 'reason', type: 'text' },
  source: { column: 'source', type: 'int2' },
  dueAt: { column: 'due_at', type: 'int8', convert: roundTime },
  lastVisitAt: { column: 'last_visit_at', type: 'int8', convert: roundTime },
  lastStatus: { column: 'last_status', type: 'int2' },
  temporaryErrors: { column: 'temporary_errors', type: 'int4' },
  permanentError: { column: 'permanent_error', type: 'int2', convert: (value: boolean) => (value ? 1 : 0) },
  visits: { column: 'visits', type: 'int4' },
  changes: { column: 'changes', type: 'int4' },
  lastChangeAt: { column: 'last_change_at', type: 'int8', convert: roundTime },
  changeInterval: { column: 'change_interval', type: 'int8', convert: roundTime },
  changeUncertainty: { column: 'change_uncertainty', type: 'float8' },
  etag: { column: 'etag', type: 'text' },
  lastModified: { column: 'last_modified', type: 'text' },
  stamp: { column: 'stamp', type: 'text' },
  simhash: { column: 'simhash', type: 'int8', isReadAsText: true },
  textSketch: { column: 'text_sketch', type: 'int8', isReadAsText: true, since: 2 },
  contentType: { column: 'content_type', type: 'text' },
  title: { column: 'title', type: 'text' },
  pendingDeletion: { column: 'pending_deletion', type: 'text' },
  canonical: { column: 'canonical', type: 'text' },
  parts: { column: 'parts', type: 'text', convert: (parts: NonNullable<UrlState['parts']>) => JSON.stringify(parts) },
  firstSeenAt: { column: 'first_seen_at', type: 'int8', convert: roundTime },
  foundOn: { column: 'found_on', type: 'text' },
  hops: { column: 'hops', type: 'int4' },
  redirects: { column: 'redirects', type: 'int4' },
  discoveredVia: { column: 'discovered_via', type: 'int2', convert: toDiscoveredViaCode },
  root: { column: 'root', type: 'text' },
  inheritedMetas: { column: 'inherited_metas', type: 'text', convert: serializeMetas },
};

/** The columns of a UrlRecord, with `url` as u and `site` as s. */
export const URL_COLUMNS = [
  'u.id, s.crawler, s.host, u.url',
  ...Object.values(CHANGES).map(({ column, isReadAsText }) =>
    isReadAsText ? `CAST(u.${column} AS text) AS ${column}` : `u.${column}`,
  ),
].join(', ');

export const TEXT_COLUMNS = 'u.id, s.host, u.stamp, CAST(u.simhash AS text) AS simhash';

export const toIndexedText = (row: Pick<UrlRecord, 'id' | 'host' | 'stamp' | 'simhash'>): IndexedText => ({
  id: row.id,
  hostKey: row.host,
  stamp: row.stamp ?? '',
  simhash: row.simhash === null ? undefined : BigInt(row.simhash),
});

/** Returns the columns of a new row that the tally counts. */
export const createCountedRow = (site: number, url: NewUrl): CountedRow => ({
  site_id: site,
  status: toStatusCode(url.status),
  source: url.source ?? null,
  due_at: roundTime(url.dueAt),
  indexed: 0,
});

export const FIELDS = Object.keys(CHANGES) as Field[];

/** Lists the fields to write: undefined leaves a field unchanged, null clears it. */
export const listChangedFields = (changes: RowChanges): Field[] =>
  FIELDS.filter((field) => changes[field] !== undefined);

export function toStoredValue(field: Field, changes: RowChanges): Value {
  const value = changes[field] as Value | undefined;
  const { convert } = CHANGES[field];
  return value === undefined || value === null ? null : convert ? convert(value as never) : value;
}

/**
 * Makes a known URL due again because it was submitted, or its own site has named it, and says from now on how that was.
 * Its page is read in full, because that also decides which of its links are followed.
 */
export function createSubmissionChanges(url: NewUrl): RowChanges {
  const queueChanges =
    url.source === undefined ? {} : { source: url.source, dueAt: url.dueAt, etag: null, lastModified: null };
  const { hops, redirects, discoveredVia, foundOn, root, inheritedMetas } = url;
  return { ...queueChanges, hops, redirects, discoveredVia, foundOn, root, inheritedMetas: inheritedMetas ?? [] };
}

/** Lets a URL whose status is removed start over like a new one; only the records of its visits are kept. */
export const createRestartChanges = (url: NewUrl): Complete<RowChanges> => ({
  status: url.status,
  reason: url.reason,
  source: url.source,
  dueAt: url.dueAt,
  firstSeenAt: url.dueAt,
  hops: url.hops,
  redirects: url.redirects,
  discoveredVia: url.discoveredVia,
  foundOn: url.foundOn,
  root: url.root,
  inheritedMetas: url.inheritedMetas ?? [],
  lastVisitAt: null,
  lastStatus: null,
  temporaryErrors: 0,
  permanentError: false,
  visits: 0,
  changes: 0,
  lastChangeAt: null,
  changeInterval: null,
  changeUncertainty: null,
  etag: null,
  lastModified: null,
  stamp: null,
  simhash: null,
  textSketch: null,
  contentType: null,
  title: null,
  pendingDeletion: null,
  canonical: null,
  parts: null,
});

/** Makes a URL due, but never later than it was; a URL that is waiting for its first visit keeps its source. */
export function createDueChanges(row: CountedRow, dueAt: Instant, source: SourceNumber): RowChanges {
  const isWaiting = row.status === toStatusCode('waiting') && row.source !== null;
  return {
    source: isWaiting ? (row.source as SourceNumber) : source,
    dueAt: row.source === null ? dueAt : earlier(row.due_at as Instant, dueAt),
  };
}

export const REMOVED = toStatusCode('removed');
export const VISITED = toStatusCode('visited');

const NEVER_CRAWLED_CODES = Array.from(NEVER_CRAWLED, toStatusCode);

/**
 * The condition in SQL for URLs that may be made due. Those that a visit excluded are crawled, too, but rarely, so they
 * are meant only by a filter that names their reasons.
 */
export function buildCrawledCondition({ reasons }: UrlFilter): string {
  const isCrawled = `u.status NOT IN (${NEVER_CRAWLED_CODES.join(', ')})`;
  return reasons === undefined
    ? isCrawled
    : `(${isCrawled} OR (u.status = ${toStatusCode('excluded')} AND u.source IS NOT NULL))`;
}
