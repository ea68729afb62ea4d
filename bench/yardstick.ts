/**
 * How fast the machine is just now. On shared machines the same work takes up to half more processor time from one minute to the
 * next, because of what the neighbours of a core do; a thread that does the same small piece of work all the while feels it too.
 * Processor time divided by the yardstick, and pages a second multiplied by it, mostly vary by 2 % where the bare figures vary by 20.
 */
import { setTimeout } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const PIECE_STEPS = 400_000;
/** Between two pieces of about a millisecond: 3 % of a core. */
const PAUSE_MS = 30;
const TABLE_SIZE = 1 << 16;

export class Yardstick {
  private constructor(private readonly thread: Worker) {}

  static begin(): Yardstick {
    const thread = new Worker(new URL(import.meta.url));
    thread.unref(); // a benchmark that fails ends nevertheless
    return new Yardstick(thread);
  }

  /** Processor milliseconds that one piece of work took, on average since `begin`. */
  async end(): Promise<number> {
    const mean = new Promise<number>((resolve) => this.thread.once('message', resolve));
    this.thread.ref();
    this.thread.postMessage('end');
    return mean;
  }
}

/** Steps that depend on each other, through a table as large as a core's own cache. */
function piece(table: Uint32Array): void {
  let at = table[0]!;
  for (let i = 0; i < PIECE_STEPS; i++) at = table[(at ^ i) & (TABLE_SIZE - 1)]!;
  table[0] = at;
}

async function measure(): Promise<void> {
  const table = Uint32Array.from({ length: TABLE_SIZE }, (_, i) => Math.imul(i, 40_503) & (TABLE_SIZE - 1));
  let ended = false;
  parentPort!.once('message', () => {
    ended = true;
  });
  let microseconds = 0;
  let pieces = 0;
  while (!ended || pieces === 0) {
    await setTimeout(PAUSE_MS);
    const before = process.threadCpuUsage();
    piece(table);
    const { user, system } = process.threadCpuUsage(before);
    microseconds += user + system;
    pieces++;
  }
  parentPort!.postMessage(microseconds / pieces / 1000);
}

if (!isMainThread) await measure();
