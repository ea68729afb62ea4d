/**
 * Collects one response within its limits, whichever parser feeds it. The whole body of a success is needed, only the
 * beginning of an error's, and nothing of a redirect or 304; the rest is read only to keep the connection.
 */
import { decodeBody, decodeHead } from './content-coding.js';
import { FetchFailure } from './fetch-failure.js';

export interface BodyLimits {
  /** In bytes, both as received and as decoded. */
  readonly maxSize: number;
  /** Truncate a body over the limit instead of failing. */
  readonly truncate: boolean;
}

type Wanted = 'whole' | 'head' | 'nothing';

/**
 * Maximum bytes of an unwanted body that are read to avoid opening a new connection, and that are kept of an error's
 * body.
 */
const SMALL_BODY = 64 * 1024;
/** Pieces up to this size are gathered in buffers of GATHERED_SIZE bytes. */
const SMALL_PIECE = 2 * 1024;
const GATHERED_SIZE = 64 * 1024;
const EMPTY = new Uint8Array(0);

export class ResponseReader {
  status = 0;
  headers: Readonly<Record<string, string>> = {};
  /** Bytes of the body received. */
  transferred = 0;
  /** Milliseconds for which decoding blocked the thread. */
  decodingMs = 0;
  private wanted: Wanted = 'nothing';
  private limit = SMALL_BODY;
  private readonly chunks: Uint8Array[] = [];
  /** The last of the chunks, while it has room for more pieces; `inUse` says how much of it is filled. */
  private gathered: Uint8Array | undefined;
  private inUse = 0;

  constructor(private readonly limits: BodyLimits) {}

  /** To be called when the final header has arrived. Throws FetchFailure if the announced body is too large. */
  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
    const success = status >= 200 && status < 300;
    this.wanted = success ? (this.limits.truncate ? 'head' : 'whole') : status >= 400 ? 'head' : 'nothing';
    this.limit = success ? this.limits.maxSize : Math.min(SMALL_BODY, this.limits.maxSize);
    if (this.wanted === 'whole' && Number(headers['content-length']) > this.limit) throw this.createTooLargeFailure();
  }

  /** Adds one piece of the body. Returns false if no more is needed; throws FetchFailure if the body is too large. */
  add(chunk: Uint8Array): boolean {
    this.transferred += chunk.length;
    if (this.wanted !== 'nothing') this.storeChunk(chunk);
    if (this.transferred <= this.limit) return true;
    if (this.wanted === 'whole') throw this.createTooLargeFailure();
    return false;
  }

  /** Combines small pieces: each would otherwise need a hundred bytes in addition to its own. */
  private storeChunk(chunk: Uint8Array): void {
    const rest = this.gathered ? this.fillBuffer(this.gathered, chunk) : chunk;
    if (rest.length === 0) return;
    if (this.chunks.length === 0 || rest.length > SMALL_PIECE) {
      this.chunks.push(rest);
      return;
    }
    const startedAt = Buffer.allocUnsafeSlow(GATHERED_SIZE);
    this.chunks.push(startedAt);
    this.gathered = startedAt;
    this.inUse = 0;
    this.fillBuffer(startedAt, rest);
  }

  /** Fills the remaining room and returns what did not fit. */
  private fillBuffer(room: Uint8Array, chunk: Uint8Array): Uint8Array {
    const fitting = chunk.subarray(0, room.length - this.inUse);
    room.set(fitting, this.inUse);
    this.inUse += fitting.length;
    if (this.inUse === room.length) this.gathered = undefined;
    return chunk.subarray(fitting.length);
  }

  private joinChunks(): Uint8Array {
    if (this.gathered) this.chunks[this.chunks.length - 1] = this.gathered.subarray(0, this.inUse);
    this.gathered = undefined;
    return this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
  }

  /** Whether the response is usable although its body is incomplete, because none of it was needed. */
  get isBodyOptional(): boolean {
    return this.status >= 300;
  }

  /** Returns the decoded body. Throws or rejects with FetchFailure if a success cannot be decoded. */
  readBody(): Uint8Array | Promise<Uint8Array> {
    if (this.chunks.length === 0) return EMPTY;
    const received = this.joinChunks();
    const encoding = listCodings(this.headers);
    if (this.wanted === 'whole') {
      return copyIfShared(encoding ? this.decode(received, encoding) : received);
    }
    const head = decodeHead(received, encoding, this.limit).then(copyIfShared);
    return this.isBodyOptional ? head.catch(() => EMPTY) : head;
  }

  private decode(received: Uint8Array, encoding: string): Uint8Array {
    const startedAt = performance.now();
    try {
      return decodeBody(received, encoding, this.limit);
    } finally {
      this.decodingMs = performance.now() - startedAt;
    }
  }

  private createTooLargeFailure(): FetchFailure {
    return new FetchFailure('body-too-large', `The body is larger than ${this.limit} bytes.`);
  }
}

/**
 * Lists codings in the order in which they were applied: a transfer coding (RFC 9112, 6.1) wraps the content coding.
 * Chunking is already undone.
 */
function listCodings(headers: Readonly<Record<string, string>>): string {
  const content = headers['content-encoding'] ?? '';
  const transfer = headers['transfer-encoding'];
  if (transfer === undefined || /^\s*chunked\s*$/i.test(transfer)) return content;
  return content === '' ? transfer : `${content}, ${transfer}`;
}

/**
 * Returns the bytes in a buffer of their own, so that they can change threads without a copy: a socket reads the
 * headers along with them, decoders return slices of larger pieces, and Buffer.concat takes small buffers from a pool.
 */
function copyIfShared(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.byteLength);
  copy.set(bytes);
  return copy;
}
