/** A code that nothing emits is a promise that nobody keeps: documented, listed by the API, and never seen. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/domain/fetch/error-codes.js';
import { REASONS } from '../../src/domain/policy/reasons.js';

const SOURCES = join(import.meta.dirname, '../../src');
/** Where codes are described, not emitted. */
const REGISTRIES = /(?:domain\/policy\/reasons|domain\/fetch\/error-codes|\.spec|\.dto)\.ts$/;
/** Emitted by a registered extractor of the operator's: the port's type is `extract-…`. */
const OF_EXTRACTORS = ['extract-memory', 'extract-encrypted'];

it('every reason and every error code is in the code that emits it', () => {
  const code = globSync('**/*.ts', { cwd: SOURCES })
    .filter((path) => !REGISTRIES.test(path))
    .map((path) => readFileSync(join(SOURCES, path), 'utf8'))
    .join('\n');
  const statuses = readFileSync(join(SOURCES, 'domain/fetch/error-codes.ts'), 'utf8').split('errorCodeOfStatus')[1];
  const silent = [...Object.keys(REASONS), ...Object.keys(ERROR_CODES)].filter(
    (name) => !OF_EXTRACTORS.includes(name) && !`${code}${statuses}`.includes(`'${name}'`),
  );
  expect(silent).toEqual([]);
});
