import { once } from 'node:events';
import { createServer } from 'node:net';
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
