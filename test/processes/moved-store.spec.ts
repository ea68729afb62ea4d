import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { crawlway, Program } from '../api/program.js';
import { serving } from './small-crawl.js';

// Several processes start in each test: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000 });

describe('moving a store on the command line', () => {
  it('refuses to back up a database that is missing or in use by a server', async () => {
    const { folder } = await serving();
    const file = join(folder, 'backup.jsonl');
    const none = join(folder, 'none');
    const [missing, inUse] = await Promise.all([
      crawlway('store', 'export', file, '--data', none).ended,
      crawlway('store', 'export', file, '--data', join(folder, 'data')).ended,
    ]);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      `crawlway: there is no database ${none}/crawlway.sqlite: specify its location with --data or --database\n`,
    ]);
    expect([inUse.code, inUse.stderr]).toEqual([
      1,
      expect.stringMatching(/^crawlway: .*is in use by another server: .*\.backup.*\n$/),
    ]);
    expect([existsSync(file), existsSync(none)]).toEqual([false, false]);
  });

  it('reports in one sentence why it does not import, and does not touch a file that is not an export', async () => {
    const { folder, server } = await serving();
    const data = join(folder, 'data');
    const text = join(folder, 'notes.txt');
    const file = join(folder, 'backup.jsonl');
    writeFileSync(text, 'buy milk\nand bread');
    server.signal('SIGTERM');
    await server.ended;
    const exported = await crawlway('store', 'export', file, '--data', data, '--json').ended;
    expect([exported.code, JSON.parse(exported.stdout)]).toEqual([0, { lines: expect.any(Number), resumed: false }]);
    const sentences = async (...args: string[]) => {
      const { code, stderr } = await crawlway('store', ...args, '--data', data).ended;
      return [code, stderr];
    };
    const one = (words: string) => [1, expect.stringMatching(new RegExp(`^crawlway: [^\\n]*${words}[^\\n]*\\n$`))];
    expect(await sentences('import', text)).toEqual(one('line 1 of the export: it is not a record of a store'));
    expect(await sentences('import', `${text}.gone`)).toEqual(one('cannot be read: no such file'));
    expect(await sentences('import', file)).toEqual(one('the store is not empty'));
    expect(await sentences('export', text)).toEqual(one('is not an export that can be continued'));
    expect(readFileSync(text, 'utf8')).toBe('buy milk\nand bread');
  });

  it('neither crawls nor exports a store of an interrupted import', async () => {
    const { folder, server, config } = await serving();
    const [file, half, data] = [join(folder, 'backup.jsonl'), join(folder, 'half.jsonl'), join(folder, 'other')];
    server.signal('SIGTERM');
    await server.ended;
    await crawlway('store', 'export', file, '--data', join(folder, 'data')).ended;
    writeFileSync(half, readFileSync(file, 'utf8').split('\n').slice(0, -2).join('\n'));
    const serve = ['serve', '--config', config, '--data', data, '--port', '0'];
    expect((await crawlway('store', 'import', half, '--data', data).ended).code).toBe(1);
    for (const args of [serve, ['store', 'export', '-', '--data', data]]) {
      const { code, stdout, stderr } = await new Program(args).ended;
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(/^crawlway: .*repeat the import with the same file/),
      ]);
    }
    const imported = await crawlway('store', 'import', file, '--data', data, '--json').ended;
    expect([imported.code, Object.values(JSON.parse(imported.stdout)).every(Number.isInteger)]).toEqual([0, true]);
    const whole = new Program(serve);
    await whole.said(/Crawlway is ready/);
  });
});
