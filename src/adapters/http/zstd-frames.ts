/**
 * Splits a zstd body into its frames (RFC 8878, 3.1). Node 24's decoder stops silently at the end of the first frame or
 * where the body is truncated, so an incomplete body would look complete; the frames are therefore checked first.
 */
import { FetchFailure } from './fetch-failure.js';

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;
/** Each frame needs a decoder, and a body of tiny frames would need thousands. */
const MAX_FRAMES = 1000;

/** Returns the frames with content, in order. Throws FetchFailure if one is truncated or corrupt. */
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
