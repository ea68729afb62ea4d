import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 observe the `resourceLimits` of threads that are started from now on. It prefers `--max-semi-space-size` to them,
 * which is meant for the main thread alone. That thread's heap has its limits by now, so the flag is withdrawn (0: not given).
 */
export const observeThreadLimits = (): void => setFlagsFromString('--max-semi-space-size=0');
