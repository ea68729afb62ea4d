/** Reads the needed entries of a zip archive, with a limit on their unpacked size. */
import { constants, inflateRawSync } from 'node:zlib';
import { Unreadable } from '../document-content.js';

/** Maximum unpacked size of all entries together that are read, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 20_000;

/** Signatures of the records of a zip archive (APPNOTE.TXT 4.3). */
const LOCAL_HEADER = Buffer.from('PK\x03\x04', 'latin1');
const DIRECTORY_HEADER = Buffer.from('PK\x01\x02', 'latin1');
const DIRECTORY_END = Buffer.from('PK\x05\x06', 'latin1');
const ZIP64_DIRECTORY_END = Buffer.from('PK\x06\x06', 'latin1');
/** The end of the directory is followed by a comment of at most this length. */
const MAX_COMMENT_LENGTH = 0xffff;
const STORED = 0;
const DEFLATED = 8;
/** Stands for a number that the entry's zip64 field contains. */
const IN_ZIP64_FIELD = 0xffffffff;
const ZIP64_FIELD = 1;
/** Flag of entries whose sizes follow their data. */
const HAS_DATA_DESCRIPTOR = 8;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packedSize: number;
  /** As declared; unknown if the directory is missing and the size follows the data. */
  readonly size: number | undefined;
  /** Where the entry's data begins, or its local header if it comes from the directory. */
  readonly position: number;
}

/** Names of entries are compared without letter case, and with `/` between folders, as office programs do. */
export class Archive {
  private remainingBytes: number;

  constructor(
    private readonly body: Buffer,
    private readonly entries: ReadonlyMap<string, Entry>,
    /** The directory is missing or damaged: entries at the end may be missing. */
    readonly isDamaged: boolean,
    maxBytes: number,
  ) {
    this.remainingBytes = maxBytes;
  }

  /** Sizes are as declared, when they are. */
  listEntries(): { name: string; size: number }[] {
    return [...this.entries.values()].map(({ name, size, packedSize }) => ({ name, size: size ?? packedSize }));
  }

  findEntryNames(pattern: RegExp): string[] {
    return [...this.entries.values()].flatMap(({ name }) => (pattern.test(name) ? name : []));
  }

  has(name: string): boolean {
    return this.entries.has(name.toLowerCase());
  }

  /** Returns an XML entry as a string; undefined if there is no such entry. */
  readXml(name: string): string | undefined {
    const bytes = this.read(name);
    if (!bytes) return undefined;
    const utf16Encoding =
      bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : '';
    return new TextDecoder(utf16Encoding || 'utf-8').decode(bytes);
  }

  /** Unpacks an entry, as far as its data is intact. */
  read(name: string): Uint8Array | undefined {
    const entry = this.entries.get(name.toLowerCase());
    if (!entry) return undefined;
    const { method, packedSize, size = 0 } = entry;
    // Deflate hardly ever makes data larger, so the declared size is wrong, and unpacking could take any amount of time.
    if (entry.size !== undefined && packedSize > size * 1.01 + 1_024)
      throw new Unreadable('extract-corrupt', `${entry.name} is larger than the size declared in the archive`);
    if (size > this.remainingBytes) throw createTooLarge();
    const data = this.findData(entry);
    if (data === undefined || (method !== STORED && method !== DEFLATED)) return undefined;
    const bytes = method === STORED ? data : inflate(data, this.remainingBytes);
    this.remainingBytes -= bytes.byteLength;
    if (this.remainingBytes < 0) throw createTooLarge();
    return bytes;
  }

  private findData({ position, packedSize }: Entry): Buffer | undefined {
    const { body } = this;
    if (!this.isDamaged) {
      if (position + 30 > body.length || !isAt(body, LOCAL_HEADER, position)) return undefined;
      position += 30 + body.readUInt16LE(position + 26) + body.readUInt16LE(position + 28);
    }
    return body.subarray(position, position + packedSize);
  }
}

const createTooLarge = (): Unreadable =>
  new Unreadable('extract-memory', `the archive is larger than ${MAX_BYTES / 1024 / 1024} MB when unpacked`);

/** Incomplete data gives what it has. */
function inflate(data: Buffer, maxOutputLength: number): Uint8Array {
  if (maxOutputLength <= 0) throw createTooLarge();
  try {
    return inflateRawSync(data, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw createTooLarge();
    return new Uint8Array(0);
  }
}

/** Nothing is unpacked before it is read. */
export function openArchive(bytes: Uint8Array, maxBytes = MAX_BYTES): Archive {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = readDirectory(body);
  const entries = directory ?? scanLocalHeaders(body);
  if (entries.length === 0)
    throw new Unreadable('extract-corrupt', 'the document is not a zip archive, or nothing in it is intact');
  const byName = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry] as const));
  return new Archive(body, byName, directory === undefined, maxBytes);
}

const normalizeName = (name: string): string => name.replaceAll('\\', '/').replace(/^\/+/, '');

const isAt = (body: Buffer, signature: Buffer, position: number): boolean =>
  body.compare(signature, 0, 4, position, position + 4) === 0;

function addEntry(entries: Entry[], entry: Entry): void {
  if (entries.length >= MAX_ENTRIES)
    throw new Unreadable('extract-memory', `the archive has more than ${MAX_ENTRIES} entries`);
  entries.push(entry);
}

/** Returns the entries of the central directory; undefined if it is missing or does not fit the archive. */
function readDirectory(body: Buffer): Entry[] | undefined {
  const end = body.lastIndexOf(DIRECTORY_END);
  if (end < 0 || end < body.length - MAX_COMMENT_LENGTH - 22 || end + 22 > body.length) return undefined;
  const zip64End = body.lastIndexOf(ZIP64_DIRECTORY_END, end);
  const hasZip64End = zip64End >= 0 && zip64End + 56 <= end && body.readUInt32LE(end + 16) === IN_ZIP64_FIELD;
  const size = hasZip64End ? readNumber(body, zip64End + 40) : body.readUInt32LE(end + 12);
  const declaredStart = hasZip64End ? readNumber(body, zip64End + 48) : body.readUInt32LE(end + 16);
  let position = (hasZip64End ? zip64End : end) - size;
  // The archive may follow other data, such as a program that unpacks it.
  const shift = position - declaredStart;
  const entries: Entry[] = [];
  if (position < 0 || shift < 0) return undefined;
  while (position + 46 <= end && isAt(body, DIRECTORY_HEADER, position)) {
    const nameEnd = position + 46 + body.readUInt16LE(position + 28);
    const extraEnd = nameEnd + body.readUInt16LE(position + 30);
    const read64 = createZip64Reader(body.subarray(nameEnd, extraEnd));
    const originalSize = read64(body.readUInt32LE(position + 24));
    const packedSize = read64(body.readUInt32LE(position + 20));
    addEntry(entries, {
      name: normalizeName(body.toString('utf8', position + 46, nameEnd)),
      method: body.readUInt16LE(position + 10),
      packedSize,
      size: originalSize,
      position: shift + read64(body.readUInt32LE(position + 42)),
    });
    position = extraEnd + body.readUInt16LE(position + 32);
  }
  return entries.length > 0 ? entries : undefined;
}

/** Reads numbers that are too large for 32 bits from the entry's zip64 field, in the order in which they are asked for. */
function createZip64Reader(extra: Buffer): (value: number) => number {
  let start = 0;
  while (start + 4 <= extra.length && extra.readUInt16LE(start) !== ZIP64_FIELD)
    start += 4 + extra.readUInt16LE(start + 2);
  let position = start + 4;
  return (value) => {
    if (value !== IN_ZIP64_FIELD || position + 8 > extra.length) return value;
    position += 8;
    return readNumber(extra, position - 8);
  };
}

const readNumber = (bytes: Buffer, position: number): number => Number(bytes.readBigUInt64LE(position));

/**
 * Finds the entries of an archive without a directory, such as one that was cut short, by the headers before their data.
 */
function scanLocalHeaders(body: Buffer): Entry[] {
  const entries: Entry[] = [];
  let position = body.indexOf(LOCAL_HEADER);
  while (position >= 0 && position + 30 <= body.length) {
    const nameEnd = position + 30 + body.readUInt16LE(position + 26);
    const start = nameEnd + body.readUInt16LE(position + 28);
    const hasSizes = (body.readUInt16LE(position + 6) & HAS_DATA_DESCRIPTOR) === 0;
    const declaredEnd = hasSizes ? start + body.readUInt32LE(position + 18) : start;
    const next = body.indexOf(LOCAL_HEADER, declaredEnd);
    const end = hasSizes ? Math.min(declaredEnd, body.length) : next < 0 ? body.length : next;
    if (start < end)
      addEntry(entries, {
        name: normalizeName(body.toString('utf8', position + 30, nameEnd)),
        method: body.readUInt16LE(position + 8),
        packedSize: end - start,
        size: hasSizes ? body.readUInt32LE(position + 22) : undefined,
        position: start,
      });
    position = next;
  }
  return entries;
}
