/**
 * Long work on long lists, such as 100,000 server records, that can stop after each part, so that the thread that does
 * it can answer others in between. Short lists are done in one go.
 */

/** Work that yields where it can be interrupted, and returns its result. */
export type Steps<T> = Generator<void, T, void>;

/** Number of items that are dealt with between two interruptions: a few milliseconds of work. */
export const ITEMS_PER_STEP = 1_000;

/** Does all of the work at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** @param pause resolves when the work may go on */
export async function runWithPauses<T>(steps: Steps<T>, pause: () => Promise<unknown>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

/** Visits the items, with an interruption before each thousandth. */
export function* forEachInSteps<T>(items: Iterable<T>, visit: (item: T) => void): Steps<void> {
  let count = 0;
  for (const item of items) {
    if (++count % ITEMS_PER_STEP === 0) yield;
    visit(item);
  }
}

export function* flatMapInSteps<T, R>(items: Iterable<T>, map: (item: T) => readonly R[]): Steps<R[]> {
  const results: R[] = [];
  yield* forEachInSteps(items, (item) => {
    for (const result of map(item)) results.push(result);
  });
  return results;
}

/** The texts in the order of their characters, like `sort` without a function. */
export function* sortInSteps(texts: readonly string[]): Steps<string[]> {
  let runs: string[][] = [];
  for (let start = 0; start === 0 || start < texts.length; start += ITEMS_PER_STEP) {
    if (start > 0) yield;
    runs.push(texts.slice(start, start + ITEMS_PER_STEP).sort());
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* mergeInSteps(runs[i] ?? [], runs[i + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeInSteps(left: readonly string[], right: readonly string[]): Steps<string[]> {
  const merged: string[] = [];
  for (let l = 0, r = 0; merged.length < left.length + right.length; ) {
    const a = left[l];
    const b = right[r];
    if (b === undefined || (a !== undefined && a <= b)) {
      merged.push(a as string);
      l++;
    } else {
      merged.push(b);
      r++;
    }
    if (merged.length % (10 * ITEMS_PER_STEP) === 0) yield;
  }
  return merged;
}

/**
 * Writes what `JSON.stringify(value, replacer)` returns, with interruptions in long lists that are the value itself or
 * parts of objects in it.
 */
export function* writeJsonInSteps(
  value: unknown,
  write: (text: string) => void,
  replacer: (this: Record<string, unknown>, key: string, value: unknown) => unknown,
  key = '',
): Steps<void> {
  if (Array.isArray(value) && value.length > ITEMS_PER_STEP) {
    let separator = '[';
    yield* forEachInSteps(value, (item) => {
      write(`${separator}${JSON.stringify([item], replacer).slice(1, -1)}`);
      separator = ',';
    });
    write(']');
  } else if (Object.getPrototypeOf(value ?? 0) === Object.prototype) {
    let separator = '{';
    for (const [name, part] of Object.entries(value as Record<string, unknown>)) {
      if (part === undefined || replacer.call(value as Record<string, unknown>, name, part) === undefined) continue;
      write(`${separator}${JSON.stringify(name)}:`);
      separator = ',';
      yield* writeJsonInSteps(part, write, replacer, name);
    }
    write(separator === '{' ? '{}' : '}');
  } else {
    const text = JSON.stringify({ [key]: value }, replacer);
    write(text.slice(JSON.stringify(key).length + 2, -1));
  }
}
