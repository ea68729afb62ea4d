/**
 * Opens workbooks of Excel 97 to 2003 that are encrypted with the password that Excel tries by itself: those with a
 * protected structure are ([MS-XLS] 2.2.10, [MS-OFFCRYPTO] 2.3.5 and 2.3.6).
 */
import { createHash } from 'node:crypto';
import { DEFAULT_PASSWORD } from '../office-encryption.js';
import { readInt, readShort } from './little-endian.js';

const PASSWORD_RECORD = 0x002f;
/** Records that are not encrypted; of a sheet's entry, its position is not. */
const PLAIN_RECORDS = new Set([0x0809, PASSWORD_RECORD, 0x00e1, 0x0138, 0x0194, 0x0195, 0x0196]);
const SHEET_RECORD = 0x0085;
const POSITION_SIZE = 4;
const RECORD_HEAD_SIZE = 4;
/** Each block of this many bytes has a key of its own. */
const BLOCK_SIZE = 1_024;
const SALT_SIZE = 16;

/** Returns the key of a block. */
type BlockKey = (block: number) => Buffer;

/**
 * Returns the stream as it was before it was encrypted.
 * @param terms the record that says how it is encrypted
 * @returns undefined if it has another password, or a kind of encryption that is not known here
 */
export function decryptWorkbook(stream: Buffer, terms: Buffer): Buffer | undefined {
  const isRc4 = readShort(terms, 0) === 1;
  const getKey = !isRc4 ? undefined : readShort(terms, 2) === 1 ? findKey(terms) : findKeyOfCryptoApi(terms);
  if (!getKey) return undefined;
  const plain = Buffer.from(stream);
  const keystream = createKeystream(stream.length, getKey);
  for (let at = 0; at + RECORD_HEAD_SIZE <= stream.length; ) {
    const type = readShort(stream, at);
    const end = at + RECORD_HEAD_SIZE + readShort(stream, at + 2);
    const start = PLAIN_RECORDS.has(type) ? end : at + RECORD_HEAD_SIZE + (type === SHEET_RECORD ? POSITION_SIZE : 0);
    for (let index = start; index < Math.min(end, stream.length); index++)
      plain[index] = stream[index]! ^ keystream[index]!;
    at = end;
  }
  return plain;
}

const hash = (algorithm: 'md5' | 'sha1', ...parts: readonly Uint8Array[]): Buffer =>
  createHash(algorithm).update(Buffer.concat(parts)).digest();

function toBytes(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

const PASSWORD = Buffer.from(DEFAULT_PASSWORD, 'utf16le');

/** The key of Excel 97 has 40 bits. */
function findKey(terms: Buffer): BlockKey | undefined {
  const salt = terms.subarray(6, 6 + SALT_SIZE);
  const salted = Buffer.concat([hash('md5', PASSWORD).subarray(0, 5), salt]);
  const base = hash('md5', ...Array<Buffer>(16).fill(salted)).subarray(0, 5);
  const getKey: BlockKey = (block) => hash('md5', base, toBytes(block));
  return isKey(getKey, 'md5', terms.subarray(22, 38), terms.subarray(38, 54)) ? getKey : undefined;
}

/** Later versions use the cryptography of the system, with keys of other lengths. */
function findKeyOfCryptoApi(terms: Buffer): BlockKey | undefined {
  const headSize = readInt(terms, 10);
  const verifier = terms.subarray(14 + headSize);
  // A size of 0 stands for 40 bits, whose key is filled up with zeros.
  const keySize = (readInt(terms, 14 + 16) || 40) / 8;
  const base = hash('sha1', verifier.subarray(4, 4 + SALT_SIZE), PASSWORD);
  const getKey: BlockKey = (block) => {
    const key = hash('sha1', base, toBytes(block)).subarray(0, keySize);
    return keySize === 5 ? Buffer.concat([key, Buffer.alloc(11)]) : key;
  };
  return isKey(getKey, 'sha1', verifier.subarray(20, 36), verifier.subarray(40, 60)) ? getKey : undefined;
}

/** Whether the encrypted value has the encrypted hash. */
function isKey(getKey: BlockKey, algorithm: 'md5' | 'sha1', value: Buffer, valueHash: Buffer): boolean {
  const keystream = createKeystream(value.length + valueHash.length, getKey);
  const plain = Buffer.concat([value, valueHash]).map((byte, index) => byte ^ keystream[index]!);
  return hash(algorithm, plain.subarray(0, value.length)).equals(plain.subarray(value.length)) && value.length > 0;
}

function createKeystream(length: number, getKey: BlockKey): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / BLOCK_SIZE) }, (_, block) =>
    generate(getKey(block), BLOCK_SIZE),
  );
  return Buffer.concat(blocks);
}

/** Generates the bytes of the cipher RC4, which Node's OpenSSL no longer has. */
export function generate(key: Uint8Array, length: number): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number): void => {
    [state[a], state[b]] = [state[b]!, state[a]!];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    swap(i, j);
  }
  const bytes = Buffer.alloc(length);
  for (let n = 0, i = 0, j = 0; n < length; n++) {
    i = (i + 1) & 255;
    j = (j + state[i]!) & 255;
    swap(i, j);
    bytes[n] = state[(state[i]! + state[j]!) & 255]!;
  }
  return bytes;
}
