/** Writes compound files ([MS-CFB]) with the given streams; a stream's name includes its storages: `storage/stream`. */

const SECTOR = 512;
const MINI_SECTOR = 64;
/** Streams below this size are in the mini stream. */
const CUTOFF = 4096;
const END_OF_CHAIN = 0xfffffffe;
const FREE = 0xffffffff;
const FAT_SECTOR = 0xfffffffd;

interface Entry {
  readonly name: string;
  readonly type: 1 | 2 | 5;
  child: number;
  sibling: number;
  start: number;
  size: number;
}

const ints = (values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32LE(value >>> 0, index * 4);
  });
  return bytes;
};

const pad = (bytes: Buffer, size: number, fill = 0): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((size - (bytes.length % size)) % size, fill)]);

export function compoundFile(streams: Readonly<Record<string, Uint8Array>>): Buffer {
  const sectors: Buffer[] = [];
  const table: number[] = [];
  const addChain = (bytes: Buffer): number => {
    if (bytes.length === 0) return END_OF_CHAIN;
    const start = sectors.length;
    const padded = pad(bytes, SECTOR);
    for (let at = 0; at < padded.length; at += SECTOR) {
      sectors.push(padded.subarray(at, at + SECTOR));
      table.push(at + SECTOR < padded.length ? sectors.length : END_OF_CHAIN);
    }
    return start;
  };
  const mini: Buffer[] = [];
  const miniTable: number[] = [];
  const addMini = (bytes: Buffer): number => {
    const start = miniTable.length;
    mini.push(pad(bytes, MINI_SECTOR));
    const count = Math.ceil(bytes.length / MINI_SECTOR);
    for (let index = 1; index <= count; index++) miniTable.push(index < count ? start + index : END_OF_CHAIN);
    return start;
  };

  const entries = listEntries(Object.keys(streams));
  for (const [path, index] of entries.indexes) {
    const data = streams[path];
    if (!data) continue;
    const entry = entries.list[index]!;
    entry.size = data.length;
    entry.start = data.length < CUTOFF ? addMini(Buffer.from(data)) : addChain(Buffer.from(data));
  }
  const root = entries.list[0]!;
  const miniStream = Buffer.concat(mini);
  root.start = addChain(miniStream);
  root.size = miniStream.length;
  const miniTableStart = addChain(pad(ints(miniTable), SECTOR, 0xff));
  const directoryStart = addChain(Buffer.concat(entries.list.map(writeEntry)));

  const tableSectors = Math.ceil((sectors.length * 4 + 128) / (SECTOR - 4));
  const tableStart = sectors.length;
  for (let index = 0; index < tableSectors; index++) table.push(FAT_SECTOR);
  const header = Buffer.alloc(SECTOR, 0xff);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.fill(0, 8, 76);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  ints([tableSectors]).copy(header, 44);
  ints([directoryStart, 0, CUTOFF, miniTableStart, Math.ceil(miniTable.length / 128), END_OF_CHAIN, 0]).copy(
    header,
    48,
  );
  ints(Array.from({ length: tableSectors }, (_, index) => tableStart + index)).copy(header, 76);
  return Buffer.concat([header, ...sectors, pad(ints(table), SECTOR, 0xff)]);
}

/** The entries of the directory, whose siblings are linked one after the other. */
function listEntries(paths: readonly string[]): { list: Entry[]; indexes: Map<string, number> } {
  const list: Entry[] = [{ name: 'Root Entry', type: 5, child: FREE, sibling: FREE, start: 0, size: 0 }];
  const indexes = new Map([['', 0]]);
  const add = (path: string, type: 1 | 2): void => {
    if (indexes.has(path)) return;
    const slash = path.lastIndexOf('/');
    const parent = path.slice(0, Math.max(slash, 0));
    if (parent !== '') add(parent, 1);
    const above = list[indexes.get(parent)!]!;
    indexes.set(path, list.length);
    list.push({ name: path.slice(slash + 1), type, child: FREE, sibling: above.child, start: 0, size: 0 });
    above.child = list.length - 1;
  };
  for (const path of paths) add(path, 2);
  return { list, indexes };
}

function writeEntry({ name, type, child, sibling, start, size }: Entry): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 'utf16le');
  bytes.writeUInt16LE(name.length * 2 + 2, 64);
  bytes.writeUInt8(type, 66);
  bytes.writeUInt8(1, 67);
  ints([FREE, sibling, child]).copy(bytes, 68);
  ints([start, size, 0]).copy(bytes, 116);
  return bytes;
}
