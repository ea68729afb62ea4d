import { expect, test } from 'vitest';
import { ERROR_CODES } from '../fetch/error-codes.js';
import { REASONS } from './reasons.js';

test('every reason says what it means and what to change', () => {
  for (const [code, { layer, meaning, remedy }] of Object.entries(REASONS)) {
    expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(layer).not.toBe('');
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(remedy).toMatch(/^[A-Z].*\.$/);
  }
});

test('no reason has the code of an error', () => {
  expect(Object.keys(REASONS).filter((code) => code in ERROR_CODES)).toEqual([]);
});
