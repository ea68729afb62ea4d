/** Encrypts documents as Office does ([MS-OFFCRYPTO] 2.3.4): the streams `EncryptionInfo` and `EncryptedPackage`. */
import { createCipheriv, hash as hashOnce } from 'node:crypto';

interface Streams {
  readonly info: Buffer;
  readonly encrypted: Buffer;
}

const hash = (algorithm: string, ...parts: readonly Uint8Array[]): Buffer =>
  hashOnce(algorithm, Buffer.concat(parts), 'buffer');

function number(value: number, size = 4): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32LE(value);
  return bytes;
}

function spin(algorithm: string, salt: Buffer, password: string, count: number): Buffer {
  const digest = hash(algorithm, salt, Buffer.from(password, 'utf16le'));
  const block = Buffer.concat([number(0), digest]);
  for (let index = 0; index < count; index++) {
    block.writeUInt32LE(index);
    hashOnce(algorithm, block, 'buffer').copy(block, 4);
  }
  return block.subarray(4);
}

function cipher(algorithm: string, key: Buffer, iv: Buffer | null, data: Buffer): Buffer {
  const padded = Buffer.concat([data, Buffer.alloc((16 - (data.length % 16)) % 16)]);
  const encoder = createCipheriv(algorithm, key, iv).setAutoPadding(false);
  return Buffer.concat([encoder.update(padded), encoder.final()]);
}

const SPIN_COUNT = 1_000;

export function encryptAgile(document: Buffer, password: string, spinCount = SPIN_COUNT): Streams {
  const passwordSalt = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
  const dataSalt = Buffer.from('ffeeddccbbaa99887766554433221100', 'hex');
  const key = hash('sha256', Buffer.from('any key'));
  const verifier = Buffer.from('0123456789abcdef');
  const passwordHash = spin('sha512', passwordSalt, password, spinCount);
  const close = (blockKey: string, data: Buffer): string => {
    const blockKeyHash = hash('sha512', passwordHash, Buffer.from(blockKey, 'hex')).subarray(0, 32);
    return cipher('aes-256-cbc', blockKeyHash, passwordSalt, data).toString('base64');
  };
  const facts = (salt: Buffer): string =>
    `saltSize="16" blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512" saltValue="${salt.toString('base64')}"`;
  const xml = `<encryption><keyData ${facts(dataSalt)}/><keyEncryptors><keyEncryptor><p:encryptedKey spinCount="${spinCount}" ${facts(passwordSalt)} encryptedVerifierHashInput="${close('fea7d2763b4b9e79', verifier)}" encryptedVerifierHashValue="${close('d7aa0f6d3061344e', hash('sha512', verifier))}" encryptedKeyValue="${close('146e0be7abacd0d6', key)}"/></keyEncryptor></keyEncryptors></encryption>`;
  const segments = Array.from({ length: Math.ceil(document.length / 4096) }, (_, index) => {
    const iv = hash('sha512', dataSalt, number(index)).subarray(0, 16);
    return cipher('aes-256-cbc', key, iv, document.subarray(index * 4096, (index + 1) * 4096));
  });
  return {
    info: Buffer.concat([Buffer.from('0400040040000000', 'hex'), Buffer.from(xml)]),
    encrypted: Buffer.concat([number(document.length, 8), ...segments]),
  };
}

export function encryptStandard(document: Buffer, password: string): Streams {
  const salt = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
  const verifier = Buffer.from('0123456789abcdef');
  const passwordHash = hash('sha1', spin('sha1', salt, password, 50_000), number(0));
  const derive = (filler: number): Buffer =>
    hash('sha1', Buffer.from(Array.from({ length: 64 }, (_, index) => filler ^ (passwordHash[index] ?? 0))));
  const key = Buffer.concat([derive(0x36), derive(0x5c)]).subarray(0, 16);
  const header = Buffer.concat([
    ...[0x24, 0, 0x660e, 0x8004, 128, 0x18, 0, 0].map((value) => number(value)),
    Buffer.from('AES\0', 'utf16le'),
  ]);
  return {
    info: Buffer.concat([
      Buffer.from('0400020024000000', 'hex'),
      number(header.length),
      header,
      number(16),
      salt,
      cipher('aes-128-ecb', key, null, verifier),
      number(20),
      cipher('aes-128-ecb', key, null, hash('sha1', verifier)),
    ]),
    encrypted: Buffer.concat([number(document.length, 8), cipher('aes-128-ecb', key, null, document)]),
  };
}
