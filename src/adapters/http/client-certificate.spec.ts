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
  return { ca, server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/` };
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

it('a renewed certificate of the same login replaces the one before on every connection', async () => {
  const { ca, server, url } = await membersOnly();
  const fetcher = testFetcher({ certificateAuthorities: [ca.cert] });
  const ask = async (name: string) => {
    const { cert: certificate, key } = ca.issue([name]);
    return inShort(
      await fetcher.fetch({
        url,
        fetcher: 'default',
        session: { login: 'members', certificate: { certificate, key } },
      }),
    );
  };
  expect(await ask('robot')).toBe('200 robot');
  expect(await ask('kept open')).toBe('200 kept open');
  server.closeAllConnections();
  expect(await ask('resumed')).toBe('200 resumed');
});
