import { describe, expect, it } from 'vitest';
import { startIndexProcess } from '../test/support/index-process.js';
import { add, command, documents, enumerate, post, runningIndex, status } from '../test/support/push-index.js';
import { temporaryDirectory } from '../test/support/temporary-directory.js';

describe('documents', () => {
  it('takes several documents in one request and enumerates them with their stamps', async () => {
    const index = await runningIndex();
    const answer = await add(index, { uri: 'http://a/é x', stamp: 's1' }, { uri: 'http://b/', stamp: 'two\r\nlines' });
    expect(answer.status).toBe(204);
    expect(await enumerate(index)).toBe('http%3A%2F%2Fa%2F%C3%A9%20x s1\nhttp%3A%2F%2Fb%2F two\\r\\nlines\n');
  });

  it('replaces a document that is pushed again', async () => {
    const index = await runningIndex();
    await add(index, { uri: 'http://a/', stamp: 'old', html: '<p>otter' });
    await add(index, { uri: 'http://a/', stamp: 'new', html: '<p>heron' });
    expect(await enumerate(index)).toBe('http%3A%2F%2Fa%2F new\n');
    expect(await (await fetch(`${index.url}/search?q=otter`)).json()).toMatchObject({ total: 0 });
    expect(await (await fetch(`${index.url}/search?q=heron`)).json()).toMatchObject({ total: 1 });
  });

  it('keeps the documents of one connector apart from those of another', async () => {
    const index = await runningIndex();
    await add(index, { uri: 'http://a/' });
    const other = `${index.url}/papi/4/connectors/other`;
    await fetch(`${other}/delete_documents`, { method: 'POST', body: new URLSearchParams({ PAPI_uri: 'http://a/' }) });
    expect(await (await fetch(`${other}/enumerate_synced_entries`)).text()).toBe('');
    expect(await status(index)).toMatchObject({ documents: 1 });
  });

  it('deletes the named URIs and accepts an unknown one', async () => {
    const index = await runningIndex();
    await add(index, { uri: 'http://a/' }, { uri: 'http://b/' }, { uri: 'http://c/' });
    const answer = await post(index, 'delete_documents', [
      ['PAPI_uri', 'http://a/'],
      ['PAPI_uri', 'http://x/'],
      ['PAPI_uri', 'http://c/'],
    ]);
    expect(answer.status).toBe(204);
    expect(await enumerate(index)).toBe('http%3A%2F%2Fb%2F \n');
    expect(await (await fetch(`${index.url}/search?q=c`)).json()).toMatchObject({ total: 0 });
  });

  it.each([
    ['true', ['h/other']],
    ['false', ['h/d/sub/2', 'h/other']],
  ])('deletes below a root path, recursive=%s', async (recursive, left) => {
    const index = await runningIndex();
    await add(index, { uri: 'h/d' }, { uri: 'h/d/1' }, { uri: 'h/d/sub/2' }, { uri: 'h/other' });
    await post(index, 'delete_documents_root_path', [
      ['PAPI_rootPath', 'h/d'],
      ['PAPI_recursive', recursive],
    ]);
    expect((await enumerate(index)).split('\n').map((line) => decodeURIComponent(line.split(' ')[0] ?? ''))).toEqual([
      ...left,
      '',
    ]);
  });

  it('tells the status of single documents', async () => {
    const index = await runningIndex();
    await add(index, { uri: 'http://a/', stamp: 's1' });
    const answer = await fetch(`${command(index, 'get_documents_status')}?PAPI_uri=http://a/&PAPI_uri=http://b/`);
    expect(await answer.text()).toBe('http%3A%2F%2Fa%2F true s1\nhttp%3A%2F%2Fb%2F false \n');
  });

  it('enumerates more entries than one page of them, each once', async () => {
    const index = await runningIndex();
    const uris = Array.from({ length: 2_500 }, (_, i) => `http://a/${String(i).padStart(5, '0')}`);
    await add(index, ...uris.map((uri) => ({ uri })));
    const lines = (await enumerate(index)).trimEnd().split('\n');
    expect(lines.map((line) => decodeURIComponent(line.trimEnd()))).toEqual(uris);
  });

  it('enumerates the direct children of a path only, when asked to', async () => {
    const index = await runningIndex();
    await add(index, { uri: 'h/1' }, { uri: 'h/d/2' }, { uri: 'g/3' });
    expect(await enumerate(index, '?PAPI_rootPath=h/&PAPI_mode=NOT_RECURSIVE_DOCUMENTS')).toBe('h%2F1 \n');
  });
});

describe('checkpoints and sessions', () => {
  it('keeps the value of a checkpoint by name and answers increasing serials', async () => {
    const index = await runningIndex();
    const set = async (value: string, name: string) =>
      Number(
        await (
          await post(index, 'set_checkpoint', [
            ['PAPI_checkpoint', value],
            ['PAPI_name', name],
            ['PAPI_sync', 'true'],
          ])
        ).text(),
      );
    const first = await set('1', 'a');
    expect(await set('2', 'b')).toBeGreaterThan(first);
    expect(await set('3', 'a')).toBeGreaterThan(first + 1);
    expect(await (await fetch(`${command(index, 'get_checkpoint')}?PAPI_name=a`)).text()).toBe('3');
    expect((await fetch(`${command(index, 'get_checkpoint')}?PAPI_name=none`)).status).toBe(204);
    expect(await status(index)).toMatchObject({ lastCheckpoint: { connector: 'docs', name: 'a', value: '3' } });
  });

  it('refuses a command that names another session, without carrying it out', async () => {
    const index = await runningIndex();
    const session = Number(await (await fetch(command(index, 'get_current_session_id'))).text());
    const addIn = (id: number) =>
      fetch(`${command(index, 'add_documents')}?PAPI_session=${id}`, {
        method: 'POST',
        body: documents({ uri: `http://${id}/` }),
      });
    expect((await addIn(session - 1)).status).toBe(400);
    expect((await addIn(session)).status).toBe(204);
    expect(await status(index)).toMatchObject({ documents: 1, session });
  });

  it('loses nothing that a checkpoint acknowledged when it is killed, and has a new session after it', async () => {
    const data = temporaryDirectory();
    const first = await startIndexProcess(data);
    await add(first, { uri: 'http://a/', html: '<p>heron' }, { uri: 'http://b/' });
    await post(first, 'delete_documents', [['PAPI_uri', 'http://b/']]);
    await post(first, 'set_checkpoint', [
      ['PAPI_checkpoint', '7'],
      ['PAPI_name', 'n'],
      ['PAPI_sync', 'true'],
    ]);
    const before = await status(first);
    await first.kill();
    const second = await startIndexProcess(data);
    expect(await enumerate(second)).toBe('http%3A%2F%2Fa%2F \n');
    expect(await (await fetch(`${second.url}/search?q=heron`)).json()).toMatchObject({ total: 1 });
    const after = await status(second);
    expect(after.lastCheckpoint).toEqual(before.lastCheckpoint);
    expect(after.session).toBeGreaterThan(before.session);
  });
});
