import type { SecretStore } from '../../engine/ports/administration.js';

const SECRET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Like secrets in files. */
export const MAX_SECRET_BYTES = 65_536;
const MAX_SECRETS = 1_000;

/** @throws RangeError that says what would be right */
export function requireSecretName(name: string): void {
  if (!SECRET_NAME.test(name))
    throw new RangeError(
      `${name.slice(0, 100)} is not a name for a secret: use letters, digits and . _ -, at most 64 characters`,
    );
}

/**
 * Checks whether a secret can be stored.
 * @throws RangeError that says what would be right; it contains nothing of the value
 */
export async function requireStorable(store: SecretStore, name: string, value: string): Promise<void> {
  requireSecretName(name);
  if (!store.storesSecrets)
    throw new RangeError(
      'there is no key with which to encrypt secrets: set CRAWLWAY_ENCRYPTION_KEY to the same value on all servers of the database',
    );
  if (value === '') throw new RangeError(`the secret ${name} is empty`);
  if (Buffer.byteLength(value) > MAX_SECRET_BYTES)
    throw new RangeError(`the secret ${name} is larger than ${MAX_SECRET_BYTES} bytes`);
  const secrets = await store.listSecrets();
  if (secrets.length >= MAX_SECRETS && !secrets.some((secret) => secret.name === name))
    throw new RangeError(`there are already ${MAX_SECRETS} secrets: remove some`);
}
