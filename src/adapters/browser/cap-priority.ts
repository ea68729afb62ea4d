import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

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
