import type { Duplex } from 'node:stream';

/** The reason why a connection was ended. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/**
 * Drivers parse what a server sends without checking it, and a malformed message makes a listener of the connection
 * throw, which would end the program. This guard makes it end only the connection.
 * @param check sees each piece first; what it throws ends the connection as well
 */
export function guardStream(stream: Duplex, check: (piece: Uint8Array) => void): void {
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
