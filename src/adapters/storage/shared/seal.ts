/** Encrypts texts that must not be readable in the database or in a backup of it, using AES-256-GCM with one key. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreDamaged, StoreUnavailable } from '../../../engine/ports/frontier-store.js';

const PREFIX = 'sealed:1:';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MIN_KEY_LENGTH = 32;

const WRONG_KEY =
  'What is encrypted in the database was encrypted with a different key. Set CRAWLWAY_ENCRYPTION_KEY to that key, or copy the file ' +
  'secret.key from the data directory of that database into this one.';

/** The text was encrypted with a different key, or it is damaged. */
export class WrongKey extends StoreUnavailable {}

export class Seal {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param secret high-entropy string, such as the output of `openssl rand -hex 32` */
  static fromText(secret: string): Seal {
    return new Seal(Buffer.from(hkdfSync('sha256', secret, '', 'crawlway secrets', 32)));
  }

  /**
   * Uses the key file in a data directory, which is created if there is none. Anyone who can read the directory can
   * decrypt the texts. Throws StoreDamaged if the file has no key, as after a power failure or on a full disk: everybody
   * knows the key that would be made from an empty one.
   */
  static forDirectory(directory: string): Seal {
    const path = join(directory, 'secret.key');
    try {
      const file = openSync(
        path,
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
        0o600,
      );
      try {
        writeFileSync(file, `${randomBytes(32).toString('hex')}\n`);
        fsyncSync(file);
      } catch (error) {
        // An empty one would be taken for a key that was lost. Failures to write do not name the file.
        rmSync(path);
        throw Object.assign(error as Error, { path });
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const key = readFileSync(path, 'utf8').trim();
    if (key.length < MIN_KEY_LENGTH)
      throw new StoreDamaged(
        `${path} has no key of ${MIN_KEY_LENGTH} characters: put a backup of it in its place. Without one, remove the file, and store the secrets again.`,
      );
    return Seal.fromText(key);
  }

  /** @param context what the text is for; it cannot be decrypted as anything else */
  seal(text: string, context = ''): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(context));
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
  }

  /** @throws WrongKey */
  open(text: string, context = ''): string {
    const bytes = Buffer.from(text.slice(PREFIX.length), 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const ciphertext = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
    } catch (error) {
      throw new WrongKey(WRONG_KEY, { cause: error });
    }
  }
}

export interface EncryptedSecret {
  readonly name: string;
  readonly value: string;
}

/** @throws WrongKey, also if there are secrets but no key */
export function decryptSecrets(
  secrets: readonly EncryptedSecret[],
  seal: Seal | undefined,
): ReadonlyMap<string, string> {
  if (secrets.length > 0 && !seal)
    throw new WrongKey(
      'The database has encrypted secrets, but there is no key: set CRAWLWAY_ENCRYPTION_KEY to the key that the other servers use.',
    );
  return new Map(secrets.map(({ name, value }) => [name, seal!.open(value, name)]));
}
