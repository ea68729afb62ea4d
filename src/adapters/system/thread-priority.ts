import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const LOWEST = 19;

/**
 * Gives the other threads of the process precedence over the calling one when all need the processor. Only Linux has priorities of
 * threads; elsewhere the call would affect the whole process, and nothing is done.
 * @param steps by how much its niceness rises: with 10 it gets a tenth of the share of a thread without niceness.
 */
export function lowerPriority(steps: number): void {
  if (process.platform === 'linux') setPriority(0, Math.min(LOWEST, getPriority(0) + steps));
}

/**
 * Takes back the priority that another process has given itself: none of its threads keeps a lower niceness than this. Chromium, run by
 * root, puts its main threads before all other programs (niceness -8). Does nothing for a process that has ended, and outside Linux.
 */
export function capPriority(pid: number, niceness: number): void {
  if (process.platform !== 'linux') return;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`).map(Number))
      if (getPriority(thread) < niceness) setPriority(thread, niceness);
  } catch {
    // It has ended meanwhile, or belongs to another user.
  }
}
