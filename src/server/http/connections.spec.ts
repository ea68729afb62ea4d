import { type AddressInfo, connect, type Socket } from 'node:net';
import fastifyFactory, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Connections } from './connections.js';

const MAX = 20;
let fastify: FastifyInstance;
let sockets: Socket[];
/** Called when a request that does not end has arrived. */
let arrived = (): void => undefined;

beforeEach(async () => {
  sockets = [];
  fastify = fastifyFactory({ forceCloseConnections: true });
  const connections = new Connections(MAX);
  connections.guard(fastify.server);
  fastify.addHook('onRequest', async (request) => {
    if (request.headers['x-key']) request.caller = { name: 'k', role: 'read' } as never;
  });
  connections.observe(fastify);
  fastify.get('/live', () => 'ok');
  fastify.get('/refused', (_, reply) => reply.code(401).send('no'));
  fastify.get('/pending', () => {
    arrived();
    return new Promise(() => undefined);
  });
  await fastify.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await fastify.close();
});

interface Client {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  /** Resolves with the head of the response, or '' if the connection ends. */
  readonly get: (path: string, headers?: string) => Promise<string>;
}

async function open(from = '127.0.0.1'): Promise<Client> {
  const { port } = fastify.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  sockets.push(socket);
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  const get = (path: string, headers = ''): Promise<string> => {
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`);
    return Promise.race([answer, closed.then(() => '')]);
  };
  return { socket, closed, get };
}

const openMany = async (count: number, headers?: string, from?: string): Promise<Client[]> => {
  const clients: Client[] = [];
  for (let index = 0; index < count; index++) {
    const client = await open(from);
    expect(await client.get('/live', headers)).toContain('200 OK');
    clients.push(client);
  }
  return clients;
};

it('idle connections without a key make room for new ones, the oldest first', async () => {
  const idle = await openMany(MAX);
  expect(await (await open()).get('/live')).toContain('200 OK');
  await idle[0]!.closed;
  expect(await idle[1]!.get('/live')).toContain('200 OK');
});

it('the address with the most of them gives way', async () => {
  const other = await openMany(2, '', '127.0.0.2');
  const many = await openMany(MAX - 2);
  await openMany(2);
  await Promise.all([many[0]!.closed, many[1]!.closed]);
  for (const client of other) expect(await client.get('/live')).toContain('200 OK');
});

it('connections with a key stay, while others come', async () => {
  const known = await openMany(5, 'x-key: k\r\n');
  await openMany(3 * MAX);
  for (const client of known) expect(await client.get('/live')).toContain('200 OK');
});

it('requests without a key that do not end make room too', async () => {
  const pending = [];
  for (let index = 0; index < MAX; index++) {
    const client = await open();
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    void client.get('/pending');
    await arrival;
    pending.push(client);
  }
  expect(await (await open()).get('/live', 'x-key: k\r\n')).toContain('200 OK');
  await pending[0]!.closed;
});

it('idle connections with a key make room last', async () => {
  const known = await openMany(MAX, 'x-key: k\r\n');
  expect(await (await open()).get('/live')).toContain('200 OK');
  await known[0]!.closed;
});

it('a refused caller has to connect anew', async () => {
  const client = await open();
  expect(await client.get('/refused')).toMatch(/401.*connection: close/is);
  await client.closed;
});
