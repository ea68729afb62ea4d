/**
 * Decodes Content-Encoding with a hard limit on the decoded bytes, so that a small body cannot expand into a huge one.
 * Sources: RFC 9110, 8.4; RFC 1950 to 1952, 7932, 8878.
 */
import { isUtf8 } from 'node:buffer';
import type { Transform } from 'node:stream';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { normalizeEncoding } from '@exodus/bytes/encoding.js';
import { looksBinary, sniffMediaType } from '../../domain/content/signatures.js';
import { describeConnectionFault } from '../../domain/fetch/connection-faults.js';
import { gunzipMembers, splitZstdFrames } from './compressed-parts.js';
import { FetchFailure } from './fetch-failure.js';

interface Bounds {
  /** In bytes. */
  readonly maxOutputLength: number;
  readonly chunkSize: number;
}

interface Decoder {
  decodeAll(input: Uint8Array, bounds: Bounds): Uint8Array;
  createStream(input: Uint8Array): Transform;
  /** Whether the bytes begin as the coding requires; absent if it has no signature. */
  hasSignature?(input: Uint8Array): boolean;
  /** Whether an input that could be decoded cannot be the beginning of a longer one; absent if that is not known. */
  provesEnd?(input: Uint8Array, output: Uint8Array): boolean;
}

/** RFC 9659: no more than 8 MiB of memory for the window of a content coding. */
const ZSTD_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const hasGzipSignature = (input: Uint8Array): boolean => input[0] === 0x1f && input[1] === 0x8b;
const gzipDecoder: Decoder = {
  decodeAll: gunzipMembers,
  createStream: () => createGunzip(),
  hasSignature: hasGzipSignature,
  // A body of several members may lack one, so the length in the trailer must be that of the whole page.
  provesEnd: (input, output) => hasGzipSignature(input) && readGzipLength(input) === output.length,
};
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gzipDecoder],
  ['x-gzip', gzipDecoder],
  [
    'deflate',
    {
      decodeAll: (input, bounds) => (hasZlibHeader(input) ? inflateSync(input, bounds) : inflateRawSync(input, bounds)),
      createStream: (input) => (hasZlibHeader(input) ? createInflate() : createInflateRaw()),
      provesEnd: () => true,
    },
  ],
  ['br', { decodeAll: brotliDecompressSync, createStream: () => createBrotliDecompress(), provesEnd: () => true }],
  ['zstd', { decodeAll: decodeZstd, createStream: () => createZstdDecompress(ZSTD_WINDOW) }],
]);

/**
 * What servers write when nothing is encoded, including values that belong in other headers, such as a media type or a
 * charset.
 */
const IDENTITY_CODINGS: ReadonlySet<string> = new Set([
  '',
  'identity',
  'none',
  '7bit',
  '8bit',
  'binary',
  'chunked',
  'aws-chunked',
]);
const isIdentity = (name: string): boolean =>
  IDENTITY_CODINGS.has(name) || name.includes('/') || normalizeEncoding(name) !== null;
const MAX_CODINGS = 3;
const CHUNK_SIZE = 64 * 1024;

/** Value of the Accept-Encoding header. */
export const ACCEPTED_CODINGS = 'gzip, br, zstd, deflate';

/** `deflate` means zlib (RFC 9110, 8.4.1.2), but some servers send a raw deflate stream; browsers accept both. */
function hasZlibHeader(input: Uint8Array): boolean {
  const [first = 0, second = 0] = input;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function decodeZstd(input: Uint8Array, bounds: Bounds): Uint8Array {
  const parts: Uint8Array[] = [];
  let remaining = bounds.maxOutputLength;
  for (const frame of splitZstdFrames(input)) {
    const part = zstdDecompressSync(frame, { ...bounds, ...ZSTD_WINDOW, maxOutputLength: Math.max(remaining, 1) });
    remaining -= part.length;
    if (remaining < 0) throw createTooLargeFailure(bounds.maxOutputLength);
    parts.push(part);
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

const createTooLargeFailure = (limit: number): FetchFailure =>
  new FetchFailure('body-too-large', `The decoded body is larger than ${limit} bytes.`);

/**
 * Returns the decoders in the order of decoding. Throws FetchFailure `body-undecodable` if a coding is unknown or there
 * are too many.
 */
function findDecoders(contentEncoding: string): Decoder[] {
  const names = contentEncoding
    .toLowerCase()
    .split(',', MAX_CODINGS + 2)
    .map((name) => name.trim())
    .filter((name) => !isIdentity(name));
  if (names.length > MAX_CODINGS)
    throw new FetchFailure('body-undecodable', 'The body has more than 3 content encodings.');
  return names.reverse().map((name) => {
    const decoder = DECODERS.get(name);
    if (!decoder)
      throw new FetchFailure('body-undecodable', `Unknown content encoding: ${JSON.stringify(name.slice(0, 60))}.`);
    return decoder;
  });
}

/**
 * Returns the whole decoded body. Throws FetchFailure if it is corrupt, truncated, or longer than `limit` at any stage.
 */
export function decodeBody(body: Uint8Array, contentEncoding: string, limit: number): Uint8Array {
  let decoded = body;
  for (const decoder of findDecoders(contentEncoding)) {
    if (decoded.length === 0) break;
    try {
      decoded = decoder.decodeAll(decoded, { maxOutputLength: limit, chunkSize: CHUNK_SIZE });
    } catch (error) {
      const failure = toDecodingFailure(error, limit);
      if (failure.code === 'body-too-large') throw failure;
      if (isUnencoded(decoder, decoded)) continue;
      if (decoder === gzipDecoder || !hasGzipSignature(decoded)) throw failure;
      // Some servers announce another coding than they use.
      decoded = decodeBody(decoded, 'gzip', limit);
    }
  }
  return decoded;
}

/** In bytes; compressed data may happen to be shorter texts. */
const MIN_PLAIN_TEXT = 32;

/**
 * Whether a body that cannot be decoded was never encoded: servers and proxies announce a coding and then send the page
 * as it is. A coding with a signature is absent if the signature is; other codings do not yield that much UTF-8.
 */
function isUnencoded({ hasSignature }: Decoder, body: Uint8Array): boolean {
  const isKnown = sniffMediaType(body) !== undefined;
  if (hasSignature) return !hasSignature(body) && (isKnown || !looksBinary(body));
  return isUtf8(body) && !looksBinary(body) && (isKnown || body.length >= MIN_PLAIN_TEXT);
}

/** Whether the body is complete, although the response did not end as announced: it has one coding, which proves it. */
export function isProvablyWhole(body: Uint8Array, contentEncoding: string, limit: number): boolean {
  try {
    const [decoder, ...others] = findDecoders(contentEncoding);
    if (!decoder?.provesEnd || others.length > 0) return false;
    return decoder.provesEnd(body, decoder.decodeAll(body, { maxOutputLength: limit, chunkSize: CHUNK_SIZE }));
  } catch {
    return false;
  }
}

/** The length that the trailer of the last member states (RFC 1952, 2.3.1). */
const readGzipLength = (body: Uint8Array): number =>
  new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(body.length - 4, true);

function toDecodingFailure(error: unknown, limit: number): FetchFailure {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof FetchFailure) return error;
  if (code === 'ERR_BUFFER_TOO_LARGE') return createTooLargeFailure(limit);
  if (code === 'Z_BUF_ERROR') return new FetchFailure('body-truncated', 'The encoded body ends early.');
  return new FetchFailure(
    'body-undecodable',
    describeConnectionFault(error) ?? `The encoded body is corrupt: ${message}.`,
  );
}

/** Decodes as much as possible of a body that may be truncated anywhere, up to `limit` decoded bytes. */
export async function decodePrefix(body: Uint8Array, contentEncoding: string, limit: number): Promise<Uint8Array> {
  let decoded = body;
  for (const decoder of findDecoders(contentEncoding)) {
    if (decoded.length > 0) decoded = await readPrefix(decoder, decoded, limit);
  }
  return decoded.length > limit ? decoded.subarray(0, limit) : decoded;
}

async function readPrefix(decoder: Decoder, input: Uint8Array, limit: number): Promise<Uint8Array> {
  const stream = decoder.createStream(input);
  const chunks: Uint8Array[] = [];
  let size = 0;
  stream.end(input);
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= limit) break;
    }
  } catch (error) {
    // A truncated body always ends with an error; what was decoded before that is kept.
    if (size === 0 && isUnencoded(decoder, input)) return input;
    if (size === 0) throw toDecodingFailure(error, limit);
  }
  return Buffer.concat(chunks, Math.min(size, limit));
}
