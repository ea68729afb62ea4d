/** Whatever bytes a database, a broker or a receiver of webhooks answers: orders come to an end of a known kind, and the program goes on. */
import { createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSink } from '../../src/adapters/push/create-sink.js';
import { WebhookSender } from '../../src/adapters/push/webhook-sender.js';
import { Secret } from '../../src/domain/secret.js';
import { milliseconds } from '../../src/domain/time/units.js';
import { SinkUnavailable } from '../../src/engine/ports/sink.js';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../support/push-orders.js';

const LONGEST_MESSAGE = 2_000;
const PATIENCE = milliseconds(300);
const LONGEST_MS = 15_000;
const runs = { numRuns: 10, seed: 20_261_123 };

let answers: readonly Buffer[] = [];
let server: Server;
let port = 0;

/** Each piece that comes is answered by the next answer; then the connection ends. */
function answered(socket: Socket): void {
  let next = 0;
  socket.on('error', () => undefined);
  socket.on('data', (asked) => {
    const answer = answers[next++];
    if (answer === undefined) socket.end();
    else socket.write(withCorrelation(answer, asked));
  });
}

/** Kafka's clients drop answers to other requests: the number of the request is that of the answer. */
function withCorrelation(answer: Buffer, asked: Buffer): Buffer {
  const at = answer.indexOf('CORR');
  if (at < 0 || asked.length < 12) return answer;
  const numbered = Buffer.from(answer);
  asked.copy(numbered, at, 8, 12);
  return numbered;
}

beforeAll(async () => {
  server = createServer(answered);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as { port: number });
});
afterAll(() => {
  server.close();
});

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const int32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value | 0);
  return buffer;
};
const length = (actual: number): fc.Arbitrary<Buffer> =>
  fc
    .oneof(
      { weight: 5, arbitrary: fc.constant(actual) },
      { weight: 1, arbitrary: fc.constantFrom(0, -1, 3, actual + 1, 2 ** 31 - 1, -(2 ** 31)) },
    )
    .map(int32);

const cString = fc.string({ maxLength: 5 }).map((text) => Buffer.from(`${text}\0`));
const postgresBody = fc.oneof(
  fc.constantFrom(int32(0), int32(3), int32(5), int32(10), int32(12), Buffer.from('I'), Buffer.from('E')),
  fc.constantFrom(
    Buffer.from('\0\0\0\x0aSCRAM-SHA-256\0\0'),
    Buffer.from('SFATAL\0C28P01\0Mno\0\0'),
    Buffer.from('SERROR\0C42P01\0Mno table\0\0'),
    Buffer.from('INSERT 0 1\0'),
    Buffer.from('client_encoding\0UTF8\0'),
  ),
  cString,
  bytes,
);
const postgresMessage = fc
  .tuple(fc.constantFrom(...'RSKZTDCEN12stnAGHWVvI'), postgresBody)
  .chain(([type, body]) => length(body.length + 4).map((written) => Buffer.concat([Buffer.from(type), written, body])));
const postgresAnswer = fc.oneof(
  { weight: 6, arbitrary: fc.array(postgresMessage, { maxLength: 4 }).map((parts) => Buffer.concat(parts)) },
  { weight: 2, arbitrary: fc.constant(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I')) },
  { weight: 1, arbitrary: bytes },
);

const kafkaAnswer = fc.oneof(
  {
    weight: 4,
    arbitrary: bytes.chain((body) =>
      length(body.length + 4).map((written) => Buffer.concat([written, Buffer.from('CORR'), body])),
    ),
  },
  { weight: 1, arbitrary: bytes },
);

const httpAnswer = fc
  .tuple(
    fc.constantFrom(
      'HTTP/1.1 200 OK',
      'HTTP/1.1 204 No Content',
      'HTTP/1.1 302 Found',
      'HTTP/1.1 500 x',
      'HTTP/1.1 099 x',
      'x',
    ),
    fc.array(
      fc.constantFrom(
        'content-length: 5',
        'content-length: -1',
        'content-length: 99',
        'transfer-encoding: chunked',
        'connection: close',
        'location: http://127.0.0.1:1/',
        `x: ${'y'.repeat(70_000)}`,
        ':',
        ' folded',
      ),
      { maxLength: 4 },
    ),
    bytes,
  )
  .map(([status, fields, body]) => Buffer.concat([Buffer.from([status, ...fields, '', ''].join('\r\n')), body]));

/** Nothing may wait without end. */
function inTime(work: Promise<unknown>): Promise<unknown> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('it does not end')), LONGEST_MS);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

async function ends(work: () => Promise<unknown>): Promise<void> {
  try {
    await inTime(work());
  } catch (error) {
    expect(error, (error as Error).stack).toBeInstanceOf(SinkUnavailable);
    expect((error as Error).message.length).toBeLessThanOrEqual(LONGEST_MESSAGE);
  }
}

it.each([
  ['postgresql', postgresAnswer, { table: 'documents' }, 'postgresql://u:p@127.0.0.1:PORT/d?sslmode=disable'],
  ['kafka', kafkaAnswer, { topic: 't' }, 'kafka://127.0.0.1:PORT'],
] as const)('%s: orders complete, whatever bytes are received', async (type, answer, options, url) => {
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { maxLength: 6 }), async (script) => {
      answers = script;
      const sink = createSink(
        sinkDefinition({ type, url: url.replace('PORT', String(port)), timeout: PATIENCE, options: options as never }),
      );
      await ends(async () => {
        const batch = [addOrder('http://a/'), deleteOrder('http://b/')];
        expect(await sink.deliver(batch, stillWanted())).toHaveLength(batch.length);
      });
      await ends(async () => sink.probe?.(stillWanted()));
      await inTime(sink.close());
    }),
    runs,
  );
});

it('webhooks: a message is delivered or not, whatever bytes are received', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(httpAnswer, { maxLength: 3 }), async (script) => {
      answers = script;
      const sender = new WebhookSender({
        name: 'w',
        url: `http://127.0.0.1:${port}/`,
        secret: new Secret('whsec_AAAA'),
        events: [],
        place: { file: '', line: 1, column: 1 },
        timeout: PATIENCE,
        allowedAddresses: [],
      } as never);
      const message = { id: '1', body: '{}' };
      const outcome = await sender.send(message, stillWanted()).catch((error: Error) => error);
      if (outcome) expect(outcome.message.length).toBeLessThanOrEqual(LONGEST_MESSAGE);
      await sender.close();
    }),
    runs,
  );
});
