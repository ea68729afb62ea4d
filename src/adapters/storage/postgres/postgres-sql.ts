/** The hot SQL statements for PostgreSQL: each processes a set of rows, passed as one array per column. */
import { SOURCES } from '../../../domain/frontier/sources.js';
import {
  MAX_VISITS,
  ORDER_CHANGES,
  ORDER_COLUMNS,
  ORDER_TYPES,
  UNFINISHED_STATES,
  VISIT_COLUMNS,
  VISIT_TYPES,
} from '../shared/order-row.js';
import { PARTITIONS } from '../shared/partition.js';
import { CHANGES, FIELDS, NEW_COLUMNS, NEW_TYPES, REMOVED, URL_COLUMNS, type Value } from '../shared/url-row.js';

/** Builds, for example, `unnest($1::int2[], $2::int8[]) AS i(a, b)`. */
const buildUnnest = (columns: readonly string[], types: readonly string[], firstNumber = 1): string =>
  `unnest(${types.map((type, i) => `$${firstNumber + i}::${type}[]`).join(', ')}) AS i(${columns.join(', ')})`;

const listColumns = (columns: readonly string[], prefix = ''): string =>
  columns.map((column) => prefix + column).join(', ');

/** Converts rows to the columns that `unnest` expects, replacing NUL, which PostgreSQL's text type cannot contain. */
export function toColumns(rows: readonly (readonly Value[])[], columnCount: number): Value[][] {
  return Array.from({ length: columnCount }, (_, column) =>
    rows.map((row) => {
      const value = row[column] ?? null;
      return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
    }),
  );
}

/** Replaces each `?` in a shared SQL text with `$n`, counting from `firstNumber`. */
export const numberParameters = (sql: string, firstNumber: number): string => {
  let n = firstNumber;
  return sql.replace(/\?/g, () => `$${n++}`);
};

export const SELECT_URL = `SELECT ${URL_COLUMNS} FROM url u JOIN site s ON s.part = u.part AND s.id = u.site_id`;

export const COUNTED = `u.id, u.part, u.site_id, u.status, u.source, u.due_at, u.visits,
  CASE WHEN u.stamp IS NULL THEN 0 ELSE 1 END AS indexed`;

const SITE = ['part', 'crawler', 'host'];
const SITE_TYPES = ['int2', 'text', 'text'];

export const SITES = `SELECT i.n, s.id FROM unnest($1::int2[], $2::text[], $3::text[]) WITH ORDINALITY AS i(part, crawler, host, n)
  JOIN site s ON s.part = i.part AND s.crawler = i.crawler AND s.host = i.host`;

export const ADD_SITES = `INSERT INTO site (part, crawler, host) SELECT * FROM ${buildUnnest(SITE, SITE_TYPES)} ORDER BY 1, 2, 3
  ON CONFLICT (part, crawler, host) DO NOTHING`;

/**
 * A transaction that changes URLs locks their sites first, always in the same order: the counts of a site then include
 * everything that was stored before, and transactions wait for each other instead of deadlocking.
 */
export const LOCK_SITES = `SELECT 1 FROM site s JOIN ${buildUnnest(['part', 'id'], ['int2', 'int4'])}
  ON s.part = i.part AND s.id = i.id ORDER BY s.part, s.id FOR UPDATE OF s`;

export const LOCK_SITES_OF_URLS = `SELECT 1 FROM site s WHERE (s.part, s.id) IN
  (SELECT u.part, u.site_id FROM ${buildUnnest(['part', 'id'], ['int2', 'int8'])} JOIN url u ON u.part = i.part AND u.id = i.id)
  ORDER BY s.part, s.id FOR UPDATE`;

/**
 * The subquery makes this one index probe per key, whatever the planner estimates; it reads only the index. URLs whose
 * status is removed are treated as unknown; whether there are any at all is checked once.
 */
export const UNKNOWN = `SELECT i.n FROM unnest($1::int2[], $2::int4[], $3::int8[]) WITH ORDINALITY AS i(part, site_id, key, n)
  WHERE (SELECT u.key FROM url u WHERE u.part = i.part AND u.site_id = i.site_id AND u.key = i.key) IS NULL
    OR ((SELECT r.id FROM url r WHERE r.status = ${REMOVED} LIMIT 1) IS NOT NULL AND (SELECT r.key FROM url r
      WHERE r.key = i.key AND r.part = i.part AND r.site_id = i.site_id AND r.status = ${REMOVED}) IS NOT NULL)`;

export const IDS_OF_KEYS = `SELECT i.n, u.id FROM unnest($1::int2[], $2::int4[], $3::int8[]) WITH ORDINALITY AS i(part, site_id, key, n)
  JOIN url u ON u.part = i.part AND u.site_id = i.site_id AND u.key = i.key`;

const INSERT = ['part', 'site_id', ...NEW_COLUMNS];
export const INSERT_WIDTH = INSERT.length;

export const INSERT_URLS = `INSERT INTO url (id, ${listColumns(INSERT)})
  SELECT nextval('url_seq') * ${PARTITIONS} + i.part, ${listColumns(INSERT, 'i.')}
  FROM ${buildUnnest(INSERT, ['int2', 'int4', ...NEW_TYPES])}
  ON CONFLICT (part, site_id, key) DO NOTHING RETURNING id, site_id, CAST(key AS text) AS key`;

export const REMOVED_OF_KEYS = `SELECT i.n, ${COUNTED} FROM
  unnest($1::int2[], $2::int4[], $3::int8[]) WITH ORDINALITY AS i(part, site_id, key, n)
  JOIN url u ON u.key = i.key AND u.part = i.part AND u.site_id = i.site_id AND u.status = ${REMOVED} AND u.source IS NULL`;

const LINKS = ['part', 'url_id', 'at', 'stamp', 'validators', 'keys'];
export const LINKS_WIDTH = LINKS.length;

export const SAVE_LINKS = `INSERT INTO page_links (${listColumns(LINKS)})
  SELECT * FROM ${buildUnnest(LINKS, ['int2', 'int8', 'int8', 'text', 'text', 'bytea'])} ON CONFLICT (part, url_id)
  DO UPDATE SET at = excluded.at, stamp = excluded.stamp, validators = excluded.validators, keys = excluded.keys`;

export const COUNTED_URLS = `SELECT ${COUNTED} FROM ${buildUnnest(['part', 'id'], ['int2', 'int8'])}
  JOIN url u ON u.part = i.part AND u.id = i.id`;

export const URLS = `${SELECT_URL} JOIN ${buildUnnest(['part', 'id'], ['int2', 'int8'])} ON u.part = i.part AND u.id = i.id`;

const UPDATE = ['part', 'id', 'mask', ...FIELDS.map((field) => CHANGES[field].column)];
export const UPDATE_WIDTH = UPDATE.length;

/** If bit n of the mask is set, the n-th field is written; null then clears it. */
export const UPDATE_URLS = `UPDATE url u SET ${FIELDS.map((field, n) => {
  const { column } = CHANGES[field];
  return `${column} = CASE WHEN i.mask & ${2 ** n} <> 0 THEN i.${column} ELSE u.${column} END`;
}).join(', ')}
  FROM ${buildUnnest(UPDATE, ['int2', 'int8', 'int8', ...FIELDS.map((field) => CHANGES[field].type)])}
  WHERE u.part = i.part AND u.id = i.id`;

export const DELETE_URLS = `WITH i AS (SELECT * FROM ${buildUnnest(['part', 'id'], ['int2', 'int8'])}),
  gone AS (DELETE FROM visit v USING i WHERE v.part = i.part AND v.url_id = i.id),
  links AS (DELETE FROM page_links l USING i WHERE l.part = i.part AND l.url_id = i.id)
  DELETE FROM url u USING i WHERE u.part = i.part AND u.id = i.id`;

const VISIT = ['part', 'url_id', ...VISIT_COLUMNS];
export const VISIT_WIDTH = VISIT.length;

export const INSERT_VISITS = `INSERT INTO visit (${listColumns(VISIT)})
  SELECT * FROM ${buildUnnest(VISIT, ['int2', 'int8', ...VISIT_TYPES])}
  ON CONFLICT (part, url_id, at) DO UPDATE SET ${VISIT_COLUMNS.slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`;

export const PRUNE_VISITS = `DELETE FROM visit v USING ${buildUnnest(['part', 'id'], ['int2', 'int8'])}
  WHERE v.part = i.part AND v.url_id = i.id AND v.at < (SELECT w.at FROM visit w
    WHERE w.part = i.part AND w.url_id = i.id ORDER BY w.at DESC LIMIT 1 OFFSET ${MAX_VISITS - 1})`;

const ORDER = ['part', ...ORDER_COLUMNS];
export const ORDER_WIDTH = ORDER.length;

export const SAVE_ORDERS = `INSERT INTO push_order (${listColumns(ORDER)}) SELECT * FROM ${buildUnnest(ORDER, ['int2', ...ORDER_TYPES])}
  ON CONFLICT (part, id) DO UPDATE SET ${ORDER_CHANGES.map((column) => `${column} = excluded.${column}`).join(', ')}`;

const SOURCE_VALUES = SOURCES.map((_, source) => `(${source}::int2)`).join(', ');

/** Source and earliest due time of the queued URLs of site s, with one index probe per source. */
const EARLIEST = `(VALUES ${SOURCE_VALUES}) AS q(source), LATERAL (SELECT u.due_at FROM url u
  WHERE u.part = s.part AND u.source = q.source AND u.site_id = s.id ORDER BY u.due_at LIMIT 1) e`;

const COUNTER = ['part', 'site', 'status', 'source', 'indexed', 'urls'];
const COUNTER_TYPES = ['int2', 'int4', 'int2', 'int2', 'int2', 'int4'];
const SITE_CHANGE = ['part', 'id', 'urls', 'indexed', 'errors', 'queued', 'came', 'went'];
const SITE_CHANGE_TYPES = ['int2', 'int4', 'int4', 'int4', 'int4', 'int4', 'int8', 'int8'];
export const COUNTER_WIDTH = COUNTER.length;
export const SITE_CHANGE_WIDTH = SITE_CHANGE.length;

/** The earliest due time follows from what was added and removed, unless a removed one may have been the earliest. */
export const WRITE_COUNTS = `WITH counters AS (
    INSERT INTO counter (part, crawler, status, source, indexed, urls)
    SELECT i.part, s.crawler, i.status, i.source, i.indexed, sum(i.urls)
    FROM ${buildUnnest(COUNTER, COUNTER_TYPES)} JOIN site s ON s.part = i.part AND s.id = i.site
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (part, crawler, status, source, indexed) DO UPDATE SET urls = counter.urls + excluded.urls)
  UPDATE site s SET urls = s.urls + i.urls, indexed = s.indexed + i.indexed, errors = s.errors + i.errors,
    queued = s.queued + i.queued, next_due_at = CASE
      WHEN i.went <= coalesce(least(s.next_due_at, i.came), i.went) THEN (SELECT min(e.due_at) FROM ${EARLIEST})
      ELSE least(s.next_due_at, i.came) END
  FROM ${buildUnnest(SITE_CHANGE, SITE_CHANGE_TYPES, COUNTER.length + 1)} WHERE s.part = i.part AND s.id = i.id`;

export const DUE = `${SELECT_URL} WHERE u.part = $1 AND u.source = $2 AND u.site_id = $3 AND NOT (u.id = ANY ($4::int8[]))
  ORDER BY u.due_at, u.id LIMIT $5`;

const buildBacklogsSql = (condition: string): string => `SELECT s.host, q.source, q.due_at FROM
  (SELECT part, id, host FROM site WHERE crawler = $1 AND host > $2 AND next_due_at <= $3${condition} ORDER BY host LIMIT $4) s
  LEFT JOIN LATERAL (SELECT q.source, e.due_at FROM ${EARLIEST} WHERE e.due_at <= $3) q ON true ORDER BY s.host, q.source`;

export const BACKLOGS = buildBacklogsSql('');
export const BACKLOGS_OF_PARTITIONS = buildBacklogsSql(' AND part = ANY ($5::int2[])');

/** Locks in the order of the partitions, so that two transactions wait for each other instead of deadlocking. */
export const HELD_PARTITIONS = `SELECT o.part, o.epoch FROM unnest($1::int2[], $2::int8[]) AS i(part, epoch)
  JOIN partition_owner o ON o.part = i.part AND o.epoch = i.epoch ORDER BY o.part FOR SHARE OF o`;

export const FORGETTABLE = `u.stamp IS NULL AND u.pending_deletion IS NULL AND NOT EXISTS
  (SELECT 1 FROM push_order o WHERE o.uri_key = u.key AND o.uri = u.url AND o.crawler = s.crawler
     AND o.state IN (${UNFINISHED_STATES.join(', ')}))`;
