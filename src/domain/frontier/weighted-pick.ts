/**
 * Picks among sources in proportion to their weights, spread as evenly as possible: smooth weighted round robin (known
 * from nginx). Each ready source earns its weight; the one with the most credit is picked and pays what all ready
 * sources earned together. If every source is always ready, each window of `sum(weights)` picks contains each source
 * exactly its weight times. A source whose URLs are being read from the store is *awaited*: it earns, and if it has its
 * turn, nothing is picked until they are there, so that a slow read does not change the order. A source that is not ready neither earns nor pays, so it cannot save up for a burst; and a
 * ready one cannot be passed over forever, because its credit grows with every pick of another source.
 */
export class WeightedPick {
  #weights: readonly number[] = [];
  #credit = new Float64Array(0);

  /** @throws RangeError if a weight is not a positive integer: such a source would starve */
  constructor(weights: readonly number[]) {
    this.setWeights(weights);
  }

  /** Starts over with new weights; the number of sources may also change. */
  setWeights(weights: readonly number[]): void {
    const invalid = weights.find((weight) => !Number.isSafeInteger(weight) || weight < 1);
    if (invalid !== undefined)
      throw new RangeError(`the weight of a source must be a positive integer, not ${invalid}`);
    this.#weights = [...weights];
    this.#credit = new Float64Array(weights.length);
  }

  /**
   * Position of the source whose turn it is, or undefined if none is ready or the source whose turn it is is awaited.
   * Each function is called at most once for each source. Ties go to the lower position.
   */
  pick(isReady: (source: number) => boolean, isAwaited: (source: number) => boolean = () => false): number | undefined {
    const credit = this.#credit;
    const earning: number[] = [];
    let isBestAwaited = false;
    let earnedWeight = 0;
    let best = -1;
    for (let source = 0; source < credit.length; source++) {
      const awaited = !isReady(source);
      if (awaited && !isAwaited(source)) continue;
      const weight = this.#weights[source]!;
      earnedWeight += weight;
      credit[source]! += weight;
      earning.push(source);
      if (best >= 0 && credit[source]! <= credit[best]!) continue;
      best = source;
      isBestAwaited = awaited;
    }
    if (best < 0) return undefined;
    if (isBestAwaited) {
      for (const source of earning) credit[source]! -= this.#weights[source]!;
      return undefined;
    }
    credit[best]! -= earnedWeight;
    return best;
  }
}
