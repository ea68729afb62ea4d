import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { command, documents, runningIndex, status } from '../test/support/push-index.js';
import { temporaryDirectory } from '../test/support/temporary-directory.js';
import { startIndex } from './server.js';

describe('refusals', () => {
  const bad: [string, FormData | URLSearchParams, string][] = [
    ['without a URI', form(['PAPI_1:stamp', 's']), 'document 1 has no PAPI_1:uri'],
    ['with an empty URI', form(['PAPI_1:uri', '']), 'document 1 has no PAPI_1:uri'],
    ['with two URIs', form(['PAPI_1:uri', 'a'], ['PAPI_1:uri', 'b']), 'PAPI_1:uri occurs twice'],
    ['with an unknown field', form(['PAPI_1:uri', 'a'], ['PAPI_1:colour', 'b']), 'unknown field PAPI_1:colour'],
    ['with a field of no document', form(['uri', 'a']), 'unknown field uri'],
    ['without any document', new URLSearchParams(), 'no document'],
  ];

  it.each(bad)('refuses add_documents %s and says why in XML', async (_, body, message) => {
    const index = await runningIndex();
    const answer = await fetch(command(index, 'add_documents'), { method: 'POST', body });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/xml');
    expect(await answer.text()).toContain(`<message>${message}`);
  });

  it('rejects a whole request when one of its documents is invalid', async () => {
    const index = await runningIndex();
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
    const index = await runningIndex();
    expect((await fetch(command(index, name), { method })).status).toBe(expected);
  });

  it('asks for the login on every path when one is set', async () => {
    const index = await runningIndex({ login: 'push', password: 'pä:ss' });
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

  it('listens on non-loopback addresses only when a login is set', async () => {
    const file = join(temporaryDirectory(), 'index.sqlite');
    await expect(startIndex({ file, port: 0, host: '0.0.0.0' })).rejects.toThrow(/the index needs a login/);
  });

  it('without a login answers only requests for host names of this machine', async () => {
    const index = await runningIndex();
    const get = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = httpGet({ port: index.port, host: '127.0.0.1', path: '/search?q=a', headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        request.on('error', reject);
      });
    expect(await get({ host: `rebound.example:${index.port}` })).toBe(403);
    expect(await get({ host: `localhost:${index.port}` })).toBe(200);
    expect(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200);
  });

  it('refuses commands that a web page sends', async () => {
    const index = await runningIndex();
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
    const index = await runningIndex();
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

  it('stores nothing of a truncated request', async () => {
    const index = await runningIndex();
    const head = 'POST /papi/4/connectors/docs/add_documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n';
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
