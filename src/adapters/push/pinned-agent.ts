import { X509Certificate } from 'node:crypto';
import https from 'node:https';
import { isIP } from 'node:net';
import tls from 'node:tls';

const MAX_CHAIN_LENGTH = 10;

/**
 * Connects only to servers whose certificate, or that of an issuing authority, has the given SHA-256 fingerprint
 * (lower-case hexadecimal). No byte of a request is sent before that has been checked. If the fingerprint is that of an
 * authority, the server's name must match as well; that of the server's own certificate is sufficient proof.
 */
export class PinnedAgent extends https.Agent {
  constructor(
    options: https.AgentOptions,
    private readonly fingerprint: string,
  ) {
    super(options);
  }

  override createConnection(
    ...[options, callback]: Parameters<https.Agent['createConnection']>
  ): ReturnType<https.Agent['createConnection']> {
    const { host = 'localhost', servername } = options as tls.ConnectionOptions;
    const name = servername || (isIP(host) ? '' : host);
    const socket = tls.connect({ ...(options as tls.ConnectionOptions), servername: name, rejectUnauthorized: false });
    const onError = (error: Error): void => callback?.(error, socket);
    socket.once('error', onError);
    socket.once('secureConnect', () => {
      const fault = findCertificateFault(socket, this.fingerprint, host);
      if (fault) {
        socket.destroy(fault);
        return;
      }
      socket.off('error', onError);
      callback?.(null, socket);
    });
    return undefined;
  }
}

function findCertificateFault(socket: tls.TLSSocket, fingerprint: string, host: string): Error | undefined {
  let peer: tls.DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  let certificate = parseCertificate(peer);
  const fingerprints = [certificate && getFingerprint(certificate)];
  if (certificate && getFingerprint(certificate) === fingerprint) return undefined;
  for (let i = 0; certificate && peer && i < MAX_CHAIN_LENGTH; i++) {
    const issuer = parseCertificate(peer.issuerCertificate);
    // The sender of a chain may include any certificate, so only signatures are trusted.
    if (!issuer?.ca || !certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) break;
    fingerprints.push(getFingerprint(issuer));
    if (getFingerprint(issuer) === fingerprint) return tls.checkServerIdentity(host, socket.getPeerCertificate());
    if (issuer.fingerprint256 === certificate.fingerprint256) break;
    [peer, certificate] = [peer.issuerCertificate, issuer];
  }
  return new Error(
    `none of the server's certificates has the fingerprint that is configured for the sink; the server presented ${fingerprints.join(', ')}`,
  );
}

const parseCertificate = (peer: tls.DetailedPeerCertificate | undefined): X509Certificate | undefined =>
  peer?.raw ? new X509Certificate(peer.raw) : undefined;

const getFingerprint = ({ fingerprint256 }: X509Certificate): string =>
  fingerprint256.replaceAll(':', '').toLowerCase();
