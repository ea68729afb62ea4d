/** One-time passwords of authenticator apps (RFC 6238, with the parameters that all of them support). */
import { createHmac } from 'node:crypto';
import type { Instant } from '../../../domain/time/units.js';

const PERIOD_MS = 30_000;
const DIGITS = 6;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @throws Error when the secret is not Base32 */
export function computeTotp(secret: string, now: Instant): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / PERIOD_MS)));
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  // Dynamic truncation (RFC 4226, 5.3).
  const offset = digest[digest.length - 1]! & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Spaces, hyphens, padding and the case of letters do not matter. */
function decodeBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let bitCount = 0;
  for (const char of text.toUpperCase().replace(/[\s=-]/g, '')) {
    const value = BASE32.indexOf(char);
    if (value < 0) throw new Error('the secret for one-time passwords is not Base32');
    bits = ((bits << 5) | value) & 0xfff;
    bitCount += 5;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes.push((bits >> bitCount) & 0xff);
  }
  return Buffer.from(bytes);
}
