/**
 * `node --import …/hurried-time.js`: makes time pass CRAWLWAY_BENCH_PACE times faster for a program and all its
 * threads, in clocks as well as timers. Timeouts inside Node and the operating system, such as those of idle sockets,
 * are not affected.
 */
import { performance } from 'node:perf_hooks';

const pace = Number(process.env['CRAWLWAY_BENCH_PACE'] ?? 1);
/** Since when time passes faster, so that threads that are started later read the same clock. */
const hurriedSince = Number(process.env['CRAWLWAY_BENCH_SINCE'] ?? Date.now());

function speedUpTime(): void {
  const getWallTime = Date.now;
  const getElapsedTime = performance.now.bind(performance);
  Date.now = () => Math.floor(hurriedSince + (getWallTime() - hurriedSince) * pace);
  performance.now = () => getElapsedTime() * pace;
  const { setTimeout: originalSetTimeout, setInterval: originalSetInterval } = globalThis;
  const createTimeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => createTimeout(Math.ceil(ms / pace));
  // The replacements keep the properties of the timer functions, such as the symbol that promisify uses.
  globalThis.setTimeout = Object.assign(
    (action: () => void, ms = 0, ...rest: []) => originalSetTimeout(action, ms / pace, ...rest),
    originalSetTimeout,
  );
  globalThis.setInterval = Object.assign(
    (action: () => void, ms = 0, ...rest: []) => originalSetInterval(action, ms / pace, ...rest),
    originalSetInterval,
  );
}

if (pace !== 1) speedUpTime();
