import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningIndex, startIndex } from '../../demo-index/server.js';
import { anyText } from '../support/any-text.js';

const COMMANDS = [
  'add_documents',
  'delete_documents',
  'delete_documents_root_path',
  'get_current_session_id',
  'set_checkpoint',
  'get_checkpoint',
  'get_documents_status',
  'enumerate_synced_entries',
  'no_such_command',
];
const FIELDS = [
  'PAPI_1:uri',
  'PAPI_1:stamp',
  'PAPI_1:meta:title',
  'PAPI_1:part_bytes:master',
  'PAPI_1:part_directive:master:encoding',
  'PAPI_uri',
  'PAPI_rootPath',
  'PAPI_mode',
  'PAPI_session',
  'PAPI_checkpoint',
  'PAPI_name',
  'PAPI_sync',
  'PAPI_',
  'x',
  '',
];

const value = fc.oneof(
  anyText(40),
  fc.constantFrom('true', '-1', '0', '99999999999999999999', 'http://a.example/', '%', '\0'),
);
const fields = fc.array(fc.tuple(fc.constantFrom(...FIELDS), value), { maxLength: 8 });

describe('the Push API receiver', () => {
  let index: RunningIndex;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crawlway-fuzz-'));
    index = await startIndex({ file: join(folder, 'index.db'), port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const isWell = async (): Promise<boolean> =>
    /^-?\d+$/.test((await (await fetch(`${index.url}/papi/4/connectors/test/get_current_session_id`)).text()).trim());

  it('responds to any form with a status, and never fails', async () => {
    const call = fc.record({
      command: fc.constantFrom(...COMMANDS),
      method: fc.constantFrom('GET', 'POST', 'PUT'),
      fields,
      multipart: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ command, method, fields, multipart }) => {
        const url = new URL(`${index.url}/papi/4/connectors/test/${command}`);
        const body = multipart ? new FormData() : new URLSearchParams();
        for (const [name, text] of fields) (method === 'GET' ? url.searchParams : body).append(name, text);
        const answer = await fetch(url, { method, body: method === 'GET' ? undefined : body });
        await answer.text();
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
    expect(await isWell()).toBe(true);
  });

  it('survives bodies that are truncated, corrupted or other than their headers say', async () => {
    const template = [
      '--b\r\ncontent-disposition: form-data; name="PAPI_1:uri"\r\n\r\nhttp://a.example/\r\n',
      '--b\r\ncontent-disposition: form-data; name="PAPI_1:part_bytes:master"; filename="x"\r\ncontent-type: text/html\r\n\r\n<p>x</p>\r\n',
      '--b--\r\n',
    ].join('');
    const damage = fc.record({
      at: fc.nat(template.length),
      cut: fc.nat(60),
      insert: fc.string({ unit: 'binary-ascii', maxLength: 20 }),
      length: fc.integer({ min: -20, max: 200 }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, cut, insert, length }) => {
        const body = template.slice(0, at) + insert + template.slice(at + cut);
        const head = `POST /papi/4/connectors/test/add_documents HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${Math.max(0, body.length + length)}\r\nconnection: close\r\n\r\n`;
        expect(await answerTo(index.port, head + body)).not.toMatch(/^HTTP\/1\.1 5(?!03)/);
      }),
      { numRuns: 100 },
    );
    expect(await isWell()).toBe(true);
  });
});

/** What comes back on a connection that is closed on this side as soon as everything is sent. */
function answerTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes, 'latin1'));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => undefined).on('close', () => resolve(received));
  });
}
