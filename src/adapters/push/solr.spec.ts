import { describe, expect, it, onTestFinished } from 'vitest';
import { addOrder, deleteOrder, heldBy, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { startSolrReceiver } from '../../../test/support/receivers/solr-receiver.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { SolrSink } from './solr.js';

async function started() {
  const receiver = await startSolrReceiver('pages');
  const sink = new SolrSink(
    sinkDefinition({ type: 'solr', url: `${receiver.url}/solr/`, options: { index: 'pages' } }),
  );
  onTestFinished(() => sink.close());
  return { receiver, sink };
}

describe('the Solr sink', () => {
  it('commits adds and deletes in their order before it acknowledges them', async () => {
    const { receiver, sink } = await started();
    const metas = [
      { name: 'title', value: 'Herons' },
      { name: 'dc.creator', value: 'one' },
      { name: 'dc.creator', value: 'two' },
    ];
    const batch = [addOrder('http://a/'), deleteOrder('http://a/'), addOrder('http://b/', { metas })];
    const answers = await sink.deliver(batch, stillWanted());
    expect(answers.map(({ state }) => state)).toEqual(['acknowledged', 'acknowledged', 'acknowledged']);
    expect([...receiver.committed().values()]).toEqual([
      {
        id: 'http://b/',
        host_s: 'b',
        path_ss: ['/'],
        content_type_s: 'text/html',
        stamp_s: 'a1b2c3',
        crawler_s: 'docs',
        title_t: 'Herons',
        text_t: 'Some words about herons.',
        mime_type_s: 'text/html',
        encoding_s: 'utf-8',
        file_name_t: 'page.html',
        meta_names_ss: ['title', 'dc.creator'],
        meta_title_txt: ['Herons'],
        meta_dc_creator_txt: ['one', 'two'],
      },
    ]);
  });

  it('isolates the document that Solr refuses', async () => {
    const { receiver, sink } = await started();
    const batch = Array.from({ length: 6 }, (_, i) => addOrder(`http://a/${i === 3 ? 'bad' : i}`));
    const answers = await sink.deliver(batch, stillWanted());
    expect(answers[3]).toEqual({ state: 'refused', message: 'ERROR: [doc=http://a/bad] immense term' });
    expect(answers.filter(({ state }) => state === 'acknowledged')).toHaveLength(5);
    expect(receiver.committed().size).toBe(5);
  });

  it('refuses what a core that tolerates errors reports with a good status', async () => {
    const { receiver, sink } = await started();
    const errors = [{ type: 'ADD', id: 'http://a/2', message: 'ERROR: [doc=http://a/2] immense term' }];
    receiver.answerNext({ status: 200, body: { responseHeader: { status: 0, errors, maxErrors: -1 } } });
    const batch = [addOrder('http://a/1'), addOrder('http://a/2'), addOrder('http://a/3')];
    expect(await sink.deliver(batch, stillWanted())).toEqual([
      { state: 'acknowledged' },
      { state: 'refused', message: errors[0]!.message },
      { state: 'acknowledged' },
    ]);
    receiver.answerNext({ status: 200, body: { responseHeader: { status: 0, errors } } });
    expect(await sink.deliver([addOrder('http://a/3')], stillWanted())).toMatchObject([{ state: 'refused' }]);
  });

  it('acknowledges nothing when the commit fails', async () => {
    const { receiver, sink } = await started();
    receiver.answerNext({ status: 200, body: { responseHeader: { status: 0 } } });
    receiver.answerNext({ status: 503, headers: { 'retry-after': '2' }, body: { error: { msg: 'no leader' } } });
    const delivery = sink.deliver([addOrder('http://a/')], stillWanted());
    await expect(delivery).rejects.toThrow(SinkUnavailable);
    await expect(delivery).rejects.toMatchObject({
      message: expect.stringContaining('no leader'),
      retryAfterMs: 2_000,
    });
    const good = { responseHeader: { status: 0 } };
    for (const answers of [[{ responseHeader: { status: 500 } }], [good, '<html>proxy</html>']]) {
      for (const body of answers) receiver.answerNext({ status: 200, body });
      await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow('is this a Solr core?');
    }
  });

  it.each([
    ['whole', ['a', 'b'], ['a', 'b'], 1],
    ['with two metas in the same field', ['a.b', 'a-b'], ['a_b', 'c'], 0],
    ['with a meta that is not stored', ['a', 'b'], ['a'], 0],
  ])('returns a document that it stores %s', async (_, names, fields, count) => {
    const { receiver, sink } = await started();
    const metas = Object.fromEntries(fields.map((name) => [`meta_${name}_txt`, ['x']]));
    const doc = { id: 'u', stamp_s: 's', crawler_s: 'c', text_t: 't', meta_names_ss: names, ...metas };
    receiver.answerNext({ status: 200, body: { doc } });
    expect(await sink.readDocuments(['u'], stillWanted())).toHaveLength(count);
  });

  it('returns no documents to credentials that may only write, so that they are fetched for another sink', async () => {
    const { receiver, sink } = await started();
    receiver.answerNext({ status: 403 });
    expect(await sink.readDocuments(['http://a/'], stillWanted())).toEqual([]);
  });

  it('enumerates more documents than one page', async () => {
    const { sink } = await started();
    const batch = Array.from({ length: 2_000 }, (_, i) => addOrder(`http://a/${i}`, { stamp: `s${i}` }));
    await sink.deliver(batch, stillWanted());
    expect(await heldBy(sink)).toEqual(batch.map(({ uri }, i) => `${uri} s${i}`).sort());
  });

  it('reports that there is no core at the URL', async () => {
    const { receiver } = await started();
    const sink = new SolrSink(sinkDefinition({ type: 'solr', url: `${receiver.url}/solr/other` }));
    onTestFinished(() => sink.close());
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(/status 404: there is nothing/);
  });
});
