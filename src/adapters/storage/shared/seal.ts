/**
 * Encrypts texts that must not be readable in the database, in a backup of it or in an export, using AES-256-GCM with
 * one key.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailable } from '../../../engine/ports/frontier-store.js';

const PREFIX = 'sealed:1:';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const WRONG_KEY =
  'A configuration in the database was encrypted with a different key. Set CRAWLWAY_ENCRYPTION_KEY to that key, or copy the file ' +
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
    return new Seal(Buffer.from(hkdfSync('sha256', secret, '', 'crawlway configuration versions', 32)));
  }

  /**
   * Uses the key file in a data directory, which is created if there is none. Anyone who can read the directory can
   * decrypt the texts.
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
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    return Seal.fromText(readFileSync(path, 'utf8').trim());
  }

  static isSealed(text: string): boolean {
    return text.startsWith(PREFIX);
  }

  seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
  }

  /** Decrypts a text; one that an earlier version stored unencrypted is returned unchanged. Throws WrongKey. */
  open(text: string): string {
    if (!Seal.isSealed(text)) return text;
    const bytes = Buffer.from(text.slice(PREFIX.length), 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const ciphertext = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
    } catch (error) {
      throw new WrongKey(WRONG_KEY, { cause: error });
    }
  }
}
