import { getPriority, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

const MAX_NICENESS = 19;

/**
 * Gives the other threads of the process precedence over the calling thread when all of them need the processor. Only
 * Linux has thread priorities; elsewhere the call would affect the whole process, so nothing is done.
 * @param steps how much the thread's niceness increases: at 10, it gets a tenth of the share of a thread with niceness
 * 0.
 */
export function lowerPriority(steps: number): void {
  if (process.platform === 'linux') setPriority(0, Math.min(MAX_NICENESS, getPriority(0) + steps));
}

/**
 * Makes V8 apply the `resourceLimits` of threads that are started from now on. The flags for the main thread's heap would
 * take precedence over them. That heap has its limits by now, so the flags are reset (0 means not given).
 */
export const enforceThreadHeapLimits = (): void => setFlagsFromString('--max-semi-space-size=0 --max-old-space-size=0');
