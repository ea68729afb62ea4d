import { vi } from 'vitest';

/** Waits until there is something, or something is true. On a busy machine this takes long: the only limit is that of the test. */
export const until = <T>(find: () => T | Promise<T>): Promise<Exclude<T, undefined | null | false | 0 | ''>> =>
  vi.waitUntil(find, { interval: 1, timeout: 240_000 }) as never;
