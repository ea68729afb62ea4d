const BANDS = 4;
const BAND_VALUES = 65_536;

const acceptEveryEntry = (): boolean => true;

/** Maximum number of entries compared in one band, so that a text shared by many pages does not slow down look-ups. */
const MAX_COMPARISONS = 4_096;

/**
 * Finds pages whose 64-bit simhash differs from a given one in only a few bits. Two hashes that differ in at most three
 * bits agree in at least one of four bands of 16 bits (Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web
 * Crawling", WWW 2007), so only entries that share a band are compared. Holds the newest `capacity` entries, which take
 * 52 bytes each and a key in a map; the oldest entry is dropped first.
 */
export class NearDuplicates {
  readonly #capacity: number;
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;
  readonly #keys: Float64Array;
  readonly #groups: Uint32Array;
  readonly #slotOf = new Map<number, number>();
  /**
   * The newest entry for each band value. Here and in the two arrays below, an entry is given as slot + 1, and 0 means
   * none.
   */
  readonly #heads = new Int32Array(BANDS * BAND_VALUES);
  /** For each band and slot, the next older and the next newer entry with the same band value. */
  readonly #older: Int32Array;
  readonly #newer: Int32Array;
  readonly #used: Uint8Array;
  #nextSlot = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#high = new Uint32Array(capacity);
    this.#low = new Uint32Array(capacity);
    this.#keys = new Float64Array(capacity);
    this.#groups = new Uint32Array(capacity);
    this.#older = new Int32Array(BANDS * capacity);
    this.#newer = new Int32Array(BANDS * capacity);
    this.#used = new Uint8Array(capacity);
  }

  get size(): number {
    return this.#slotOf.size;
  }

  /**
   * Adds a page, or replaces its simhash. `key` is a safe integer; the sign of the simhash does not matter.
   * @param group the number of the site to which the page belongs
   */
  add(key: number, simhash: bigint, group = 0): void {
    this.remove(key);
    const slot = this.#nextSlot;
    this.#nextSlot = (slot + 1) % this.#capacity;
    if (this.#used[slot] === 1) this.remove(this.#keys[slot]!);
    this.#high[slot] = getHighHalf(simhash);
    this.#low[slot] = getLowHalf(simhash);
    this.#keys[slot] = key;
    this.#groups[slot] = group;
    this.#used[slot] = 1;
    this.#slotOf.set(key, slot);
    for (let band = 0; band < BANDS; band++) this.#link(band, slot);
  }

  remove(key: number): void {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return;
    this.#slotOf.delete(key);
    this.#used[slot] = 0;
    for (let band = 0; band < BANDS; band++) this.#unlink(band, slot);
  }

  /**
   * The key of the nearest page within `maxDistance` bits that the function accepts; an arbitrary one if several are
   * equally near. With a `maxDistance` of up to three, no page is missed.
   */
  findNearest(
    simhash: bigint,
    accepts: (key: number, group: number) => boolean = acceptEveryEntry,
    maxDistance = 3,
  ): number | undefined {
    const high = getHighHalf(simhash);
    const low = getLowHalf(simhash);
    let nearest = -1;
    let distance = maxDistance + 1;
    for (let band = 0; band < BANDS && distance > 0; band++) {
      let entry = this.#heads[band * BAND_VALUES + extractBand(band, high, low)]!;
      for (let comparison = 0; entry !== 0 && comparison < MAX_COMPARISONS; comparison++) {
        const slot = entry - 1;
        const differingBits = countBits(this.#high[slot]! ^ high) + countBits(this.#low[slot]! ^ low);
        if (differingBits < distance && accepts(this.#keys[slot]!, this.#groups[slot]!)) {
          distance = differingBits;
          nearest = slot;
          if (differingBits === 0) break;
        }
        entry = this.#older[band * this.#capacity + slot]!;
      }
    }
    return nearest < 0 ? undefined : this.#keys[nearest];
  }

  #link(band: number, slot: number): void {
    const headIndex = band * BAND_VALUES + extractBand(band, this.#high[slot]!, this.#low[slot]!);
    const entry = band * this.#capacity + slot;
    const newest = this.#heads[headIndex]!;
    this.#older[entry] = newest;
    this.#newer[entry] = 0;
    if (newest !== 0) this.#newer[band * this.#capacity + newest - 1] = slot + 1;
    this.#heads[headIndex] = slot + 1;
  }

  #unlink(band: number, slot: number): void {
    const entry = band * this.#capacity + slot;
    const older = this.#older[entry]!;
    const newer = this.#newer[entry]!;
    if (older !== 0) this.#newer[band * this.#capacity + older - 1] = newer;
    if (newer !== 0) this.#older[band * this.#capacity + newer - 1] = older;
    else this.#heads[band * BAND_VALUES + extractBand(band, this.#high[slot]!, this.#low[slot]!)] = older;
  }
}

const getHighHalf = (simhash: bigint): number => Number(BigInt.asUintN(32, simhash >> 32n));
const getLowHalf = (simhash: bigint): number => Number(BigInt.asUintN(32, simhash));

function extractBand(band: number, high: number, low: number): number {
  const half = band < 2 ? high : low;
  return band % 2 === 0 ? half >>> 16 : half & 0xffff;
}

function countBits(word: number): number {
  let pairs = word - ((word >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
