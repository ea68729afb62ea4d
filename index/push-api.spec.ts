import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startIndexProcess } from '../test/support/index-process.js';
import { temporaryDirectory } from '../test/support/temporary-directory.js';
import { type IndexOptions, type RunningIndex, startIndex } from './server.js';

async function running(options: Partial<IndexOptions> = {}): Promise<RunningIndex> {
  const index = await startIndex({
    file: join(temporaryDirectory(), 'index.sqlite'),
    port: 0,
    host: '127.0.0.1',
    ...options,
  });
  onTestFinished(() => index.close());
  return index;
}

const command = ({ url }: { url: string }, name: string) => `${url}/papi/4/connectors/docs/${name}`;

const post = (index: { url: string }, name: string, fields: [string, string][]) =>
  fetch(command(index, name), { method: 'POST', body: new URLSearchParams(fields) });

function documents(...pushed: { uri: string; stamp?: string; html?: string; metas?: [string, string][] }[]): FormData {
  const form = new FormData();
  pushed.forEach(({ uri, stamp, html, metas }, key) => {
    form.append(`PAPI_${key}:uri`, uri);
    if (stamp !== undefined) form.append(`PAPI_${key}:stamp`, stamp);
    for (const [name, value] of metas ?? []) form.append(`PAPI_${key}:meta:${name}`, value);
    if (html !== undefined)
      form.append(`PAPI_${key}:part_bytes:master`, new Blob([html], { type: 'text/html' }), 'a.html');
  });
  return form;
}

const add = (index: { url: string }, ...pushed: Parameters<typeof documents>) =>
  fetch(command(index, 'add_documents'), { method: 'POST', body: documents(...pushed) });

const enumerate = async (index: { url: string }, query = '') =>
  (await fetch(`${command(index, 'enumerate_synced_entries')}${query}`)).text();

interface Status {
  readonly documents: number;
  readonly session: number;
  readonly lastCheckpoint: unknown;
}

const status = async ({ url }: { url: string }): Promise<Status> =>
  (await (await fetch(`${url}/status`)).json()) as Status;

describe('documents', () => {
  it('takes several documents in one request and enumerates them with their stamps', async () => {
    const index = await running();
    const answer = await add(index, { uri: 'http://a/é x', stamp: 's1' }, { uri: 'http://b/', stamp: 'two\r\nlines' });
    expect(answer.status).toBe(204);
    expect(await enumerate(index)).toBe('http%3A%2F%2Fa%2F%C3%A9%20x s1\nhttp%3A%2F%2Fb%2F two\\r\\nlines\n');
  });

  it('replaces a document that is pushed again', async () => {
    const index = await running();
    await add(index, { uri: 'http://a/', stamp: 'old', html: '<p>otter' });
    await add(index, { uri: 'http://a/', stamp: 'new', html: '<p>heron' });
    expect(await enumerate(index)).toBe('http%3A%2F%2Fa%2F new\n');
    expect(await (await fetch(`${index.url}/search?q=otter`)).json()).toMatchObject({ total: 0 });
    expect(await (await fetch(`${index.url}/search?q=heron`)).json()).toMatchObject({ total: 1 });
  });

  it('keeps the documents of one connector apart from those of another', async () => {
    const index = await running();
    await add(index, { uri: 'http://a/' });
    const other = `${index.url}/papi/4/connectors/other`;
    await fetch(`${other}/delete_documents`, { method: 'POST', body: new URLSearchParams({ PAPI_uri: 'http://a/' }) });
    expect(await (await fetch(`${other}/enumerate_synced_entries`)).text()).toBe('');
    expect(await status(index)).toMatchObject({ documents: 1 });
  });

  it('deletes the URIs that are named and is content when one is unknown', async () => {
    const index = await running();
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
    const index = await running();
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
    const index = await running();
    await add(index, { uri: 'http://a/', stamp: 's1' });
    const answer = await fetch(`${command(index, 'get_documents_status')}?PAPI_uri=http://a/&PAPI_uri=http://b/`);
    expect(await answer.text()).toBe('http%3A%2F%2Fa%2F true s1\nhttp%3A%2F%2Fb%2F false \n');
  });

  it('enumerates more entries than one page of them, each once', async () => {
    const index = await running();
    const uris = Array.from({ length: 2_500 }, (_, i) => `http://a/${String(i).padStart(5, '0')}`);
    await add(index, ...uris.map((uri) => ({ uri })));
    const lines = (await enumerate(index)).trimEnd().split('\n');
    expect(lines.map((line) => decodeURIComponent(line.trimEnd()))).toEqual(uris);
  });

  it('enumerates the direct children of a path only, when asked to', async () => {
    const index = await running();
    await add(index, { uri: 'h/1' }, { uri: 'h/d/2' }, { uri: 'g/3' });
    expect(await enumerate(index, '?PAPI_rootPath=h/&PAPI_mode=NOT_RECURSIVE_DOCUMENTS')).toBe('h%2F1 \n');
  });
});

describe('checkpoints and sessions', () => {
  it('keeps the value of a checkpoint by name and answers increasing serials', async () => {
    const index = await running();
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
    const index = await running();
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

describe('refusals', () => {
  const bad: [string, FormData | URLSearchParams, string][] = [
    ['without a URI', form(['PAPI_1:stamp', 's']), 'document 1 has no PAPI_1:uri'],
    ['with an empty URI', form(['PAPI_1:uri', '']), 'document 1 has no PAPI_1:uri'],
    ['with two URIs', form(['PAPI_1:uri', 'a'], ['PAPI_1:uri', 'b']), 'PAPI_1:uri stands twice'],
    ['with an unknown field', form(['PAPI_1:uri', 'a'], ['PAPI_1:colour', 'b']), 'unknown field PAPI_1:colour'],
    ['with a field of no document', form(['uri', 'a']), 'unknown field uri'],
    ['without any document', new URLSearchParams(), 'no document'],
  ];

  it.each(bad)('refuses add_documents %s and says why in XML', async (_, body, message) => {
    const index = await running();
    const answer = await fetch(command(index, 'add_documents'), { method: 'POST', body });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/xml');
    expect(await answer.text()).toContain(`<message>${message}`);
  });

  it('takes none of a request when one of its documents is bad', async () => {
    const index = await running();
    const body = documents({ uri: 'http://a/' }, { uri: '' });
    expect((await fetch(command(index, 'add_documents'), { method: 'POST', body })).status).toBe(400);
    expect(await status(index)).toMatchObject({ documents: 0 });
  });

  it.each([
    ['POST', 'get_current_session_id', 405],
    ['GET', 'add_documents', 405],
    ['GET', 'no_such_command', 400],
    ['GET', 'constructor', 400],
    ['GET', 'get_documents_status', 400],
    ['GET', 'enumerate_synced_entries?PAPI_mode=ALL', 400],
    ['POST', 'set_checkpoint?PAPI_checkpoint=1&PAPI_sync=perhaps', 400],
    ['POST', 'delete_documents_root_path', 400],
  ])('answers %s %s with %i', async (method, name, expected) => {
    const index = await running();
    expect((await fetch(command(index, name), { method })).status).toBe(expected);
  });

  it('asks for the login on every path when one is set', async () => {
    const index = await running({ login: 'push', password: 'pä:ss' });
    const withLogin = (login: string) => ({
      headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    });
    for (const path of ['/', '/search?q=a', '/status', '/papi/4/connectors/docs/get_current_session_id']) {
      const refused = await fetch(index.url + path);
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /);
      expect((await fetch(index.url + path, withLogin('push:wrong'))).status).toBe(401);
      expect((await fetch(index.url + path, withLogin('push:pä:ss'))).status).toBe(200);
    }
  });

  it('listens on other than loopback addresses only with a login', async () => {
    const file = join(temporaryDirectory(), 'index.sqlite');
    await expect(startIndex({ file, port: 0, host: '0.0.0.0' })).rejects.toThrow(/only with a login/);
  });

  it('refuses commands that a web page sends', async () => {
    const index = await running();
    const body = documents({ uri: 'http://a/' });
    const answer = await fetch(command(index, 'add_documents'), {
      method: 'POST',
      body,
      headers: { origin: 'http://evil.example' },
    });
    expect(answer.status).toBe(400);
    expect(await status(index)).toMatchObject({ documents: 0 });
  });

  it('answers 400 to bodies of random bytes and goes on', async () => {
    const index = await running();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), fc.boolean(), async (bytes, framed) => {
        const body = framed
          ? Buffer.concat([Buffer.from('--b\r\nContent-Disposition: form-data; name="'), bytes])
          : bytes;
        const headers = { 'content-type': 'multipart/form-data; boundary=b' };
        const answer = await fetch(command(index, 'add_documents'), {
          method: 'POST',
          headers,
          body: Buffer.from(body),
        });
        expect(answer.status).toBe(400);
      }),
      { numRuns: 100 },
    );
    expect(await status(index)).toMatchObject({ documents: 0 });
  });

  it('takes nothing of a request that is cut short', async () => {
    const index = await running();
    const head = 'POST /papi/4/connectors/docs/add_documents HTTP/1.1\r\nHost: i\r\nContent-Length: 1000\r\n';
    const type = 'Content-Type: multipart/form-data; boundary=b\r\n\r\n';
    const part = '--b\r\nContent-Disposition: form-data; name="PAPI_1:uri"\r\n\r\nhttp://a/\r\n--b--\r\n';
    const socket = connect(index.port, '127.0.0.1');
    socket.end(head + type + part);
    socket.resume();
    await once(socket, 'close');
    expect(await status(index)).toMatchObject({ documents: 0 });
  });
});

function form(...fields: [string, string][]): FormData {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  return data;
}
