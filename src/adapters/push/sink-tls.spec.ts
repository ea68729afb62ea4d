import { X509Certificate } from 'node:crypto';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Authority, authority, type Identity } from '../../../test/support/certificates.js';
import { addOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import type { SinkTls } from '../../domain/crawl/sink-definition.js';
import { Secret } from '../../domain/secret.js';
import { createSink } from './create-sink.js';

const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

describe('a sink over TLS', () => {
  let own: Authority;
  let server: Identity;
  let client: Identity;
  let stranger: Authority;

  beforeAll(() => {
    own = authority('own authority');
    stranger = authority('somebody else');
    server = own.issue(['127.0.0.1']);
    client = own.issue(['crawlway']);
  });

  /** A receiver that records the bodies that arrived, with the name in the client's certificate. */
  async function receiver(
    options: https.ServerOptions = {},
  ): Promise<{ url: string; received: string[]; hangUp: () => void }> {
    const received: string[] = [];
    const https_ = https.createServer({ ...server, ...options }, (request, response) => {
      const name = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
      request
        .on('data', (data) => received.push(`${name}: ${String(data).slice(0, 11)}`))
        .on('end', () => response.end());
    });
    await new Promise<void>((resolve) => https_.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => https_.close(() => resolve())));
    return {
      url: `https://127.0.0.1:${(https_.address() as AddressInfo).port}/`,
      received,
      hangUp: () => https_.closeAllConnections(),
    };
  }

  async function deliver(url: string, tls?: SinkTls, fingerprint?: string): Promise<string> {
    const sink = createSink(sinkDefinition({ type: 'json', url, tls, options: { fingerprint } }));
    try {
      return (await sink.deliver([addOrder('http://a/')], stillWanted()))[0]!.state;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await sink.close();
    }
  }
  const trusting = (...authorities: Authority[]): SinkTls => ({
    certificateAuthorities: authorities.map(({ cert }) => cert),
  });

  it('trusts the configured authority and no other, and sends nothing to an untrusted server', async () => {
    const { url, received } = await receiver();
    expect(await deliver(url, trusting(own))).toBe('acknowledged');
    expect(received).toHaveLength(1);
    expect(await deliver(url)).toMatch(/signed by .*authority/);
    expect(await deliver(url, trusting(stranger))).toMatch(/signed by .*authority/);
    expect(received).toHaveLength(1);
  });

  it('presents its certificate to a server that requests one', async () => {
    const { url, received } = await receiver({ requestCert: true, rejectUnauthorized: true, ca: own.cert });
    const clientCertificate = { certificate: client.cert, key: new Secret(client.key) };
    expect(await deliver(url, { ...trusting(own), clientCertificate })).toBe('acknowledged');
    expect(received[0]).toBe('crawlway: {"orders":[');
    expect(await deliver(url, trusting(own))).not.toBe('acknowledged');
  });

  it('trusts the certificate with its fingerprint, or one issued by an authority with it', async () => {
    const chain = { cert: server.cert + own.cert };
    const { url, received } = await receiver(chain);
    expect(await deliver(url, undefined, fingerprintOf(server.cert))).toBe('acknowledged');
    expect(await deliver(url, undefined, fingerprintOf(own.cert))).toBe('acknowledged');
    expect(received).toHaveLength(2);
    const refusal = await deliver(url, trusting(own), fingerprintOf(stranger.cert));
    expect(refusal).toContain("none of the server's certificates has the fingerprint that is configured for the sink");
    expect(refusal).toContain(fingerprintOf(server.cert));
    expect(received).toHaveLength(2);
  });

  it('is recognized again on each connection, and must have its own name if the authority alone is trusted', async () => {
    const { url, hangUp } = await receiver();
    const sink = createSink(
      sinkDefinition({ type: 'json', url, options: { fingerprint: fingerprintOf(server.cert) } }),
    );
    onTestFinished(() => sink.close());
    for (const _again of [1, 2, 3]) {
      expect(await sink.deliver([addOrder('http://a/')], stillWanted())).toEqual([{ state: 'acknowledged' }]);
      hangUp();
    }
    const other = own.issue(['other.example']);
    const elsewhere = await receiver({ cert: other.cert + own.cert, key: other.key });
    expect(await deliver(elsewhere.url, undefined, fingerprintOf(own.cert))).toContain('for a different host name');
    expect(elsewhere.received).toEqual([]);
    expect(await deliver(elsewhere.url, undefined, fingerprintOf(other.cert))).toBe('acknowledged');
  });

  it('is not deceived by an authority that is only sent in the chain', async () => {
    const forged = authority('own authority').issue(['127.0.0.1']);
    const { url, received } = await receiver({ cert: forged.cert + own.cert, key: forged.key });
    expect(await deliver(url, undefined, fingerprintOf(own.cert))).toContain("none of the server's certificates");
    expect(received).toEqual([]);
  });
});
