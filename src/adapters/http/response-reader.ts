/**
 * Collects one answer within its limits, whichever parser feeds it. Of a success the whole body is needed, of an error its
 * beginning, of a redirect or 304 nothing; the rest is read only to keep the connection.
 */
import { decodeBody, decodeHead } from './content-coding.js';
import { FetchFailure } from './fetch-failure.js';

export interface BodyLimits {
  /** Bytes, as received and as decoded. */
  readonly maxSize: number;
  /** Over the limit: truncate instead of failing. */
  readonly truncate: boolean;
}

type Wanted = 'whole' | 'head' | 'nothing';

/** Bytes of an unwanted body that are read to save a new connection, and bytes kept of an error's body. */
const SMALL_BODY = 64 * 1024;
/** Pieces that are gathered, and the room for them. */
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
  /** The last of the chunks, while it has room for more pieces, and how much of it is in use. */
  private gathered: Uint8Array | undefined;
  private inUse = 0;

  constructor(private readonly limits: BodyLimits) {}

  /** The final header has arrived. Throws FetchFailure when the body is announced too large. */
  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
    const success = status >= 200 && status < 300;
    this.wanted = success ? (this.limits.truncate ? 'head' : 'whole') : status >= 400 ? 'head' : 'nothing';
    this.limit = success ? this.limits.maxSize : Math.min(SMALL_BODY, this.limits.maxSize);
    if (this.wanted === 'whole' && Number(headers['content-length']) > this.limit) throw this.createTooLarge();
  }

  /** One piece of the body. Returns false if no more is needed; throws FetchFailure if it is too large. */
  add(chunk: Uint8Array): boolean {
    this.transferred += chunk.length;
    if (this.wanted !== 'nothing') this.storeChunk(chunk);
    if (this.transferred <= this.limit) return true;
    if (this.wanted === 'whole') throw this.createTooLarge();
    return false;
  }

  /** Small pieces are combined: each would need a hundred bytes besides its own. */
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

  /** Fills the remaining room, and returns what did not fit. */
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

  /** Whether the answer is usable although its body is incomplete: nothing of it was needed. */
  get isBodyOptional(): boolean {
    return this.status >= 300;
  }

  /** The decoded body. Throws or rejects with FetchFailure when a success cannot be decoded. */
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

  private createTooLarge(): FetchFailure {
    return new FetchFailure('body-too-large', `The body is larger than ${this.limit} bytes.`);
  }
}

/** In the order in which they were applied: a transfer coding (RFC 9112, 6.1) is around the content coding. Chunks are undone. */
function listCodings(headers: Readonly<Record<string, string>>): string {
  const content = headers['content-encoding'] ?? '';
  const transfer = headers['transfer-encoding'];
  if (transfer === undefined || /^\s*chunked\s*$/i.test(transfer)) return content;
  return content === '' ? transfer : `${content}, ${transfer}`;
}

/**
 * The bytes in memory of their own, so that they can change threads without a copy: a socket reads the headers along with them,
 * decoders cut from larger pieces, and Buffer.concat cuts small ones from a pool.
 */
function copyIfShared(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.byteLength);
  copy.set(bytes);
  return copy;
}
