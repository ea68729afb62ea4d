import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { toFileError } from './fail.js';

function describeFailure(verb: 'read' | 'written' | 'used', act: () => void): string {
  try {
    act();
  } catch (error) {
    return (toFileError('x', verb, error) as Error).message;
  }
  throw new Error('it has not failed');
}

it('an error of the system is said in one sentence', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-fail-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  expect(describeFailure('used', () => mkdirSync(file))).toBe('x cannot be used: it is a file; a folder is expected');
  expect(describeFailure('used', () => mkdirSync(join(file, 'a')))).toBe(
    'x cannot be used: a part of its path is a file; a folder is expected',
  );
  expect(describeFailure('written', () => writeSync(full, 'a'))).toBe('x cannot be written: no space left on device');
  expect(describeFailure('written', () => writeFileSync(file, '', { flag: 'wx' }))).toBe(
    'x cannot be written: file already exists',
  );
});
