/** A code that nothing emits is a promise that nobody keeps: documented, listed by the API, and never seen. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/domain/fetch/error-codes.js';
import { REASONS } from '../../src/domain/policy/reasons.js';
import { emittedCodes } from './emitted-codes.js';

const SOURCES = join(import.meta.dirname, '../../src');
const CODES: ReadonlySet<string> = new Set([...Object.keys(REASONS), ...Object.keys(ERROR_CODES)]);

it('every reason and every error code has code that emits it', { timeout: 60_000 }, () => {
  const silent = new Set(CODES);
  for (const path of globSync('**/*.ts', { cwd: SOURCES })) {
    if (/\.(?:spec|dto)\.ts$/.test(path)) continue;
    const source = readFileSync(join(SOURCES, path), 'utf8');
    if (![...silent].some((code) => source.includes(`'${code}'`))) continue;
    for (const code of emittedCodes(source, CODES)) silent.delete(code);
  }
  expect([...silent]).toEqual([]);
});

describe('a code is emitted', () => {
  const emits = (source: string): boolean => emittedCodes(source, new Set(['a-code'])).has('a-code');

  it.each([
    "const outcome = { kind: 'error', code: 'a-code' };",
    "function f(status: number) { return status === 404 ? 'a-code' : undefined; }",
    "throw new Refused('a-code', 'detail');",
    "export const A_CODE = 'a-code' as const;",
    "const BY_ERROR = new Map([['ENOENT', 'a-code']]);",
    "const gate = other ?? 'a-code';",
  ])('by %s', (source) => expect(emits(source)).toBe(true));

  it.each([
    "if (reason === 'a-code') retry();",
    "const LATER = new Set(['a-code']);",
    "const known = ['a-code'].includes(reason);",
    "const TABLE = { 'a-code': 'what it means' };",
    "type Code = 'a-code' | 'b-code';",
    "switch (reason) { case 'a-code': again(); }",
    "const shown = counts['a-code'];",
    "if (errors.has('a-code')) again();",
    "// 'a-code'",
  ])('not by %s', (source) => expect(emits(source)).toBe(false));
});
