import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Call, type Executor, type Reply, readReply, type StoreThreadData } from './thread-protocol.js';

/** Maximum number of batches in flight: when the thread finishes one, it already has the next one. */
const MAX_BATCHES_IN_FLIGHT = 2;

/** Heap limits of the thread; a larger young generation would cost memory without saving time. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 1_024 };

/** Delivers a result, now or later, in the order of the calls. */
export type HandOut = (deliver: () => void) => void;

const handOutAtOnce: HandOut = (deliver) => deliver();

interface PendingCall {
  readonly call: Call;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The calling side of a store thread. Calls are carried out in order; waiting calls are sent together as one batch.
 */
export class StoreThread implements Executor {
  readonly #worker: Worker;
  readonly #batchSize: number;
  readonly #pendingCalls: PendingCall[] = [];
  readonly #inFlight: PendingCall[][] = [];
  #endError: Error | undefined;
  #isClosing = false;

  constructor(
    entry: URL,
    data: StoreThreadData,
    batchSize: number,
    private readonly handOut: HandOut = handOutAtOnce,
  ) {
    this.#batchSize = batchSize;
    this.#worker = new Worker(entry, {
      workerData: data,
      name: `store ${data.file}`,
      resourceLimits: HEAP_LIMITS,
    });
    this.#worker.on('message', (replies: Reply[]) => this.#onReplies(replies));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error(`The store ${data.file} is closed.`)));
  }

  call(verb: string, ...args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#endError ?? this.#isClosing) {
        reject(this.#endError ?? new Error('The store is being closed.'));
        return;
      }
      this.#pendingCalls.push({ call: { verb, args }, resolve, reject });
      // Sent at the end of the current turn, so that calls made together are sent together.
      if (this.#pendingCalls.length === 1) queueMicrotask(() => this.#sendBatches());
    });
  }

  /** Waits for all calls made so far, then ends the thread. */
  async close(): Promise<void> {
    if (this.#endError) return;
    this.#isClosing = true;
    const exit = once(this.#worker, 'exit');
    if (this.#pendingCalls.length === 0) this.#worker.postMessage('close');
    await exit;
  }

  #sendBatches(): void {
    while (this.#pendingCalls.length > 0 && this.#inFlight.length < MAX_BATCHES_IN_FLIGHT) {
      const batch = this.#pendingCalls.splice(0, this.#batchSize);
      this.#inFlight.push(batch);
      this.#worker.postMessage(batch.map(({ call }) => call));
    }
    if (this.#isClosing && this.#pendingCalls.length === 0) this.#worker.postMessage('close');
  }

  #onReplies(replies: readonly Reply[]): void {
    const batch = this.#inFlight.shift() ?? [];
    this.#sendBatches();
    // Together, because calls that follow from them then also travel together.
    this.handOut(() => {
      for (const [index, call] of batch.entries()) settle(call, replies[index]!);
    });
  }

  #fail(error: Error): void {
    this.#endError ??= error;
    const lostCalls = [...this.#inFlight.splice(0).flat(), ...this.#pendingCalls.splice(0)];
    for (const { reject } of lostCalls) reject(this.#endError);
  }
}

function settle({ resolve, reject }: PendingCall, reply: Reply): void {
  try {
    resolve(readReply(reply));
  } catch (error) {
    reject(error as Error);
  }
}
