import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { ed25519Key } from './network.js';

const toPem = (pair: ReturnType<typeof generateKeyPairSync>): string =>
  pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

it('a signing key is an Ed25519 key, and no other', () => {
  const key = toPem(generateKeyPairSync('ed25519'));
  expect(ed25519Key.parse(key)).toEqual({ ok: true, value: key });
  expect(ed25519Key.parse(toPem(generateKeyPairSync('ec', { namedCurve: 'P-256' }))).ok).toBe(false);
  expect(ed25519Key.parse(key.slice(0, 60)).ok).toBe(false);
});
