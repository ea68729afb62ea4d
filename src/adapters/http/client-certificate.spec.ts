import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { authority } from '../../../test/support/certificates.js';
import { inShort, testFetcher } from '../../../test/support/fetch-harness.js';

/** A server that reports which certificate the visitor presented. */
async function membersOnly() {
  const ca = authority('Test Authority');
  const { cert, key } = ca.issue(['127.0.0.1']);
  const server = createServer(
    { cert, key, ca: ca.cert, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      response.writeHead(socket.authorized ? 200 : 401).end(socket.getPeerCertificate().subject?.CN ?? 'nobody');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { ca, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

it('a client certificate is presented on connections of its login only', async () => {
  const { ca, url } = await membersOnly();
  const robot = ca.issue(['robot']);
  const fetcher = testFetcher({ certificateAuthorities: [ca.cert] });
  const ask = async (session?: object) => inShort(await fetcher.fetch({ url, fetcher: 'default', session }));
  const member = { login: 'members', certificate: { certificate: robot.cert, key: robot.key } };
  expect(await ask()).toBe('401 nobody');
  expect(await ask(member)).toBe('200 robot');
  expect(await ask()).toBe('401 nobody');
  expect(await ask({ login: 'others' })).toBe('401 nobody');
});
