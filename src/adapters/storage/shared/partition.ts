/**
 * Partitions of the hosts, for PostgreSQL: every host belongs to one permanently, whichever crawlers visit it, and all rows about
 * the host and its URLs contain its number, so that they are stored, owned and distributed together. The number of a URL's
 * partition is the remainder of its id: no lookup is needed to find a row by id.
 */
import type { UrlId } from '../../../domain/crawl/url-state.js';
import { urlKey } from '../../../domain/url/url-key.js';

/** Must never change: it is part of every id. More than the number of machines that will ever share the tables. */
export const PARTITIONS = 1_024;

export const partitionOf = (hostKey: string): number =>
  Number(BigInt.asUintN(64, urlKey(hostKey)) % BigInt(PARTITIONS));

export const partitionOfId = (id: UrlId): number => id % PARTITIONS;
