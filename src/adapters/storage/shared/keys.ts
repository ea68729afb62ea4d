/** The keys of links that are sent to the thread that looks them up: 100 links take 1 KB instead of 50 KB. */
import type { NewUrl } from '../../../engine/ports/frontier-store.js';

export interface Keys {
  readonly sites: readonly (readonly [crawler: string, hostKey: string])[];
  /** For each key, the position of its site in `sites`. */
  readonly site: Uint32Array;
  readonly keys: BigInt64Array;
}

export function computeKeys(urls: readonly NewUrl[]): Keys {
  const places = new Map<string, number>();
  const sites: [string, string][] = [];
  const site = new Uint32Array(urls.length);
  const keys = new BigInt64Array(urls.length);
  urls.forEach(({ crawler, hostKey, key }, i) => {
    const name = `${crawler}\n${hostKey}`;
    let place = places.get(name);
    if (place === undefined) {
      place = sites.push([crawler, hostKey]) - 1;
      places.set(name, place);
    }
    site[i] = place;
    keys[i] = key;
  });
  return { sites, site, keys };
}

/** A position takes 20 bits of a number, and the high bits of a key take 16, which leaves 17 for the site. */
const POSITIONS = 2 ** 20;
const KEYS = 2 ** 16;
const MOST = 2 ** 17;

/**
 * Returns the positions of the keys in roughly the order of the index on (site, key). Looking keys up in that order
 * touches each page of the index only once for all its keys; in a large store, most of the time is spent on reaching
 * pages.
 */
export function sortByIndex(site: Uint32Array, keys: BigInt64Array): Uint32Array {
  if (keys.length > MOST) return Uint32Array.from(keys, (_, i) => i);
  // The high 16 bits of each key, signed. (On a big-endian machine, only the order would differ.)
  const parts = new Int16Array(keys.buffer, keys.byteOffset, keys.length * 4);
  const order = Float64Array.from(site, (place, i) => (place * KEYS + parts[4 * i + 3]! + KEYS / 2) * POSITIONS + i);
  return Uint32Array.from(order.sort(), (each) => each % POSITIONS);
}
