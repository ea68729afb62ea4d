import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onPostgres, postgresDatabase } from '../../../../test/support/postgres.js';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import { instant } from '../../../domain/time/units.js';
import { StoreDamaged } from '../../../engine/ports/frontier-store.js';
import { readDatabaseUrl } from '../../../server/database-url.js';
import { openBackend } from '../open-backend.js';
import { openSqliteDataSource } from '../sqlite/sqlite-store.js';
import { lockDataDirectory } from './data-directory.js';
import { decryptSecrets, Seal, WrongKey } from './seal.js';

const BACKENDS = [
  { name: 'SQLite', open: async () => readDatabaseUrl(`sqlite:${join(temporaryDirectory(), 'crawlway.sqlite')}`) },
  ...onPostgres({ name: 'PostgreSQL', open: async () => readDatabaseUrl(await postgresDatabase()) }),
];

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe.each(BACKENDS)('secrets on $name', ({ open }) => {
  const secret = { name: 'wiki', setAt: instant(1), setBy: 'ada' };
  const key = Seal.fromText('k'.repeat(32));

  it('are encrypted, and readable with the key alone, under their own name alone', async () => {
    const backend = openBackend(await open());
    expect(await backend.readSecrets(key)).toEqual(new Map());
    const store = await backend.openAdminStore(key);
    onTestFinished(() => store.close());
    await store.putSecret(secret, 'hunter2');
    await store.putSecret({ ...secret, name: 'other' }, 'hunter3');
    expect(await backend.readSecrets(key)).toEqual(
      new Map([
        ['wiki', 'hunter2'],
        ['other', 'hunter3'],
      ]),
    );
    expect(await store.listSecrets()).toEqual([{ ...secret, name: 'other' }, secret]);
    await expect(backend.readSecrets(Seal.fromText('x'.repeat(32)))).rejects.toThrow(WrongKey);
    await expect(backend.readSecrets(undefined)).rejects.toThrow(/there is no key/);
  });

  it('are replaced and removed', async () => {
    const backend = openBackend(await open());
    const store = await backend.openAdminStore(key);
    onTestFinished(() => store.close());
    await store.putSecret(secret, 'old');
    await store.putSecret({ ...secret, setAt: instant(2), setBy: 'bob' }, 'new');
    expect(await backend.readSecrets(key)).toEqual(new Map([['wiki', 'new']]));
    expect(await store.listSecrets()).toEqual([{ name: 'wiki', setAt: 2, setBy: 'bob' }]);
    expect([await store.removeSecret('wiki'), await store.removeSecret('wiki')]).toEqual([true, false]);
    expect(await backend.readSecrets(key)).toEqual(new Map());
  });

  it('are not stored without a key', async () => {
    const store = await openBackend(await open()).openAdminStore(undefined);
    onTestFinished(() => store.close());
    expect(store.storesSecrets).toBe(false);
    await expect(store.putSecret(secret, 'hunter2')).rejects.toThrow('no key');
    expect(await store.listSecrets()).toEqual([]);
  });
});

it('a secret cannot be passed off as another one', () => {
  const key = Seal.fromText('k'.repeat(32));
  const encrypted = key.seal('hunter2', 'wiki');
  expect(encrypted).not.toContain('hunter2');
  expect(decryptSecrets([{ name: 'wiki', value: encrypted }], key).get('wiki')).toBe('hunter2');
  expect(() => decryptSecrets([{ name: 'other', value: encrypted }], key)).toThrow(WrongKey);
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

it.each(['', '\n', 'a1b2c3'])(
  'a key file that ends early (%j) is an error: nothing is encrypted with what is left',
  (text) => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'secret.key'), text);
    expect(() => Seal.forDirectory(folder)).toThrow(StoreDamaged);
  },
);

it.skipIf(process.platform === 'win32').each([
  ['secret.key', './seal.js', 'Seal.forDirectory'],
  ['server.pid', './data-directory.js', 'lockDataDirectory'],
])('a disk without room for %s: the error names it, and nothing of it is left', (name, module, call) => {
  const folder = temporaryDirectory();
  const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url));
  const program = `const { ${call.split('.')[0]!} } = await import(${url(module.replace('.js', '.ts'))});
    try { ${call}(${JSON.stringify(folder)}) } catch ({ code, path }) { console.log(code, path) }`;
  const typescript = fileURLToPath(new URL('../../../../test/support/register-typescript.mjs', import.meta.url));
  // A limit of zero bytes for each file takes the place of the full disk.
  const limited = ['-c', 'ulimit -f 0 && exec "$0" "$@"', process.execPath];
  const output = execFileSync('sh', [...limited, '--import', typescript, '--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(output).toBe(`EFBIG ${join(folder, name)}\n`);
  expect(existsSync(join(folder, name))).toBe(false);
});

it('a new database and its journals are private, whatever the umask of the command that creates them', async () => {
  const file = join(temporaryDirectory(), 'crawlway.sqlite');
  const umask = process.umask(0o022);
  onTestFinished(() => void process.umask(umask));
  const dataSource = await openSqliteDataSource(file);
  onTestFinished(() => dataSource.destroy());
  expect([file, `${file}-wal`, `${file}-shm`].map(mode)).toEqual(['600', '600', '600']);
});
