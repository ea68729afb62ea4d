/**
 * Opens Office documents that are encrypted with the password that programs try by themselves: workbooks with protected
 * sheets often are ([MS-OFFCRYPTO] 2.3.4.5 to 2.3.4.15).
 */
import { createDecipheriv, createHash, timingSafeEqual } from 'node:crypto';
import { Unreadable } from '../document-content.js';
import { parseElements } from './markup.js';

/** Excel's own ([MS-XLS] 2.4.191). */
export const DEFAULT_PASSWORD = 'VelvetSweatshop';
/** Excel writes 100,000; the standard allows ten million, which would take seconds. */
const MAX_SPIN_COUNT = 1_000_000;
const STANDARD_SPIN_COUNT = 50_000;
const SEGMENT_SIZE = 4_096;
const AES_BLOCK_SIZE = 16;
const HASHES: ReadonlyMap<string, string> = new Map([
  ['SHA1', 'sha1'],
  ['SHA-1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA384', 'sha384'],
  ['SHA512', 'sha512'],
]);
/** Values that make different keys from one password (2.3.4.13). */
const VERIFIER_INPUT_KEY = Buffer.from('fea7d2763b4b9e79', 'hex');
const VERIFIER_HASH_KEY = Buffer.from('d7aa0f6d3061344e', 'hex');
const PACKAGE_KEY = Buffer.from('146e0be7abacd0d6', 'hex');

/**
 * Returns the document within.
 * @param info the stream `EncryptionInfo`
 * @param encrypted the stream `EncryptedPackage`
 * @throws Unreadable if it has another password, or a kind of encryption that is not known here
 */
export function decryptPackage(info: Buffer, encrypted: Buffer): Buffer {
  try {
    const minor = info.readUInt16LE(2);
    const size = Number(encrypted.readBigUInt64LE(0));
    const data = encrypted.subarray(8);
    const document = minor === 4 ? decryptAgile(info, data) : decryptStandard(info, data);
    if (document) return document.subarray(0, size);
  } catch {
    // The streams are damaged or of another kind.
  }
  throw new Unreadable('extract-encrypted', 'the document cannot be opened without a password');
}

function hash(algorithm: string, ...parts: readonly Uint8Array[]): Buffer {
  const digest = createHash(algorithm);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

function toBytes(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

function hashPassword(algorithm: string, salt: Buffer, spinCount: number): Buffer {
  let digest = hash(algorithm, salt, Buffer.from(DEFAULT_PASSWORD, 'utf16le'));
  for (let index = 0; index < spinCount; index++) digest = hash(algorithm, toBytes(index), digest);
  return digest;
}

function resize(bytes: Buffer, size: number, filler: number): Buffer {
  const resized = Buffer.alloc(size, filler);
  bytes.copy(resized);
  return resized;
}

function decrypt(mode: 'cbc' | 'ecb', key: Buffer, iv: Buffer | null, data: Buffer): Buffer {
  const decipher = createDecipheriv(`aes-${key.length * 8}-${mode}`, key, iv).setAutoPadding(false);
  const whole = data.subarray(0, data.length - (data.length % AES_BLOCK_SIZE));
  return Buffer.concat([decipher.update(whole), decipher.final()]);
}

interface AgileKey {
  readonly hashName: string;
  readonly keySize: number;
  readonly salt: Buffer;
  readonly get: (name: string) => string;
}

function readAgileKey(attributes: ReadonlyMap<string, string>): AgileKey {
  const get = (name: string): string => attributes.get(name) ?? '';
  const hashName = HASHES.get(get('hashalgorithm'));
  if (hashName === undefined || get('cipheralgorithm') !== 'AES' || get('cipherchaining') !== 'ChainingModeCBC')
    throw new Error('the algorithm is not known');
  return { hashName, keySize: Number(get('keybits')) / 8, salt: Buffer.from(get('saltvalue'), 'base64'), get };
}

function decryptAgile(info: Buffer, data: Buffer): Buffer | undefined {
  const elements = parseElements(info.toString('utf8', 8));
  const find = (element: string): AgileKey =>
    readAgileKey(elements.find(({ name }) => name === element)?.attributes ?? new Map());
  const password = find('encryptedkey');
  const spinCount = Number(password.get('spincount'));
  if (!(spinCount <= MAX_SPIN_COUNT)) return undefined;
  const { hashName, keySize } = password;
  const passwordHash = hashPassword(hashName, password.salt, spinCount);
  const iv = resize(password.salt, AES_BLOCK_SIZE, 0x36);
  const open = (blockKey: Buffer, name: string): Buffer => {
    const key = resize(hash(hashName, passwordHash, blockKey), keySize, 0x36);
    return decrypt('cbc', key, iv, Buffer.from(password.get(name), 'base64'));
  };
  const verifier = open(VERIFIER_INPUT_KEY, 'encryptedverifierhashinput');
  const expected = hash(hashName, verifier);
  if (!timingSafeEqual(expected, open(VERIFIER_HASH_KEY, 'encryptedverifierhashvalue').subarray(0, expected.length)))
    return undefined;
  const content = find('keydata');
  const contentKey = open(PACKAGE_KEY, 'encryptedkeyvalue').subarray(0, content.keySize);
  const segments: Buffer[] = [];
  for (let start = 0, index = 0; start < data.length; start += SEGMENT_SIZE, index++) {
    const segmentIv = resize(hash(content.hashName, content.salt, toBytes(index)), AES_BLOCK_SIZE, 0x36);
    segments.push(decrypt('cbc', contentKey, segmentIv, data.subarray(start, start + SEGMENT_SIZE)));
  }
  return Buffer.concat(segments);
}

/** AES in its plainest form, as Office 2007 writes it. */
function decryptStandard(info: Buffer, data: Buffer): Buffer | undefined {
  const headerSize = info.readUInt32LE(8);
  const keySize = info.readUInt32LE(12 + 16) / 8;
  const verifierStart = 12 + headerSize;
  const salt = info.subarray(verifierStart + 4, verifierStart + 20);
  const passwordHash = hash('sha1', hashPassword('sha1', salt, STANDARD_SPIN_COUNT), toBytes(0));
  const derive = (filler: number): Buffer => {
    const block = Buffer.alloc(64, filler);
    for (const [index, byte] of passwordHash.entries()) block[index]! ^= byte;
    return hash('sha1', block);
  };
  const key = Buffer.concat([derive(0x36), derive(0x5c)]).subarray(0, keySize);
  const verifier = decrypt('ecb', key, null, info.subarray(verifierStart + 20, verifierStart + 36));
  const verifierHash = decrypt('ecb', key, null, info.subarray(verifierStart + 40, verifierStart + 72));
  return timingSafeEqual(hash('sha1', verifier), verifierHash.subarray(0, 20))
    ? decrypt('ecb', key, null, data)
    : undefined;
}
