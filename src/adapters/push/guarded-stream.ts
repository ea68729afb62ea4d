import type { Duplex } from 'node:stream';

/** Why a connection was ended. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/**
 * Drivers read what a server sends without checking it. A malformed message then throws in a listener of the connection, which
 * would end the program: here it ends the connection.
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
      stream.destroy(new UnreadableAnswer(`the response of the server cannot be read: ${(error as Error).message}`));
      return true;
    }
  };
}
