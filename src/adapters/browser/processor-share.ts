/**
 * Limits the average processor time used for rendering: each page waits until the time used by the previous ones is
 * within the share.
 */

/** Processor seconds that may be used in one burst after a pause. */
const BURST_S = 5;

export class ProcessorShare {
  private lastTotal: number | undefined;
  private credit: number;
  private updatedAt: number;

  /**
   * @param perSecond processor seconds that may be used per second
   * @param now returns the current time in seconds
   */
  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now() / 1000,
  ) {
    this.credit = perSecond * BURST_S;
    this.updatedAt = now();
  }

  /** `total`: processor seconds used by the processes since they started; less than before if they were replaced. */
  recordUsage(total: number): void {
    if (this.lastTotal !== undefined && total > this.lastTotal) this.credit -= total - this.lastTotal;
    this.lastTotal = total;
  }

  /** Returns the seconds that the next page must wait. */
  computeWaitTime(): number {
    const now = this.now();
    this.credit = Math.min(this.perSecond * BURST_S, this.credit + (now - this.updatedAt) * this.perSecond);
    this.updatedAt = now;
    return this.credit >= 0 ? 0 : -this.credit / this.perSecond;
  }
}
