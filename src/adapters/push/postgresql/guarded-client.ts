import type { Duplex } from 'node:stream';
import pg from 'pg';
import { BufferReader } from 'pg-protocol/dist/buffer-reader.js';
import { guardStream } from '../guarded-stream.js';

/**
 * Maximum number of bytes in one response. A page of a listing takes about a thousandth of it, but the driver itself
 * would accept two gigabytes.
 */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/**
 * The driver's reader of messages. Without the check below, it would read empty strings after the end of a message, so
 * a truncated error message would make the driver loop forever.
 */
interface MessageReader {
  readonly offset: number;
  readonly buffer: Buffer;
  string(length: number): string;
}

const reader = BufferReader.prototype as unknown as MessageReader;
const { string: readUnchecked } = reader;
reader.string = function (this: MessageReader, length) {
  if (this.offset + length > this.buffer.length) throw new RangeError('the message is truncated');
  return readUnchecked.call(this, length);
};

/** A method of the connection that is missing from the driver's types. */
interface ListenerTarget {
  attachListeners(stream: Duplex): void;
}

/** Ends only the connection, not the program, if the server sends malformed messages or too much data. */
export class GuardedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const connection = this.connection as pg.Connection & ListenerTarget;
    const attach = connection.attachListeners.bind(connection);
    let receivedBytes = 0;
    connection.on('readyForQuery', () => {
      receivedBytes = 0;
    });
    connection.attachListeners = (stream) => {
      guardStream(stream, (chunk) => {
        receivedBytes += chunk.length;
        if (receivedBytes > MAX_RESPONSE_BYTES) throw new RangeError(`it is longer than ${MAX_RESPONSE_BYTES} bytes`);
      });
      attach(stream);
    };
  }
}
