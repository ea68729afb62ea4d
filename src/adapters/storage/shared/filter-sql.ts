/** Builds the WHERE clauses for the filters of URLs and orders, with `?` parameters, for both databases. */
import { getHostKey, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { LedgerFilter, SettingsPage, UrlFilter } from '../../../engine/ports/frontier-store.js';
import { toKindCode, toOrderStateCode } from './order-row.js';
import { toDiscoveredViaCode, toStatusCode, type Value } from './url-row.js';

export interface Where {
  /** Conditions joined by AND; `1 = 1` if there is none. */
  readonly sql: string;
  readonly values: Value[];
}

/** How a database expresses a case-sensitive match of a pattern, which is the next parameter. */
export interface PatternDialect {
  readonly buildMatch: (column: string) => string;
  readonly toPattern: (like: string) => string;
  /** The position of the first slash in a text, counted from 1; 0 if there is none. */
  readonly findSlash: (text: string) => string;
}

/** SQLite's LIKE ignores case; its GLOB does not. */
export const GLOB: PatternDialect = {
  buildMatch: (column) => `${column} GLOB ?`,
  toPattern: likeToGlob,
  findSlash: (text) => `instr(${text}, '/')`,
};

/**
 * PostgreSQL's LIKE is case-sensitive and uses the backslash as its escape character; a trailing backslash would be an
 * error.
 */
export const LIKE: PatternDialect = {
  buildMatch: (column) => `${column} LIKE ?`,
  toPattern: (like) => like.replace(/\\(?:[\s\S]|$)/g, (pair) => (pair.length === 1 ? '\\\\' : pair)),
  findSlash: (text) => `strpos(${text}, '/')`,
};

export function buildUrlWhere(filter: UrlFilter, dialect: PatternDialect): Where {
  const conditions: [sql: string, ...values: Value[]][] = [];
  const host = findHost(filter);
  if (filter.crawler !== undefined) conditions.push(['s.crawler = ?', filter.crawler]);
  if (host !== undefined) conditions.push(['s.host = ?', host]);
  if (filter.status !== undefined) conditions.push(['u.status = ?', toStatusCode(filter.status)]);
  if (filter.source !== undefined) conditions.push(['u.source = ?', filter.source]);
  if (filter.queued) conditions.push(['u.source IS NOT NULL']);
  if (filter.prefix !== undefined) {
    // Not a pattern, because SQLite accepts patterns of at most 50,000 bytes, and URLs may be longer.
    conditions.push(['substr(u.url, 1, ?) = ?', [...filter.prefix].length, filter.prefix]);
  }
  if (filter.like !== undefined) {
    // GLOB ends at a NUL, so a pattern with one would match far more than intended; no URL contains one.
    if (filter.like.includes('\0')) conditions.push(['0 = 1']);
    else conditions.push([dialect.buildMatch('u.url'), dialect.toPattern(filter.like)]);
  }
  if (filter.reason !== undefined) conditions.push(['u.reason = ?', filter.reason]);
  if (filter.reasons !== undefined) {
    const placeholders = filter.reasons.map(() => '?').join(', ');
    conditions.push([`u.reason IN (${placeholders})`, ...filter.reasons]);
  }
  if (filter.indexed !== undefined) conditions.push([`u.stamp IS ${filter.indexed ? 'NOT ' : ''}NULL`]);
  if (filter.pendingDeletion !== undefined) {
    conditions.push([`u.pending_deletion IS ${filter.pendingDeletion ? 'NOT ' : ''}NULL`]);
  }
  if (filter.namedOutside !== undefined) conditions.push(buildNamedOutside(filter.namedOutside, dialect));
  if (filter.visitedBefore !== undefined) conditions.push(['u.last_visit_at < ?', filter.visitedBefore]);
  if (filter.visitedSince !== undefined) conditions.push(['u.last_visit_at >= ?', filter.visitedSince]);
  return joinConditions(conditions);
}

/** Operators and submissions name URLs, too, but not on a page. */
const OWN_WAYS = [toDiscoveredViaCode('root'), toDiscoveredViaCode('indexnow')].join(', ');

/** The origin of a page ends in a slash, so that nothing in its path can look like the domain. */
function buildNamedOutside(domain: string, { findSlash }: PatternDialect): [sql: string, ...values: Value[]] {
  const name = domain.replace(/[\\%_]/g, '\\$&');
  const patterns = [`%://${name}/`, `%://${name}:%`, `%.${name}/`, `%.${name}:%`];
  // The ninth character is part of the host, or the slash after it, with either scheme.
  const origin = `substr(u.found_on, 1, 8 + ${findSlash('substr(u.found_on, 9)')})`;
  const isInside = patterns.map(() => `${origin} LIKE ? ESCAPE '\\'`).join(' OR ');
  return [`u.found_on IS NOT NULL AND u.discovered_via NOT IN (${OWN_WAYS}) AND NOT (${isInside})`, ...patterns];
}

export function buildOrderWhere(filter: LedgerFilter): Where {
  const conditions: [sql: string, ...values: Value[]][] = [];
  if (filter.uri !== undefined) conditions.push(['uri_key = ? AND uri = ?', computeUrlKey(filter.uri), filter.uri]);
  if (filter.state !== undefined) conditions.push(['state = ?', toOrderStateCode(filter.state)]);
  if (filter.crawler !== undefined) conditions.push(['crawler = ?', filter.crawler]);
  if (filter.kind !== undefined) conditions.push(['kind = ?', toKindCode(filter.kind)]);
  if (filter.hostKey !== undefined) conditions.push(['host = ?', filter.hostKey]);
  if (filter.reason !== undefined) conditions.push(['reason = ?', filter.reason]);
  return joinConditions(conditions);
}

function joinConditions(conditions: readonly [sql: string, ...values: Value[]][]): Where {
  if (conditions.length === 0) return { sql: '1 = 1', values: [] };
  return {
    sql: conditions.map(([sql]) => sql).join(' AND '),
    values: conditions.flatMap(([, ...values]) => values),
  };
}

/** Builds a query for a count that the counters already contain; undefined if rows must be counted. */
export function buildCounterQuery(filter: UrlFilter): { readonly sql: string; readonly values: Value[] } | undefined {
  const { crawler, hostKey, status, source, indexed, queued, ...otherFields } = filter;
  if (Object.values(otherFields).some((value) => value !== undefined)) return undefined;
  if (hostKey === undefined) {
    if (queued) return undefined;
    const where = buildEqualConditions({
      crawler,
      status: status && toStatusCode(status),
      source,
      indexed: indexed && 1,
    });
    const notIndexed = indexed === false ? ' AND indexed = 0' : '';
    return {
      sql: `SELECT coalesce(sum(urls), 0) AS urls FROM counter WHERE ${where.sql}${notIndexed}`,
      values: where.values,
    };
  }
  const column = findSiteColumn(filter);
  if (!column) return undefined;
  const where = buildEqualConditions({ crawler, host: hostKey });
  return { sql: `SELECT coalesce(sum(${column}), 0) AS urls FROM site WHERE ${where.sql}`, values: where.values };
}

/** Finds the column of `site` that contains the count for the filter; undefined if there is none. */
function findSiteColumn({
  status,
  source,
  indexed,
  queued,
}: UrlFilter): 'urls' | 'indexed' | 'errors' | 'queued' | undefined {
  if (source !== undefined || indexed === false) return undefined;
  if (queued) return status === undefined && indexed === undefined ? 'queued' : undefined;
  if (status === undefined) return indexed ? 'indexed' : 'urls';
  return status === 'error' && indexed === undefined ? 'errors' : undefined;
}

function buildEqualConditions(fields: Readonly<Record<string, Value | false | undefined>>): Where {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== false);
  return joinConditions(entries.map(([column, value]) => [`${column} = ?`, value as Value]));
}

/**
 * Returns the only host whose URLs can match, if there is one: a prefix that extends beyond the host narrows the search
 * to one site.
 */
export function findHost({ hostKey: host, prefix }: UrlFilter): string | undefined {
  if (host !== undefined) return host;
  return prefix !== undefined && /^https?:\/\/[^/]+\//.test(prefix) ? getHostKey(toCrawlUrl(prefix)) : undefined;
}

function likeToGlob(like: string): string {
  return like.replace(/\\(.)|([\\%_*?[])/gs, (_whole, escaped: string | undefined, special: string | undefined) =>
    escaped !== undefined
      ? escapeGlob(escaped)
      : special === '%'
        ? '*'
        : special === '_'
          ? '?'
          : escapeGlob(special ?? ''),
  );
}

const escapeGlob = (character: string): string => (/[*?[]/.test(character) ? `[${character}]` : character);

/** The last code point, which no setting's name contains. */
const LAST_CODE_POINT = '\u{10ffff}';

/** Computes a name that sorts after all names with the prefix, in byte order. */
export const computeSettingsEnd = (prefix: string): string => prefix + LAST_CODE_POINT;

/** Effectively no limit. */
const NO_LIMIT = 2 ** 31 - 1;

export const allSettings = (prefix: string): SettingsPage => ({ from: prefix, limit: NO_LIMIT });
