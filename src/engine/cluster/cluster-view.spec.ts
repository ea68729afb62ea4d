import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { sinkDefinition } from '../../../test/support/push-orders.js';
import { SinkQueue } from '../delivery/sink-queue.js';
import type { SinkView } from '../delivery/sink-view.js';
import { ClusterView } from './cluster-view.js';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function viewOf(name: string, parts: Partial<SinkView> = {}): SinkView {
  const definition = { ...sinkDefinition({ type: 'json', url: 'http://x.example' }), name };
  const sink = { name, close: async () => undefined, deliver: async () => [] };
  const queue = new SinkQueue(definition, sink, new ManualClock(), log, () => undefined);
  void queue.close();
  return { ...queue.toView(), ...parts };
}

it('the figures of a sink are those of all nodes together, and it is unavailable if it is so for one of them', async () => {
  const own = [viewOf('main', { pending: 1, acknowledged: 10 }), viewOf('second', { pending: 100 })];
  const remote = [
    viewOf('main', {
      pending: 2,
      acknowledged: 20,
      refused: 1,
      lastRefusal: 'no',
      state: 'unavailable',
      message: 'down',
    }),
    viewOf('second', { pending: 200 }),
  ];
  const services = {
    delivery: { listViews: () => own },
    nodes: { ask: async () => ({ answers: [{ from: 'b', text: JSON.stringify(remote) }], complete: true }) },
  } as unknown as ConstructorParameters<typeof ClusterView>[0];
  const [main, second] = await new ClusterView(services).viewSinks();
  expect(main).toMatchObject({ name: 'main', pending: 3, acknowledged: 30, refused: 1, lastRefusal: 'no' });
  expect(main).toMatchObject({ state: 'unavailable', message: 'down' });
  expect(second).toMatchObject({ name: 'second', pending: 300, state: 'ready' });
});
