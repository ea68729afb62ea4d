/**
 * Measures how fast the machine currently is. On shared machines, the same work can take up to half more processor time
 * from one minute to the next, because of other programs on the same cores. A small piece of work that is repeated
 * during a benchmark is slowed down as well: processor time divided by the yardstick, and pages per second multiplied
 * by it, vary about half as much as the bare figures.
 */

const PIECE_STEPS = 150_000;
/** Pause between two pieces of work of about a millisecond each, which take 3 % of a core. */
const PAUSE_MS = 30;
const TABLE_SIZE = 1 << 16;

export class Yardstick {
  private readonly table = Uint32Array.from({ length: TABLE_SIZE }, (_, i) => Math.imul(i, 40_503) & (TABLE_SIZE - 1));
  private microseconds = 0;
  private pieces = 0;
  private readonly timer = setInterval(() => this.measure(), PAUSE_MS).unref();

  /** Stops the measurement, and returns the mean processor milliseconds per piece of work. */
  end(): number {
    clearInterval(this.timer);
    return this.microseconds / this.pieces / 1000;
  }

  /** Measures the processor time of the whole process, which does almost nothing else in the meantime. */
  private measure(): void {
    const before = process.cpuUsage();
    runPiece(this.table);
    const { user, system } = process.cpuUsage(before);
    this.microseconds += user + system;
    this.pieces++;
  }
}

/** Steps that depend on each other, through a table that is about as large as a core's own cache. */
function runPiece(table: Uint32Array): void {
  let index = table[0]!;
  for (let i = 0; i < PIECE_STEPS; i++) index = table[(index ^ i) & (TABLE_SIZE - 1)]!;
  table[0] = index;
}
