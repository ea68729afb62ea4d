/** The processes of a browser: their environment, and what they may use of the machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Processor seconds that may be used in one burst after a pause. */
const BURST_S = 5;

/**
 * Limits the average processor time used for rendering: each page waits until the time used by the previous ones is
 * within the share.
 */
export class ProcessorShare {
  private lastTotal: number | undefined;
  private credit: number;
  private updatedAt: number;

  /**
   * @param perSecond processor seconds that may be used per second
   * @param now returns the current time in seconds
   */
  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now() / 1000,
  ) {
    this.credit = perSecond * BURST_S;
    this.updatedAt = now();
  }

  /** `total`: processor seconds used by the processes since they started; less than before if they were replaced. */
  recordUsage(total: number): void {
    if (this.lastTotal !== undefined && total > this.lastTotal) this.credit -= total - this.lastTotal;
    this.lastTotal = total;
  }

  /** Returns the seconds that the next page must wait. */
  computeWaitTime(): number {
    const now = this.now();
    this.credit = Math.min(this.perSecond * BURST_S, this.credit + (now - this.updatedAt) * this.perSecond);
    this.updatedAt = now;
    return this.credit >= 0 ? 0 : -this.credit / this.perSecond;
  }
}

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

/** A browser runs untrusted scripts: keys and passwords in the server's environment must not reach its processes. */
const ALLOWED_VARIABLES =
  /^(?:PATH|HOME|USER|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|FONTCONFIG_\w+|XDG_\w+|CHROME_\w+|SystemRoot|windir|SystemDrive|ProgramFiles(?:\(x86\))?|ProgramData|USERPROFILE|APPDATA|LOCALAPPDATA|PATHEXT|COMSPEC)$/i;

/** Selects the variables that a browser needs to start and to find its fonts and folders. */
export const createBrowserEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => ALLOWED_VARIABLES.test(entry[0]) && entry[1] !== undefined,
    ),
  );

/** Private memory of a process in bytes; 0 if the system does not report it. */
export function readPrivateMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/**
 * A queue that serves several customers in turn, however many items each of them has waiting: one with a single item
 * waits for at most one item of each other.
 */
export class Turns<T> {
  /** Items by customer; the first customer is the next one. */
  private readonly waiting = new Map<string, T[]>();

  push(customer: string, item: T): void {
    const items = this.waiting.get(customer);
    if (items) items.push(item);
    else this.waiting.set(customer, [item]);
  }

  shift(): T | undefined {
    for (const [customer, items] of this.waiting) {
      const item = items.shift();
      this.waiting.delete(customer);
      if (items.length > 0) this.waiting.set(customer, items);
      return item;
    }
    return undefined;
  }
}
