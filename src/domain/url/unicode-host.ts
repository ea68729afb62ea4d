/** Host names of canonical URLs (`xn--bcher-kva.example`) as people write them (`bücher.example`). Source: RFC 3492. */

const BASE = 36;
const MIN_THRESHOLD = 1;
const MAX_THRESHOLD = 26;
const SKEW = 38;
const DAMP = 700;
const MAX_CODE_POINT = 0x10ffff;

const PREFIX = 'xn--';
const AUTHORITY = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#:]+)/;

/** A label that is not valid stays as it is. */
export const toUnicodeHost = (host: string): string =>
  host.includes(PREFIX)
    ? host
        .split('.')
        .map((label) => (label.startsWith(PREFIX) ? (decodePunycode(label.slice(PREFIX.length)) ?? label) : label))
        .join('.')
    : host;

/** Converts the host of a canonical URL. */
export const toUnicodeUrl = (href: string): string =>
  href.includes(PREFIX)
    ? href.replace(AUTHORITY, (_, scheme: string, host: string) => scheme + toUnicodeHost(host))
    : href;

function decodePunycode(text: string): string | undefined {
  const delimiter = text.lastIndexOf('-');
  const output = Array.from(text.slice(0, Math.max(0, delimiter)), (char) => char.charCodeAt(0));
  let codePoint = 128;
  let insertedAt = 0;
  let bias = 72;
  for (let position = delimiter + 1; position < text.length; ) {
    const start = insertedAt;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = toDigit(text.charCodeAt(position++));
      if (digit === undefined) return undefined;
      insertedAt += digit * weight;
      if (insertedAt > Number.MAX_SAFE_INTEGER / BASE) return undefined;
      const threshold = Math.min(MAX_THRESHOLD, Math.max(MIN_THRESHOLD, k - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adaptBias(insertedAt - start, length, start === 0);
    codePoint += Math.floor(insertedAt / length);
    insertedAt %= length;
    if (codePoint > MAX_CODE_POINT || (codePoint >= 0xd800 && codePoint < 0xe000)) return undefined;
    output.splice(insertedAt++, 0, codePoint);
  }
  return String.fromCodePoint(...output);
}

/** a to z are 0 to 25, the digits 26 to 35; undefined also for NaN, after the end of the text. */
function toDigit(code: number): number | undefined {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : undefined;
}

function adaptBias(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - MIN_THRESHOLD) * MAX_THRESHOLD) / 2; k += BASE)
    rest = Math.floor(rest / (BASE - MIN_THRESHOLD));
  return k + Math.floor(((BASE - MIN_THRESHOLD + 1) * rest) / (rest + SKEW));
}
