import { describe, expect, it, onTestFinished } from 'vitest';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { startReceiver } from '../../../test/support/receivers/http-receiver.js';
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

  it('reads an answer for each order, so that one refusal costs no second request', async () => {
    const receiver = await startReceiver(({ body }) => {
      const { orders } = JSON.parse(body.toString()) as { orders: { uri: string }[] };
      const answers = orders.map(({ uri }) => (uri.endsWith('bad') ? { refused: 'no room for it' } : true));
      return { status: 200, body: { answers } };
    });
    const batch = [addOrder('http://a/'), addOrder('http://a/bad'), deleteOrder('http://a/c')];
    expect(await jsonSink(receiver.url).deliver(batch, stillWanted())).toEqual([
      { state: 'acknowledged' },
      { state: 'refused', message: 'no room for it' },
      { state: 'acknowledged' },
    ]);
    expect(receiver.exchanges).toHaveLength(1);
  });

  it.each([
    ['too few', { answers: [true] }],
    ['another value', { answers: [true, 'yes'] }],
    ['one too many, and one that is none', { answers: [true, 'yes', true] }],
    ['no list', { answers: 2 }],
  ])('keeps the orders for later when the answers are wrong: %s', async (_, body) => {
    const receiver = await startReceiver(() => ({ status: 200, body }));
    const batch = [addOrder('http://a/'), addOrder('http://b/')];
    await expect(jsonSink(receiver.url).deliver(batch, stillWanted())).rejects.toThrow('a list of 2 values');
  });

  it.each([
    ['cut off', '{"answers":[true,{"refused":"no', 'a list of 1 values'],
    ['a web page', '<!DOCTYPE html>\n<title>Sign in</title>', 'it returned a web page'],
  ])('keeps the orders for later when the answer is %s', async (_, body, message) => {
    const receiver = await startReceiver(() => ({ status: 200, body }));
    await expect(jsonSink(receiver.url).deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(message);
  });

  it('takes any other body for acceptance', async () => {
    const receiver = await startReceiver(() => ({ status: 201, body: '"answers" are elsewhere' }));
    expect(await jsonSink(receiver.url).deliver([addOrder('http://a/')], stillWanted())).toEqual([
      { state: 'acknowledged' },
    ]);
  });

  it('sends smaller batches to a receiver that does not accept large ones', async () => {
    const receiver = await startJsonReceiver('shared secret', { maxOrders: 3 });
    const batch = Array.from({ length: 10 }, (_, i) => addOrder(`http://a/${i}`));
    const answers = await jsonSink(receiver.url).deliver(batch, stillWanted());
    expect(answers.every(({ state }) => state === 'acknowledged')).toBe(true);
    expect(receiver.taken.map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
  });
});

it('a receiver without OPTIONS responds, and one that is broken does not', async () => {
  const receiver = await startReceiver(() => ({ status: 501 }));
  await jsonSink(receiver.url).probe(stillWanted());
  receiver.answerNext({ status: 500 });
  await expect(jsonSink(receiver.url).probe(stillWanted())).rejects.toThrow(SinkUnavailable);
});
