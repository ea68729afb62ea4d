/** The messages between the threads of the SQLite store. */
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
export type Verbs = Readonly<Record<string, (...args: never[]) => unknown>>;

export const performCall = (verbs: Verbs, { verb, args }: Call): unknown => verbs[verb]!(...(args as never[]));

export function serializeError(error: unknown): SerializedError {
  if (error instanceof Error) return { name: error.name, message: error.message, stack: error.stack };
  return { name: 'Error', message: String(error) };
}

export function deserializeError({ name, message, stack }: SerializedError): Error {
  if (name === 'StoreUnavailable') return new StoreUnavailable(message);
  if (name === 'StoreDamaged') return new StoreDamaged(message);
  const error = new Error(message);
  error.stack = stack ?? error.stack;
  return error;
}
