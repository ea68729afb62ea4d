import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import { StoreDamaged, StoreUnavailable } from '../../../engine/ports/frontier-store.js';
import { isLocked, openHandle, toPortError } from './sqlite-handle.js';

function emptyFile(): string {
  const file = join(temporaryDirectory(), 'store.sqlite');
  new Database(file).exec('CREATE TABLE t (x)').close();
  return file;
}

const NORMAL = 1;

it.each(['writer', 'reader'] as const)(
  'the %s synchronizes the WAL before each checkpoint, and starts none by itself',
  (role) => {
    const db = openHandle(emptyFile(), role);
    onTestFinished(() => void db.close());
    const read = (name: string) => db.pragma(name, { simple: true });
    expect(read('journal_mode')).toBe('wal');
    expect(read('synchronous')).toBe(NORMAL);
    expect(read('wal_autocheckpoint')).toBe(0);
    expect(read('busy_timeout')).toBe(role === 'writer' ? 10_000 : 250);
  },
);

it('a file that does not exist is not created', () => {
  const file = join(temporaryDirectory(), 'missing.sqlite');
  expect(() => openHandle(file, 'writer')).toThrow(StoreUnavailable);
});

it.each([
  ['SQLITE_CORRUPT_INDEX', StoreDamaged, 'is damaged'],
  ['SQLITE_NOTADB', StoreDamaged, 'is damaged'],
  ['SQLITE_FULL', StoreUnavailable, 'No space is left'],
  ['SQLITE_IOERR_SHMSIZE', StoreUnavailable, 'No space is left'],
  ['SQLITE_BUSY_SNAPSHOT', StoreUnavailable, 'locked by another program'],
  ['SQLITE_LOCKED', StoreUnavailable, 'locked by another program'],
  ['SQLITE_IOERR_WRITE', StoreUnavailable, 'currently unavailable'],
  ['SQLITE_NOMEM', StoreUnavailable, 'currently unavailable'],
  ['SQLITE_READONLY', StoreUnavailable, 'currently unavailable'],
  ['SQLITE_CANTOPEN', StoreUnavailable, 'currently unavailable'],
  ['SQLITE_PROTOCOL', StoreUnavailable, 'currently unavailable'],
])('%s is reported with its remedy', (code, kind, message) => {
  const cause = Object.assign(new Error('details'), { code });
  const error = toPortError(cause, '/data/store.sqlite') as Error;
  expect(error).toBeInstanceOf(kind);
  expect(error.message).toContain(message);
  expect(error.message).toContain('/data/store.sqlite');
  expect(error.message).toContain('details');
  expect(error.cause).toBe(cause);
  expect(isLocked(cause)).toBe(/BUSY|LOCKED/.test(code));
});

it.each([
  Object.assign(new Error('bug'), { code: 'SQLITE_CONSTRAINT' }),
  Object.assign(new Error('bug'), { code: 'ENOENT' }),
  new Error('bug'),
  undefined,
])('any other error is a fault of the program, and stays as it is: %s', (error) => {
  expect(toPortError(error, '/data/store.sqlite')).toBe(error);
  expect(isLocked(error)).toBe(false);
});
