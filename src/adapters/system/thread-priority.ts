import { getPriority, setPriority } from 'node:os';

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
