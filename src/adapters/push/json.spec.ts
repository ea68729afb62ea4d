import { describe, expect, it, onTestFinished } from 'vitest';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { startJsonReceiver } from '../../../test/support/receivers/json-receiver.js';
import { Secret } from '../../domain/secret.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { JsonSink } from './json.js';

function jsonSink(url: string, secret = 'shared secret'): JsonSink {
  const sink = new JsonSink(sinkDefinition({ type: 'json', url, options: { secret: new Secret(secret) } }));
  onTestFinished(() => sink.close());
  return sink;
}

describe('the JSON sink', () => {
  it('posts a signed batch to exactly the URL given, orders as they were decided', async () => {
    const receiver = await startJsonReceiver('shared secret');
    const bytes = Buffer.from([0, 255, 10]);
    const master = { bytes, mimeType: 'image/png', fileName: 'a.png' };
    const batch = [addOrder('http://a/', { master }), deleteOrder('http://b/')];
    const answers = await jsonSink(`${receiver.url}/hook?tenant=1`).deliver(batch, stillWanted());
    expect(answers).toEqual([{ state: 'acknowledged' }, { state: 'acknowledged' }]);
    expect(receiver.exchanges[0]).toMatchObject({
      method: 'POST',
      path: '/hook',
      query: new URLSearchParams('tenant=1'),
    });
    expect(receiver.taken.map(({ id, kind }) => [id, kind])).toEqual(batch.map(({ id, kind }) => [id, kind]));
    expect(receiver.taken[0]?.document?.master.bytes).toBe(bytes.toString('base64'));
  });

  it('is unavailable, not refused, when the receiver has another secret', async () => {
    const receiver = await startJsonReceiver('another secret');
    await expect(jsonSink(receiver.url).deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(
      SinkUnavailable,
    );
    expect(receiver.taken).toEqual([]);
  });

  it('isolates the order that the receiver refuses and delivers the others in order', async () => {
    const receiver = await startJsonReceiver('shared secret');
    const batch = Array.from({ length: 9 }, (_, i) => addOrder(`http://a/${i === 4 ? 'bad' : i}`));
    const answers = await jsonSink(receiver.url).deliver(batch, stillWanted());
    expect(answers[4]).toEqual({ state: 'refused', message: 'cannot take http://a/bad' });
    expect(receiver.taken.map(({ id }) => id)).toEqual(batch.filter((_, i) => i !== 4).map(({ id }) => id));
  });

  it('sends smaller batches to a receiver that does not accept large ones', async () => {
    const receiver = await startJsonReceiver('shared secret', { maxOrders: 3 });
    const batch = Array.from({ length: 10 }, (_, i) => addOrder(`http://a/${i}`));
    const answers = await jsonSink(receiver.url).deliver(batch, stillWanted());
    expect(answers.every(({ state }) => state === 'acknowledged')).toBe(true);
    expect(receiver.taken.map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
  });
});
