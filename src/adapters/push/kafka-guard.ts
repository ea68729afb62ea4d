/**
 * Checks the addresses of Kafka brokers and the data that they send. The Kafka client opens its connections itself,
 * including those to brokers that other brokers name later, but it publishes each connection on a diagnostics channel
 * before any data arrives.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { ForbiddenAddress, isAllowedAddress } from './endpoint.js';
import { guardStream, UnreadableAnswer } from './guarded-stream.js';

const CHANNEL = 'tracing:plt:kafka:connections:connects:end';
/** Maximum length of a response. Responses to a producer are small: they contain topics, brokers and offsets. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** Every response begins with its length in four bytes, followed by at least the number of its request. */
const LENGTH_BYTES = 4;
const MIN_RESPONSE_BYTES = 4;

/** The `context` of a producer, which determines where it may connect. */
export class KafkaGuard {
  private readonly abortController = new AbortController();

  constructor(readonly allowedAddresses: readonly string[]) {}

  /**
   * Aborts, with an Error as its reason, when a connection has to end: the client might otherwise wait for a response
   * indefinitely, or connect again and again.
   */
  get endSignal(): AbortSignal {
    return this.abortController.signal;
  }

  end(reason: Error): void {
    this.abortController.abort(reason);
  }

  guardSocket(socket: Socket): void {
    socket.prependOnceListener('connect', () => {
      const { remoteAddress = '' } = socket;
      if (isAllowedAddress(remoteAddress, this.allowedAddresses)) return;
      socket.destroy(new ForbiddenAddress(remoteAddress, [remoteAddress]));
    });
    guardStream(socket, createLengthCheck());
    socket.once('error', (error) => {
      if (error instanceof ForbiddenAddress || error instanceof UnreadableAnswer) this.end(error);
    });
  }
}

/** Returns a function that throws if a response in the received data has an impossible length. */
function createLengthCheck(): (chunk: Uint8Array) => void {
  let remainingBytes = 0;
  let length = 0;
  let lengthBytesRead = 0;
  return (chunk) => {
    for (let offset = 0; offset < chunk.length; ) {
      if (remainingBytes > 0) {
        const byteCount = Math.min(remainingBytes, chunk.length - offset);
        remainingBytes -= byteCount;
        offset += byteCount;
        continue;
      }
      length = length * 256 + chunk[offset++]!;
      if (++lengthBytesRead < LENGTH_BYTES) continue;
      if (length < MIN_RESPONSE_BYTES || length > MAX_RESPONSE_BYTES)
        throw new RangeError(`the broker announced a response of ${length} bytes, which is not a valid length`);
      remainingBytes = length;
      length = 0;
      lengthBytesRead = 0;
    }
  };
}

subscribe(CHANNEL, (message) => {
  const { connection } = message as { connection?: { context?: unknown; socket?: Socket } };
  if (connection?.context instanceof KafkaGuard && connection.socket) connection.context.guardSocket(connection.socket);
});
