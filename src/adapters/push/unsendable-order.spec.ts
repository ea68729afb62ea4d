import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeSite } from '../../../test/support/fake-site.js';
import { onPostgres, postgresDatabase } from '../../../test/support/postgres.js';
import { addOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import type { PushDocument } from '../../domain/push/order.js';
import { SINK_TYPES, type SinkType } from '../../domain/push/sink-types.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { createSink } from './create-sink.js';

/** A document that becomes longer than a string can be, as soon as a sink reads any part of it. */
const unsendable = new Proxy({} as PushDocument, {
  get: () => {
    throw new RangeError('Invalid string length');
  },
});

async function findAddress(type: SinkType): Promise<string> {
  switch (SINK_TYPES[type].address) {
    case 'file':
      return join(temporaryDirectory(), type === 'warc' ? 'pages.warc' : 'orders.jsonl');
    case 'postgresql':
      return postgresDatabase();
    case 'kafka':
      return 'kafka://127.0.0.1:9';
    case 'plugin':
      return 'plugin:archive';
    case 'http':
      return startServer();
  }
}

/** Answers whatever a sink asks before its first order; `1` is a session of the Push API. */
async function startServer(): Promise<string> {
  const server = await FakeSite.start();
  onTestFinished(() => server.close());
  server.otherwise({ status: 200, body: '1' });
  return server.origin;
}

const TESTED_TYPES: readonly SinkType[] = [
  ...(Object.keys(SINK_TYPES) as SinkType[]).filter((type) => type !== 'postgresql'),
  ...onPostgres<SinkType>('postgresql'),
];

describe('an order that cannot be encoded', () => {
  it.each(TESTED_TYPES)('is no sign that the %s sink is unavailable', async (type) => {
    const url = await findAddress(type);
    const sink = createSink(sinkDefinition({ type, url, options: { index: 'pages', topic: 'pages' } as never }));
    onTestFinished(() => sink.close());
    const order = { ...addOrder('http://a.example/'), document: unsendable };
    const error = await sink.deliver([order], stillWanted()).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(SinkUnavailable);
    expect(error).toMatchObject({ message: 'Invalid string length' });
  });
});
