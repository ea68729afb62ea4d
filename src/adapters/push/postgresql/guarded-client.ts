import type { Duplex } from 'node:stream';
import pg from 'pg';
import { BufferReader } from 'pg-protocol/dist/buffer-reader.js';
import { guardStream } from '../guarded-stream.js';

/**
 * Maximum size of one response; a page of a listing takes a thousandth of it. The driver would accept two gigabytes.
 */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The driver's reader. Beyond the end of a message it would read empty strings, so a truncated error message would make
 * it loop forever.
 */
interface Reading {
  readonly offset: number;
  readonly buffer: Buffer;
  string(length: number): string;
}

const reader = BufferReader.prototype as unknown as Reading;
const { string: unchecked } = reader;
reader.string = function (this: Reading, length) {
  if (this.offset + length > this.buffer.length) throw new RangeError('a truncated message');
  return unchecked.call(this, length);
};

/** Missing from the driver's types. */
interface Listening {
  attachListeners(stream: Duplex): void;
}

/** Whatever the server sends, the worst that can happen is that the connection ends. */
export class GuardedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const connection = this.connection as pg.Connection & Listening;
    const attach = connection.attachListeners.bind(connection);
    let received = 0;
    connection.on('readyForQuery', () => {
      received = 0;
    });
    connection.attachListeners = (stream) => {
      guardStream(stream, (piece) => {
        received += piece.length;
        if (received > MOST_BYTES) throw new RangeError(`a response of more than ${MOST_BYTES} bytes`);
      });
      attach(stream);
    };
  }
}
