/** Finds the parts of compressed bodies: members of gzip, frames of zstd. */
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import { FetchFailure } from './fetch-failure.js';

interface Bounds {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
}

/** Each member needs a decoder, and a malicious body of tiny members would need thousands. */
const MAX_MEMBERS = 1000;
const HEADER_SIZE = 10;
const TRAILER_SIZE = 8;
const [HEADER_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];

/**
 * Decompresses all members of a gzip body (RFC 1952). zlib treats anything after the last one as another, corrupt member;
 * some servers append line breaks and comments after compressing the page, and browsers ignore them. Throws zlib's
 * errors.
 */
export function gunzipMembers(input: Uint8Array, bounds: Bounds): Uint8Array {
  try {
    return gunzipSync(input, bounds);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR') throw error;
    const end = findEndOfMembers(Buffer.from(input.buffer, input.byteOffset, input.byteLength), bounds);
    if (end === undefined) throw error;
    return gunzipSync(input.subarray(0, end), bounds);
  }
}

/** Returns the end of the last member if something else follows it; undefined otherwise, or if a member is corrupt. */
function findEndOfMembers(input: Buffer, bounds: Bounds): number | undefined {
  let end = 0;
  let remaining = bounds.maxOutputLength;
  for (let memberCount = 0; isMemberAt(input, end); memberCount++) {
    if (memberCount === MAX_MEMBERS) return undefined;
    const start = findDataStart(input, end);
    const { buffer, engine } = inflateRaw(input.subarray(start), {
      ...bounds,
      maxOutputLength: Math.max(remaining, 1),
    });
    const trailer = start + engine.bytesWritten;
    if (trailer + TRAILER_SIZE > input.length || input.readUInt32LE(trailer) !== crc32(buffer)) return undefined;
    end = trailer + TRAILER_SIZE;
    remaining -= buffer.length;
  }
  return end > 0 && end < input.length ? end : undefined;
}

const isMemberAt = (input: Buffer, offset: number): boolean =>
  offset + HEADER_SIZE + TRAILER_SIZE <= input.length &&
  input[offset] === 0x1f &&
  input[offset + 1] === 0x8b &&
  input[offset + 2] === 8;

function findDataStart(input: Buffer, start: number): number {
  const flags = input[start + 3]!;
  let offset = start + HEADER_SIZE;
  if (flags & EXTRA && offset + 2 <= input.length) offset += 2 + input.readUInt16LE(offset);
  for (const flag of [NAME, COMMENT]) if (flags & flag) offset = input.indexOf(0, offset) + 1 || input.length;
  return flags & HEADER_CRC ? offset + 2 : offset;
}

/** With `info`, zlib also returns the decoder, which knows how much it has read; Node's types do not include it. */
function inflateRaw(input: Buffer, bounds: Bounds): { buffer: Buffer; engine: { bytesWritten: number } } {
  return inflateRawSync(input, { ...bounds, info: true }) as unknown as ReturnType<typeof inflateRaw>;
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;
/** Each frame needs a decoder, and a body of tiny frames would need thousands. */
const MAX_FRAMES = 1000;

/**
 * Splits a zstd body into its frames with content, in order (RFC 8878, 3.1). Node 24's decoder stops silently at the end
 * of the first frame or where the body is truncated, so an incomplete body would look complete; the frames are therefore
 * checked first. Throws FetchFailure if one is truncated or corrupt.
 */
export function splitZstdFrames(input: Uint8Array): Uint8Array[] {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const frames: Uint8Array[] = [];
  try {
    for (let start = 0; start < input.length; ) {
      const magic = view.getUint32(start, true);
      const isSkippable = (magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC;
      const end = isSkippable ? start + 8 + view.getUint32(start + 4, true) : findFrameEnd(view, start, magic);
      if (end > input.length) throw new RangeError();
      if (!isSkippable) frames.push(input.subarray(start, end));
      if (frames.length > MAX_FRAMES)
        throw new FetchFailure('body-undecodable', 'The body has more than 1000 zstd frames.');
      start = end;
    }
  } catch (error) {
    // Thrown by DataView when reading beyond the end.
    if (error instanceof RangeError) throw new FetchFailure('body-truncated', 'The encoded body ends early.');
    throw error;
  }
  return frames;
}

function findFrameEnd(view: DataView, start: number, magic: number): number {
  if (magic !== MAGIC) throw new FetchFailure('body-undecodable', 'The body contains data that is not a zstd frame.');
  const descriptor = view.getUint8(start + 4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const contentSizeBytes = sizeFlag === 0 && isSingleSegment ? 1 : CONTENT_SIZE_BYTES[sizeFlag]!;
  const windowDescriptorSize = isSingleSegment ? 0 : 1;
  let offset = start + 5 + windowDescriptorSize + DICTIONARY_ID_BYTES[descriptor & 3]! + contentSizeBytes;
  for (let isLast = false; !isLast; ) {
    const header = view.getUint16(offset, true) | (view.getUint8(offset + 2) << 16);
    const type = (header >> 1) & 3;
    if (type === RESERVED_BLOCK)
      throw new FetchFailure('body-undecodable', 'The body contains a zstd block of an unknown type.');
    isLast = (header & 1) === 1;
    offset += 3 + (type === RLE_BLOCK ? 1 : header >> 3);
  }
  const checksumSize = (descriptor & 4) !== 0 ? 4 : 0;
  return offset + checksumSize;
}
