import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADMIN_DATABASES } from '../../../../test/support/database.js';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import { instant } from '../../../domain/time/units.js';
import { StoreDamaged } from '../../../engine/ports/frontier-store.js';
import { openSqliteDataSource } from '../sqlite/sqlite-data-source.js';
import { requireIntactPages } from '../sqlite/sqlite-handle.js';
import { AdminStore } from './admin-store.js';
import { lockDataDirectory } from './data-directory.js';
import { Seal, WrongKey } from './seal.js';

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe.each(ADMIN_DATABASES)('versions of the configuration on $name', ({ open }) => {
  it('are encrypted, those of earlier versions too, and readable with the key only', async () => {
    const dataSource = await open();
    onTestFinished(() => dataSource.destroy());
    const version = {
      at: instant(1),
      who: 'file',
      digest: 'd',
      xml: '<a password="hunter2"/>',
      files: new Map([['indexer.conf', 'AuthBasic ada:hunter3']]),
    };
    const rows = async (): Promise<string> =>
      JSON.stringify(await dataSource.query('SELECT * FROM configuration_version'));
    const plain = await new AdminStore(dataSource, (error) => error).add(version);
    expect(await rows()).toMatch(/hunter2.*hunter3/);
    const store = new AdminStore(dataSource, (error) => error, Seal.fromText('k'.repeat(32)));
    await store.sealOldVersions();
    const added = await store.add(version);
    expect(await rows()).not.toMatch(/hunter/);
    for (const { version: number } of [plain, added])
      expect(await store.findTexts(number)).toEqual({ xml: version.xml, files: version.files });
    const other = new AdminStore(dataSource, (error) => error, Seal.fromText('x'.repeat(32)));
    await expect(other.findTexts(added.version)).rejects.toThrow(WrongKey);
    await expect(new AdminStore(dataSource, (error) => error).findTexts(added.version)).rejects.toThrow(/has no key/);
  });
});

it('a data directory is private to its user, also one that an earlier version left open', () => {
  const folder = join(temporaryDirectory(), 'data');
  lockDataDirectory(folder)();
  expect([mode(folder), mode(join(folder, 'server.lock'))]).toEqual(['700', expect.stringMatching(/^6[0-4]{2}$/)]);
  writeFileSync(join(folder, 'crawlway.sqlite'), '');
  chmodSync(folder, 0o755);
  lockDataDirectory(folder)();
  expect([folder, join(folder, 'crawlway.sqlite'), join(folder, 'server.lock')].map(mode)).toEqual([
    '700',
    '600',
    '600',
  ]);
});

it('a directory with other files keeps its permissions, and only our files become private', () => {
  const folder = join(temporaryDirectory(), 'shared');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  for (const name of ['theirs.txt', 'crawlway.sqlite']) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), 0o644);
  }
  lockDataDirectory(folder)();
  expect([folder, join(folder, 'theirs.txt'), join(folder, 'crawlway.sqlite')].map(mode)).toEqual([
    '755',
    '644',
    '600',
  ]);
});

it('the key of a data directory is created once, readable by its user only', () => {
  const folder = temporaryDirectory();
  const sealed = Seal.forDirectory(folder).seal('text');
  expect(mode(join(folder, 'secret.key'))).toBe('600');
  expect(Seal.forDirectory(folder).open(sealed)).toBe('text');
});

it('a damaged database page is detected before the database is used', async () => {
  const file = join(temporaryDirectory(), 'crawlway.sqlite');
  await (await openSqliteDataSource(file)).destroy();
  requireIntactPages(file);
  const pages = readFileSync(file).length / 4096;
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, (pages - 2) * 4096);
  closeSync(handle);
  // The database opens, and only the check reports that a page is lost.
  await (await openSqliteDataSource(file)).destroy();
  expect(() => requireIntactPages(file)).toThrow(StoreDamaged);
  expect(() => requireIntactPages(file)).toThrow(/The database .* is damaged: .*put a backup in its place/s);
});
