/**
 * Reads compound files ([MS-CFB], "OLE2"): the file system within a file that Office used until 2003 and Outlook uses
 * for saved messages. Streams are read on demand, and each chain of sectors has at most as many as the file, so that
 * cycles end.
 */
import { sniffMediaType } from '../../../../../domain/content/signatures.js';
import { Unreadable } from '../../document-content.js';
import { readByte, readInt, readShort } from './little-endian.js';

const MAX_SECTOR = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
const HEADER_SIZE = 512;
const HEADER_DIFAT_ENTRIES = 109;
const ENTRY_SIZE = 128;
const MAX_ENTRIES = 100_000;
/** Streams may share sectors, so the bytes read are limited as a multiple of the file's size. */
const MAX_READ_FACTOR = 4;

export interface CompoundEntry {
  readonly name: string;
  readonly start: number;
  readonly size: number;
  /** The entries of a storage, by name in lower case; undefined for a stream. */
  readonly children?: ReadonlyMap<string, CompoundEntry>;
}

export class CompoundFile {
  readonly root: CompoundEntry;
  private readonly bytes: Buffer;
  private readonly sectorSize: number;
  private readonly miniSectorSize: number;
  private readonly miniStreamCutoff: number;
  private readonly table: Buffer;
  private readonly miniTable: Buffer;
  private readonly miniStream: Buffer;
  private remainingBytes: number;

  /** @throws Unreadable if the body is not a compound file */
  constructor(body: Uint8Array) {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.bytes = bytes;
    const sectorShift = readShort(bytes, 30);
    const miniShift = readShort(bytes, 32);
    if (
      sniffMediaType(body) !== 'application/x-ole-storage' ||
      sectorShift < 7 ||
      sectorShift > 16 ||
      miniShift < 4 ||
      miniShift > sectorShift
    )
      throw new Unreadable('extract-corrupt', 'the document is not a compound file');
    this.sectorSize = 1 << sectorShift;
    this.miniSectorSize = 1 << miniShift;
    this.miniStreamCutoff = readInt(bytes, 56);
    this.remainingBytes = Math.max(bytes.length * MAX_READ_FACTOR, 1024 * 1024);
    this.table = this.readTable();
    this.miniTable = this.readSectors(readInt(bytes, 60), readInt(bytes, 64) * this.sectorSize);
    const directory = this.readSectors(readInt(bytes, 48), MAX_ENTRIES * ENTRY_SIZE);
    this.miniStream = this.readSectors(readInt(directory, 116), readInt(directory, 120));
    this.root = readDirectory(directory);
    // The directory is often at the end, so this is what remains of a file that was cut short.
    if (this.root.children!.size === 0) throw new Unreadable('extract-corrupt', 'the compound file has no directory');
  }

  /** Finds a stream or storage by the names of the storages above it and its own; undefined if there is none. */
  find(...path: readonly string[]): CompoundEntry | undefined {
    return path.reduce<CompoundEntry | undefined>((entry, name) => entry?.children?.get(name.toLowerCase()), this.root);
  }

  /** Returns a stream's bytes, which are fewer than its size if the file is damaged; none if there is no such stream. */
  read(entry: CompoundEntry | undefined): Buffer {
    if (!entry || entry.children) return Buffer.alloc(0);
    return entry.size < this.miniStreamCutoff
      ? this.readMiniSectors(entry.start, entry.size)
      : this.readSectors(entry.start, entry.size);
  }

  /** Reads the table of the sectors' successors (FAT), whose own sectors are listed in the header and after it. */
  private readTable(): Buffer {
    const { bytes, sectorSize } = this;
    const maxSectors = Math.ceil(bytes.length / sectorSize);
    const sectors: Buffer[] = [];
    const addSectors = (list: Buffer, from: number, count: number): void => {
      for (let index = 0; index < count && sectors.length < maxSectors; index++) {
        const number = readInt(list, from + index * 4);
        if (number < MAX_SECTOR) sectors.push(this.getSector(number));
      }
    };
    addSectors(bytes, 76, HEADER_DIFAT_ENTRIES);
    let next = readInt(bytes, 68);
    for (let count = 0; next < MAX_SECTOR && count < maxSectors && sectors.length < maxSectors; count++) {
      const list = this.getSector(next);
      if (list.length < sectorSize) break;
      addSectors(list, 0, sectorSize / 4 - 1);
      next = readInt(list, sectorSize - 4);
    }
    return Buffer.concat(sectors);
  }

  private getSector(number: number): Buffer {
    const start = Math.max(HEADER_SIZE, this.sectorSize) + number * this.sectorSize;
    return this.bytes.subarray(start, start + this.sectorSize);
  }

  private readSectors(start: number, size: number): Buffer {
    return this.readChain(start, size, this.table, this.sectorSize, (number) => this.getSector(number));
  }

  private readMiniSectors(start: number, size: number): Buffer {
    const { miniSectorSize, miniStream } = this;
    return this.readChain(start, size, this.miniTable, miniSectorSize, (number) =>
      miniStream.subarray(number * miniSectorSize, (number + 1) * miniSectorSize),
    );
  }

  private readChain(
    start: number,
    size: number,
    table: Buffer,
    sectorSize: number,
    getSector: (number: number) => Buffer,
  ): Buffer {
    const sectors: Buffer[] = [];
    const maxSectors = Math.min(Math.ceil(size / sectorSize), Math.floor(table.length / 4));
    let number = start;
    while (number < MAX_SECTOR && sectors.length < maxSectors) {
      const sector = getSector(number);
      if (sector.length === 0) break;
      sectors.push(sector);
      this.remainingBytes -= sector.length;
      if (this.remainingBytes < 0)
        throw new Unreadable('extract-corrupt', 'the streams of the document are larger than the file');
      number = number * 4 < table.length ? readInt(table, number * 4) : NO_ENTRY;
    }
    return Buffer.concat(sectors).subarray(0, size);
  }
}

/** Reads the tree of storages and streams. Siblings are a binary tree; each entry is visited at most once. */
function readDirectory(directory: Buffer): CompoundEntry {
  const visited = new Set<number>([0]);
  const root = new Map<string, CompoundEntry>();
  const pending: { index: number; siblings: Map<string, CompoundEntry> }[] = [
    { index: readInt(directory, 76), siblings: root },
  ];
  for (let work = pending.pop(); work; work = pending.pop()) {
    const { index, siblings } = work;
    const at = index * ENTRY_SIZE;
    if (at + ENTRY_SIZE > directory.length || visited.has(index)) continue;
    visited.add(index);
    const entry = readEntry(directory, at);
    if (entry.name !== '' && !siblings.has(entry.name.toLowerCase())) siblings.set(entry.name.toLowerCase(), entry);
    pending.push({ index: readInt(directory, at + 68), siblings }, { index: readInt(directory, at + 72), siblings });
    if (entry.children)
      pending.push({ index: readInt(directory, at + 76), siblings: entry.children as Map<string, CompoundEntry> });
  }
  return { name: '', start: 0, size: 0, children: root };
}

function readEntry(directory: Buffer, at: number): CompoundEntry {
  const nameSize = Math.min(Math.max(readShort(directory, at + 64) - 2, 0), 62);
  const name = directory.toString('utf16le', at, at + nameSize);
  const facts = { name, start: readInt(directory, at + 116), size: readInt(directory, at + 120) };
  const isStorage = readByte(directory, at + 66) === 1;
  return isStorage ? { ...facts, children: new Map() } : facts;
}

/** Adds up the sizes of all streams in a storage, without recursion, because storages may be nested without limit. */
export function sumSizes(storage: CompoundEntry): number {
  const pending = [storage];
  let sum = 0;
  for (let entry = pending.pop(); entry; entry = pending.pop()) {
    if (!entry.children) sum += entry.size;
    else for (const child of entry.children.values()) pending.push(child);
  }
  return sum;
}
