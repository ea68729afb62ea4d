/** Generates X.509 certificates: just enough DER for a test authority and the servers that it certifies. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Identity {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export interface Authority extends Identity {
  /** Issues a server certificate for these names and IP addresses; `days` relative to now is its period of validity. */
  issue(names: readonly string[], days?: { from: number; to: number }): Identity;
}

const DAY = 86_400_000;
const ECDSA_SHA256 = sequence(objectIdentifier([42, 134, 72, 206, 61, 4, 3, 2]));

export function authority(commonName: string): Authority {
  const own = newKeys();
  const cert = certificate({
    subject: commonName,
    issuer: commonName,
    keys: own,
    signer: own.privateKey,
    authority: true,
  });
  return {
    cert,
    key: pemKey(own.privateKey),
    issue: (names, days) => {
      const keys = newKeys();
      return {
        cert: certificate({ subject: names[0]!, issuer: commonName, keys, signer: own.privateKey, names, days }),
        key: pemKey(keys.privateKey),
      };
    },
  };
}

interface Contents {
  readonly subject: string;
  readonly issuer: string;
  readonly keys: { publicKey: KeyObject };
  readonly signer: KeyObject;
  readonly authority?: boolean;
  readonly names?: readonly string[];
  readonly days?: { from: number; to: number };
}

function certificate(contents: Contents): string {
  const { from, to } = contents.days ?? { from: -1, to: 30 };
  const publicKey = contents.keys.publicKey.export({ type: 'spki', format: 'der' });
  const extensions = [
    extension([85, 29, 14], tagged(0x04, createHash('sha1').update(publicKey).digest())),
    ...(contents.authority ? [extension([85, 29, 19], sequence(tagged(0x01, Buffer.of(255))))] : []),
    ...(contents.names ? [extension([85, 29, 17], sequence(...contents.names.map(alternativeName)))] : []),
  ];
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.of(2))),
    tagged(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ECDSA_SHA256,
    distinguishedName(contents.issuer),
    sequence(time(Date.now() + from * DAY), time(Date.now() + to * DAY)),
    distinguishedName(contents.subject),
    publicKey,
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, contents.signer);
  return pem('CERTIFICATE', sequence(body, ECDSA_SHA256, tagged(0x03, Buffer.concat([Buffer.of(0), signature]))));
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pemKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const pem = (label: string, der: Buffer): string =>
  // No empty line at the end: OpenSSL refuses it.
  `-----BEGIN ${label}-----\n${der
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')}\n-----END ${label}-----\n`;

function tagged(tag: number, content: Buffer): Buffer {
  const length = content.length;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function objectIdentifier(bytes: number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

const distinguishedName = (commonName: string): Buffer =>
  sequence(tagged(0x31, sequence(objectIdentifier([85, 4, 3]), tagged(0x0c, Buffer.from(commonName)))));

const extension = (id: number[], value: Buffer): Buffer => sequence(objectIdentifier(id), tagged(0x04, value));

const alternativeName = (name: string): Buffer =>
  /^[\d.]+$/.test(name) ? tagged(0x87, Buffer.from(name.split('.').map(Number))) : tagged(0x82, Buffer.from(name));

/** GeneralizedTime. */
const time = (at: number): Buffer =>
  tagged(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
