import { join } from 'node:path';
import { expect, it } from 'vitest';
import { discovered, newUrl } from '../../test/support/frontier-samples.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { openSqliteStore } from '../adapters/storage/sqlite/sqlite-store.js';
import { exportStore, importStore } from './store.js';

it('imports what it exported, also texts with line separators of Unicode', async () => {
  const [from, to] = [temporaryDirectory(), temporaryDirectory()];
  const file = join(from, 'export.jsonl');
  const title = 'first\u2028second\u2029third\r\u0085';
  const store = await openSqliteStore(join(from, 'crawlway.sqlite'));
  const [url] = await discovered(store, newUrl('http://a.example/'));
  await store.settle([{ id: url!.id, changes: { title } }]);
  await store.close();
  await exportStore(file, { data: from });
  await importStore(file, { data: to });
  const copy = await openSqliteStore(join(to, 'crawlway.sqlite'));
  expect(await copy.find('docs', 'http://a.example/')).toMatchObject({ title });
  await copy.close();
});

it('imports into a database without URLs that a server has already used', async () => {
  const [from, to] = [temporaryDirectory(), temporaryDirectory()];
  const file = join(from, 'export.jsonl');
  const store = await openSqliteStore(join(from, 'crawlway.sqlite'));
  await discovered(store, newUrl('http://a.example/'));
  await store.putSetting('kept', '1');
  await store.close();
  await exportStore(file, { data: from });
  const used = await openSqliteStore(join(to, 'crawlway.sqlite'));
  await used.putSetting('left-over', '1');
  await used.close();
  await importStore(file, { data: to });
  const copy = await openSqliteStore(join(to, 'crawlway.sqlite'));
  expect([...(await copy.listSettings('')).keys()].sort()).toEqual(['connector', 'kept']);
  await copy.close();
});
