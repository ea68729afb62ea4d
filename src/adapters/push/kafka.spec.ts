/** Brokers that are no brokers: what they demand of a client is bounded. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import type { SinkOptions } from '../../domain/push/sink-types.js';
import { Secret } from '../../domain/secret.js';
import { seconds } from '../../domain/time/units.js';
import { createSink } from './create-sink.js';
import { toRecord } from './kafka.js';

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number): Buffer => Buffer.concat([int16(value >>> 16), int16(value & 65_535)]);
const text = (value: string): Buffer => Buffer.concat([int16(value.length), Buffer.from(value)]);
const list = (items: readonly Buffer[]): Buffer => Buffer.concat([int32(items.length), ...items]);

const [METADATA, HANDSHAKE, API_VERSIONS, AUTHENTICATE] = [3, 17, 18, 36];
const APIS = [METADATA, HANDSHAKE, API_VERSIONS, AUTHENTICATE].flatMap((key) => [int16(key), int16(0), int16(1)]);

interface Demands {
  readonly iterations?: number;
  readonly refusal?: string;
  readonly brokers?: number;
  readonly brokerHost?: string;
}

/** What a broker of the first versions of the protocol answers; `request` begins with the key of the call. */
function answer(request: Buffer, { iterations = 4_096, refusal, brokers = 0, brokerHost }: Demands): Buffer {
  switch (request.readUInt16BE(0)) {
    case API_VERSIONS:
      if (request.readUInt16BE(2) > 1) return Buffer.concat([int16(35), int32(0), int32(0)]);
      return Buffer.concat([int16(0), int32(APIS.length / 3), ...APIS, int32(0)]);
    case HANDSHAKE:
      return Buffer.concat([int16(0), list([text('SCRAM-SHA-512')])]);
    case AUTHENTICATE: {
      if (refusal !== undefined) return Buffer.concat([int16(58), text(refusal), int32(0), int32(0), int32(0)]);
      const nonce = /r=([^,]+)/.exec(request.toString('latin1'))![1]!;
      const message = Buffer.from(`r=${nonce}x,s=${Buffer.from('salt').toString('base64')},i=${iterations}`);
      return Buffer.concat([int16(0), int16(65_535), int32(message.length), message, int32(0), int32(0)]);
    }
    default: {
      const all = Array.from({ length: brokers }, (_, i) =>
        Buffer.concat([int32(i), text(brokerHost ?? `b${i}.invalid`), int32(9), int16(65_535)]),
      );
      return Buffer.concat([list(all), int32(0), list([])]);
    }
  }
}

async function deliverTo(demands: Demands, options: Partial<SinkOptions['kafka']> = {}): Promise<string> {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        const request = received.subarray(4, 4 + received.readUInt32BE(0));
        received = received.subarray(4 + request.length);
        const body = Buffer.concat([request.subarray(4, 8), answer(request, demands)]);
        socket.write(Buffer.concat([int32(body.length), body]));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `kafka://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sink = createSink(
    sinkDefinition({ type: 'kafka', url, options: { topic: 'pages', ...options }, timeout: seconds(30) }),
  );
  onTestFinished(() => sink.close());
  return sink.deliver([addOrder('http://a/')], stillWanted()).then(String, String);
}

it('a deletion is a tombstone, and an addition the order as JSON, under the same key', () => {
  const [add, removal] = [addOrder('http://a/'), deleteOrder('http://a/')].map(toRecord);
  expect(JSON.parse(add!.value!)).toMatchObject({ kind: 'add', uri: 'http://a/' });
  expect(removal).toMatchObject({ key: add!.key, value: undefined, headers: { crawler: 'docs' } });
});

const LOGIN = { login: 'crawlway', password: new Secret('a secret'), mechanism: 'SCRAM-SHA-512' } as const;

it('a broker that wants the password hashed for hours is refused', async () => {
  expect(await deliverTo({ iterations: 20_000_000 }, LOGIN)).toContain('demands 20000000 iterations');
});

it.each(['PLAIN', 'SCRAM-SHA-512'] as const)(
  'a broker that does not accept a login by %s is not asked again at once',
  async (mechanism) => {
    const answer = await deliverTo({ refusal: 'no such user' }, { ...LOGIN, mechanism });
    expect(answer).toContain('the broker does not accept the login');
  },
);

it('a broker that names more brokers than there are has none of them looked up', async () => {
  expect(await deliverTo({ brokers: 2_000 })).toContain('claims to have 2000 brokers');
});

it('a broker may not name one at an address that is not allowed', async () => {
  expect(await deliverTo({ brokers: 1, brokerHost: '10.1.2.3' })).toContain('10.1.2.3 is neither loopback nor public');
});

it('an order that no broker has taken is not acknowledged', async () => {
  expect(await deliverTo({ brokers: 1, brokerHost: '127.0.0.1' })).toMatch(/^SinkUnavailable/);
});
