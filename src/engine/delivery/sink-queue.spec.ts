import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/simulation/random.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { addOrder, deleteOrder, sinkDefinition } from '../../../test/support/push-orders.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { after, hours, milliseconds, minutes, seconds } from '../../domain/time/units.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';
import { SinkQueue } from './sink-queue.js';
import { Suspects } from './suspects.js';
import type { WaitingOrder } from './waiting-orders.js';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('the queue of a sink with four requests in flight', () => {
  it('delivers the orders of each URI in order, each until it is answered, whatever fails and however long it takes', async () => {
    const fate = fc.record({
      takes: fc.integer({ min: 0, max: 5_000 }),
      fails: fc.constantFrom('never', 'before', 'after'),
    });
    const uris = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(uris, fc.array(fate, { minLength: 1, maxLength: 20 }), async (numbers, fates) => {
        const clock = new ManualClock();
        const arrived = new Map<string, number[]>();
        const busy = new Set<string>();
        let calls = 0;
        let overlaps = 0;
        const sink: Sink = {
          name: 'main',
          close: async () => undefined,
          deliver: async (batch) => {
            // After its list of outcomes, the sink works, so that everything ends.
            const { takes, fails } = fates[calls++] ?? { takes: 1, fails: 'never' };
            if (batch.some(({ uri }) => busy.has(uri))) overlaps++;
            for (const { uri } of batch) busy.add(uri);
            await clock.sleep(milliseconds(takes));
            for (const { uri } of batch) busy.delete(uri);
            if (fails === 'before') throw new SinkUnavailable('down');
            for (const { uri, id } of batch) arrived.set(uri, [...(arrived.get(uri) ?? []), id]);
            if (fails === 'after') throw new SinkUnavailable('the answer was lost');
            return batch.map(() => ({ state: 'acknowledged' as const }));
          },
        };
        const definition = {
          ...sinkDefinition({ type: 'json', url: 'http://x.example' }),
          batchDocuments: 5,
          concurrency: 4,
        };
        const queue = new SinkQueue(definition, sink, clock, silent, () => undefined);
        const ordered = new Map<string, number[]>();
        let answered = 0;
        for (const number of numbers) {
          const order = deleteOrder(`http://a.example/${number}`);
          ordered.set(order.uri, [...(ordered.get(order.uri) ?? []), order.id]);
          queue.add(order, () => answered++);
          if (number === 0) await clock.pass(milliseconds(300));
        }
        for (let step = 0; answered < numbers.length && step < 200; step++) await clock.pass(minutes(1));
        expect({ answered, overlaps }).toEqual({ answered: numbers.length, overlaps: 0 });
        expect(queue.load).toEqual({ orders: 0, bytes: 0 });
        for (const [uri, ids] of ordered) {
          const seen = arrived.get(uri)!;
          expect(seen).toEqual([...seen].sort((a, b) => a - b)); // repeats are adjacent
          expect([...new Set(seen)]).toEqual(ids);
        }
        await queue.close();
      }),
      { numRuns: 100 },
    );
  });

  it('asks an unavailable sink less and less often, but at least once a minute', async () => {
    const clock = new ManualClock();
    const asked: number[] = [];
    let probes = 0;
    const sink: Sink = {
      name: 'main',
      close: async () => undefined,
      deliver: async () => {
        asked.push(clock.now());
        throw new SinkUnavailable('down', asked.length < 10 ? undefined : hours(24));
      },
      probe: async () => void probes++,
    };
    const queue = new SinkQueue(
      sinkDefinition({ type: 'json', url: 'http://x.example' }),
      sink,
      clock,
      silent,
      () => undefined,
    );
    queue.add(deleteOrder('http://a.example/'), () => expect.unreachable());
    await clock.pass(minutes(10));
    const gaps = asked.slice(1).map((at, i) => at - asked[i]!);
    expect(gaps.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 32].map(seconds));
    expect(gaps.slice(6)).toEqual(Array(8).fill(minutes(1)));
    expect(probes, 'the order that waits says enough').toBe(0);
    expect(queue.toView()).toMatchObject({ state: 'unavailable', message: 'down', pending: 1 });
    await queue.close();
  });
});

it('a probe that fails says nothing about a sink that has answered an order meanwhile', async () => {
  const clock = new ManualClock();
  let failProbe = (): void => expect.unreachable();
  const sink: Sink = {
    name: 'main',
    close: async () => undefined,
    deliver: async (batch) => batch.map(() => ({ state: 'acknowledged' as const })),
    probe: () => new Promise((_, reject) => (failProbe = () => reject(new SinkUnavailable('no response')))),
  };
  const definition = sinkDefinition({ type: 'json', url: 'http://x.example' });
  const queue = new SinkQueue(definition, sink, clock, silent, () => undefined);
  await clock.pass(minutes(5));
  queue.add(deleteOrder('http://a.example/'), () => undefined);
  await clock.pass(seconds(1));
  failProbe();
  await clock.pass(seconds(1));
  expect(queue.toView()).toMatchObject({ state: 'ready', acknowledged: 1 });
  await queue.close();
});

describe('an order that cannot be sent to a sink that works', () => {
  it('is refused with the reason, and all others are delivered within seconds', async () => {
    const kinds = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(kinds, fc.integer({ min: 1, max: 12 }), async (sendable, batchDocuments) => {
        const clock = new ManualClock();
        const delivered: string[] = [];
        const sink: Sink = {
          name: 'main',
          close: async () => undefined,
          deliver: async (batch) => {
            if (batch.some(({ uri }) => uri.endsWith('/huge'))) throw new RangeError('Invalid string length');
            delivered.push(...batch.map(({ uri }) => uri));
            return batch.map(() => ({ state: 'acknowledged' as const }));
          },
        };
        const definition = { ...sinkDefinition({ type: 'json', url: 'http://x.example' }), batchDocuments };
        const queue = new SinkQueue(definition, sink, clock, silent, () => undefined);
        const answers = new Map<string, OrderAnswer>();
        const uris = sendable.map((isSendable, i) => `http://a.example/${i}/${isSendable ? '' : 'huge'}`);
        for (const uri of uris) queue.add(deleteOrder(uri), (answer) => answers.set(uri, answer));
        await clock.pass(seconds(10));
        const message = 'the order cannot be sent: Invalid string length';
        for (const [i, uri] of uris.entries())
          expect(answers.get(uri)).toEqual(
            sendable[i] ? { state: 'acknowledged' } : { state: 'refused', message, unsendable: true },
          );
        expect(delivered.sort()).toEqual(uris.filter((_, i) => sendable[i]).sort());
        expect(queue.toView()).toMatchObject({ state: 'ready', pending: 0 });
        await queue.close();
      }),
      { numRuns: 100 },
    );
  });

  it('waits with the others for a sink that is unavailable', async () => {
    const clock = new ManualClock();
    let available = false;
    const sink: Sink = {
      name: 'main',
      close: async () => undefined,
      deliver: async (batch) => {
        if (batch.some(({ uri }) => uri.endsWith('/huge'))) throw new RangeError('Invalid string length');
        if (!available) throw new SinkUnavailable('down');
        return batch.map(() => ({ state: 'acknowledged' as const }));
      },
    };
    const queue = new SinkQueue(
      sinkDefinition({ type: 'json', url: 'http://x.example' }),
      sink,
      clock,
      silent,
      () => {},
    );
    const answers: string[] = [];
    for (const name of ['first', 'huge', 'last'])
      queue.add(deleteOrder(`http://a.example/${name}`), ({ state }) => answers.push(`${name} ${state}`));
    await clock.pass(seconds(30));
    expect({ answers, view: queue.toView() }).toMatchObject({
      answers: [],
      view: { state: 'unavailable', pending: 3 },
    });
    available = true;
    await clock.pass(minutes(2));
    expect(answers.sort()).toEqual(['first acknowledged', 'huge refused', 'last acknowledged']);
    await queue.close();
  });
});

it('a queue closes its sink once', async () => {
  let closed = 0;
  const sink: Sink = { name: 'main', close: async () => void closed++, deliver: async () => [] };
  const definition = sinkDefinition({ type: 'json', url: 'http://x.example' });
  const queue = new SinkQueue(definition, sink, new ManualClock(), silent, () => undefined);
  await Promise.all([queue.close(), queue.close()]);
  expect([closed, queue.closed]).toEqual([1, true]);
});

describe('an order that another sink has answered', () => {
  const startQueue = () => {
    const clock = new ManualClock();
    const sink: Sink = { name: 'main', close: async () => undefined, deliver: () => new Promise(() => undefined) };
    const definition = { ...sinkDefinition({ type: 'json', url: 'http://x.example' }), batchAge: minutes(60) };
    return { clock, queue: new SinkQueue(definition, sink, clock, silent, () => undefined) };
  };

  it('is put off if this queue is full, but not for its own size', async () => {
    const { queue } = startQueue();
    const answers: string[] = [];
    const add = (uri: string): PushOrder => {
      const order = deleteOrder(uri);
      queue.add(order, () => void answers.push(uri));
      return order;
    };
    const first = add('http://a.example/1');
    const room = { maxOrders: 10, maxBytes: 1 };
    queue.putOffIfBehind(first, room);
    expect(answers).toEqual([]);
    const second = add('http://a.example/2');
    queue.putOffIfBehind(second, { ...room, maxBytes: 10_000 });
    expect(answers).toEqual([]);
    queue.putOffIfBehind(second, room);
    expect([answers, queue.load.orders]).toEqual([['http://a.example/2'], 1]);
    await queue.close();
  });

  it('is put off once it has waited for a minute, and so is each later one', async () => {
    const { clock, queue } = startQueue();
    const putOff: string[] = [];
    for (const uri of ['http://a.example/1', 'http://a.example/2', 'http://a.example/3']) {
      queue.add(deleteOrder(uri), () => void putOff.push(uri), { mayPutOff: () => true });
      await clock.pass(seconds(25));
    }
    expect(putOff).toEqual(['http://a.example/1']);
    await clock.pass(seconds(10));
    expect(putOff).toEqual(['http://a.example/1', 'http://a.example/2']);
    await clock.pass(seconds(25));
    expect([putOff.length, queue.load]).toEqual([3, { orders: 0, bytes: 0 }]);
    await queue.close();
  });
});

describe('an order with which a sink fails each time', () => {
  const startQueue = (fails: (uri: string, now: number) => boolean, rest?: number) => {
    const clock = new ManualClock();
    const answers = new Map<string, OrderAnswer>();
    const sink: Sink = {
      name: 'main',
      close: async () => undefined,
      deliver: async (batch) => {
        if (batch.some(({ uri }) => fails(uri, clock.now())))
          throw new SinkUnavailable('the connection was reset', rest);
        return batch.map(() => ({ state: 'acknowledged' }));
      },
    };
    const definition = sinkDefinition({ type: 'json', url: 'http://x.example' });
    const queue = new SinkQueue(definition, sink, clock, silent, () => undefined);
    const add = (uri: string): void => queue.add(addOrder(uri), (answer) => void answers.set(uri, answer));
    return { clock, answers, queue, add };
  };
  const uris = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => `http://a.example/${from + i}`);

  it.each([1, 3])(
    'is set aside with the reason, and all others are delivered within minutes (%d of them)',
    async (bad) => {
      const isBad = (uri: string): boolean => uris(0, bad).includes(uri);
      const { clock, answers, queue, add } = startQueue(isBad);
      for (let i = 0; i < 20; i++) {
        for (const uri of uris(i * 4, i * 4 + 4)) add(uri);
        await clock.pass(seconds(15));
      }
      for (const uri of uris(0, 80))
        expect(answers.get(uri), uri).toEqual(
          isBad(uri)
            ? {
                state: 'refused',
                message: 'the sink fails with this order each time, and accepts others: the connection was reset',
                unsendable: true,
              }
            : { state: 'acknowledged' },
        );
      expect(queue.toView().state).toBe('ready');
    },
  );

  it.each([1_000, 30_000])('is set aside also if the sink asks for a rest each time, of %d ms', async (rest) => {
    const { clock, answers, queue, add } = startQueue((uri) => uri === uris(7, 8)[0], rest);
    for (let minute = 0; minute < 90; minute++) {
      add(uris(minute, minute + 1)[0]!);
      await clock.pass(minutes(1));
    }
    const refused = [...answers].filter(([, { state }]) => state === 'refused').map(([uri]) => uri);
    expect([refused, answers.size, queue.toView().state]).toEqual([uris(7, 8), 90, 'ready']);
  });

  it('is not one for which a sink with a quota had nothing left, however often that is', async () => {
    let left = 0;
    const { clock, answers, queue, add } = startQueue(() => left-- <= 0, 60_000);
    for (let hour = 0; hour < 100; hour++) {
      left = 25;
      for (const uri of uris(hour * 30, hour * 30 + 30)) add(uri);
      await clock.pass(minutes(60));
    }
    expect([queue.toView().refused, answers.size > 1_500]).toEqual([0, true]);
  });

  it('waits as long as nothing else proves that the sink works', async () => {
    let works = false;
    const { clock, answers, queue, add } = startQueue(() => !works);
    for (const uri of uris(0, 30)) add(uri);
    await clock.pass(minutes(600));
    expect([answers.size, queue.toView().state]).toEqual([0, 'unavailable']);
    works = true;
    await clock.pass(minutes(2));
    expect([answers.size, queue.toView()]).toMatchObject([30, { state: 'ready', refused: 0 }]);
  });

  it('is not one with which it fails only for a moment, however often it is asked meanwhile', () => {
    const suspects = new Suspects();
    const [order, other] = uris(0, 2).map((uri) => ({ order: addOrder(uri) }) as unknown as WaitingOrder);
    const start = new ManualClock().now();
    const failed = (ms: number): unknown => {
      suspects.noteAccepted([other!]);
      return suspects.judge([order!], new SinkUnavailable('reset'), 3, after(start, milliseconds(ms)));
    };
    for (let ms = 0; ms < 39_900; ms += 100) expect(failed(ms)).toBeUndefined();
    expect(failed(40_000)).toMatchObject([{ state: 'refused' }]);
  });

  it('is never one with which a sink fails by chance, however often that is', () => {
    return fc.assert(
      fc.asyncProperty(fc.integer(), fc.double({ min: 0.05, max: 0.95, noNaN: true }), async (seed, share) => {
        const random = new Random(seed);
        const { clock, queue, add } = startQueue(() => random.chance(share));
        for (let i = 0; i < 20; i++) {
          for (const uri of uris(i * 4, i * 4 + 4)) add(uri);
          await clock.pass(seconds(15));
        }
        await clock.pass(minutes(20));
        expect(queue.toView().refused).toBe(0);
      }),
    );
  });
});

describe('a queue that is replaced while its requests are in flight', () => {
  it.each(['is taken', 'fails'])('keeps the orders of a URI in order when what is in flight %s', async (end) => {
    const clock = new ManualClock();
    const arrived: string[] = [];
    const under = Promise.withResolvers<OrderAnswer[]>();
    const takes = async (name: string, batch: readonly PushOrder[]) => {
      arrived.push(...batch.map(({ uri, kind }) => `${name} ${kind} ${uri}`));
      return batch.map(() => ({ state: 'acknowledged' as const }));
    };
    const queue = (deliver: Sink['deliver']): SinkQueue => {
      const definition = sinkDefinition({ type: 'json', url: 'http://x.example' });
      return new SinkQueue(definition, { name: 'main', close: async () => {}, deliver }, clock, silent, () => {});
    };
    const old = queue(() => under.promise);
    let answered = 0;
    const add = (to: SinkQueue, order: PushOrder): void => to.add(order, () => answered++);
    add(old, addOrder('http://a.example/'));
    old.flush();
    add(old, addOrder('http://b.example/'));
    const first = queue((batch) => takes('first', batch));
    first.replace(old);
    const last = queue((batch) => takes('last', batch));
    last.replace(first);
    add(last, deleteOrder('http://a.example/'));
    await clock.pass(minutes(1));
    expect(arrived).toEqual(['last add http://b.example/']);
    expect(old.closed).toBe(false);

    if (end === 'fails') under.reject(new SinkUnavailable('down'));
    else under.resolve([{ state: 'acknowledged' }]);
    await clock.pass(minutes(1));
    expect(arrived.slice(1)).toEqual([
      ...(end === 'fails' ? ['last add http://a.example/'] : []),
      'last delete http://a.example/',
    ]);
    expect(answered).toBe(3);
    expect(old.closed).toBe(true);
  });
});
