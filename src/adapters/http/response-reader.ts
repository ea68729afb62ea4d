/**
 * Collects one response within its limits, whichever parser feeds it. A success needs the whole body, an
 * error only its beginning, and a redirect or 304 none; the rest is read only to keep the connection.
 */
import { decodeBody, decodePrefix, isProvablyWhole } from './content-coding.js';
import { FetchFailure } from './fetch-failure.js';

export interface BodyLimits {
  /** In bytes, both as received and as decoded. */
  readonly maxSize: number;
  /** Truncate a body over the limit instead of failing. */
  readonly truncate: boolean;
}

type WantedPart = 'whole' | 'head' | 'nothing';

/**
 * Maximum number of bytes read of an unwanted body, so that its connection can be reused, and kept of an error's
 * body.
 */
const MAX_SMALL_BODY = 64 * 1024;
/** Pieces up to this size are gathered in buffers of GATHERED_SIZE bytes. */
const MAX_SMALL_CHUNK = 2 * 1024;
const GATHER_BUFFER_SIZE = 64 * 1024;
const EMPTY = new Uint8Array(0);

export class ResponseReader {
  status = 0;
  headers: Readonly<Record<string, string>> = {};
  /** Bytes of the body received. */
  transferred = 0;
  /** Milliseconds for which decoding blocked the thread. */
  decodingMs = 0;
  private wantedPart: WantedPart = 'nothing';
  private limit = MAX_SMALL_BODY;
  private readonly chunks: Uint8Array[] = [];
  /** The last of the chunks, while it has room for more bytes; `filledBytes` says how much of it is filled. */
  private gatherBuffer: Uint8Array | undefined;
  private filledBytes = 0;

  constructor(private readonly limits: BodyLimits) {}

  /** To be called when the final header has arrived. Throws FetchFailure if the announced body is too large. */
  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
    const isSuccess = status >= 200 && status < 300;
    this.wantedPart = isSuccess ? (this.limits.truncate ? 'head' : 'whole') : status >= 400 ? 'head' : 'nothing';
    this.limit = isSuccess ? this.limits.maxSize : Math.min(MAX_SMALL_BODY, this.limits.maxSize);
    if (this.wantedPart === 'whole' && Number(headers['content-length']) > this.limit)
      throw this.createTooLargeFailure();
  }

  /** Adds one piece of the body. Returns false if no more is needed; throws FetchFailure if the body is too large. */
  addChunk(chunk: Uint8Array): boolean {
    this.transferred += chunk.length;
    if (this.wantedPart !== 'nothing') this.storeChunk(chunk);
    if (this.transferred <= this.limit) return true;
    if (this.wantedPart === 'whole') throw this.createTooLargeFailure();
    return false;
  }

  /** Combines small pieces, each of which would otherwise take up a hundred bytes in addition to its content. */
  private storeChunk(chunk: Uint8Array): void {
    const rest = this.gatherBuffer ? this.fillBuffer(this.gatherBuffer, chunk) : chunk;
    if (rest.length === 0) return;
    if (this.chunks.length === 0 || rest.length > MAX_SMALL_CHUNK) {
      this.chunks.push(rest);
      return;
    }
    const buffer = Buffer.allocUnsafeSlow(GATHER_BUFFER_SIZE);
    this.chunks.push(buffer);
    this.gatherBuffer = buffer;
    this.filledBytes = 0;
    this.fillBuffer(buffer, rest);
  }

  /** Fills the remaining room and returns what did not fit. */
  private fillBuffer(buffer: Uint8Array, chunk: Uint8Array): Uint8Array {
    const fittingPart = chunk.subarray(0, buffer.length - this.filledBytes);
    buffer.set(fittingPart, this.filledBytes);
    this.filledBytes += fittingPart.length;
    if (this.filledBytes === buffer.length) this.gatherBuffer = undefined;
    return chunk.subarray(fittingPart.length);
  }

  private joinChunks(): Uint8Array {
    if (this.gatherBuffer) this.chunks[this.chunks.length - 1] = this.gatherBuffer.subarray(0, this.filledBytes);
    this.gatherBuffer = undefined;
    if (this.chunks.length > 1) this.chunks.splice(0, Infinity, Buffer.concat(this.chunks));
    return this.chunks[0]!;
  }

  /** Whether the response is usable although its body is incomplete, because none of it was needed. */
  get isBodyOptional(): boolean {
    return this.status >= 300;
  }

  /** Whether the encoded body itself proves that it is complete, although the response did not end as announced. */
  get isProvablyWhole(): boolean {
    if (this.wantedPart !== 'whole' || this.chunks.length === 0 || this.transferred > this.limit) return false;
    return isProvablyWhole(this.joinChunks(), combineCodings(this.headers), this.limit);
  }

  /** Returns the decoded body. Throws or rejects with FetchFailure if a success cannot be decoded. */
  readBody(): Uint8Array | Promise<Uint8Array> {
    if (this.chunks.length === 0) return EMPTY;
    const body = this.joinChunks();
    const encoding = combineCodings(this.headers);
    if (this.wantedPart === 'whole') {
      return copyIfShared(encoding ? this.decode(body, encoding) : body);
    }
    const prefix = decodePrefix(body, encoding, this.limit).then(copyIfShared);
    return this.isBodyOptional ? prefix.catch(() => EMPTY) : prefix;
  }

  private decode(body: Uint8Array, encoding: string): Uint8Array {
    const startedAt = performance.now();
    try {
      return decodeBody(body, encoding, this.limit);
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
function combineCodings(headers: Readonly<Record<string, string>>): string {
  const contentCoding = headers['content-encoding'] ?? '';
  const transferCoding = headers['transfer-encoding'];
  if (transferCoding === undefined || /^\s*chunked\s*$/i.test(transferCoding)) return contentCoding;
  return contentCoding === '' ? transferCoding : `${contentCoding}, ${transferCoding}`;
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
