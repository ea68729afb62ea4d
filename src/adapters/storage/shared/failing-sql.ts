/**
 * SQL for both databases (with `?` parameters) that counts, by reason and host, the URLs in error and those whose
 * status became removed after errors. It reads only the indexes on these URLs.
 */
import type { Instant } from '../../../domain/time/units.js';
import { REMOVED, toStatusCode, type Value } from './url-row.js';

export const ERROR = toStatusCode('error');

const HOUR_MS = 3_600_000;

/** How a site is identified in `url`, how the index is named, and how `site` is joined to the groups g. */
export interface FailingDialect {
  readonly siteColumns: string;
  readonly getUrlTable: (status: number) => string;
  readonly joinCondition: string;
}

export interface Query {
  readonly sql: string;
  readonly values: Value[];
}

const computeAgeLimits = (now: Instant): Value[] => [now - HOUR_MS, now - 24 * HOUR_MS];

const STATUSES = [ERROR, REMOVED];

/** Each status has its own index. */
const buildGroupsSql = ({ siteColumns, getUrlTable }: FailingDialect, condition: string): string =>
  STATUSES.map(
    (status) => `SELECT reason, ${siteColumns}, count(*) AS urls,
      sum(CASE WHEN last_visit_at >= ? THEN 1 ELSE 0 END) AS hour,
      sum(CASE WHEN last_visit_at >= ? THEN 1 ELSE 0 END) AS day
      FROM ${getUrlTable(status)} WHERE status = ${status}${condition} GROUP BY reason, ${siteColumns}`,
  ).join(' UNION ALL ');

const buildSumSql = (column: string, name: string): string => `CAST(sum(g.${column}) AS bigint) AS "${name}"`;

export function buildFailingQuery(
  dialect: FailingDialect,
  crawler: string,
  now: Instant,
  hostKey: string | undefined,
): Query {
  const hosts = hostKey === undefined ? [] : [hostKey];
  return {
    sql: `SELECT g.reason, ${buildSumSql('urls', 'urls')}, ${buildSumSql('hour', 'lastHour')}, ${buildSumSql('day', 'lastDay')}, count(*) AS hosts
      FROM (${buildGroupsSql(dialect, '')}) g JOIN site s ON ${dialect.joinCondition}
      WHERE s.crawler = ?${hosts.length > 0 ? ' AND s.host = ?' : ''} GROUP BY g.reason ORDER BY 2 DESC, 1`,
    values: [...STATUSES.flatMap(() => computeAgeLimits(now)), crawler, ...hosts],
  };
}

export interface HostsPage {
  readonly after: { readonly urls: number; readonly hostKey: string } | undefined;
  readonly limit: number;
}

export function buildFailingHostsQuery(
  dialect: FailingDialect,
  crawler: string,
  reason: string,
  now: Instant,
  { after, limit }: HostsPage,
): Query {
  const maxUrls = after?.urls ?? Number.MAX_SAFE_INTEGER;
  return {
    sql: `SELECT s.host AS "hostKey", g.urls, g.hour AS "lastHour", g.day AS "lastDay"
      FROM (${buildGroupsSql(dialect, ' AND reason = ?')}) g JOIN site s ON ${dialect.joinCondition}
      WHERE s.crawler = ? AND (g.urls < ? OR g.urls = ? AND s.host > ?) ORDER BY g.urls DESC, s.host LIMIT ?`,
    values: [
      ...STATUSES.flatMap(() => [...computeAgeLimits(now), reason]),
      crawler,
      maxUrls,
      maxUrls,
      after?.hostKey ?? '',
      limit,
    ],
  };
}
