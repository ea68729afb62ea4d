import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { minutes } from '../../domain/time/units.js';
import { SinkIdentities } from './sink-identities.js';

/** The checks of one sink; `indexed` is the number of documents of each crawler: `a` pushes to the sink, `b` does not. */
function watch(parts: object, indexed = 1_000) {
  const clock = new ManualClock();
  const settings = new Map<string, string | undefined>();
  const refilled: string[] = [];
  const events: unknown[] = [];
  const crawler = (name: string, target: string) => ({ name, context: { definition: { pushTo: [target] } } });
  const sink = { name: 'main', ...parts };
  const identities = new SinkIdentities({
    clock,
    log: { warn: () => expect.unreachable(), error: () => undefined },
    store: {
      getSetting: async (name: string) => settings.get(name),
      putSetting: async (name: string, value: string | undefined) => void settings.set(name, value),
      list: async (filter: { crawler: string; indexed?: boolean }) =>
        filter.crawler === 'b' || filter.indexed ? [{}] : [],
      count: async () => indexed,
    },
    crawlers: { list: () => [crawler('a', 'main'), crawler('b', 'other')] },
    events: { emit: (event: { message: string }) => events.push(event.message.split(', so ')[0]) },
    partitions: { isLeader: true },
    backfills: { refill: async (name: string) => void refilled.push(name), list: async () => [] },
    getDefinition: () => ({ sinks: [{ name: 'main', type: 'solr', url: 'http://solr/', options: {} }] }),
    findSink: () => sink,
  } as never);
  identities.start();
  onTestFinished(() => identities.stop());
  return { refilled, events, pass: () => clock.pass(minutes(3)) };
}

it('a sink is filled again when one of its indexes is replaced or gone, not when one is added', async () => {
  let ids: readonly string[] = ['1'];
  const { events, refilled, pass } = watch({ identify: async () => ids });
  for (const next of [['1'], ['1', '2'], ['2', '1'], ['3', '1'], ['1', '3'], [], ['4']]) {
    ids = next;
    await pass();
  }
  expect(events).toEqual([
    'what the sink writes to (2) was replaced by 3, 1',
    'what the sink writes to (1, 3) is gone',
  ]);
  expect(refilled).toEqual(['main', 'main']);
});

it('a sink that is empty twice in a row has lost its documents if it had some', async () => {
  let isEmpty = true;
  const { events, pass } = watch({ isEmpty: async () => isEmpty });
  await pass();
  expect(events).toEqual([]);
  isEmpty = false;
  await pass();
  isEmpty = true;
  await pass();
  expect(events).toEqual(['the sink holds no document any more']);
});

it.each([
  [
    'far fewer than the crawlers that push to it have indexed',
    400,
    1_000,
    ['the sink holds 400 documents instead of 1000'],
  ],
  ['as many as the crawlers that push to it have indexed', 400, 400, []],
  ['nine tenths', 900, 1_000, []],
  ['less than nine tenths', 899, 1_000, ['the sink holds 899 documents instead of 1000']],
  ['as little as nobody misses', 5, 25, []],
])('a sink that holds %s', async (_, held, indexed, expected) => {
  let found = 10_000;
  const { events, pass } = watch({ isEmpty: async () => false, countDocuments: async () => found }, indexed);
  await pass();
  found = held;
  await pass();
  expect(events).toEqual(expected);
});
