import { describe, expect, it, onTestFinished } from 'vitest';
import { startIndexProcess } from '../../../../test/support/index-process.js';
import { runningIndex } from '../../../../test/support/push-index.js';
import { addOrder, deleteOrder, heldBy, sinkDefinition, stillWanted } from '../../../../test/support/push-orders.js';
import { type Reply, startReceiver } from '../../../../test/support/receivers/http-receiver.js';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import type { SinkDefinitionOf } from '../../../domain/crawl/sink-definition.js';
import { milliseconds } from '../../../domain/time/units.js';
import { SinkUnavailable } from '../../../engine/ports/sink.js';
import { PapiSink } from './papi.js';

const CONNECTOR = '/papi/4/connectors/docs';

function papiSink(url: string, overrides: Partial<SinkDefinitionOf<'papi'>> = {}): PapiSink {
  const sink = new PapiSink(sinkDefinition({ type: 'papi', url, options: { connector: 'docs' }, ...overrides }));
  onTestFinished(() => sink.close());
  return sink;
}

describe('a server that becomes unavailable', () => {
  it('is unavailable while it is down and accepts the same batch in its next session', async () => {
    const data = temporaryDirectory();
    const first = await startIndexProcess(data);
    const sink = papiSink(first.url);
    await sink.deliver([addOrder('http://a/')], stillWanted());
    await first.kill();
    const batch = [addOrder('http://b/'), deleteOrder('http://a/')];
    await expect(sink.deliver(batch, stillWanted())).rejects.toThrow(SinkUnavailable);
    await startIndexProcess(data, Number(new URL(first.url).port));
    expect(await sink.deliver(batch, stillWanted())).toHaveLength(2);
    expect(await heldBy(sink)).toEqual(['http://b/ a1b2c3']);
  });

  it('has exactly the ordered documents in the end, wherever it was killed', async () => {
    const data = temporaryDirectory();
    let server = await startIndexProcess(data);
    const sink = papiSink(server.url);
    const expected = new Map<string, string>();
    for (let round = 0; round < 20; round++) {
      const batch = Array.from({ length: 15 }, (_, i) => {
        const uri = `http://a/${(round * 7 + i * 5) % 40}`;
        return i % 3 === 2 ? deleteOrder(uri) : addOrder(uri, { stamp: `${round}.${i}` });
      });
      if (round % 8 === 4) void server.kill();
      while (
        await sink.deliver(batch, stillWanted()).then(
          () => false,
          () => true,
        )
      ) {
        await server.kill();
        server = await startIndexProcess(data, Number(new URL(server.url).port));
      }
      for (const order of batch) {
        if (order.kind === 'add') expected.set(order.uri, order.document.stamp);
        else expected.delete(order.uri);
      }
    }
    expect(await heldBy(sink)).toEqual(Array.from(expected, ([uri, stamp]) => `${uri} ${stamp}`).sort());
  });

  it('receives the whole batch again when it restarts between the documents and the checkpoint', async () => {
    const server = await restartingServer(1);
    const batch = [addOrder('http://a/'), deleteOrder('http://b/'), addOrder('http://c/')];
    const answers = await papiSink(server.url).deliver(batch, stillWanted());
    expect(answers).toHaveLength(3);
    expect(server.durable()).toEqual(['add', 'delete']);
  });

  it('is unavailable when it restarts again and again', async () => {
    const server = await restartingServer(Number.POSITIVE_INFINITY);
    const delivery = papiSink(server.url).deliver([addOrder('http://a/')], stillWanted());
    await expect(delivery).rejects.toThrow(/restarted 3 times during one delivery/);
    expect(server.durable()).toEqual([]);
  });

  it.each([
    [{ status: 503, headers: { 'retry-after': '7' } }, /status 503/, 7_000],
    [{ status: 500, body: '<error><message>disk full</message></error>' }, /status 500.*disk full/, undefined],
    [{ status: 405 }, /status 405: the server does not accept pushes/, undefined],
    [{ status: 302, headers: { location: 'http://169.254.169.254/' } }, /redirects are not followed/, undefined],
    [{ status: 404 }, /check the URL and the name of the connector/, undefined],
  ] satisfies [Reply, RegExp, number | undefined][])(
    'keeps the batch for later on %j',
    async (reply, message, wait) => {
      const receiver = await startReceiver(({ path }) =>
        path.endsWith('session_id') ? { status: 200, body: '5' } : reply,
      );
      const error = await failureOf(papiSink(receiver.url).deliver([addOrder('http://a/')], stillWanted()));
      expect(error).toBeInstanceOf(SinkUnavailable);
      expect(error.message).toMatch(message);
      expect(error.retryAfterMs).toBe(wait);
    },
  );

  it('is given up when it exceeds its timeout', async () => {
    const receiver = await startReceiver(() => ({ status: 200, headers: { 'content-length': '5' }, body: '1' }));
    const error = await failureOf(
      papiSink(receiver.url, { timeout: milliseconds(200) }).deliver([addOrder('http://a/')], stillWanted()),
    );
    expect(error).toBeInstanceOf(SinkUnavailable);
  });

  it('is not waited for when the delivery is aborted', async () => {
    const { url } = await runningIndex();
    const delivery = papiSink(url).deliver([addOrder('http://a/')], AbortSignal.abort());
    await expect(delivery).rejects.toThrow(/the delivery was stopped/);
  });

  it('does not pass off half an enumeration as complete', async () => {
    const body = 'http%3A%2F%2Fa%2F s1\nhttp%3A%2F%2Fb';
    const receiver = await startReceiver(() => ({ status: 200, headers: { 'content-length': '5000' }, body }));
    const sink = papiSink(receiver.url, { timeout: milliseconds(300) });
    await expect(heldBy(sink)).rejects.toThrow(/the listing was interrupted/);
  });

  it('that returns something other than a session id is not a Push API server', async () => {
    const receiver = await startReceiver(() => ({ status: 200, body: '<html>Welcome' }));
    const delivery = papiSink(receiver.url).deliver([addOrder('http://a/')], stillWanted());
    await expect(delivery).rejects.toThrow(/is this a Push API server/);
  });
});

async function failureOf(delivery: Promise<unknown>): Promise<SinkUnavailable> {
  return delivery.then(
    () => expect.unreachable('the delivery succeeded'),
    (error) => error,
  );
}

/**
 * A server that forgets what was not synced, each time just before a checkpoint; from then on it refuses the old
 * session.
 */
async function restartingServer(restarts: number) {
  let session = 100;
  let restarted = 0;
  let pushed: string[] = [];
  let durable: string[] = [];
  const receiver = await startReceiver(({ path, query, method }) => {
    const command = path.slice(CONNECTOR.length + 1);
    if (command === 'get_current_session_id') return { status: 200, body: String(session) };
    if (command === 'set_checkpoint' && restarted < restarts) {
      restarted++;
      session++;
      pushed = [];
    }
    if (query.get('PAPI_session') !== String(session)) return { status: 400, body: '<error>session mismatch</error>' };
    if (command === 'set_checkpoint') durable = pushed;
    else if (method === 'POST') pushed.push(...(command === 'add_documents' ? ['add'] : ['delete']));
    return { status: 200, body: '1' };
  });
  return { url: receiver.url, durable: () => durable };
}
