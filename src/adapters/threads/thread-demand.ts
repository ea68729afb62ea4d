/** Decides when one more page thread pays off: all of them are busy, and the main thread has time to spare. */

const BUSY = 0.95;
const IDLE = 0.4;
/** Required number of checks in a row, because a single page may keep a thread busy for seconds. */
const CHECKS = 3;

export class ThreadDemand {
  private checks = 0;

  /**
   * To be called at a steady pace, with the share of time since the last call during which each thread was busy, from 0
   * to 1.
   */
  checkDemand(main: number, threads: readonly number[]): boolean {
    this.checks = main < IDLE && threads.every((share) => share > BUSY) ? this.checks + 1 : 0;
    if (this.checks < CHECKS) return false;
    this.checks = 0;
    return true;
  }
}
