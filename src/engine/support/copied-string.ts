/** Room for a URL of any usual length; longer ones are rare enough to get their own buffer. */
const room = Buffer.allocUnsafeSlow(8_192);
const BYTES_PER_UNIT = 3;

/**
 * Copies a string: one that was cut out of a longer one, such as a page, keeps the whole of it in memory; a copy does
 * not.
 */
export function copyString(text: string): string {
  const bytes = text.length * BYTES_PER_UNIT <= room.length ? room : Buffer.allocUnsafe(text.length * BYTES_PER_UNIT);
  return bytes.toString('utf8', 0, bytes.write(text));
}
