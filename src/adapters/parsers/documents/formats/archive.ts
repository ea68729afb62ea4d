/** Reads the needed entries of a zip archive, with a limit on their unpacked size. */
import { isUtf8 } from 'node:buffer';
import { constants, inflateRawSync } from 'node:zlib';
import { Unreadable } from '../document-content.js';
import { decodeCodePage } from './binary/code-pages.js';

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
/** Has the name in UTF-8 after a version and a check sum, from programs that write it in a code page, too. */
const UNICODE_NAME_FIELD = 0x7075;
const IS_ENCRYPTED = 1;
const HAS_UTF8_NAME = 0x800;
const DOS_CODE_PAGE = 437;
/** Flag of entries whose sizes follow their data. */
const HAS_DATA_DESCRIPTOR = 8;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly packedSize: number;
  /** As declared; unknown if the directory is missing and the size follows the data. */
  readonly size: number | undefined;
  /** Where the entry's data begins, or its local header if it comes from the directory. */
  readonly position: number;
}

/** Names of entries are looked up without letter case, and with `/` between folders, as office programs do. */
export class Archive {
  private remainingBytes: number;
  /** True once only the beginning of an entry has been read. */
  isCut = false;
  private readonly byName: ReadonlyMap<string, Entry>;

  constructor(
    private readonly body: Buffer,
    private readonly entries: readonly Entry[],
    /** The directory is missing or damaged: entries at the end may be missing. */
    readonly isDamaged: boolean,
    maxBytes: number,
  ) {
    this.remainingBytes = maxBytes;
    this.byName = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry] as const));
  }

  /** Lists the files; of those with exactly the same name, only the last one, as it replaces the others. */
  listFiles(): { name: string; size: number; read: () => Uint8Array }[] {
    const files = new Map(this.entries.map((entry) => [entry.name, entry] as const));
    return [...files.values()].flatMap((entry) =>
      entry.name.endsWith('/')
        ? []
        : { name: entry.name, size: entry.size ?? entry.packedSize, read: () => this.unpack(entry) ?? NO_BYTES },
    );
  }

  findEntryNames(pattern: RegExp): string[] {
    return [...this.byName.values()].flatMap(({ name }) => (pattern.test(name) ? name : []));
  }

  has(name: string): boolean {
    return this.byName.has(name.toLowerCase());
  }

  /**
   * Returns an XML entry as a string; undefined if the archive does not contain it.
   * @param mayBeCut the beginning of an entry that is too large is better than nothing
   */
  readXml(name: string, mayBeCut = false): string | undefined {
    const bytes = this.read(name, mayBeCut);
    if (!bytes) return undefined;
    const utf16Encoding =
      bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : '';
    return new TextDecoder(utf16Encoding || 'utf-8').decode(bytes);
  }

  /** Unpacks an entry, as far as its data is intact. */
  read(name: string, mayBeCut = false): Uint8Array | undefined {
    const entry = this.byName.get(name.toLowerCase());
    return entry && this.unpack(entry, mayBeCut);
  }

  /** @throws Unreadable */
  private unpack(entry: Entry, mayBeCut = false): Uint8Array | undefined {
    const { method, packedSize, size = 0 } = entry;
    if (entry.isEncrypted) throw new Unreadable('extract-encrypted', `${entry.name} is encrypted in the archive`);
    if (method !== STORED && method !== DEFLATED)
      throw new Unreadable('extract-unsupported', `${entry.name} is compressed in a way that is not read (${method})`);
    // Deflate hardly ever makes data larger, so the declared size is wrong, and unpacking could take any amount of time.
    if (entry.size !== undefined && packedSize > size * 1.01 + 1_024)
      throw new Unreadable('extract-corrupt', `${entry.name} is larger than the size declared in the archive`);
    const isTooLarge = size > this.remainingBytes;
    if (isTooLarge && !mayBeCut) throw createTooLarge();
    const all = this.findData(entry);
    if (all === undefined) return undefined;
    // Some parts are packed better than others, so the part that is unpacked has to be smaller than what is left.
    const data = isTooLarge ? all.subarray(0, (all.length * this.remainingBytes) / size / 2) : all;
    this.isCut ||= isTooLarge;
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

const NO_BYTES = Buffer.alloc(0);

const createTooLarge = (): Unreadable =>
  new Unreadable('extract-memory', `the archive is larger than ${MAX_BYTES / 1024 / 1024} MB when unpacked`);

/** Incomplete data gives what it has. */
function inflate(data: Buffer, maxOutputLength: number): Uint8Array {
  if (maxOutputLength <= 0) throw createTooLarge();
  try {
    return inflateRawSync(data, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw createTooLarge();
    return NO_BYTES;
  }
}

/** Nothing is unpacked before it is read. */
export function openArchive(bytes: Uint8Array, maxBytes = MAX_BYTES): Archive {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = readDirectory(body);
  const entries = directory ?? scanLocalHeaders(body);
  if (entries.length === 0)
    throw new Unreadable('extract-corrupt', 'the document is not a zip archive, or nothing in it is intact');
  return new Archive(body, entries, directory === undefined, maxBytes);
}

/** A name that is not said to be in UTF-8, and is not, is in the code page of DOS (APPNOTE.TXT, appendix D). */
function decodeName(bytes: Buffer, flags: number, extra: Buffer = NO_BYTES): string {
  const isKnown = (flags & HAS_UTF8_NAME) !== 0 || isUtf8(bytes);
  const unicodeName = isKnown ? bytes : findField(extra, UNICODE_NAME_FIELD)?.subarray(5);
  const name = unicodeName?.toString('utf8') ?? decodeCodePage(bytes, DOS_CODE_PAGE);
  return name.replaceAll('\\', '/').replace(/^\/+/, '');
}

/** Finds the content of an extra field. */
function findField(extra: Buffer, id: number): Buffer | undefined {
  let start = 0;
  while (start + 4 <= extra.length && extra.readUInt16LE(start) !== id) start += 4 + extra.readUInt16LE(start + 2);
  return start + 4 <= extra.length ? extra.subarray(start + 4, start + 4 + extra.readUInt16LE(start + 2)) : undefined;
}

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
    const extra = body.subarray(nameEnd, extraEnd);
    const flags = body.readUInt16LE(position + 8);
    const read64 = createZip64Reader(findField(extra, ZIP64_FIELD) ?? NO_BYTES);
    const originalSize = read64(body.readUInt32LE(position + 24));
    const packedSize = read64(body.readUInt32LE(position + 20));
    addEntry(entries, {
      name: decodeName(body.subarray(position + 46, nameEnd), flags, extra),
      method: body.readUInt16LE(position + 10),
      isEncrypted: (flags & IS_ENCRYPTED) !== 0,
      packedSize,
      size: originalSize,
      position: shift + read64(body.readUInt32LE(position + 42)),
    });
    position = extraEnd + body.readUInt16LE(position + 32);
  }
  return entries.length > 0 ? entries : undefined;
}

/** Reads numbers that are too large for 32 bits from the entry's zip64 field, in the order in which they are asked for. */
function createZip64Reader(field: Buffer): (value: number) => number {
  let position = 0;
  return (value) => {
    if (value !== IN_ZIP64_FIELD || position + 8 > field.length) return value;
    position += 8;
    return readNumber(field, position - 8);
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
    const flags = body.readUInt16LE(position + 6);
    const hasSizes = (flags & HAS_DATA_DESCRIPTOR) === 0;
    const declaredEnd = hasSizes ? start + body.readUInt32LE(position + 18) : start;
    const next = body.indexOf(LOCAL_HEADER, declaredEnd);
    const end = hasSizes ? Math.min(declaredEnd, body.length) : next < 0 ? body.length : next;
    if (start < end)
      addEntry(entries, {
        name: decodeName(body.subarray(position + 30, nameEnd), flags),
        method: body.readUInt16LE(position + 8),
        isEncrypted: (flags & IS_ENCRYPTED) !== 0,
        packedSize: end - start,
        size: hasSizes ? body.readUInt32LE(position + 22) : undefined,
        position: start,
      });
    position = next;
  }
  return entries;
}
