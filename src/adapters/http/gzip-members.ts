/**
 * The members of a gzip body (RFC 1952). zlib treats anything after the last one as another, corrupt member; some
 * servers append line breaks and comments after compressing the page, and browsers ignore them.
 */
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';

interface Bounds {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
}

/** Each member needs a decoder, and a malicious body of tiny members would need thousands. */
const MOST_MEMBERS = 1000;
const HEADER = 10;
const TRAILER = 8;
const [HEADER_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];

/** Throws zlib's errors. */
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

/** Offset at which something other than a member begins; undefined if a member is corrupt. */
function findEndOfMembers(input: Buffer, bounds: Bounds): number | undefined {
  let end = 0;
  let room = bounds.maxOutputLength;
  for (let members = 0; isMemberAt(input, end); members++) {
    if (members === MOST_MEMBERS) return undefined;
    const start = findDataStart(input, end);
    const { buffer, engine } = inflateRaw(input.subarray(start), { ...bounds, maxOutputLength: Math.max(room, 1) });
    const trailer = start + engine.bytesWritten;
    if (trailer + TRAILER > input.length || input.readUInt32LE(trailer) !== crc32(buffer)) return undefined;
    end = trailer + TRAILER;
    room -= buffer.length;
  }
  return end > 0 && end < input.length ? end : undefined;
}

const isMemberAt = (input: Buffer, at: number): boolean =>
  at + HEADER + TRAILER <= input.length && input[at] === 0x1f && input[at + 1] === 0x8b && input[at + 2] === 8;

function findDataStart(input: Buffer, start: number): number {
  const flags = input[start + 3]!;
  let at = start + HEADER;
  if (flags & EXTRA && at + 2 <= input.length) at += 2 + input.readUInt16LE(at);
  for (const flag of [NAME, COMMENT]) if (flags & flag) at = input.indexOf(0, at) + 1 || input.length;
  return flags & HEADER_CRC ? at + 2 : at;
}

/** With `info`, zlib also returns the decoder, which knows how much it has read; Node's types do not include it. */
function inflateRaw(input: Buffer, bounds: Bounds): { buffer: Buffer; engine: { bytesWritten: number } } {
  return inflateRawSync(input, { ...bounds, info: true }) as unknown as ReturnType<typeof inflateRaw>;
}
