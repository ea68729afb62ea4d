import type { Duplex } from 'node:stream';

/** The error with which a guarded connection ends if the server's response is malformed or too large. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/**
 * Prevents a malformed message from ending the program: drivers parse what a server sends without checking it, and
 * their listeners throw. With this guard, only the connection ends.
 * @param check is called with each piece first; an error that it throws also ends the connection
 */
export function guardStream(stream: Duplex, check: (chunk: Uint8Array) => void): void {
  const emit = stream.emit.bind(stream);
  stream.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    if (event !== 'data') return emit(event, ...values);
    try {
      check(values[0] as Uint8Array);
      return emit(event, ...values);
    } catch (error) {
      stream.destroy(new UnreadableAnswer(`the server's response cannot be read: ${(error as Error).message}`));
      return true;
    }
  };
}
