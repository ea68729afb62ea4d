import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { addOrder, sinkDefinition } from '../../../test/support/push-orders.js';
import { type Duration, instant, milliseconds, minutes, seconds } from '../../domain/time/units.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';
import { SOLE_OWNER } from '../support/single-node.js';
import { Delivery, type DeliveryResult } from './delivery.js';
import { SinkQueue } from './sink-queue.js';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const slot = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const ROOM = { maxOrders: 5, maxBytes: 10_000 };

/** Two sinks; `isDown` and `takes` decide what becomes of their orders. */
function twoSinks() {
  const clock = new ManualClock();
  const state = {
    isDown: new Set<string>(),
    takes: new Map<string, Duration>(),
    refuses: new Set<string>(),
    hasNewer: false,
  };
  const taken = new Map<string, string[]>([
    ['one', []],
    ['two', []],
  ]);
  const delivery = new Delivery(ROOM, SOLE_OWNER, () => false);
  const queue = (name: string): SinkQueue => {
    const sink: Sink = {
      name,
      close: async () => undefined,
      deliver: async (batch) => {
        await clock.sleep(state.takes.get(name) ?? milliseconds(1));
        if (state.isDown.has(name)) throw new SinkUnavailable('down');
        taken.get(name)!.push(...batch.map(({ uri }) => uri));
        if (state.refuses.has(name)) return batch.map(() => ({ state: 'refused' as const, message: 'no' }));
        const supersededBy = state.hasNewer && name === 'two' ? instant(1_790_000_000_000) : undefined;
        return batch.map(() => ({ state: 'acknowledged' as const, ...(supersededBy ? { supersededBy } : {}) }));
      },
    };
    const definition = { ...sinkDefinition({ type: 'json', url: 'http://x.example' }), name, batchDocuments: 1 };
    return new SinkQueue({ ...definition, concurrency: 1 }, sink, clock, silent, () => undefined);
  };
  delivery.setSinks(
    new Map([
      ['one', queue('one')],
      ['two', queue('two')],
    ]),
  );
  const ended = new Map<string, DeliveryResult>();
  const send = (uri: string, mayPutOff = false, sinks = ['one', 'two']): void => {
    void delivery.deliver(addOrder(uri), sinks, { mayPutOff }).then((end) => ended.set(uri, end));
  };
  const pass = async (time: Duration): Promise<void> => {
    const end = clock.now() + time;
    for (let next = clock.nextTimer; next !== undefined && next <= end; next = clock.nextTimer) {
      clock.advanceTo(next);
      await slot();
    }
    clock.advance(milliseconds(Math.max(0, end - clock.now())));
    await slot();
  };
  return { delivery, state, taken, ended, send, pass };
}

it('an order for which a sink keeps a newer version is counted, and says so', async () => {
  const { delivery, state, ended, send, pass } = twoSinks();
  state.hasNewer = true;
  send('http://a/1');
  await pass(seconds(1));
  expect(ended.get('http://a/1')).toMatchObject({
    answer: { state: 'acknowledged' },
    note: 'two: the sink holds a newer version, of 2026-09-21T14:13:20.000Z',
  });
  expect(delivery.listViews()).toMatchObject([{ superseded: 0 }, { acknowledged: 1, superseded: 1 }]);
});

describe('an order for two sinks of which one is behind', () => {
  it('waits for the sink that is down for one minute; later orders do not wait at all', async () => {
    const { state, ended, send, pass } = twoSinks();
    state.isDown.add('two');
    send('http://a/1');
    await pass(seconds(59));
    expect(ended.size).toBe(0);
    await pass(seconds(70));
    expect(ended.get('http://a/1')).toMatchObject({ answer: { state: 'acknowledged' }, putOff: ['two'] });
    send('http://a/2');
    await pass(seconds(1));
    // This is the order with which the sink is tried, unless it is too early to try.
    await pass(minutes(2));
    expect(ended.get('http://a/2')).toMatchObject({ putOff: ['two'] });
  });

  it('is put off at once when the queue is full, and room at one sink is enough for the crawl', async () => {
    const { delivery, state, taken, ended, send, pass } = twoSinks();
    state.takes.set('two', minutes(20));
    for (let i = 0; i < 12; i++) send(`http://a/${i}`);
    expect(delivery.hasRoom(['one'])).toBe(false);
    await pass(seconds(5));
    expect(taken.get('one')).toHaveLength(12);
    expect([...ended.values()].map(({ putOff }) => putOff)).toEqual(Array.from({ length: 7 }, () => ['two']));
    expect([delivery.hasRoom(['one', 'two']), delivery.hasRoom(['two'])]).toEqual([true, false]);
    await pass(minutes(2));
    expect(ended.size).toBe(11); // one is part of the slow request
  });

  it('is never put off when no other sink has responded', async () => {
    const { delivery, state, ended, send, pass } = twoSinks();
    state.isDown.add('one').add('two');
    for (let i = 0; i < 6; i++) send(`http://a/${i}`);
    send('http://a/alone', false, ['two']);
    await pass(minutes(60));
    expect(ended.size).toBe(0);
    expect(delivery.hasRoom(['one', 'two'])).toBe(false);
    state.isDown.delete('one');
    await pass(minutes(5));
    expect([...ended.keys()]).not.toContain('http://a/alone');
    expect(ended.size).toBe(6);
    state.isDown.delete('two');
    await pass(minutes(5));
    expect(ended.get('http://a/alone')).toMatchObject({ answer: { state: 'acknowledged' }, putOff: [] });
  });

  it('has an unknown outcome when the other sink refuses it', async () => {
    const { state, ended, send, pass } = twoSinks();
    state.refuses.add('one');
    state.isDown.add('two');
    send('http://a/1');
    await pass(minutes(3));
    expect(ended.get('http://a/1')).toEqual({
      answer: { state: 'refused', message: 'one: no' },
      attempts: expect.any(Number),
      partiallyAccepted: true,
      putOff: ['two'],
    });
  });

  it('does not wait when the process is about to end', async () => {
    const { delivery, state, ended, send, pass } = twoSinks();
    state.isDown.add('two');
    send('http://a/1');
    await pass(seconds(10));
    delivery.expedite();
    await slot();
    expect(ended.get('http://a/1')).toMatchObject({ putOff: ['two'] });
  });

  it('to a single sink is put off after a minute when that is allowed', async () => {
    const { state, ended, send, pass } = twoSinks();
    state.isDown.add('two');
    send('http://a/1', true, ['two']);
    await pass(minutes(3));
    expect(ended.get('http://a/1')).toMatchObject({ putOff: ['two'] });
  });
});
