/** Links as compact keys, for the thread that looks them up: 100 links take 1 KB instead of 50 KB. */
import type { NewUrl } from '../../../engine/ports/frontier-store.js';

export interface Keys {
  readonly sites: readonly (readonly [crawler: string, hostKey: string])[];
  /** For each key, the position of its site in `sites`. */
  readonly sitePositions: Uint32Array;
  readonly keys: BigInt64Array;
}

export function computeKeys(urls: readonly NewUrl[]): Keys {
  const siteIndexes = new Map<string, number>();
  const sites: [string, string][] = [];
  const sitePositions = new Uint32Array(urls.length);
  const keys = new BigInt64Array(urls.length);
  urls.forEach(({ crawler, hostKey, key }, i) => {
    const name = `${crawler}\n${hostKey}`;
    let siteIndex = siteIndexes.get(name);
    if (siteIndex === undefined) {
      siteIndex = sites.push([crawler, hostKey]) - 1;
      siteIndexes.set(name, siteIndex);
    }
    sitePositions[i] = siteIndex;
    keys[i] = key;
  });
  return { sites, sitePositions, keys };
}

/** Of the 53 bits of a safe integer, a position takes 20 and the high bits of a key take 16, which leaves 17 for the site. */
const POSITIONS = 2 ** 20;
const KEYS = 2 ** 16;
const MAX_KEYS = 2 ** 17;

/**
 * Returns the positions of the keys in roughly the order of the index on (site, key). Looking keys up in that order
 * reads each page of the index only once for all its keys; in a large store, most of the time is spent on finding and
 * reading these pages.
 */
export function sortByIndex(sitePositions: Uint32Array, keys: BigInt64Array): Uint32Array {
  if (keys.length > MAX_KEYS) return Uint32Array.from(keys, (_, i) => i);
  // The high 16 bits of each key, signed. (On a big-endian machine, only the order would differ.)
  const parts = new Int16Array(keys.buffer, keys.byteOffset, keys.length * 4);
  const sortKeys = Float64Array.from(
    sitePositions,
    (sitePosition, i) => (sitePosition * KEYS + parts[4 * i + 3]! + KEYS / 2) * POSITIONS + i,
  );
  return Uint32Array.from(sortKeys.sort(), (sortKey) => sortKey % POSITIONS);
}
