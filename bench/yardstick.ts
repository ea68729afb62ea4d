/**
 * How fast the machine is just now. On shared machines the same work takes up to half more processor time from one minute to the
 * next, because of what the neighbours of a core do; the same small piece of work, done all the while, feels it too. Processor
 * time divided by the yardstick, and pages a second multiplied by it, vary about half as much as the bare figures.
 */

const PIECE_STEPS = 150_000;
/** Between two pieces of about a millisecond: 3 % of a core. */
const PAUSE_MS = 30;
const TABLE_SIZE = 1 << 16;

export class Yardstick {
  private readonly table = Uint32Array.from({ length: TABLE_SIZE }, (_, i) => Math.imul(i, 40_503) & (TABLE_SIZE - 1));
  private microseconds = 0;
  private pieces = 0;
  private readonly timer = setInterval(() => this.measure(), PAUSE_MS).unref();

  /** Processor milliseconds that one piece of work took, on average since this was made. */
  end(): number {
    clearInterval(this.timer);
    return this.microseconds / this.pieces / 1000;
  }

  /** The account is the whole process's, which does next to nothing else meanwhile. */
  private measure(): void {
    const before = process.cpuUsage();
    work(this.table);
    const { user, system } = process.cpuUsage(before);
    this.microseconds += user + system;
    this.pieces++;
  }
}

/** Steps that depend on each other, through a table as large as a core's own cache. */
function work(table: Uint32Array): void {
  let at = table[0]!;
  for (let i = 0; i < PIECE_STEPS; i++) at = table[(at ^ i) & (TABLE_SIZE - 1)]!;
  table[0] = at;
}
