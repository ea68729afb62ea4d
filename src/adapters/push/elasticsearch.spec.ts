import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addOrder, deleteOrder, heldBy, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { startElasticsearchReceiver } from '../../../test/support/receivers/elasticsearch-receiver.js';
import type { SinkOptions } from '../../domain/push/sink-types.js';
import { Secret } from '../../domain/secret.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { ElasticsearchSink } from './elasticsearch.js';

const DIALECTS = ['elasticsearch', 'opensearch'] as const;

async function started(
  type: (typeof DIALECTS)[number] = 'elasticsearch',
  options: Partial<SinkOptions['opensearch']> = {},
) {
  const receiver = await startElasticsearchReceiver(type, 'pages');
  const sink = new ElasticsearchSink(
    sinkDefinition({ type, url: receiver.url, options: { index: 'pages', apiKey: new Secret('key'), ...options } }),
  );
  onTestFinished(() => sink.close());
  return { receiver, sink };
}

const idOf = (uri: string) => createHash('sha256').update(uri).digest('hex');
const titled = (title: string) => ({ metas: [{ name: 'title', value: title }] });

describe.each(DIALECTS)('%s', (type) => {
  it('creates the index with a mapping for metas of any name, once', async () => {
    const { receiver, sink } = await started(type);
    await sink.deliver([addOrder('http://a/')], stillWanted());
    await sink.deliver([addOrder('http://b/')], stillWanted());
    const metas = receiver.settings()?.mappings.properties['metas']?.type;
    expect(metas).toBe(type === 'elasticsearch' ? 'flattened' : 'flat_object');
    const created = receiver.exchanges.filter(({ method }) => method === 'PUT').map(({ path }) => path);
    expect(created).toEqual(['/pages', '/_index_template/crawlway-pages']);
    expect(receiver.exchanges.every(({ headers }) => headers.authorization === 'ApiKey key')).toBe(true);
  });

  it('enumerates more documents than one page and leaves no point in time open', async () => {
    const { receiver, sink } = await started(type);
    const batch = Array.from({ length: 2_000 }, (_, i) => addOrder(`http://a/${i}`, { stamp: `s${i}` }));
    await sink.deliver(batch, stillWanted());
    expect(await heldBy(sink)).toEqual(batch.map(({ uri }, i) => `${uri} s${i}`).sort());
    expect(receiver.openPits.size).toBe(0);
  });

  it('closes the point in time when the caller stops early', async () => {
    const { receiver, sink } = await started(type);
    await sink.deliver([addOrder('http://a/'), addOrder('http://b/')], stillWanted());
    for await (const _ of sink.listEntries(stillWanted())) break;
    expect(receiver.openPits.size).toBe(0);
  });
});

describe('index options', () => {
  it('apply to every bulk action and the created index', async () => {
    const receiver = await startElasticsearchReceiver('elasticsearch', 'pages');
    const template = '{"settings": {"number_of_shards": 2}, "mappings": {"properties": {"text": {"type": "keyword"}}}}';
    const options = {
      index: 'pages',
      pipeline: 'attachment',
      alias: 'all',
      routing: 'host',
      versions: 'external',
      template,
    } as const;
    const sink = new ElasticsearchSink(sinkDefinition({ type: 'elasticsearch', url: receiver.url, options }));
    onTestFinished(() => sink.close());
    await sink.deliver([addOrder('http://a:81/x')], stillWanted());
    const bulk = receiver.exchanges.find(({ path }) => path === '/_bulk');
    expect(bulk?.query.get('pipeline')).toBe('attachment');
    const action = JSON.parse(bulk!.body.toString().split('\n')[0]!);
    expect(action.index).toMatchObject({ routing: 'a:81', version: 1_790_000_000_000, version_type: 'external_gte' });
    expect(receiver.settings()).toMatchObject({
      settings: { number_of_shards: 2 },
      aliases: { all: {} },
      mappings: { properties: { text: { type: 'keyword' }, uri: { type: 'keyword' } } },
    });
    expect(receiver.exchanges.some(({ path }) => path === '/_index_template/crawlway-pages')).toBe(true);
  });
});

describe('an alias', () => {
  it('is not replaced by an index of its name when it is removed', async () => {
    const { receiver, sink } = await started();
    receiver.answerNext({ status: 200 }); // the name is there
    receiver.answerNext({ status: 200 }); // and is an alias
    const error = { type: 'index_not_found_exception', reason: 'no such index [pages] and [require_alias] is [true]' };
    receiver.answerNext({ status: 200, body: { items: [{ index: { status: 404, error } }] } });
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(SinkUnavailable);
    expect(receiver.exchanges.at(-1)?.query.get('require_alias')).toBe('true');
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow('the alias pages is gone');
    expect(receiver.settings()).toBeUndefined();
  });
});

describe('bulk deliveries', () => {
  it('names field and document of a refusal, and what is wrong with the value', async () => {
    const { receiver, sink } = await started();
    await sink.deliver([addOrder('http://a/')], stillWanted());
    const reason = "failed to parse field [metas] of type [keyword] in document with id 'a'";
    const cause = { type: 'illegal_state_exception', reason: "Can't get text on a START_OBJECT at 1:247" };
    const error = { type: 'mapper_parsing_exception', reason, caused_by: cause };
    receiver.answerNext({ status: 200, body: { items: [{ index: { status: 400, error } }] } });
    expect(await sink.deliver([addOrder('http://a/')], stillWanted())).toEqual([
      { state: 'refused', message: `mapper_parsing_exception: ${reason}: ${cause.reason}` },
    ]);
  });

  it('stores documents under the hash of their URI, with every field', async () => {
    const { receiver, sink } = await started();
    const metas = [
      { name: 'title', value: 'Herons' },
      { name: 'author', value: 'one' },
      { name: 'author', value: 'two' },
    ];
    await sink.deliver([addOrder('http://a/', { metas, text: 'They stand.' })], stillWanted());
    expect(receiver.documents.get(idOf('http://a/'))).toMatchObject({
      uri: 'http://a/',
      stamp: 'a1b2c3',
      crawler: 'docs',
      title: 'Herons',
      text: 'They stand.',
      metas: { title: ['Herons'], author: ['one', 'two'] },
      master: { mimeType: 'text/html', encoding: 'utf-8', fileName: 'page.html', bytes: expect.any(String) },
    });
  });

  it('acknowledges the deletion of a document that is not there', async () => {
    const { receiver, sink } = await started();
    const batch = [addOrder('http://a/'), deleteOrder('http://a/'), deleteOrder('http://never/')];
    const answers = await sink.deliver(batch, stillWanted());
    expect(answers.map(({ state }) => state)).toEqual(['acknowledged', 'acknowledged', 'acknowledged']);
    expect(receiver.documents.size).toBe(0);
  });

  it('reports the one document that fails its mapping', async () => {
    const { sink } = await started();
    const batch = [addOrder('http://a/'), addOrder('http://b/', titled('bad')), addOrder('http://c/')];
    expect(await sink.deliver(batch, stillWanted())).toEqual([
      { state: 'acknowledged' },
      { state: 'refused', message: 'document_parsing_exception: cannot parse title' },
      { state: 'acknowledged' },
    ]);
  });

  it('keeps the whole batch for later when a single item is rejected because of load', async () => {
    const { sink } = await started();
    const delivery = sink.deliver([addOrder('http://a/'), addOrder('http://b/', titled('busy'))], stillWanted());
    await expect(delivery).rejects.toThrow(SinkUnavailable);
    await expect(delivery).rejects.toThrow(/queue is full/);
  });

  it('refuses the only document of a batch that causes an internal error, and waits when all documents do', async () => {
    const { receiver, sink } = await started();
    await sink.deliver([addOrder('http://a/')], stillWanted());
    const batch = [addOrder('http://a/'), addOrder('http://b/')];
    const error = { type: 'illegal_state_exception', reason: 'the pipeline fails' };
    const answer = (first: number, second: number) =>
      receiver.answerNext({
        status: 200,
        body: { items: [first, second].map((status) => ({ index: status < 300 ? { status } : { status, error } })) },
      });
    answer(201, 500);
    expect(await sink.deliver(batch, stillWanted())).toEqual([
      { state: 'acknowledged' },
      { state: 'refused', message: 'illegal_state_exception: the pipeline fails' },
    ]);
    for (const [first, second] of [
      [500, 500],
      [201, 503],
    ] as const) {
      answer(first, second);
      await expect(sink.deliver(batch, stillWanted())).rejects.toThrow(/the pipeline fails/);
    }
  });

  it('treats an order that a newer one has overtaken as done, with external versions', async () => {
    const error = { type: 'version_conflict_engine_exception', reason: 'current version [3] is higher' };
    const body = { items: [{ index: { status: 409, error } }] };
    for (const versions of ['external', undefined] as const) {
      const { receiver, sink } = await started('opensearch', { versions });
      await sink.deliver([addOrder('http://a/')], stillWanted());
      receiver.answerNext({ status: 200, body });
      const [answer] = await sink.deliver([addOrder('http://a/')], stillWanted());
      expect(answer).toMatchObject(
        versions === undefined ? { state: 'refused' } : { state: 'acknowledged', supersededBy: 3 },
      );
      expect(receiver.exchanges.filter(({ path }) => path === '/_bulk')).toHaveLength(2);
    }
  });

  it('replaces a document whose external version lies in the future, because a clock was set back', async () => {
    const { receiver, sink } = await started('opensearch', { versions: 'external' });
    await sink.deliver([addOrder('http://a/'), addOrder('http://b/')], stillWanted());
    const future = Date.now() + 3_600_000;
    const error = { type: 'version_conflict_engine_exception', reason: `current version [${future}] is higher` };
    receiver.answerNext({
      status: 200,
      body: { items: [{ index: { status: 200 } }, { index: { status: 409, error } }] },
    });
    const answers = await sink.deliver([addOrder('http://a/'), addOrder('http://b/', { stamp: 'new' })], stillWanted());
    expect(answers).toEqual([{ state: 'acknowledged' }, { state: 'acknowledged' }]);
    const [action, ...others] = receiver.exchanges
      .at(-1)!
      .body.toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(action.index).toMatchObject({ _id: idOf('http://b/'), version: future + 1 });
    expect(others).toHaveLength(1);
  });

  it('does not blame the document for an error of the index', async () => {
    const { receiver, sink } = await started();
    await sink.deliver([addOrder('http://a/')], stillWanted());
    const error = { type: 'cluster_block_exception', reason: 'index [pages] blocked: disk usage exceeded flood-stage' };
    receiver.answerNext({ status: 200, body: { errors: true, items: [{ index: { status: 403, error } }] } });
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(/flood-stage/);
  });

  it('splits a bulk request that is too large', async () => {
    const { receiver, sink } = await started();
    await sink.deliver([addOrder('http://first/')], stillWanted());
    receiver.answerNext({ status: 413 });
    const batch = [addOrder('http://a/'), addOrder('http://b/')];
    expect(await sink.deliver(batch, stillWanted())).toEqual([{ state: 'acknowledged' }, { state: 'acknowledged' }]);
    expect(receiver.documents.size).toBe(3);
  });

  it('is unavailable when the answer does not fit the batch', async () => {
    const { receiver, sink } = await started();
    await sink.deliver([addOrder('http://a/')], stillWanted());
    receiver.answerNext({ status: 200, body: '<html>' });
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(/is this an Elasticsearch/);
    receiver.answerNext({ status: 200, body: { items: [] } });
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(
      /0 bulk results were returned for 1 orders/,
    );
  });
});
