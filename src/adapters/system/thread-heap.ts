import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 apply the `resourceLimits` of threads that are started from now on. The flag `--max-semi-space-size`, which
 * is meant only for the main thread, would take precedence over them. The main thread's heap has its limits by now, so
 * the flag is reset (0 means not given).
 */
export const enforceThreadHeapLimits = (): void => setFlagsFromString('--max-semi-space-size=0');
