/** Keys of links in transit to the thread that looks them up: 100 links take 1 KB, not 50. */
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

/** A position takes 20 bits of a number, the high bits of a key 16, which leaves 17 for the site. */
const POSITIONS = 2 ** 20;
const KEYS = 2 ** 16;
const MOST = 2 ** 17;

/**
 * The positions of keys in roughly the order of the index on (site, key). Looking up in that order touches each page of the index
 * once for all its keys; on a large store most of the time is spent on reaching a page.
 */
export function sortByIndex(site: Uint32Array, keys: BigInt64Array): Uint32Array {
  if (keys.length > MOST) return Uint32Array.from(keys, (_, i) => i);
  // The high 16 bits of each key, signed. (Another byte order of the machine would only change the order.)
  const parts = new Int16Array(keys.buffer, keys.byteOffset, keys.length * 4);
  const order = Float64Array.from(site, (place, i) => (place * KEYS + parts[4 * i + 3]! + KEYS / 2) * POSITIONS + i);
  return Uint32Array.from(order.sort(), (each) => each % POSITIONS);
}
