import { describe, expect, it, onTestFinished } from 'vitest';
import { sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { answer, rawServer } from '../../../test/support/raw-server.js';
import { parseRetryAfter, SinkClient } from './sink-client.js';

it.each([
  { reads: 'the whole body', size: 1_000, sent: true },
  { reads: 'nothing of a large body before it answers', size: 64 << 20, sent: false },
])('a body counts as sent when it has been written: the server reads $reads', async ({ size, sent }) => {
  const server = await rawServer((socket) => {
    if (!sent) socket.pause();
    socket.write(answer('taken'));
  });
  const client = new SinkClient(sinkDefinition({ type: 'papi', url: `http://127.0.0.1:${server.port}/` }));
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  let reported = false;
  const bodySent = (): void => {
    reported = true;
  };
  const request = { method: 'POST', path: '', body: Buffer.alloc(size, 'x'), onBodySent: bodySent } as const;
  expect((await client.request(request, stillWanted())).body).toBe('taken');
  expect(reported).toBe(sent);
});

const NOW = Date.parse('Fri, 20 Nov 2026 10:00:00 GMT');

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['99999999999', 86_400_000],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });
});
