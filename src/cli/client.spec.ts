import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { Writable } from 'node:stream';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ServerClient } from './client.js';

it('a server that responds late is distinguished from an unreachable one', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const client = new ServerClient({ server: `http://127.0.0.1:${port}` }, {});
  const soon = AbortSignal.timeout(1);
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(soon);
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(client.call('GET', '/crawlers')).rejects.toThrow(/did not respond within 60 s; it may still be working/);
  vi.restoreAllMocks();
  await new Promise((resolve) => silent.close(resolve));
  await expect(client.call('GET', '/crawlers')).rejects.toThrow(/no server is responding at .*ECONNREFUSED/);
});

it('waits for the beginning of a file for a minute, and for its end as long as it takes', async () => {
  let end = (): void => {};
  const server = createHttpServer((_, response) => {
    response.write('url,');
    end = () => response.end('status');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const parts: string[] = [];
  const output = new Writable({
    write(part, _, done) {
      if (parts.push(String(part)) === 1) {
        vi.advanceTimersByTime(3_600_000);
        end();
      }
      done();
    },
  });
  await new ServerClient({ server: `http://127.0.0.1:${port}` }, {}).pipeTo('/x', output);
  expect(parts.join('')).toBe('url,status');
});
