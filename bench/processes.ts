/** Starts and stops the child processes of a benchmark, and measures them by the operating system's accounting. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { refuseStaleBuild } from '../test/support/crawlway-command.js';

refuseStaleBuild();

const TICKS_PER_SECOND = 100;

/** The flags and variables that scripts/launch.mjs sets for every process of the server. */
export const RUNTIME_FLAGS = [
  '--max-semi-space-size=8',
  '--max-old-space-size=1536',
  '--disable-warning=ExperimentalWarning',
];
export const RUNTIME_ENV = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  UV_THREADPOOL_SIZE: '32',
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../.compile-cache', import.meta.url)),
};

export interface Usage {
  /** User and system time of all threads, in seconds. */
  readonly cpu: number;
  /** Largest resident set so far, in MB. */
  readonly peakMb: number;
}

const started = new Set<ChildProcess>();
// A benchmark that fails would otherwise leave them running, on ports that the next one needs.
process.once('exit', () => {
  for (const child of started) child.kill();
});

/**
 * Starts a program of dist/ and resolves when it has printed a line that matches.
 * @param cores those on which it may run, as `taskset` names them, for example `0,1`
 */
export async function startProgram(
  file: string,
  args: readonly string[],
  readyPattern: RegExp,
  flags: readonly string[] = [],
  cores?: string,
): Promise<ChildProcess> {
  const env = { ...RUNTIME_ENV, ...process.env };
  const pinned = cores === undefined ? [] : ['taskset', '-c', cores];
  const [command, ...commandArgs] = [...pinned, process.execPath, ...flags, file, ...args];
  const child = spawn(command!, commandArgs, { stdio: ['ignore', 'pipe', 'inherit'], env });
  started.add(child);
  const lines = createInterface({ input: child.stdout! });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (readyPattern.test(line)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`${file} exited with code ${code} before it was ready`)));
  });
  return child;
}

/** What a process has used so far, read from /proc; undefined if the system has no /proc. */
export function readUsage(child: ChildProcess): Usage | undefined {
  const stat = readStat(`${child.pid}`);
  if (!stat) return undefined;
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
  return { cpu: stat.cpu, peakMb: Number(peak) / 1024 };
}

export interface ThreadUsage {
  /** At most 15 bytes of the thread's name. */
  readonly name: string;
  /** User and system time, in seconds. */
  readonly cpu: number;
}

/** What each thread of a process that still runs has used so far; the first one is the main thread. */
export const readThreads = ({ pid }: ChildProcess): ThreadUsage[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) => readStat(`${pid}/task/${thread}`) ?? []);

/** For how long the main thread of a process has worked and waited for a core, in seconds. */
export function readMainThread({ pid }: ChildProcess): { readonly worked: number; readonly waited: number } {
  const [worked = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { worked: worked / 1e9, waited: waited / 1e9 };
}

/**
 * Watches a process and all processes that it starts, with a sample every quarter of a second. What a process does
 * after the last sample is not counted.
 */
export class ProcessTree {
  private readonly seconds = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;
  /** Resident memory of the process itself, and the unshared resident memory of the others, in MB. */
  memory: { readonly own: number; readonly others: number } = { own: 0, others: 0 };

  constructor(private readonly root: number) {
    this.timer = setInterval(() => this.sample(), 250);
  }

  /** Processor seconds of all these processes, including those that have ended. */
  get cpu(): number {
    return [...this.seconds.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  sample(): void {
    const stats = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(name) ?? []) : []));
    const treePids = new Set([this.root]);
    for (let size = 0; size < treePids.size; ) {
      size = treePids.size;
      for (const { pid, parent } of stats) if (treePids.has(parent)) treePids.add(pid);
    }
    let [own, others] = [0, 0];
    for (const { pid, startedAt, cpu } of stats) {
      if (!treePids.has(pid)) continue;
      this.seconds.set(`${pid} ${startedAt}`, cpu);
      if (pid === this.root) own = readResidentMb(pid).all;
      else others += readResidentMb(pid).unshared;
    }
    this.memory = { own, others };
  }
}

interface Stat extends ThreadUsage {
  readonly pid: number;
  readonly parent: number;
  readonly startedAt: string;
}

/** @param task a process, or `PID/task/THREAD` */
function readStat(task: string): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${task}/stat`, 'utf8');
    const [start, end] = [stat.indexOf('('), stat.lastIndexOf(')')];
    const fields = stat.slice(end + 2).split(' ');
    return {
      name: stat.slice(start + 1, end),
      pid: Number.parseInt(stat, 10),
      parent: Number(fields[1]),
      startedAt: fields[19]!,
      cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined; // it has ended
  }
}

/** Resident memory of a process, and the part of it that belongs to no file, in MB (proc_pid_statm(5)); zero once it has ended. */
export function readResidentMb(pid: number): { readonly all: number; readonly unshared: number } {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
    return { all: resident / 256, unshared: (resident - shared) / 256 };
  } catch {
    return { all: 0, unshared: 0 };
  }
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
