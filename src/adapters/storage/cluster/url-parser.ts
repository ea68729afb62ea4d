import { createHash } from 'node:crypto';

/**
 * The range of code points to test, except ideographs and syllables (`SKIPPED_RANGES`), which every version of the standard
 * treats alike.
 */
const FIRST_CODE_POINT = 0xa0;
const LAST_CODE_POINT = 0x323ff;
const SKIPPED_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xdfff],
  [0x20000, 0x2f7ff],
];
/** Labels on which parsers have disagreed: invalid Punycode, sharp s, joiners, numbers that may be IP addresses. */
const LABELS =
  'xn--a xn--zca xn--a-ecp xn--0ca24w xn-- xn--ascii- xn--u-ccb FAẞ faß xn--fa-hia a\u200cb क\u094d\u200dष 08 0x7f.1 1..2';

let cachedFingerprint: string | undefined;

/**
 * Computes a digest of how this process parses host names, as 16 hexadecimal digits: two servers with the same digest
 * store a URL under the same name. Node versions differ, because each has its own Unicode tables (UTS 46). The first
 * call takes a few tenths of a second.
 */
export function computeUrlParserFingerprint(): string {
  cachedFingerprint ??= computeFingerprint();
  return cachedFingerprint;
}

function computeFingerprint(): string {
  const digest = createHash('sha256');
  const addLabel = (label: string): void => void digest.update(`${URL.parse(`http://${label}/`)?.host ?? ''}\n`);
  for (let codePoint = FIRST_CODE_POINT; codePoint <= LAST_CODE_POINT; codePoint++) {
    const skippedRange = SKIPPED_RANGES.find(([from, to]) => codePoint >= from && codePoint <= to);
    if (skippedRange) codePoint = skippedRange[1];
    else addLabel(`a${String.fromCodePoint(codePoint)}b`);
  }
  for (const label of LABELS.split(' ')) addLabel(label);
  return digest.digest('hex').slice(0, 16);
}
