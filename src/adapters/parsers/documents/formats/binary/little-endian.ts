/** Reads little-endian numbers of untrusted files: whatever is outside the bytes is read as 0. */

export const readByte = (bytes: Buffer, at: number): number => bytes[at] ?? 0;

export const readShort = (bytes: Buffer, at: number): number =>
  at >= 0 && at + 2 <= bytes.length ? bytes.readUInt16LE(at) : 0;

export const readInt = (bytes: Buffer, at: number): number =>
  at >= 0 && at + 4 <= bytes.length ? bytes.readUInt32LE(at) : 0;

export const readDouble = (bytes: Buffer, at: number): number =>
  at >= 0 && at + 8 <= bytes.length ? bytes.readDoubleLE(at) : 0;

/** The time of a Windows FILETIME, in ISO 8601; undefined if it is not set. */
export function readFileTime(bytes: Buffer, at: number): string | undefined {
  if (at < 0 || at + 8 > bytes.length) return undefined;
  const milliseconds = Number(bytes.readBigUInt64LE(at) / 10_000n) - FILETIME_EPOCH_OFFSET_MS;
  // Programs store an unknown time as 0, or as the duration that the document was edited.
  return milliseconds > MIN_TIME && milliseconds < MAX_TIME ? new Date(milliseconds).toISOString() : undefined;
}

/** From 1601, where FILETIME starts, to 1970. */
const FILETIME_EPOCH_OFFSET_MS = 11_644_473_600_000;
const MIN_TIME = Date.UTC(1971, 0);
const MAX_TIME = Date.UTC(9999, 0);
