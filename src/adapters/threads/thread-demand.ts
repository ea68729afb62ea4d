/** Decides when to add a page thread: when all of them are busy and the main thread has time to spare. */

const MIN_BUSY_SHARE = 0.95;
const MAX_MAIN_SHARE = 0.4;
/** Required number of checks in a row, because a single page may keep a thread busy for seconds. */
const REQUIRED_CHECKS = 3;

export class ThreadDemand {
  private checks = 0;

  /**
   * Returns true if a thread should be added. To be called at a steady pace, with the share of the time since the last
   * call during which each thread was busy, from 0 to 1.
   */
  checkDemand(mainShare: number, threadShares: readonly number[]): boolean {
    this.checks =
      mainShare < MAX_MAIN_SHARE && threadShares.every((share) => share > MIN_BUSY_SHARE) ? this.checks + 1 : 0;
    if (this.checks < REQUIRED_CHECKS) return false;
    this.checks = 0;
    return true;
  }
}
