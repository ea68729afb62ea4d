/** Child processes of a benchmark: started, watched through the operating system's own accounting, stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const TICKS_PER_SECOND = 100;

/** What scripts/launch.mjs gives every process of the server. */
export const RUNTIME_FLAGS = [
  '--max-semi-space-size=8',
  '--max-old-space-size=1024',
  '--heap-growing-percent=100',
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

/** Starts a program of dist/ and resolves when it has printed a line that matches. */
export async function startProgram(
  file: string,
  args: readonly string[],
  ready: RegExp,
  flags: readonly string[] = [],
): Promise<ChildProcess> {
  const env = { ...RUNTIME_ENV, ...process.env };
  const child = spawn(process.execPath, [...flags, file, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const lines = createInterface({ input: child.stdout! });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (ready.test(line)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it was ready`)));
  });
  return child;
}

/** What a process has used so far; undefined where the system does not tell (it is read from /proc). */
export function usageOf(child: ChildProcess): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
    return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, peakMb: Number(peak) / 1024 };
  } catch {
    return undefined;
  }
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
