/**
 * Assigns hosts to partitions, for PostgreSQL: every host permanently belongs to one partition, whichever crawlers
 * visit it, and all rows about the host and its URLs contain the partition's number, so that they are stored, owned and
 * distributed together. The partition of a URL is its id modulo PARTITIONS, so finding a row by id needs no lookup.
 */
import type { UrlId } from '../../../domain/crawl/url-state.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';

/**
 * Must never change, because every URL id contains it. More machines than this will never share the tables.
 */
export const PARTITIONS = 1_024;

export const computePartition = (hostKey: string): number =>
  Number(BigInt.asUintN(64, computeUrlKey(hostKey)) % BigInt(PARTITIONS));

export const getPartition = (id: UrlId): number => id % PARTITIONS;
