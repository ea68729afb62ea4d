/**
 * `node --import …/hurried-time.js`: lets time pass CRAWLWAY_BENCH_PACE times faster for a program and all its threads: what
 * it reads from clocks, and what it waits for. What Node and the system count by themselves, as the timeouts of idle sockets,
 * keeps its pace.
 */
import { performance } from 'node:perf_hooks';

const pace = Number(process.env['CRAWLWAY_BENCH_PACE'] ?? 1);
/** Since when time is in a hurry, so that threads which begin later read the same clock. */
const since = Number(process.env['CRAWLWAY_BENCH_SINCE'] ?? Date.now());

function hurry(): void {
  const wall = Date.now;
  const elapsed = performance.now.bind(performance);
  Date.now = () => Math.floor(since + (wall() - since) * pace);
  performance.now = () => elapsed() * pace;
  const { setTimeout: timeout, setInterval: interval } = globalThis;
  const limit = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => limit(Math.ceil(ms / pace));
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
