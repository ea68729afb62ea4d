import { CRAWL_SPACE_REASONS } from '../../domain/crawl/url-state.js';
import { SOURCES, type SourceNumber } from '../../domain/frontier/sources.js';
import { type Instant, instant } from '../../domain/time/units.js';
import type { UrlFilter } from '../../engine/ports/frontier-store.js';
import { ProblemException } from '../http/problem.js';
import type { UrlFilterQuery } from './url.query.js';

export function toUrlFilter(crawler: string, query: UrlFilterQuery): UrlFilter & { crawler: string } {
  return {
    crawler,
    ...toStatusFilter(query.status),
    hostKey: query.host,
    source: query.source && (SOURCES.indexOf(query.source) as SourceNumber),
    prefix: query.prefix,
    like: query.like,
    reason: query.reason,
    indexed: query.indexed,
    visitedBefore: parseTime(query.visitedBefore),
    visitedSince: parseTime(query.visitedSince),
  };
}

/**
 * For calls that change URLs: requires at least one condition, so that omitting all never means all URLs of a crawler.
 */
export function requireFilter(query: UrlFilterQuery): Omit<UrlFilter, 'crawler'> {
  const { crawler: _, ...filter } = toUrlFilter('', query);
  if (Object.values(filter).every((value) => value === undefined || value === '')) {
    throw new ProblemException('unacceptable', 'Set at least one filter; `like=%` means all URLs.');
  }
  return filter;
}

function toStatusFilter(status: UrlFilterQuery['status']): Pick<UrlFilter, 'status' | 'reasons'> {
  if (status === '760') return { status: 'excluded', reasons: CRAWL_SPACE_REASONS };
  return { status: status === '761' ? 'elsewhere' : status };
}

const parseTime = (text: string | undefined): Instant | undefined =>
  text === undefined ? undefined : instant(Date.parse(text));
