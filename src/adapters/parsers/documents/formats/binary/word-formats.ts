/** Parts of a Word document and the formats of its characters and paragraphs ([MS-DOC] 2.6 and 2.9). */
import { readByte, readInt, readShort } from './little-endian.js';

/** Returns a part of the table stream, whose position and size are in the file information block. */
export function readPart(table: Buffer, stream: Buffer, at: number): Buffer {
  const offset = readInt(stream, at);
  return table.subarray(offset, offset + readInt(stream, at + 4));
}

/** Bytes of the text from `start` to before `end`, and where on its page their format is. */
export interface FormatRun {
  readonly start: number;
  readonly end: number;
  readonly page: Buffer;
  readonly at: number;
}

const PAGE_SIZE = 512;

/**
 * Pages of formats list ranges of bytes and, for each, an entry that begins with the offset of its format on the page.
 * Ranges without a format of their own are left out.
 */
export function* readFormatRuns(stream: Buffer, pageTable: Buffer, entrySize: number): Generator<FormatRun> {
  const readPages = new Set<number>();
  const count = Math.floor((pageTable.length - 4) / 8);
  for (let index = 0; index < count; index++) {
    const number = readInt(pageTable, (count + 1) * 4 + index * 4) & 0x3fffff;
    if (readPages.has(number)) continue;
    readPages.add(number);
    const page = stream.subarray(number * PAGE_SIZE, (number + 1) * PAGE_SIZE);
    const runs = readByte(page, PAGE_SIZE - 1);
    for (let run = 0; run < runs; run++) {
      const at = readByte(page, (runs + 1) * 4 + run * entrySize) * 2;
      if (at > 0) yield { start: readInt(page, run * 4), end: readInt(page, run * 4 + 4), page, at };
    }
  }
}

/** Operand sizes in bytes by the upper three bits of an operation; 6 is a variable size. */
const OPERAND_SIZES = [1, 1, 2, 4, 2, 2, 0, 3];

/** Returns the operand of an operation in a list of format operations. */
export function findOperand(operations: Buffer, wanted: number): Buffer | undefined {
  let at = 0;
  while (at + 2 < operations.length) {
    const operation = readShort(operations, at);
    if (operation === wanted) return operations.subarray(at + 2);
    const kind = operation >> 13;
    at += 2 + (kind === 6 ? 1 + readByte(operations, at + 2) : OPERAND_SIZES[kind]!);
  }
  return undefined;
}
