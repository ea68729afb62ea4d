/** What the steps of a login send: fields as a form or as JSON, and what is read from the responses. */
import { isAscii, isUtf8 } from 'node:buffer';
import { createHmac } from 'node:crypto';
import type { LoginField } from '../../../domain/crawl/logins.js';
import type { Instant } from '../../../domain/time/units.js';
import type { LoginResult } from '../../../engine/ports/login-method.js';

export interface Submission {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body?: Uint8Array;
  readonly contentType?: string;
}

/** Makes a login fail; the message is shown to the operator. */
export class LoginFault extends Error {
  constructor(
    readonly kind: Exclude<LoginResult['kind'], 'in'>,
    message: string,
  ) {
    super(message);
  }
}

/** The query is dropped because, for a form sent by GET, it contains the password. */
export const removeQuery = (url: string): string => url.split(/[?#]/, 1)[0]!;

/** @throws LoginFault */
export function revealValue({ value, isTotp }: LoginField, now: Instant): string {
  if (!isTotp) return value.reveal();
  try {
    return computeTotp(value.reveal(), now);
  } catch (error) {
    throw new LoginFault('changed', (error as Error).message);
  }
}

/** A page as text, with the encoding in which a browser would send its forms. */
export interface DecodedPage {
  readonly text: string;
  readonly encoding: string;
}

const CHARSET = /charset\s*=\s*["']?([\w:.-]{1,40})/i;
const META_CHARSET = /<meta\b[^<>]*?charset\s*=\s*["']?([\w:.-]{1,40})/i;
/** Number of bytes in which browsers look for a declaration. */
const PRESCAN_BYTES = 1024;

/** Decodes a page by its label or, without one, as UTF-8 if it is that, otherwise as Windows-1252. */
export function decodePage(body: Uint8Array, contentType = ''): DecodedPage {
  const start = Buffer.from(body.subarray(0, PRESCAN_BYTES)).toString('latin1');
  const declared = findEncoding(CHARSET.exec(contentType)?.[1]) ?? findEncoding(META_CHARSET.exec(start)?.[1]);
  const encoding = declared ?? (isUtf8(body) && !isAscii(body) ? 'utf-8' : 'windows-1252');
  // A form is never sent in UTF-16.
  return { text: new TextDecoder(encoding).decode(body), encoding: encoding.startsWith('utf-16') ? 'utf-8' : encoding };
}

/** The standard's name of an encoding; undefined if there is none of this name. */
export function findEncoding(label: string | undefined): string | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** What is escaped in forms: all but letters, digits and `*-._`. */
const ESCAPED = ' !"#$%&\'()+,/:;<=>?@[\\]^`{|}~';

export async function encodeForm(
  target: URL,
  { method, multipart }: { readonly method: 'GET' | 'POST'; readonly multipart: boolean },
  values: readonly { name: string; value: string }[],
  encoding = 'utf-8',
): Promise<Submission> {
  const { percentEncodeAfterEncoding } = await import('@exodus/bytes/whatwg.js');
  if (encoding !== 'utf-8') await import('@exodus/bytes/encoding.js');
  const encode = (text: string): string => percentEncodeAfterEncoding(encoding, text, ESCAPED, true);
  const form = values.map(({ name, value }) => `${encode(name)}=${encode(value)}`).join('&');
  if (method === 'GET') {
    target.search = form;
    return { url: target.href, method };
  }
  const url = target.href;
  if (!multipart) return { url, method, body: Buffer.from(form), contentType: 'application/x-www-form-urlencoded' };
  const data = new FormData();
  for (const { name, value } of values) data.append(name, value);
  const multipartResponse = new Response(data);
  const contentType = multipartResponse.headers.get('content-type') ?? 'multipart/form-data';
  return { url, method, body: new Uint8Array(await multipartResponse.arrayBuffer()), contentType };
}

/** Scripts decode the values of cookies, if they can. */
export function decodeCookie(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Finds the value at the path in a JSON text; undefined if there is none. */
export function findValue(json: string, path: readonly string[]): unknown {
  try {
    let value: unknown = JSON.parse(json);
    for (const name of path)
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? value[name as never] : undefined;
    return value;
  } catch {
    return undefined;
  }
}

/** Describes the cookies' names and the target of a redirect, without values and queries, which may contain secrets. */
export function describeRedirect(setCookie: string | undefined, location: string | undefined): string | undefined {
  const names = setCookie?.split('\n').map((cookie) => cookie.split('=', 1)[0]!.trim().slice(0, 40));
  const parts = [
    ...(location === undefined ? [] : [`redirects to ${removeQuery(location).slice(0, 200)}`]),
    ...(names === undefined ? [] : [`sets ${[...new Set(names)].slice(0, 10).join(', ')}`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

const PERIOD_MS = 30_000;
const DIGITS = 6;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Computes a one-time password as authenticator apps do (RFC 6238, with the parameters that all of them support).
 * @throws Error when the secret is not Base32
 */
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
