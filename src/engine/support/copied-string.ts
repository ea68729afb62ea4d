/** Reused for URLs of ordinary length; longer ones are rare enough to get their own buffer. */
const sharedBuffer = Buffer.allocUnsafeSlow(8_192);
const BYTES_PER_UNIT = 3;

/** Copies a string. A substring of a longer string, such as a page, keeps all of it in memory; a copy does not. */
export function copyString(text: string): string {
  const buffer =
    text.length * BYTES_PER_UNIT <= sharedBuffer.length
      ? sharedBuffer
      : Buffer.allocUnsafe(text.length * BYTES_PER_UNIT);
  return buffer.toString('utf8', 0, buffer.write(text));
}
