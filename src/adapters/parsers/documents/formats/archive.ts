/** Reads the needed entries of a zip archive, with a limit on their unpacked size. */
import { unzipSync } from 'fflate';
import { Unreadable } from '../document-content.js';

/** Maximum unpacked size of all needed entries together, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 20_000;

const OLE_SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0];
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

export class Archive {
  constructor(private readonly files: Readonly<Record<string, Uint8Array>>) {}

  findEntryNames(pattern: RegExp): string[] {
    return Object.keys(this.files).filter((name) => pattern.test(name));
  }

  /** Returns an XML entry as a string; undefined if there is no such entry. */
  readXml(name: string): string | undefined {
    const bytes = this.files[name];
    if (!bytes) return undefined;
    const utf16Encoding =
      bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : '';
    return new TextDecoder(utf16Encoding || 'utf-8').decode(bytes);
  }
}

/** Declared sizes are checked before anything is unpacked; unpacking ends at the declared size. */
export function openArchive(body: Uint8Array, namePattern: RegExp): Archive {
  if (OLE_SIGNATURE.every((byte, index) => body[index] === byte)) throw createOldFormatFailure(body);
  let totalSize = 0;
  let entryCount = 0;
  try {
    return new Archive(
      unzipSync(body, {
        filter({ name, size, originalSize }) {
          if (++entryCount > MAX_ENTRIES)
            throw new Unreadable('extract-memory', `the archive has more than ${MAX_ENTRIES} entries`);
          if (!namePattern.test(name)) return false;
          // Deflate hardly ever makes data larger, so the declared size is wrong, and unpacking could take any amount
          // of time.
          if (size > originalSize * 1.01 + 1_024)
            throw new Unreadable('extract-corrupt', `${name} is larger than the size declared in the archive`);
          totalSize += originalSize;
          if (totalSize > MAX_BYTES)
            throw new Unreadable(
              'extract-memory',
              `the archive is larger than ${MAX_BYTES / 1024 / 1024} MB when unpacked`,
            );
          return true;
        },
      }),
    );
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable('extract-corrupt', `the archive cannot be unpacked: ${String((error as Error).message)}`);
  }
}

/** Office puts an encrypted document into a container of its old binary format. */
function createOldFormatFailure(body: Uint8Array): Unreadable {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(ENCRYPTED_PACKAGE)
    ? new Unreadable('extract-encrypted', 'the document is encrypted')
    : new Unreadable(
        'extract-corrupt',
        'the document has an old binary format, not the one that its media type indicates',
      );
}
