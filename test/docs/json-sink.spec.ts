/** The receiver of docs/json-sink.md, run as it stands there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { JsonSink } from '../../src/adapters/push/json.js';
import { Secret } from '../../src/domain/secret.js';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../support/push-orders.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

let code: string;
beforeAll(() => {
  const page = readFileSync(join(PROJECT_ROOT, 'docs/json-sink.md'), 'utf8');
  code = /```js receiver\.mjs\n(.*?)```/s.exec(page)![1]!;
});

async function startReceiver(secret: string): Promise<string> {
  const file = join(temporaryDirectory(), 'receiver.mjs');
  writeFileSync(file, code);
  const child = spawn(process.execPath, [file], {
    env: { SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return `http://127.0.0.1:${/\d+$/.exec(line)![0]}/`;
}

function openSink(url: string, secret: string): JsonSink {
  const sink = new JsonSink(sinkDefinition({ type: 'json', url, options: { secret: new Secret(secret) } }));
  onTestFinished(() => sink.close());
  return sink;
}

it('takes what is signed with its secret, and answers for each order', async () => {
  const url = await startReceiver('right');
  const batch = [addOrder('http://a/'), addOrder('http://a/empty', { text: '' }), deleteOrder('http://a/gone')];
  expect(await openSink(url, 'right').deliver(batch, stillWanted())).toEqual([
    { state: 'acknowledged' },
    { state: 'refused', message: 'it has no text' },
    { state: 'acknowledged' },
  ]);
  await openSink(url, 'right').probe(stillWanted());
  await expect(openSink(url, 'wrong').deliver(batch, stillWanted())).rejects.toThrow('status 401');
});

it('is as short as the page says', () => {
  expect(code.trim().split('\n').length).toBeLessThan(30);
});
