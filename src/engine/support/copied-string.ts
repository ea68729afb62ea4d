/** Room for a URL of any usual length; a longer one is rare enough to get room of its own. */
const room = Buffer.allocUnsafeSlow(8_192);
const BYTES_PER_UNIT = 3;

/** A string that was cut out of another, of a page say, keeps the whole of it in memory; a copy does not. */
export function copied(text: string): string {
  const bytes = text.length * BYTES_PER_UNIT <= room.length ? room : Buffer.allocUnsafe(text.length * BYTES_PER_UNIT);
  return bytes.toString('utf8', 0, bytes.write(text));
}
