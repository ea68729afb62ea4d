import { describe, expect, it } from 'vitest';
import { verify } from 'web-bot-auth';
import { verifierFromJWK } from 'web-bot-auth/crypto';
import { FakeSite } from '../../../test/support/fake-site.js';
import { fetcherDefinition } from '../../../test/support/fetcher-definition.js';
import { Secret } from '../../domain/secret.js';
import { HttpFetcher } from './http-fetcher.js';
import {
  createKeyDirectory,
  generateSigningKey,
  parseSigningKey,
  RequestSigner,
  signComponents,
} from './message-signature.js';

/** RFC 9421, B.1.4 */
const RFC_KEY = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----`;
const AGENT = 'https://crawler.example.com/about';

describe('a message signature', () => {
  it('matches RFC 9421, B.2.6', () => {
    const components = [
      ['"date"', 'Tue, 20 Apr 2021 02:07:55 GMT'],
      ['"@method"', 'POST'],
      ['"@path"', '/foo'],
      ['"@authority"', 'example.com'],
      ['"content-type"', 'application/json'],
      ['"content-length"', '18'],
    ] as const;
    const signed = signComponents(
      'sig-b26',
      components,
      { created: 1_618_884_473, keyid: 'test-key-ed25519' },
      parseSigningKey(RFC_KEY),
    );
    expect(signed).toEqual({
      input:
        'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      signature: 'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
    });
  });

  it('identifies its key by the thumbprint given in the drafts', () => {
    expect(parseSigningKey(RFC_KEY).id).toBe('poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U');
    expect(parseSigningKey(RFC_KEY.replaceAll('\n', ' ')).id).toBe(parseSigningKey(RFC_KEY).id);
    for (const bad of ['', 'junk', RFC_KEY.replace('MC4C', 'MC4D')]) expect(() => parseSigningKey(bad)).toThrow();
  });

  it('is accepted by the verifier of the authors of the draft, for its own host only', async () => {
    const { pem, publicJwk } = generateSigningKey();
    const headers = new RequestSigner(parseSigningKey(pem), AGENT).createSignatureHeaders('www.example.com');
    const verifier = await verifierFromJWK({ ...publicJwk });
    const request = (host: string) => new Request(`https://${host}/page?a=b`, { headers });
    await expect(verify(request('www.example.com'), verifier)).resolves.toBeUndefined();
    await expect(verify(request('other.example.com'), verifier)).rejects.toThrow();
    const other = await verifierFromJWK({ ...generateSigningKey().publicJwk });
    await expect(verify(request('www.example.com'), other)).rejects.toThrow();
  });

  it('is on each request of a fetcher with a key, as the site sees it, and on no other', async () => {
    const { pem, publicJwk, id } = generateSigningKey();
    const site = await FakeSite.start();
    site.page('/').page('/a');
    const loopback = { allowedAddresses: ['127.0.0.0/8'] };
    const botAuth = { key: new Secret(pem), agent: AGENT };
    const fetcher = new HttpFetcher([
      fetcherDefinition({ name: 'signs', ...loopback, botAuth }),
      fetcherDefinition({ name: 'plain', ...loopback }),
    ]);
    for (const path of ['/', '/a']) await fetcher.fetch({ url: site.url(path), fetcher: 'signs' });
    await fetcher.fetch({ url: site.url('/'), fetcher: 'plain' });
    await fetcher.close();
    await site.close();
    const [first, second, plain] = site.requests.map(({ headers }) => headers);
    expect(first!['signature-agent']).toBe('"https://crawler.example.com"');
    expect(first!['signature-input']).toContain(`keyid="${id}"`);
    expect(first!['signature']).not.toBe(second!['signature']);
    const verifier = await verifierFromJWK({ ...publicJwk });
    for (const { headers } of site.requests.slice(0, 2)) {
      const seen = new Request(site.url('/'), { headers: headers as Record<string, string> });
      await expect(verify(seen, verifier)).resolves.toBeUndefined();
    }
    expect(Object.keys(plain!).filter((name) => name.startsWith('signature'))).toEqual([]);
  });

  it('is on the directory of the keys, once for each key', () => {
    const [one, two] = [generateSigningKey(), generateSigningKey()];
    const signers = [one, two, one].map(({ pem }) => ({ key: new Secret(pem), agent: AGENT }));
    const { headers, keys } = createKeyDirectory(signers, 1_700_000_000_000)!;
    expect(keys.map(({ kid }) => kid)).toEqual([one.id, two.id]);
    expect(headers['signature-input']).toContain('sig2=("@authority";req);created=1700000000');
    expect(headers['signature-input']).toContain('tag="http-message-signatures-directory"');
    expect(JSON.stringify({ headers, keys })).not.toContain('PRIVATE');
    expect(createKeyDirectory([], 0)).toBeUndefined();
  });
});
