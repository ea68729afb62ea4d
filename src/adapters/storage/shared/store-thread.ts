import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Call, deserializeError, type Reply, type StoreThreadData, type Verbs } from './thread-protocol.js';

/** Number of batches in flight at the same time, so that the thread already has the next one when it finishes one. */
const BATCHES_UNDER_WAY = 2;

/** More would cost memory and save no time. */
const HEAP = { maxYoungGenerationSizeMb: 24 };

interface Waiting {
  readonly call: Call;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The calling side of a store thread. Calls get their results in order; waiting calls are sent together as one batch.
 */
export class StoreThread<Offered extends Verbs> {
  readonly #worker: Worker;
  readonly #batchSize: number;
  readonly #waiting: Waiting[] = [];
  readonly #underWay: Waiting[][] = [];
  #ended: Error | undefined;
  #closing = false;

  constructor(entry: URL, data: StoreThreadData, batchSize: number) {
    this.#batchSize = batchSize;
    this.#worker = new Worker(entry, {
      workerData: data,
      name: `store ${data.file}`,
      resourceLimits: HEAP,
    });
    this.#worker.on('message', (replies: Reply[]) => this.#onReplies(replies));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error(`The store ${data.file} is closed.`)));
  }

  call<Verb extends keyof Offered & string>(
    verb: Verb,
    ...args: Parameters<Offered[Verb]>
  ): Promise<ReturnType<Offered[Verb]>> {
    return new Promise((resolve, reject) => {
      if (this.#ended ?? this.#closing) {
        reject(this.#ended ?? new Error('The store is being closed.'));
        return;
      }
      this.#waiting.push({ call: { verb, args }, resolve: resolve as (value: unknown) => void, reject });
      // After the current turn, so that calls made together are sent together.
      if (this.#waiting.length === 1) queueMicrotask(() => this.#send());
    });
  }

  /** Waits for all calls made so far, then ends the thread. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#closing = true;
    const exit = once(this.#worker, 'exit');
    if (this.#waiting.length === 0) this.#worker.postMessage('close');
    await exit;
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#underWay.length < BATCHES_UNDER_WAY) {
      const batch = this.#waiting.splice(0, this.#batchSize);
      this.#underWay.push(batch);
      this.#worker.postMessage(batch.map(({ call }) => call));
    }
    if (this.#closing && this.#waiting.length === 0) this.#worker.postMessage('close');
  }

  #onReplies(replies: readonly Reply[]): void {
    const batch = this.#underWay.shift() ?? [];
    this.#send();
    batch.forEach(({ resolve, reject }, index) => {
      const reply = replies[index]!;
      if ('error' in reply) reject(deserializeError(reply.error));
      else resolve(reply.value);
    });
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    const lost = [...this.#underWay.splice(0).flat(), ...this.#waiting.splice(0)];
    for (const { reject } of lost) reject(this.#ended);
  }
}
