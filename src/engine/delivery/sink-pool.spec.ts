import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { seconds } from '../../domain/time/units.js';
import type { Sink } from '../ports/sink.js';
import { InspectedSink } from './sink-pool.js';

it('retries to list a sink after a minute, not for each batch', async () => {
  let listings = 0;
  const deliver: Sink['deliver'] = async () => [];
  const sink = {
    name: 'takes orders only',
    deliver,
    // biome-ignore lint/correctness/useYield: it has nothing to give
    listEntries: async function* () {
      listings++;
      throw new Error('status 404');
    },
    close: async () => undefined,
  } as Sink;
  const clock = new ManualClock();
  const log = { warn: () => undefined } as never;
  const inspected = new InspectedSink(sink, { clock, log, isKnown: async () => true });
  const signal = new AbortController().signal;
  for (let batch = 0; batch < 10; batch++) await inspected.deliver([], signal);
  expect(listings).toBe(1);
  clock.advance(seconds(59));
  await inspected.deliver([], signal);
  expect(listings).toBe(1);
  clock.advance(seconds(1));
  await inspected.deliver([], signal);
  await inspected.deliver([], signal);
  expect(listings).toBe(2);
});

it('the schema of a sink is checked before the first batch that finds the sink available, and not again', async () => {
  const answers = [new Error('no connection'), 'a field is missing'];
  let checks = 0;
  const checkSchema = async () => {
    const answer = answers[checks++];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const sink = { name: 'index', deliver: async () => [], checkSchema, close: async () => undefined } as unknown as Sink;
  const log = { warn: () => undefined } as never;
  const inspected = new InspectedSink(sink, { clock: new ManualClock(), log, isKnown: async () => true });
  for (let batch = 0; batch < 4; batch++) await inspected.deliver([], new AbortController().signal);
  expect(checks).toBe(2);
  expect(inspected.warning).toBe('a field is missing');
});
