/** The messages between the threads of the SQLite store. */
import { StoreDamaged, StoreUnavailable } from '../../../engine/ports/frontier-store.js';

export interface Call {
  readonly verb: string;
  readonly args: readonly unknown[];
}

export type Reply = { readonly value: unknown } | { readonly error: CrossingError };

/** Error classes do not survive the transfer between threads, so errors are identified by name. */
interface CrossingError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

export interface StoreThreadData {
  readonly file: string;
  /** Whether this reader checkpoints; only one does. */
  readonly checkpoints?: boolean;
}

/** An object of functions that one thread offers to another. */
export type Verbs = Readonly<Record<string, (...args: never[]) => unknown>>;

export const perform = (verbs: Verbs, { verb, args }: Call): unknown => verbs[verb]!(...(args as never[]));

export function serializeError(error: unknown): CrossingError {
  if (error instanceof Error) return { name: error.name, message: error.message, stack: error.stack };
  return { name: 'Error', message: String(error) };
}

export function deserializeError({ name, message, stack }: CrossingError): Error {
  if (name === 'StoreUnavailable') return new StoreUnavailable(message);
  if (name === 'StoreDamaged') return new StoreDamaged(message);
  const error = new Error(message);
  error.stack = stack ?? error.stack;
  return error;
}
