import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of a process: raises the niceness of each of its threads to at least the given one. When run by
 * root, Chromium gives its main threads priority over all other programs (niceness -8). Does nothing if the process has
 * ended, or on systems other than Linux.
 */
export function capPriority(pid: number, niceness: number): void {
  if (process.platform !== 'linux') return;
  try {
    for (const threadId of readdirSync(`/proc/${pid}/task`).map(Number))
      if (getPriority(threadId) < niceness) setPriority(threadId, niceness);
  } catch {
    // The process has ended in the meantime, or belongs to another user.
  }
}
