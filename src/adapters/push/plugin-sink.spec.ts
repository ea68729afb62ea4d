import { expect, it, onTestFinished } from 'vitest';
import { TestPlugins } from '../../../test/support/plugins.js';
import { addOrder, deleteOrder, sinkDefinition } from '../../../test/support/push-orders.js';
import { seconds } from '../../domain/time/units.js';
import { PluginSink } from './plugin-sink.js';

async function startPlugin(deliver: string) {
  const plugins = new TestPlugins();
  await plugins.host.configure([plugins.define('p', `sink: { ${deliver} }`, { timeLimit: seconds(3) })]);
  const sink = new PluginSink(sinkDefinition({ type: 'plugin', url: 'plugin:p' }), plugins.host);
  onTestFinished(() => sink.close());
  return { plugins, sink };
}

it('a plug-in gets everything that a receiver of JSON gets of a document', async () => {
  const { sink } = await startPlugin(
    'deliver(orders) { return orders.map((order) => ({ refused: JSON.stringify({ ...order, body: order.body?.length }) })); }',
  );
  const metas = [
    { name: 'title', value: 'Herons' },
    { name: 'file_size', value: '7', type: 'number' },
  ] as const;
  const forms = {
    headings: [{ level: 2, text: 'Use', start: 0 }],
    markdown: '## Use',
    chunks: [{ text: 'Use', path: ['Use'], start: 0, end: 3 }],
  };
  const add = addOrder('http://a/', { metas, ...forms });
  const [answer, deletion] = await sink.deliver([add, deleteOrder('http://b/')]);
  expect(JSON.parse((answer as { message: string }).message)).toEqual({
    ...forms,
    ...{ id: add.id, crawler: 'docs', uri: 'http://a/', reason: 'indexed', decidedAt: '2026-09-21T14:13:20.000Z' },
    ...{ kind: 'add', stamp: 'a1b2c3', metas, text: 'Some words about herons.' },
    ...{ mediaType: 'text/html', encoding: 'utf-8', fileName: 'page.html', body: expect.any(Number) },
  });
  expect(JSON.parse((deletion as { message: string }).message)).toMatchObject({ kind: 'delete', uri: 'http://b/' });
});

it('a plug-in that hangs has failed when its own time limit is over', async () => {
  const { plugins, sink } = await startPlugin(`deliver() { console.log('it hangs'); return new Promise(() => {}); }`);
  const delivery = expect(sink.deliver([addOrder('http://a/')])).rejects.toThrow('it took longer than 3 s');
  await plugins.said('it hangs');
  plugins.clock.advance(seconds(3));
  await delivery;
});
