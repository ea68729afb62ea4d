/**
 * Finds the members of a gzip body (RFC 1952). zlib treats anything after the last one as another, corrupt member; some
 * servers append line breaks and comments after compressing the page, and browsers ignore them.
 */
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';

interface Bounds {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
}

/** Each member needs a decoder, and a malicious body of tiny members would need thousands. */
const MAX_MEMBERS = 1000;
const HEADER_SIZE = 10;
const TRAILER_SIZE = 8;
const [HEADER_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];

/** Decompresses all members. Throws zlib's errors. */
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
