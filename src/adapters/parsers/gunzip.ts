import { constants, gunzipSync } from 'node:zlib';

/** Maximum number of attempts, each with a prefix of the archive half as long as the previous one. */
const MAX_ATTEMPTS = 8;

/**
 * Unpacks gzip up to about `maxLength` bytes; `whole` is false if there was more or the archive is corrupt. If the
 * archive contains too much, ever shorter prefixes of it are unpacked, so that a bomb takes only a limited amount of
 * time.
 */
export function gunzipBounded(archive: Buffer, maxLength: number): { data: Buffer; whole: boolean } {
  let prefix = archive;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      // Sync flush: a truncated archive yields what it contains instead of an error.
      const data = gunzipSync(prefix, { maxOutputLength: maxLength, finishFlush: constants.Z_SYNC_FLUSH });
      return { data, whole: attempt === 0 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') break;
      prefix = prefix.subarray(0, prefix.length >> 1);
    }
  }
  return { data: Buffer.alloc(0), whole: false };
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
