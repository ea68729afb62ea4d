/**
 * Reads tar archives (POSIX.1-2017 pax, with the long names of GNU tar), packed by gzip or not, and single files that are
 * packed by gzip (RFC 1952): their text is the list of the files in them, which are documents of their own if wanted.
 */
import { constants, gunzipSync } from 'node:zlib';
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { addPackedFiles, type PackedFile } from './zip.js';

/** Maximum size of what gzip unpacks to, in bytes: it is unpacked as a whole. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;
const MAX_FILES = 20_000;
const BLOCK_SIZE = 512;
const MAX_NAME_BYTES = 8_192;

export function readTar(body: Uint8Array, request: DocumentRequest): DocumentContent {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const content = new DocumentContent(request);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const unpacked = isPacked ? unpack(bytes, content) : bytes;
  if (!isPacked || isTarHeader(unpacked)) addPackedFiles(content, listFiles(unpacked, content));
  else addPackedFiles(content, [{ name: findPackedName(bytes), size: unpacked.byteLength, read: () => unpacked }]);
  return content;
}

/** Unpacks what is there of a stream that is cut short. */
function unpack(bytes: Buffer, content: DocumentContent): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw createTooLarge();
  }
  let unpacked = Buffer.alloc(0);
  try {
    unpacked = gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    // Reported below.
  }
  if (unpacked.length === 0) throw new Unreadable('extract-corrupt', 'the gzip data is damaged');
  content.markTruncated();
  return unpacked;
}

const createTooLarge = (): Unreadable =>
  new Unreadable('extract-memory', `the archive unpacks to more than ${MAX_UNPACKED_BYTES} bytes`);

/** The name in the header of a gzip file, or one that says as much as is known. */
function findPackedName(bytes: Buffer): string {
  const [HAS_EXTRA_FIELD, HAS_NAME] = [4, 8];
  const flags = bytes[3] ?? 0;
  let position = 10;
  if (flags & HAS_EXTRA_FIELD) position += 2 + (bytes.length >= position + 2 ? bytes.readUInt16LE(position) : 0);
  const end = flags & HAS_NAME ? bytes.indexOf(0, position) : -1;
  return (end > position && end - position <= MAX_NAME_BYTES && bytes.toString('latin1', position, end)) || 'content';
}

/** What the headers before a file say about it, because it does not fit into its own. */
interface Attributes {
  path?: string;
  size?: number;
}

/** Lists the regular files; a damaged header ends the list. */
function listFiles(bytes: Buffer, content: DocumentContent): PackedFile[] {
  const files: PackedFile[] = [];
  let attributes: Attributes = {};
  let position = 0;
  while (position + BLOCK_SIZE <= bytes.length && bytes[position] !== 0) {
    const header = bytes.subarray(position, position + BLOCK_SIZE);
    if (!isTarHeader(header)) break;
    const type = String.fromCharCode(header[156]!);
    const isFile = /[07\0]/.test(type);
    const size = (isFile ? attributes.size : undefined) ?? readNumber(header.subarray(124, 136));
    const start = position + BLOCK_SIZE;
    const data = bytes.subarray(start, start + size);
    if (data.length < size) content.markTruncated();
    if (type === 'L') attributes.path = readText(data.subarray(0, MAX_NAME_BYTES));
    else if (type === 'x') attributes = readPaxAttributes(data);
    else if (type !== 'g' && type !== 'K') {
      const name = attributes.path ?? readName(header);
      if (isFile && !name.endsWith('/')) files.push({ name: name.replace(/^(?:\.?\/)+/, ''), size, read: () => data });
      attributes = {};
    }
    position = start + Math.ceil(size / BLOCK_SIZE) * BLOCK_SIZE;
    if (files.length > MAX_FILES) throw new Unreadable('extract-memory', `the archive has over ${MAX_FILES} files`);
  }
  if (position === 0 && bytes[0] !== 0)
    throw new Unreadable('extract-corrupt', 'the archive does not begin with a file');
  // Two blocks of zeros end an archive.
  if (bytes[position] !== 0) content.markTruncated();
  return files;
}

/** Whether the checksum is that of the bytes, which count as spaces in its own place. */
function isTarHeader(bytes: Buffer): boolean {
  if (bytes.length < BLOCK_SIZE || bytes[0] === 0) return false;
  let sum = 0;
  for (let index = 0; index < BLOCK_SIZE; index++) sum += index >= 148 && index < 156 ? 0x20 : bytes[index]!;
  return sum === readNumber(bytes.subarray(148, 156));
}

/** Numbers are octal, or binary from the second byte on if the first one says so; none is below zero. */
function readNumber(field: Buffer): number {
  if (field[0]! < 0x80) return Number.parseInt(readText(field).trim(), 8) || 0;
  return Math.min(
    field.subarray(1).reduce((number, byte) => number * 256 + byte, 0),
    Number.MAX_SAFE_INTEGER,
  );
}

function readName(header: Buffer): string {
  const [name, prefix] = [readText(header.subarray(0, 100)), readText(header.subarray(345, 500))];
  const isPosix = header.toString('latin1', 257, 263) === 'ustar\0';
  return isPosix && prefix !== '' ? `${prefix}/${name}` : name;
}

function readText(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

/** Records are `LENGTH KEY=VALUE` and a line break, where the length, in bytes, is that of the whole record. */
function readPaxAttributes(data: Buffer): Attributes {
  const attributes: Attributes = {};
  let rest = data.subarray(0, 1024 * 1024);
  for (;;) {
    const length = Number(/^(\d{1,7}) /.exec(rest.toString('latin1', 0, 8))?.[1] ?? 0);
    if (length === 0 || length > rest.length) return attributes;
    const [, key, value] =
      /^\d+ (path|size)=(.*)$/s.exec(rest.toString('utf8', 0, Math.min(length - 1, MAX_NAME_BYTES))) ?? [];
    if (key === 'path') attributes.path = value;
    else if (key === 'size' && /^\d{1,15}$/.test(value ?? '')) attributes.size = Number(value);
    rest = rest.subarray(length);
  }
}
