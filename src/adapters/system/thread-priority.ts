import { getPriority, setPriority } from 'node:os';

const LOWEST = 19;

/**
 * Lets the calling thread give way to the other threads of the process where all want the processor. Only Linux has
 * priorities of threads; elsewhere the call would speak of the whole process, and nothing is done.
 *
 * @param steps by how much its niceness rises: with 10 it gets a tenth of what a thread beside it gets that has none.
 */
export function giveWay(steps: number): void {
  if (process.platform === 'linux') setPriority(0, Math.min(LOWEST, getPriority(0) + steps));
}
