/**
 * The Kafka client opens its connections itself, including those to brokers that other brokers name later. It announces
 * each one on a diagnostics channel before any data arrives, which is where the address, and what brokers send, can be
 * checked.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { ForbiddenAddress, isAllowedAddress } from './endpoint.js';
import { guardStream, UnreadableAnswer } from './guarded-stream.js';

const CHANNEL = 'tracing:plt:kafka:connections:connects:end';
/** Responses to a producer are small: they are about topics, brokers and offsets. */
const LONGEST_ANSWER = 16 * 1024 * 1024;
/** Each response begins with its length, followed by at least the number of its request. */
const LENGTH = 4;
const SHORTEST_ANSWER = 4;

/** The `context` of a producer, which determines where it may connect. */
export class KafkaGuard {
  private readonly end = new AbortController();

  constructor(readonly allowedAddresses: readonly string[]) {}

  /**
   * Aborts, with an Error as its reason, when the guard has ended a connection: the client might otherwise wait for a
   * response indefinitely.
   */
  get endSignal(): AbortSignal {
    return this.end.signal;
  }

  watch(socket: Socket): void {
    socket.prependOnceListener('connect', () => {
      const { remoteAddress = '' } = socket;
      if (isAllowedAddress(remoteAddress, this.allowedAddresses)) return;
      socket.destroy(new ForbiddenAddress(remoteAddress, [remoteAddress]));
    });
    guardStream(socket, createLengthCheck());
    socket.once('error', (error) => {
      if (error instanceof ForbiddenAddress || error instanceof UnreadableAnswer) this.end.abort(error);
    });
  }
}

/** The returned function throws for a response with an impossible length. */
function createLengthCheck(): (piece: Uint8Array) => void {
  let rest = 0;
  let length = 0;
  let bytesOfLength = 0;
  return (piece) => {
    for (let at = 0; at < piece.length; ) {
      if (rest > 0) {
        const taken = Math.min(rest, piece.length - at);
        rest -= taken;
        at += taken;
        continue;
      }
      length = length * 256 + piece[at++]!;
      if (++bytesOfLength < LENGTH) continue;
      if (length < SHORTEST_ANSWER || length > LONGEST_ANSWER)
        throw new RangeError(`the broker announced a response of ${length} bytes`);
      rest = length;
      length = 0;
      bytesOfLength = 0;
    }
  };
}

subscribe(CHANNEL, (message) => {
  const { connection } = message as { connection?: { context?: unknown; socket?: Socket } };
  if (connection?.context instanceof KafkaGuard && connection.socket) connection.context.watch(connection.socket);
});
