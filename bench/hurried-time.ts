/**
 * `node --import …/hurried-time.js`: lets time pass CRAWLWAY_BENCH_PACE times faster for a program and all its threads: what
 * it reads from clocks, and what it waits for. What Node and the system count by themselves keeps its pace: sockets,
 * `AbortSignal.timeout`, certificates.
 */
import { performance } from 'node:perf_hooks';

const pace = Number(process.env['CRAWLWAY_BENCH_PACE'] ?? 1);

function hurry(): void {
  const wall = Date.now;
  const elapsed = performance.now.bind(performance);
  const [begun, origin] = [wall(), elapsed()];
  Date.now = () => Math.floor(begun + (wall() - begun) * pace);
  performance.now = () => origin + (elapsed() - origin) * pace;
  const { setTimeout: timeout, setInterval: interval } = globalThis;
  // Everything else that a timer function has, as promisify's own key, stays with it.
  globalThis.setTimeout = Object.assign(
    (action: () => void, ms = 0, ...rest: []) => timeout(action, ms / pace, ...rest),
    timeout,
  );
  globalThis.setInterval = Object.assign(
    (action: () => void, ms = 0, ...rest: []) => interval(action, ms / pace, ...rest),
    interval,
  );
}

if (pace !== 1) hurry();
