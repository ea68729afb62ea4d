/** Conversion between rows of `page_links` and PageLinks; shared by both databases. */
import type { Instant } from '../../../domain/time/units.js';
import type { PageLinks } from '../../../engine/ports/frontier-store.js';
import { roundTime } from './url-row.js';

export interface LinksRecord {
  readonly at: number;
  readonly stamp: string;
  readonly validators: string;
  readonly keys: Buffer;
}

/** Returns the values in the order of the columns after the page: at, stamp, validators, keys (eight bytes each). */
export const toLinkValues = ({ at, stamp, validators, keys }: PageLinks): [number, string, string, Buffer] => [
  roundTime(at),
  stamp,
  validators,
  Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength),
];

/**
 * Keys are little-endian, as on every machine that Node supports; the bytes are copied because they may not be aligned.
 */
export const toLinks = ({ at, stamp, validators, keys }: LinksRecord): PageLinks => ({
  at: at as Instant,
  stamp,
  validators,
  keys: new BigInt64Array(Uint8Array.from(keys).buffer),
});
