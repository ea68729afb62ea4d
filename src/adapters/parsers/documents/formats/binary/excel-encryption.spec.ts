import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compoundFile } from '../../../../../../test/support/compound-file.js';
import * as legacy from '../../../../../../test/support/legacy-documents.js';
import { FACTS } from '../../../../../../test/support/sample-documents.js';
import { DocumentContent } from '../../document-content.js';
import { CompoundFile } from './compound-file.js';
import { readExcelBinary } from './excel-binary.js';
import { decryptWorkbook, generate } from './excel-encryption.js';

const hash = (algorithm: string, ...parts: readonly Uint8Array[]): Buffer =>
  createHash(algorithm).update(Buffer.concat(parts)).digest();
const [SALT, VALUE] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
const BLOCK = Buffer.alloc(4);

/** The value and its hash, encrypted with the key of the first block. */
function verify(algorithm: string, key: Uint8Array): Buffer {
  const plain = Buffer.concat([VALUE, hash(algorithm, VALUE)]);
  const keystream = generate(key, plain.length);
  return Buffer.from(plain.map((byte, index) => byte ^ keystream[index]!));
}

/** As Excel 97 encrypts. */
function termsOf97(password: string): Buffer {
  const start = hash('md5', Buffer.from(password, 'utf16le')).subarray(0, 5);
  const base = hash('md5', ...Array<Buffer>(16).fill(Buffer.concat([start, SALT]))).subarray(0, 5);
  return Buffer.concat([Buffer.from('010001000100', 'hex'), SALT, verify('md5', hash('md5', base, BLOCK))]);
}

/** As Excel 2002 encrypts, with a key of 128 bits. */
function termsOf2002(password: string): Buffer {
  const key = hash('sha1', hash('sha1', SALT, Buffer.from(password, 'utf16le')), BLOCK).subarray(0, 16);
  const head = Buffer.alloc(14 + 32);
  Buffer.from('010004000200', 'hex').copy(head);
  head.writeUInt32LE(32, 10);
  head.writeUInt32LE(128, 14 + 16);
  const verifier = verify('sha1', key);
  const sizes = [Buffer.from('10000000', 'hex'), Buffer.from('14000000', 'hex')] as const;
  return Buffer.concat([head, sizes[0], SALT, verifier.subarray(0, 16), sizes[1], verifier.subarray(16)]);
}

/** A workbook that says how it is encrypted; its sheets move by the size of that record. */
function withTerms(terms: Buffer): Buffer {
  const file = new CompoundFile(legacy.xls());
  const plain = Buffer.from(file.read(file.find('Workbook')));
  const head = 4 + plain.readUInt16LE(2);
  const record = Buffer.concat([Buffer.from([0x2f, 0, terms.length, 0]), terms]);
  for (let at = 0; plain.readUInt16LE(at) !== 0x0a; at += 4 + plain.readUInt16LE(at + 2))
    if (plain.readUInt16LE(at) === 0x85) plain.writeUInt32LE(plain.readUInt32LE(at + 4) + record.length, at + 4);
  return Buffer.concat([plain.subarray(0, head), record, plain.subarray(head)]);
}

function readText(stream: Buffer): string {
  const content = new DocumentContent({ mediaType: '', maxTextLength: 10_000, maxLinks: 10, timeLimit: 1_000 });
  readExcelBinary(new CompoundFile(compoundFile({ Workbook: stream })), content);
  return content.finish(() => undefined).text;
}

describe('an encrypted workbook of Excel 97 to 2003', () => {
  it.each([
    ['97', termsOf97],
    ['2002', termsOf2002],
  ])('of Excel %s is read if it has the password that Excel tries by itself', (_, makeTerms) => {
    const terms = makeTerms('VelvetSweatshop');
    // The cipher is its own inverse.
    const encrypted = decryptWorkbook(withTerms(terms), terms)!;
    expect(encrypted.includes(Buffer.from(FACTS.text, 'utf16le'))).toBe(false);
    expect(readText(encrypted)).toContain(FACTS.text);
    expect(() => readText(withTerms(makeTerms('secret')))).toThrow('the workbook is encrypted');
  });

  it('is decrypted with RC4', () => {
    const bytes = generate(Buffer.from('Key'), 9).map((byte, index) => byte ^ Buffer.from('Plaintext')[index]!);
    expect(Buffer.from(bytes).toString('hex')).toBe('bbf316e8d940af0ad3');
  });
});
