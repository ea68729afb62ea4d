/** Servers that speak the protocols of databases and brokers, but violate them. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeUnless } from '../../../test/support/left-out.js';
import { addOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { isPublicAddress } from '../../domain/net/address.js';
import { seconds } from '../../domain/time/units.js';
import { createSink } from './create-sink.js';
import { ForbiddenAddress } from './endpoint.js';
import { KafkaGuard } from './kafka-guard.js';

/** A server that responds to everything with the same bytes. */
async function answering(bytes: Buffer, host = '127.0.0.1'): Promise<{ port: number; asked: () => number }> {
  let asked = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      asked += piece.length;
      socket.write(bytes);
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked: () => asked };
}

/** The error when one order is pushed. */
async function refusal(sink: ReturnType<typeof createSink>): Promise<string> {
  onTestFinished(() => sink.close());
  return sink.deliver([addOrder('http://a/')], stillWanted()).then(String, (error: Error) => error.message);
}

const READY = 'R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I';

describe('a server that breaks the protocol of its sink costs the connection, not the program', () => {
  it.each([
    ['a row description cut short', Buffer.from(`${READY}T\0\0\0\x06\0\x05`, 'latin1')],
    ['an error cut short', Buffer.from(`${READY}E\0\0\0\x06X\0`, 'latin1')],
    ['a column count below zero', Buffer.from(`${READY}G\0\0\0\x07\0\xff\xff`, 'latin1')],
    [
      'an answer without end',
      Buffer.concat([Buffer.from(`${READY}D\x7f\xff\xff\xff`, 'latin1'), Buffer.alloc(65 << 20)]),
    ],
  ])('PostgreSQL: %s', async (_, bytes) => {
    const { port } = await answering(bytes);
    const url = `postgresql://u:p@127.0.0.1:${port}/d?sslmode=disable`;
    const sink = createSink(
      sinkDefinition({ type: 'postgresql', url, options: { table: 'documents' }, timeout: seconds(10) }),
    );
    expect(await refusal(sink)).toContain("the server's response cannot be read");
  });

  it.each([
    ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
    ['a length without a number of the request', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])],
    ['a length of two gigabytes', Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
  ])('Kafka: %s', async (_, bytes) => {
    const { port } = await answering(bytes);
    const url = `kafka://127.0.0.1:${port}`;
    const sink = createSink(sinkDefinition({ type: 'kafka', url, options: { topic: 't' }, timeout: seconds(10) }));
    expect(await refusal(sink)).toMatch(/the broker announced a response of \d+ bytes/);
  });
});

const inside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal && !isPublicAddress(address.address))?.address;

describeUnless(
  inside === undefined ? 'this machine has no address of its own network' : undefined,
  'a broker that another broker names',
  () => {
    const connected = async (allowed: readonly string[]) => {
      const { port, asked } = await answering(Buffer.alloc(0), inside);
      const socket = connect(port, inside!);
      onTestFinished(() => void socket.destroy());
      new KafkaGuard(allowed).guardSocket(socket);
      socket.once('connect', () => socket.write('hello'));
      return { socket, asked };
    };

    it('are not contacted at addresses that are not allowed', async () => {
      const { socket, asked } = await connected([]);
      const [error] = await once(socket, 'error');
      expect(error).toBeInstanceOf(ForbiddenAddress);
      expect(asked()).toBe(0);
    });

    it('are contacted at addresses that are allowed', async () => {
      const { socket, asked } = await connected([`${inside}/32`]);
      await once(socket, 'connect');
      await expect.poll(asked).toBe(5);
    });
  },
);
