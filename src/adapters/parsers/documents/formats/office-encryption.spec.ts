import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encryptAgile, encryptStandard } from '../../../../../test/support/office-encryption.js';
import { Unreadable } from '../document-content.js';
import { decryptPackage } from './office-encryption.js';

const DOCUMENT = Buffer.from('PK the document '.repeat(700));

describe('an encrypted document', () => {
  it.each([
    ['agile', encryptAgile],
    ['standard', encryptStandard],
  ])('of the %s kind is opened with the password that Excel tries by itself', (_, encrypt) => {
    const { info, encrypted } = encrypt(DOCUMENT, 'VelvetSweatshop');
    expect(decryptPackage(info, encrypted).equals(DOCUMENT)).toBe(true);
  });

  it.each([
    ['agile', encryptAgile],
    ['standard', encryptStandard],
  ])('of the %s kind with another password is refused', (_, encrypt) => {
    const { info, encrypted } = encrypt(DOCUMENT, 'secret');
    expect(() => decryptPackage(info, encrypted)).toThrow(Unreadable);
  });

  it('is refused if opening it would take too long', () => {
    const { info, encrypted } = encryptAgile(DOCUMENT, 'VelvetSweatshop', 1_000_001);
    expect(() => decryptPackage(info, encrypted)).toThrow(Unreadable);
  });

  it('is read or refused, whatever is changed', () => {
    const { info, encrypted } = encryptAgile(DOCUMENT, 'VelvetSweatshop');
    fc.assert(
      fc.property(fc.nat(), fc.nat(255), fc.nat(), (at, byte, length) => {
        const changed = Buffer.from(info);
        changed[at % changed.length] = byte;
        try {
          decryptPackage(changed, encrypted.subarray(0, length % encrypted.length));
        } catch (error) {
          expect(error).toBeInstanceOf(Unreadable);
        }
      }),
      { numRuns: 100 },
    );
  });
});
