/** How much larger the large input is. */
const FACTOR = 4;
/**
 * 2.6 times for each doubling. Linear time would be 4, a power of 3/2 is 8, quadratic time is 16. Trees that no longer fit into the
 * caches of a busy processor have taken 6 times as long.
 */
const MOST_GROWTH = 2.6 ** 2;
/** The clock of the processor time ticks every 4 ms or so: shorter times mean nothing. */
const LEAST_MS = 40;
const MOST_MS = 600;
const LEAST_ROUNDS = 8;
/** What takes this long at the large size is not slow, whatever it grows like. */
const NEGLIGIBLE_MS = 3;

/** How often the large input is read in one measurement, if it took this long once. */
const countRuns = (onceMs: number): number => Math.ceil(LEAST_MS / Math.max(onceMs, NEGLIGIBLE_MS));

/**
 * Both sizes, measured in turns. The least of several times counts: whatever else the machine does can only make one longer, also
 * the processor time of this thread, which shares caches and the collector of garbage.
 */
class Comparison {
  private smallMs = Number.POSITIVE_INFINITY;
  private largeMs = Number.POSITIVE_INFINITY;
  private spentMs = 0;
  private rounds = 0;

  /** @param smallMs for as much input in all as the large one */
  add(smallMs: number, largeMs: number): void {
    this.smallMs = Math.min(this.smallMs, smallMs);
    this.largeMs = Math.min(this.largeMs, largeMs);
    this.spentMs += largeMs;
    this.rounds++;
  }

  get growth(): number {
    return (FACTOR * this.largeMs) / this.smallMs;
  }

  /** As soon as the growth is small enough, or after long enough if it is not. */
  get isDecided(): boolean {
    if (this.rounds === 0) return false;
    return this.growth <= MOST_GROWTH || (this.spentMs >= MOST_MS && this.rounds >= LEAST_ROUNDS);
  }
}

/**
 * The names of the inputs that take more than linear time. Only the processor time of this thread counts; if `work` waits for a server
 * in it, both sides do: what is linear together is linear.
 */
export async function findSuperlinear<T>(
  inputs: Readonly<Record<string, (size: number) => T>>,
  work: (input: T) => unknown,
  size: number,
): Promise<string[]> {
  const slow: string[] = [];
  for (const [name, create] of Object.entries(inputs)) {
    const growth = await measureGrowth(create(size), create(FACTOR * size), work);
    if (growth <= MOST_GROWTH) continue;
    // A single step is something else: what fits into the young generation of the heap is never copied, and what does not is.
    const next = await measureGrowth(create(FACTOR * size), create(FACTOR ** 2 * size), work);
    if (next > MOST_GROWTH) slow.push(`${name}: ${growth.toFixed(1)} times, then ${next.toFixed(1)} times`);
  }
  return slow;
}

async function measureGrowth<T>(small: T, large: T, work: (input: T) => unknown): Promise<number> {
  const measure = async (input: T, runs: number): Promise<number> => {
    const before = process.threadCpuUsage();
    for (let run = 0; run < runs; run++) {
      const done = work(input);
      if (done instanceof Promise) await done;
    }
    return getMsSince(before);
  };
  await work(small);
  const runs = countRuns(await measure(large, 1));
  if ((await measure(large, runs)) < runs * NEGLIGIBLE_MS) return 0;
  const comparison = new Comparison();
  while (!comparison.isDecided) comparison.add(await measure(small, FACTOR * runs), await measure(large, runs));
  return comparison.growth;
}

function getMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
