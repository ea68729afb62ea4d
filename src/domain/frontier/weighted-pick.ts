/**
 * Picks among sources in proportion to their weights, spread as evenly as possible: smooth weighted round robin (known
 * from nginx). Each ready source earns its weight; the one with the most credit is picked and pays what all ready
 * sources earned together. If every source is always ready, each window of `sum(weights)` picks contains each source
 * exactly its weight times. A source that is not ready neither earns nor pays, so it cannot save up for a burst; and a
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
   * Position of the source whose turn it is, or undefined if none is ready. The function is called once for each source.
   * Ties go to the lower position.
   */
  pick(isReady: (source: number) => boolean): number | undefined {
    const credit = this.#credit;
    let earnedWeight = 0;
    let best = -1;
    for (let source = 0; source < credit.length; source++) {
      if (!isReady(source)) continue;
      const weight = this.#weights[source]!;
      earnedWeight += weight;
      credit[source]! += weight;
      if (best < 0 || credit[source]! > credit[best]!) best = source;
    }
    if (best < 0) return undefined;
    credit[best]! -= earnedWeight;
    return best;
  }
}
