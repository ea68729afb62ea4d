/** The messages between the threads of the SQLite store. */
import { parentPort } from 'node:worker_threads';
import { StoreDamaged, StoreUnavailable } from '../../../engine/ports/frontier-store.js';

export interface Call {
  readonly verb: string;
  readonly args: readonly unknown[];
}

export type Reply = { readonly value: unknown } | { readonly error: SerializedError };

/** Error classes do not survive the transfer between threads, so errors are identified by name. */
interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

export interface StoreThreadData {
  readonly file: string;
  /** Whether this reader runs checkpoints; only one of them does. */
  readonly runsCheckpoints?: boolean;
}

/** An object of functions that one thread offers to another. */
type Verbs = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Carries out calls of an object of functions, in the order of the calls. */
export interface Executor {
  call(verb: string, ...args: unknown[]): Promise<unknown>;
  /** Waits for all calls made so far. */
  close(): Promise<void>;
}

/** An object of functions as it appears to another thread. */
export type Remote<ThreadVerbs> = {
  readonly [Verb in keyof ThreadVerbs]: ThreadVerbs[Verb] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** Creates an object whose functions are carried out elsewhere. */
export const createRemote = <ThreadVerbs>(executor: Pick<Executor, 'call'>): Remote<ThreadVerbs> =>
  new Proxy({} as Remote<ThreadVerbs>, {
    get:
      (_, verb) =>
      (...args: unknown[]) =>
        executor.call(String(verb), ...args),
  });

export const performCall = (verbs: Verbs, { verb, args }: Call): unknown => verbs[verb]!(...(args as never[]));

/** In a store thread, replies to the batches of calls that it receives, until it is told to close. */
export function serveCalls(runBatch: (calls: readonly Call[]) => Reply[], close: () => void): void {
  parentPort!.on('message', (message: readonly Call[] | 'close') => {
    if (message !== 'close') {
      parentPort!.postMessage(runBatch(message));
      return;
    }
    close();
    parentPort!.close();
  });
}

export function serializeError(error: unknown): SerializedError {
  if (error instanceof Error) return { name: error.name, message: error.message, stack: error.stack };
  return { name: 'Error', message: String(error) };
}

/** @throws the error of the reply */
export function readReply(reply: Reply): unknown {
  if ('error' in reply) throw deserializeError(reply.error);
  return reply.value;
}

function deserializeError({ name, message, stack }: SerializedError): Error {
  if (name === 'StoreUnavailable') return new StoreUnavailable(message);
  if (name === 'StoreDamaged') return new StoreDamaged(message);
  const error = new Error(message);
  error.stack = stack ?? error.stack;
  return error;
}
