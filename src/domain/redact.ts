/**
 * Hides possible secrets of URLs in any text meant for users: user name and password, and the values of query
 * parameters whose names suggest a secret. Log lines, error messages, problems, quotations and audit entries all pass
 * through `redact`. It reads URLs as the WHATWG standard does (an authority ends at a slash, backslash, `?` or `#`, its
 * user info at the last `@`), in linear time.
 */

/** Replaces a secret in text that is never parsed again. */
const HIDDEN = '***';

/** Start and end offsets in a text. */
export type TextRange = readonly [start: number, end: number];

export function redact(text: string): string {
  if (!/[@?]|%40/.test(text)) return text;
  return replaceRanges(text, mergeRanges([...findUserInfoRanges(text), ...findSecretParameterRanges(text)]), HIDDEN);
}

/**
 * Like `redact`, for every string in a value that is about to be serialized. Errors are left unchanged, because
 * their serializer redacts them.
 */
export function redactDeep<T>(value: T, depth = 0): T {
  if (typeof value === 'string') return redact(value) as T;
  if (value === null || typeof value !== 'object' || value instanceof Error || depth >= MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, depth + 1)) as T;
  if ('toJSON' in value || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item, depth + 1)])) as T;
}

const MAX_DEPTH = 8;

const SECRET_NAME = /passw|secret|token|key|auth|credential|cookie/i;

/** Whether a header is meant for one recipient only: Authorization, Cookie, X-Api-Key, X-Auth-Token … */
export const isSecretHeader = (name: string): boolean => SECRET_NAME.test(name);

/** Replaces each of the ranges, which are in order and do not overlap. */
function replaceRanges(text: string, ranges: readonly TextRange[], placeholder: string): string {
  let result = '';
  let position = 0;
  for (const [start, end] of ranges) {
    result += text.slice(position, start) + placeholder;
    position = end;
  }
  return result + text.slice(position);
}

/** Characters that end a URL inside a text. */
const URL_END = /[\s"<>`]/;

/** Maximum number of characters searched for the end of a password that contains delimiters. */
const MAX_PASSWORD_SEARCH = 256;

/**
 * Finds user name and password of every URL in the text, without the `@`, even if the password makes the URL invalid.
 */
export function findUserInfoRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let searchedUntil = 0;
  for (const match of text.matchAll(/(?:(?<=[a-z\d+.-]):)?[/\\]{2,}|(?<=https?):[/\\]?/gi)) {
    const start = match.index + match[0].length;
    if (start < searchedUntil || start <= (ranges.at(-1)?.[1] ?? -1)) continue;
    const end = findTerminator(text, start, /[/\\?#\s"<>`]/g);
    searchedUntil = end;
    const authority = text.slice(start, end);
    const atIndex = authority.lastIndexOf('@');
    if (atIndex >= 0) ranges.push([start, start + atIndex]);
    else if (!isHost(authority)) {
      const rest = text.slice(end, end + MAX_PASSWORD_SEARCH);
      const lateAtIndex = rest.slice(0, findTerminator(rest, 0, /[\n\r"<>`]/g)).lastIndexOf('@');
      if (lateAtIndex >= 0) ranges.push([start, end + lateAtIndex]);
    }
  }
  return ranges;
}

/** `name:password` is not a host: what follows a host's colon is a number. */
function isHost(authority: string): boolean {
  const colonIndex = authority.lastIndexOf(':');
  return colonIndex < 0 || authority.startsWith('[') || /^\d{0,5}[^\w]*$/.test(authority.slice(colonIndex + 1));
}

/** Ranges of private keys in PEM, from their first line to their last. */
export function findPrivateKeyRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  for (const { index } of text.matchAll(/-----BEGIN [A-Z ]{0,32}PRIVATE KEY/g)) {
    if (index < (ranges.at(-1)?.[1] ?? 0)) continue;
    const end = /-----END [A-Z ]{0,32}PRIVATE KEY-----/.exec(text.slice(index));
    ranges.push([index, end ? index + end.index + end[0].length : text.length]);
  }
  return ranges;
}

function findTerminator(text: string, from: number, terminator: RegExp): number {
  terminator.lastIndex = from;
  return terminator.exec(text)?.index ?? text.length;
}

/** Ranges of query parameter values whose names suggest a secret, or that contain a URL with user info. */
function findSecretParameterRanges(text: string): TextRange[] {
  return findParameterRanges(text).filter(([start, end, name]) => {
    const value = text.slice(start, end);
    return end > start && (isSecretName(name) || findUserInfoRanges(decodeLeniently(value)).length > 0);
  }) as unknown as TextRange[];
}

/** Ranges of the parameter values of all queries in the text. */
export function findParameterRanges(text: string): (readonly [start: number, end: number, name: string])[] {
  const ranges: (readonly [number, number, string])[] = [];
  for (let queryStart = text.indexOf('?'); queryStart >= 0; ) {
    let start = queryStart + 1;
    for (;;) {
      const end = findTerminator(text, start, /[&;#\s"<>`]/g);
      const [name = '', ...value] = text.slice(start, end).split('=', 2);
      if (value.length > 0) ranges.push([start + name.length + 1, end, decodeLeniently(name)]);
      else if (end > start) ranges.push([start, end, '']);
      start = end + 1;
      if (end >= text.length || text[end] === '#' || URL_END.test(text[end] as string)) break;
    }
    queryStart = text.indexOf('?', Math.max(start - 1, queryStart + 1));
  }
  return ranges;
}

const SECRET_WORDS = new Set(
  (
    'password passwd passphrase passwort pass pwd pw secret token auth authorization authorisation authentication ' +
    'credential credentials apikey key signature sig jwt bearer cookie session sessionid sid login'
  ).split(' '),
);

/**
 * Whether a parameter, attribute, header or command of that name holds a secret: `accessToken`, `api-key`,
 * `X-Amz-Signature`.
 */
export const isSecretName = (name: string): boolean =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .some((word) => SECRET_WORDS.has(word));

/** Percent-decodes a text even if it is not valid UTF-8, because such text must not hide a secret. */
export function decodeLeniently(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => UTF8.decode(Uint8Array.from(parseEscapedBytes(escapes))));
}

const UTF8 = new TextDecoder();

const parseEscapedBytes = (escapes: string): number[] =>
  escapes
    .split('%')
    .slice(1)
    .map((byte) => Number.parseInt(byte, 16));

function mergeRanges(ranges: readonly TextRange[]): TextRange[] {
  const merged: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const lastRange = merged.at(-1);
    if (lastRange && start <= lastRange[1]) lastRange[1] = Math.max(lastRange[1], end);
    else merged.push([start, end]);
  }
  return merged;
}
