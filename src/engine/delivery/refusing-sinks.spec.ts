import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { addOrder, deleteOrder, sinkDefinition } from '../../../test/support/push-orders.js';
import type { OrderAnswer } from '../../domain/push/order.js';
import { minutes, seconds } from '../../domain/time/units.js';
import type { Sink } from '../ports/sink.js';
import { SinkQueue } from './sink-queue.js';
import { PUT_OFF } from './waiting-orders.js';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('a sink that refuses', () => {
  /** A sink that accepts an order or not, and what became of the orders. */
  const startQueue = (
    accepts: (uri: string) => boolean,
    batchDocuments = 4,
    wait?: () => Promise<void> | undefined,
  ) => {
    const clock = new ManualClock();
    const answers = new Map<string, string>();
    const warnings: string[] = [];
    const states: string[] = [];
    let calls = 0;
    const sink: Sink = {
      name: 'main',
      close: async () => undefined,
      deliver: async (batch) => {
        calls++;
        await wait?.();
        return batch.map(({ uri }) =>
          accepts(uri) ? { state: 'acknowledged' as const } : { state: 'refused' as const, message: 'wrong mapping' },
        );
      },
    };
    const definition = { ...sinkDefinition({ type: 'json', url: 'http://x.example' }), batchDocuments };
    const log = { ...silent, warn: (message: string) => void warnings.push(message) };
    const wronged: number[] = [];
    const queue = new SinkQueue(
      definition,
      sink,
      clock,
      log,
      (event) => event && states.push(event.state),
      (ids) => wronged.push(...ids),
    );
    const add = (uri: string, order = addOrder(uri)): void =>
      queue.add(order, ({ state }) => void answers.set(uri, state));
    return { clock, queue, answers, warnings, states, wronged, add, countCalls: () => calls };
  };
  const uris = (count: number): string[] => Array.from({ length: count }, (_, i) => `http://a.example/${i}`);

  it('every order alike is ill: it is asked less and less often, and nothing is set aside', async () => {
    let works = false;
    const { clock, queue, answers, states, add, countCalls } = startQueue(() => works);
    for (const uri of uris(30)) add(uri);
    await clock.pass(minutes(60));
    expect({ answered: answers.size, states: new Set(states) }).toEqual({
      answered: 0,
      states: new Set(['unavailable']),
    });
    expect(queue.toView()).toMatchObject({
      state: 'unavailable',
      message: 'the sink refuses every order: wrong mapping',
      pending: 30,
      refused: 0,
    });
    expect(countCalls()).toBeLessThan(90);
    works = true;
    await clock.pass(minutes(5));
    expect(new Set(answers.values())).toEqual(new Set(['acknowledged']));
    expect({ view: queue.toView(), last: states.at(-1) }).toMatchObject({
      view: { state: 'ready', refused: 0 },
      last: 'ready',
    });
  });

  it('every order and then no longer answers does not hold up those that may be put off', async () => {
    let answersAgain: Promise<void> | undefined;
    const received: OrderAnswer[] = [];
    const { clock, queue } = startQueue(
      () => false,
      4,
      () => answersAgain,
    );
    for (const uri of uris(3)) queue.add(addOrder(uri), (answer) => received.push(answer), { mayPutOff: () => true });
    await clock.pass(seconds(59));
    answersAgain = new Promise(() => undefined);
    await clock.pass(minutes(2));
    expect(received).toEqual([PUT_OFF, PUT_OFF, PUT_OFF]);
  });

  it('every document, but accepts deletions, is ill, too', async () => {
    const { clock, queue, answers, add } = startQueue((uri) => uri.endsWith('/gone'));
    for (const uri of uris(12)) add(uri);
    for (const uri of uris(12)) add(`${uri}/gone`, deleteOrder(`${uri}/gone`));
    await clock.pass(minutes(30));
    expect([...answers.keys()].filter((uri) => !uri.endsWith('/gone'))).toEqual([]);
    expect(answers.size).toBe(12);
    expect(queue.toView()).toMatchObject({ state: 'unavailable', pending: 12 });
  });

  it('a few orders of a small crawl is ill from the third on, and each order of a busy crawl is set aside alone', async () => {
    const small = startQueue(() => false);
    for (const uri of uris(3)) small.add(uri);
    await small.clock.pass(minutes(3));
    expect({ answered: small.answers.size, state: small.queue.toView().state }).toEqual({
      answered: 0,
      state: 'unavailable',
    });
    const quiet = startQueue(() => false);
    quiet.add('http://a.example/only');
    await quiet.clock.pass(seconds(30));
    expect(quiet.queue.toView()).toMatchObject({ pending: 1, refused: 0, lastRefusal: 'wrong mapping' });
    await quiet.clock.pass(minutes(3));
    expect([quiet.answers.get('http://a.example/only'), quiet.queue.toView().state]).toEqual(['refused', 'ready']);
  });

  it('everything while orders come minutes apart returns those it was asked about before that was known', async () => {
    let works = false;
    const { clock, queue, answers, wronged, add } = startQueue(() => works);
    const orders = uris(5).map((uri, id) => ({ ...addOrder(uri), id }));
    for (const order of orders) {
      add(order.uri, order);
      await clock.pass(minutes(7));
    }
    expect({ answers: [...answers.values()], state: queue.toView().state, wronged }).toEqual({
      answers: ['refused', 'refused'],
      state: 'unavailable',
      wronged: [],
    });
    works = true;
    await clock.pass(minutes(5));
    expect({ answered: answers.size, state: queue.toView().state, wronged }).toEqual({
      answered: 5,
      state: 'ready',
      wronged: [0, 1],
    });
  });

  it('one order now and then gets none of them back: they are to blame', async () => {
    const { clock, answers, wronged, add } = startQueue((uri) => !uri.endsWith('/bad'));
    for (const [id, uri] of uris(8).entries()) {
      const written = id % 3 === 2 ? uri : `${uri}/bad`;
      add(written, { ...addOrder(written), id });
      await clock.pass(minutes(7));
    }
    expect([...answers.values()].filter((state) => state === 'refused')).toHaveLength(6);
    expect(wronged).toEqual([]);
  });

  it.each([9, 15, 40])('%d orders at the head of the queue sets these aside, and delivers all others', async (bad) => {
    const { clock, queue, answers, add } = startQueue((uri) => Number(/\d+$/.exec(uri)) >= bad);
    for (const uri of uris(bad + 30)) add(uri);
    await clock.pass(minutes(10));
    const refused = [...answers].flatMap(([uri, state]) => (state === 'refused' ? [uri] : []));
    expect(refused.sort()).toEqual(uris(bad).sort());
    expect({ answered: answers.size, state: queue.toView().state }).toEqual({ answered: bad + 30, state: 'ready' });
  });

  it('an order hands it to the queue that replaces its own, as long as it is not clear who is to blame', async () => {
    const { clock, queue, answers, add } = startQueue(() => false);
    const next = startQueue(() => true);
    add('http://a.example/');
    await clock.pass(seconds(10));
    next.queue.replace(queue);
    await next.clock.pass(seconds(10));
    expect([...answers]).toEqual([['http://a.example/', 'acknowledged']]);
  });

  it('an order holds back later ones for its URI until it is clear who is to blame', async () => {
    const { clock, answers, add } = startQueue((uri) => uri !== 'http://a.example/0', 1);
    add('http://a.example/0');
    add('http://a.example/0', deleteOrder('http://a.example/0'));
    await clock.pass(seconds(20));
    expect(answers.size).toBe(0);
    add('http://a.example/1');
    await clock.pass(seconds(20));
    expect(answers.get('http://a.example/1')).toBe('acknowledged');
    expect(answers.get('http://a.example/0')).toBe('refused');
  });
});
