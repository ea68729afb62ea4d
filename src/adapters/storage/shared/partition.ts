/**
 * Partitions of the hosts, for PostgreSQL: every host belongs to one permanently, whichever crawlers visit it, and all rows
 * about the host and its URLs carry its number, so that they lie together and can be owned and spread together. The
 * number of a URL's partition is the remainder of its id: no lookup is needed to find a row by id.
 */
import type { UrlId } from '../../../domain/crawl/url-state.js';
import { urlKey } from '../../../domain/url/url-key.js';

/** Never to be changed: it is in every id. More than machines will ever share the tables. */
export const PARTITIONS = 1_024;

export const partitionOf = (hostKey: string): number =>
  Number(BigInt.asUintN(64, urlKey(hostKey)) % BigInt(PARTITIONS));

export const partitionOfId = (id: UrlId): number => id % PARTITIONS;
