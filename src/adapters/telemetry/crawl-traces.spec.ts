import { expect, it } from 'vitest';
import { sinkDefinition } from '../../../test/support/push-orders.js';
import { ElasticsearchSink } from '../push/elasticsearch.js';
import { TracedSink } from './crawl-traces.js';

it('a traced sink can do all that the sink itself can', async () => {
  const options = { index: 'pages', alias: 'web' };
  const definition = sinkDefinition({ type: 'elasticsearch', url: 'http://127.0.0.1:1', options });
  const sink = new ElasticsearchSink(definition);
  const traced = new TracedSink(sink, 'elasticsearch', { traceDelivery: (_sink, _batch, deliver) => deliver() });
  const able = (candidate: object) =>
    [
      'listEntries',
      'readDocuments',
      'probe',
      'identify',
      'isEmpty',
      'countDocuments',
      'checkSchema',
      'alias',
      'foreign',
    ].filter((name) => (candidate as Record<string, unknown>)[name] !== undefined);
  expect(able(traced)).toEqual(able(sink));
  expect(able(traced)).toContain('identify');
  await traced.close();
});
