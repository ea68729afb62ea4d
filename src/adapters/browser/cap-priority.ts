import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Takes back the priority that another process has given itself: no thread of it keeps a lower niceness than the given
 * one. When run by root, Chromium puts its main threads ahead of all other programs (niceness -8). Does nothing if the
 * process has ended, or outside Linux.
 */
export function capPriority(pid: number, niceness: number): void {
  if (process.platform !== 'linux') return;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`).map(Number))
      if (getPriority(thread) < niceness) setPriority(thread, niceness);
  } catch {
    // It has ended in the meantime, or belongs to another user.
  }
}
