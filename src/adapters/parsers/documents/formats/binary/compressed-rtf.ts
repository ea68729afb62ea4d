/** Unpacks the RTF of Outlook messages ([MS-OXRTFCP]). */
import { readByte, readInt } from './little-endian.js';

const COMPRESSED = 0x75465a4c;
const UNCOMPRESSED = 0x414c454d;
const HEADER_SIZE = 16;
const DICTIONARY_SIZE = 4096;
const MAX_SIZE = 16 * 1024 * 1024;
/** What the dictionary contains at the beginning. */
const INITIAL_DICTIONARY =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

/** Returns nothing if the bytes are not compressed RTF. What is damaged ends early. */
export function decompressRtf(bytes: Buffer): Buffer {
  const kind = readInt(bytes, 8);
  const size = Math.min(readInt(bytes, 4), MAX_SIZE);
  if (kind === UNCOMPRESSED) return bytes.subarray(HEADER_SIZE, HEADER_SIZE + size);
  if (kind !== COMPRESSED) return Buffer.alloc(0);
  const dictionary = Buffer.alloc(DICTIONARY_SIZE, ' ');
  let writeAt = dictionary.write(INITIAL_DICTIONARY, 'latin1');
  // Each byte packs at most 17 bytes into two.
  const output = Buffer.alloc(Math.min(size, bytes.length * 9));
  let length = 0;
  const add = (byte: number): void => {
    if (length < output.length) output[length++] = byte;
    dictionary[writeAt] = byte;
    writeAt = (writeAt + 1) % DICTIONARY_SIZE;
  };
  let at = HEADER_SIZE;
  while (at < bytes.length && length < output.length) {
    const control = readByte(bytes, at++);
    for (let bit = 0; bit < 8 && at < bytes.length; bit++) {
      if (!(control & (1 << bit))) {
        add(readByte(bytes, at++));
        continue;
      }
      const reference = (readByte(bytes, at) << 8) | readByte(bytes, at + 1);
      at += 2;
      const offset = reference >> 4;
      // A reference to where the next byte is written marks the end.
      if (offset === writeAt) return output.subarray(0, length);
      for (let index = 0; index < (reference & 0xf) + 2; index++) add(dictionary[(offset + index) % DICTIONARY_SIZE]!);
    }
  }
  return output.subarray(0, length);
}
