/**
 * Replaces `fast-check` with `CRAWLWAY_FUZZ_MINUTES` (vitest.config.ts): each property runs for minutes with fresh inputs instead of a fixed
 * number of them. A failure prints its seed and path as always.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';

export * from '../../node_modules/fast-check/lib/fast-check.js';

const LIMIT_MS = Number(process.env['CRAWLWAY_FUZZ_MINUTES'] ?? 1) * 60_000;

type Settings = fc.Parameters<unknown>;

const longer = (settings: Settings = {}): Settings => ({
  ...settings,
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: LIMIT_MS,
  markInterruptAsFailure: false,
  skipAllAfterTimeLimit: undefined,
  seed: undefined,
});

function assert(property: fc.IRawProperty<unknown>, settings?: Settings): void | Promise<void> {
  const began = Date.now();
  let runs = 0;
  const counted = Object.assign(Object.create(property) as fc.IRawProperty<unknown>, {
    run: (value: unknown) => {
      runs++;
      return property.run(value);
    },
  });
  const tell = (): void => console.log(`${runs} inputs in ${Math.round((Date.now() - began) / 1000)} s`);
  const outcome = (fc.assert as (property: unknown, settings: unknown) => void | Promise<void>)(
    counted,
    longer(settings),
  );
  if (outcome instanceof Promise) return outcome.finally(tell);
  tell();
}

function sample<Value>(arbitrary: fc.Arbitrary<Value>, settings?: number | Settings): Value[] {
  const fresh = typeof settings === 'object' ? { ...settings, seed: undefined } : settings;
  return fc.sample(arbitrary, fresh as number);
}

export default { ...fc, assert, sample };
