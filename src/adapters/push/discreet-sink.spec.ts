import { expect, it } from 'vitest';
import { addOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { Secret } from '../../domain/secret.js';
import { type Sink, SinkUnavailable, SinkUnsuitable } from '../../engine/ports/sink.js';
import { DiscreetSink } from './discreet-sink.js';

const SECRETS = ['us3r', 'p@ss', 'p%40ss', Buffer.from('us3r:p@ss').toString('base64'), 't0ken', 'sh@red', 'a=t0ken'];
const definition = sinkDefinition({
  type: 'json',
  url: 'http://us3r:p%40ss@a.example/?a=t0ken',
  options: { secret: new Secret('sh@red') },
});
const message = `refused: ${SECRETS.join(' ')} .`;

/** What is left of a message. */
const HIDDEN = /^refused: (?:\S*\*{3} ){7}\.$/;

it.each([
  [new SinkUnavailable(message, 7), SinkUnavailable, { retryAfterMs: 7 }],
  [new SinkUnsuitable(message), SinkUnsuitable, {}],
  [new Error(message), Error, {}],
])(
  'whatever a sink throws, it stays of its kind and loses the secrets of its definition: %#',
  async (error, kind, facts) => {
    const fail = async (): Promise<never> => {
      throw error;
    };
    const failing = {
      name: 'main',
      deliver: fail,
      probe: fail,
      checkSchema: fail,
      listEntries: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }),
      close: async () => {},
    };
    const sink = new DiscreetSink(failing as unknown as Sink, definition);
    for (const call of [
      () => sink.deliver([addOrder('http://a/')], stillWanted()),
      () => sink.probe!(stillWanted()),
      () => sink.checkSchema!(stillWanted()),
      () => sink.listEntries!(stillWanted())[Symbol.asyncIterator]().next(),
    ]) {
      const thrown = await call().then(undefined, (reason: Error) => reason);
      expect(thrown).toBeInstanceOf(kind);
      expect(thrown).toMatchObject({ message: expect.stringMatching(HIDDEN), ...facts });
    }
  },
);

it('what a sink says of an order or of its mapping loses them, too, and too many names are none', async () => {
  let names: string[] = [];
  const telling = {
    name: 'main',
    deliver: async () => [{ state: 'refused', message }, { state: 'acknowledged' }],
    checkSchema: async () => message,
    identify: async () => names,
    close: async () => {},
  };
  const sink = new DiscreetSink(telling as unknown as Sink, definition);
  expect(await sink.deliver([addOrder('http://a/')], stillWanted())).toEqual([
    { state: 'refused', message: expect.stringMatching(HIDDEN) },
    { state: 'acknowledged' },
  ]);
  expect(await sink.checkSchema!(stillWanted())).toMatch(HIDDEN);
  for (const [given, expected] of [
    [Array(1_000).fill('x'.repeat(256)), 1_000],
    [Array(1_001).fill('x'), undefined],
    [['x'.repeat(257)], undefined],
  ] as const) {
    names = [...given];
    expect((await sink.identify!(stillWanted()))?.length).toBe(expected);
  }
});
