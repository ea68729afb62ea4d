/**
 * The three messages of NTLMv2 (MS-NLMP 2.2.1 and 3.3.2), without signing and without channel binding. MD4, which
 * hashes the password, is implemented here because Node's OpenSSL no longer supports it.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { NtlmCredentials } from '../../engine/ports/fetcher.js';

const SIGNATURE = Buffer.from('NTLMSSP\0', 'latin1');
/** Negotiates Unicode, target name, NTLM, always sign, and extended session security. */
const FLAGS = 0x00088205;
const TIMESTAMP = 7;
const END = 0;
const MAX_MESSAGE_LENGTH = 16_384;

export interface NtlmChallenge {
  readonly serverChallenge: Buffer;
  readonly targetInfo: Buffer;
}

/** Values that differ between responses to a challenge. */
export interface NtlmClientValues {
  /** Eight bytes. */
  readonly clientChallenge: Buffer;
  /** In units of 100 ns since 1601; the server's own time takes precedence. */
  readonly time: bigint;
}

const UNIX_EPOCH = 116_444_736_000_000_000n;

export const createNtlmClientValues = (): NtlmClientValues => ({
  clientChallenge: randomBytes(8),
  time: UNIX_EPOCH + BigInt(Math.round(performance.timeOrigin + performance.now())) * 10_000n,
});

export function createNegotiateMessage(): string {
  const message = Buffer.alloc(32);
  SIGNATURE.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(FLAGS, 12);
  return message.toString('base64');
}

/** Parses the challenge in a WWW-Authenticate header; undefined if it contains no valid one. */
export function parseChallenge(header: string | undefined): NtlmChallenge | undefined {
  const encoded = /(?:^|[\s,])(?:NTLM|Negotiate)\s+([A-Za-z0-9+/=]{40,})/i.exec(header ?? '')?.[1];
  if (encoded === undefined || encoded.length > MAX_MESSAGE_LENGTH) return undefined;
  const message = Buffer.from(encoded, 'base64');
  if (message.length < 48 || !message.subarray(0, 8).equals(SIGNATURE) || message.readUInt32LE(8) !== 2)
    return undefined;
  const length = message.readUInt16LE(40);
  const offset = message.readUInt32LE(44);
  if (offset + length > message.length) return undefined;
  return { serverChallenge: message.subarray(24, 32), targetInfo: message.subarray(offset, offset + length) };
}

export function createAuthenticateMessage(
  challenge: NtlmChallenge,
  { user, password, domain }: NtlmCredentials,
  clientValues: NtlmClientValues,
): string {
  const { nt, lm } = computeResponses(challenge, { user, password, domain }, clientValues);
  const parts = [lm, nt, encodeUtf16(domain), encodeUtf16(user), Buffer.alloc(0), Buffer.alloc(0)];
  const header = Buffer.alloc(64);
  SIGNATURE.copy(header);
  header.writeUInt32LE(3, 8);
  let offset = header.length;
  for (const [index, part] of parts.entries()) {
    header.writeUInt16LE(part.length, 12 + 8 * index);
    header.writeUInt16LE(part.length, 14 + 8 * index);
    header.writeUInt32LE(offset, 16 + 8 * index);
    offset += part.length;
  }
  header.writeUInt32LE(FLAGS, 60);
  return Buffer.concat([header, ...parts]).toString('base64');
}

/** Computes the responses to the challenge (MS-NLMP 3.3.2). */
export function computeResponses(
  { serverChallenge, targetInfo }: NtlmChallenge,
  credentials: NtlmCredentials,
  { clientChallenge, time }: NtlmClientValues,
): { readonly nt: Buffer; readonly lm: Buffer } {
  const key = deriveResponseKey(credentials);
  const serverTime = findTimestamp(targetInfo);
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigUInt64LE(serverTime ?? time);
  const temp = Buffer.concat([
    Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
    timestamp,
    clientChallenge,
    Buffer.alloc(4),
    targetInfo,
    Buffer.alloc(4),
  ]);
  const nt = Buffer.concat([hmac(key, serverChallenge, temp), temp]);
  // A server that sends its time expects no LM response (3.1.5.1.2).
  const lm =
    serverTime === undefined
      ? Buffer.concat([hmac(key, serverChallenge, clientChallenge), clientChallenge])
      : Buffer.alloc(24);
  return { nt, lm };
}

export const deriveResponseKey = ({ user, password, domain }: NtlmCredentials): Buffer =>
  hmac(md4(encodeUtf16(password)), encodeUtf16(toUpperCase(user) + domain));

/** Letters without a capital of their own stay: `ß` is not two letters. */
const toUpperCase = (text: string): string =>
  text.replace(/./gsu, (letter) => (letter.toUpperCase().length > letter.length ? letter : letter.toUpperCase()));

const encodeUtf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

function hmac(key: Buffer, ...parts: readonly Buffer[]): Buffer {
  const hash = createHmac('md5', key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function findTimestamp(targetInfo: Buffer): bigint | undefined {
  for (let offset = 0; offset + 4 <= targetInfo.length; ) {
    const id = targetInfo.readUInt16LE(offset);
    const length = targetInfo.readUInt16LE(offset + 2);
    if (id === END) return undefined;
    if (id === TIMESTAMP && length === 8 && offset + 12 <= targetInfo.length)
      return targetInfo.readBigUInt64LE(offset + 4);
    offset += 4 + length;
  }
  return undefined;
}

const ROUNDS = [
  { order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], shifts: [3, 7, 11, 19], add: 0 },
  { order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15], shifts: [3, 5, 9, 13], add: 0x5a827999 },
  { order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15], shifts: [3, 9, 11, 15], add: 0x6ed9eba1 },
] as const;

const MIX_FUNCTIONS = [
  (x: number, y: number, z: number): number => (x & y) | (~x & z),
  (x: number, y: number, z: number): number => (x & y) | (x & z) | (y & z),
  (x: number, y: number, z: number): number => x ^ y ^ z,
] as const;

/** The MD4 hash (RFC 1320). */
export function md4(message: Buffer): Buffer {
  const padded = Buffer.alloc((((message.length + 8) >> 6) << 6) + 64);
  message.copy(padded);
  padded[message.length] = 0x80;
  padded.writeUInt32LE((message.length << 3) >>> 0, padded.length - 8);
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let start = 0; start < padded.length; start += 64) state = hashBlock(state, padded.subarray(start, start + 64));
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) digest.writeUInt32LE(word >>> 0, 4 * index);
  return digest;
}

function hashBlock(previousState: readonly number[], block: Buffer): number[] {
  let [a, b, c, d] = previousState as [number, number, number, number];
  for (const [round, { order, shifts, add }] of ROUNDS.entries()) {
    for (const [step, word] of order.entries()) {
      const sum = (a + MIX_FUNCTIONS[round]!(b, c, d) + block.readUInt32LE(4 * word) + add) | 0;
      const shift = shifts[step % 4]!;
      [a, d, c, b] = [d, c, b, (sum << shift) | (sum >>> (32 - shift))];
    }
  }
  return [a, b, c, d].map((word, index) => (word + previousState[index]!) | 0);
}
