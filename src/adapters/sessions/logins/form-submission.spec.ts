import { expect, it } from 'vitest';
import { instant } from '../../../domain/time/units.js';
import { computeTotp } from './form-submission.js';

/** The secret of RFC 6238, appendix B: "12345678901234567890". */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

it.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('after %i seconds, the password is %s', (time, password) => {
  expect(computeTotp(SECRET, instant(time * 1000))).toBe(password);
  expect(computeTotp(' gezd gnbv gy3t qojq gezd-gnbv-gy3t-qojq==', instant(time * 1000))).toBe(password);
});

it('a secret that is not Base32 is an error', () => {
  expect(() => computeTotp('not 1 secret', instant(0))).toThrow('not Base32');
});
