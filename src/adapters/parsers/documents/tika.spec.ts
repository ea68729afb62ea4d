import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { milliseconds } from '../../../domain/time/units.js';
import { createTikaExtractor } from './tika.js';

it('a login in the URL of the server is sent as Basic authentication', async () => {
  const logins: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    logins.push(request.headers.authorization);
    request.resume();
    response.writeHead(415).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  for (const login of ['', 'bob:a%3Ab@']) {
    const url = `http://${login}127.0.0.1:${port}/`;
    const definition = { type: 'tika', url, mediaTypes: [], timeLimit: milliseconds(60_000) } as const;
    const extractor = createTikaExtractor(definition, {} as never);
    const answer = extractor.extract(Buffer.from('x'), 'a/b', {} as never, new AbortController().signal);
    expect(await answer).toEqual({ refused: 'extract-unsupported', detail: 'Tika does not support a/b' });
  }
  expect(logins).toEqual([undefined, `Basic ${Buffer.from('bob:a:b').toString('base64')}`]);
});
