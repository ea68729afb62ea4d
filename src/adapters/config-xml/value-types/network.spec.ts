import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { ed25519Key, httpUrl, serviceUrl, userAgent } from './network.js';

const toPem = (pair: ReturnType<typeof generateKeyPairSync>): string =>
  pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

it('a signing key is an Ed25519 key, and no other', () => {
  const key = toPem(generateKeyPairSync('ed25519'));
  expect(ed25519Key.parse(key)).toEqual({ ok: true, value: key });
  expect(ed25519Key.parse(toPem(generateKeyPairSync('ec', { namedCurve: 'P-256' }))).ok).toBe(false);
  expect(ed25519Key.parse(key.slice(0, 60)).ok).toBe(false);
});

it.each(['http://(com,twitter,', 'http://*.a.example/', 'http://a,b/'])('%s is no URL of a server', (url) => {
  expect(httpUrl.parse(url)).toEqual({ ok: false, wanted: expect.stringContaining('without "') });
});

it.each(['http://a_b.example:8080/(x),*', 'http://[::1]/', 'https://bücher.example/'])('%s is one', (url) => {
  expect(httpUrl.parse(url)).toEqual({ ok: true, value: url });
});

it('the user agent of a condition is not empty', () => {
  expect([userAgent.parse(' ').ok, userAgent.parse('me/1').ok]).toEqual([false, true]);
});

it.each(['https://u:p@h/', 'http:u@h', ' http:\\\\u:p@h\\'])(
  'a login in %s is refused where it would not be used',
  (url) => {
    expect(httpUrl.parse(url)).toEqual({ ok: false, wanted: expect.stringContaining('Credential') });
    expect(serviceUrl.parse(url)).toEqual({ ok: true, value: url.trim() });
  },
);
