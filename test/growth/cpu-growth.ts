/** How much larger the large input is. */
const FACTOR = 4;
/** 2.3 times for each doubling. Linear time would be 4, quadratic time is 16. */
const MOST_GROWTH = 2.3 ** 2;
/** The clock of the processor time ticks every 4 ms or so: shorter times mean nothing, and their sum is exact enough. */
const LEAST_MS = 40;
const MOST_MS = 600;
/** What takes this long at the large size is not slow, whatever it grows like. */
const NEGLIGIBLE_MS = 3;
const NEGLIGIBLE_ROUNDS = 6;

function measureCpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * The names of the inputs that take more than linear time. Only the processor time of this thread counts, and both sizes are
 * measured in turns, so that the rest of the machine has no part in it.
 */
export function findSuperlinear<T>(
  inputs: Readonly<Record<string, (size: number) => T>>,
  work: (input: T) => void,
  size: number,
): string[] {
  return Object.entries(inputs).flatMap(([name, create]) => {
    const growth = measureGrowth(create(size), create(FACTOR * size), work);
    return growth > MOST_GROWTH ? [`${name}: ${growth.toFixed(1)} times`] : [];
  });
}

/** Returns the growth as soon as it is small enough, or after long enough if it is not. */
function measureGrowth<T>(small: T, large: T, work: (input: T) => void): number {
  work(small);
  let [smallMs, largeMs] = [0, 0];
  for (let round = 1; largeMs < MOST_MS; round++) {
    smallMs += measureCpuMs(() => {
      for (let run = 0; run < FACTOR; run++) work(small);
    });
    largeMs += measureCpuMs(() => work(large));
    if (round >= NEGLIGIBLE_ROUNDS && largeMs / round < NEGLIGIBLE_MS) return 0;
    if (largeMs >= LEAST_MS && FACTOR * largeMs <= MOST_GROWTH * smallMs) break;
  }
  return (FACTOR * largeMs) / smallMs;
}

/** The same for work that waits, also for a server in this thread. Both sides count: what is linear together is linear. */
export async function findSuperlinearAnswers(
  inputs: Readonly<Record<string, (size: number) => string>>,
  work: (input: string) => Promise<unknown>,
  size: number,
): Promise<string[]> {
  const slow: string[] = [];
  for (const [name, create] of Object.entries(inputs)) {
    const [small, large] = [create(size), create(FACTOR * size)];
    await work(small);
    let [smallMs, largeMs] = [0, 0];
    let growth = Number.POSITIVE_INFINITY;
    for (let round = 1; largeMs < MOST_MS && growth > MOST_GROWTH; round++) {
      for (let run = 0; run < FACTOR; run++) smallMs += await measureWaitingMs(() => work(small));
      largeMs += await measureWaitingMs(() => work(large));
      if (round >= NEGLIGIBLE_ROUNDS && largeMs / round < NEGLIGIBLE_MS) growth = 0;
      else if (largeMs >= LEAST_MS) growth = (FACTOR * largeMs) / smallMs;
    }
    if (growth > MOST_GROWTH) slow.push(`${name}: ${growth.toFixed(1)} times`);
  }
  return slow;
}

async function measureWaitingMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
