/** What crawlers may use, separately or as a group (`cw:Quota`). */
import type { Place } from './place.js';

/** What a quota limits, in the order in which limits are shown. */
export const QUOTA_LIMITS = ['urls', 'documents', 'bytes', 'rendering'] as const;

export type QuotaLimit = (typeof QUOTA_LIMITS)[number];

export interface QuotaDefinition {
  readonly name: string;
  readonly place: Place;
  /** The crawlers that share the quota; an empty list means all. */
  readonly crawlers: readonly string[];
  /**
   * The limits that are set: numbers of stored URLs and of documents in the index, bytes received a day, and
   * milliseconds of rendering a day.
   */
  readonly limits: Readonly<Partial<Record<QuotaLimit, number>>>;
}

/** What crawlers have used: the first two in total, the others today. */
export type QuotaUse = Readonly<Record<QuotaLimit, number>>;

/** Limits that begin anew with each day (UTC). */
export const isDaily = (limit: QuotaLimit): boolean => limit === 'bytes' || limit === 'rendering';

export const covers = ({ crawlers }: QuotaDefinition, crawler: string): boolean =>
  crawlers.length === 0 || crawlers.includes(crawler);

export const listReached = ({ limits }: QuotaDefinition, use: QuotaUse): QuotaLimit[] =>
  QUOTA_LIMITS.filter((limit) => use[limit] >= (limits[limit] ?? Number.POSITIVE_INFINITY));
