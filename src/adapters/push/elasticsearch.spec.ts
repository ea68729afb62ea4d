import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addOrder, deleteOrder, heldBy, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { startElasticsearchReceiver } from '../../../test/support/receivers/elasticsearch-receiver.js';
import { startReceiver } from '../../../test/support/receivers/http-receiver.js';
import type { SinkOptions } from '../../domain/push/sink-types.js';
import { Secret } from '../../domain/secret.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { ElasticsearchSink } from './elasticsearch.js';
import { createDefaultMapping, getDialect } from './elasticsearch-schema.js';

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

  it('takes none of its own documents for one of another program, although the mapping may not index their stamp', async () => {
    const { receiver, sink } = await started(type);
    receiver.foreign.set('other', { link: 'http://b/' }).set('own', { uri: 'http://a/', stamp: 's' });
    const listed: object[] = [];
    for await (const document of sink.foreign!.list('link', stillWanted())) listed.push(document);
    expect(listed).toEqual([{ id: 'other', uri: 'http://b/' }]);
  });

  it('enumerates more documents than one page and leaves no point in time open', async () => {
    const { receiver, sink } = await started(type);
    const batch = Array.from({ length: 2_000 }, (_, i) => addOrder(`http://a/${i}`, { stamp: `s${i}` }));
    await sink.deliver(batch, stillWanted());
    expect(await heldBy(sink)).toEqual(batch.map(({ uri }, i) => `${uri} s${i}`).sort());
    expect(receiver.openPits.size).toBe(0);
  });

  it('lists nothing from an index that cannot be sorted, or is not', async () => {
    const { receiver, sink } = await started(type);
    receiver.create({ mappings: { properties: { uri: { type: 'text' } } } });
    await expect(heldBy(sink)).rejects.toThrow('maps `uri` as text, which has to be keyword');
    const hits = Array.from({ length: 1_000 }, () => ({
      _source: { uri: 'http://a/', stamp: 's' },
      sort: ['http://a/'],
    }));
    const unsorted = await startReceiver(({ method }) =>
      method === 'GET' ? { status: 403 } : { status: 200, body: { id: 'p', pit_id: 'p', hits: { hits } } },
    );
    const other = new ElasticsearchSink(sinkDefinition({ type, url: unsorted.url, options: { index: 'pages' } }));
    onTestFinished(() => other.close());
    await expect(heldBy(other)).rejects.toThrow('not sorted by `uri`');
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
      alias: 'web',
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
      mappings: { properties: { text: { type: 'keyword' }, uri: { type: 'keyword' } } },
    });
    expect(receiver.exchanges.some(({ path }) => path === '/_index_template/crawlway-pages')).toBe(true);
    expect([...receiver.aliasIndexes]).toEqual(['pages']);
  });
});

describe('an alias', () => {
  it('is not replaced by an index of its name when it is removed', async () => {
    const { receiver, sink } = await started();
    receiver.answerNext({ status: 200 }); // the name is there
    receiver.answerNext({ status: 200, body: { 'pages-1': {} } }); // and is an alias
    const error = { type: 'index_not_found_exception', reason: 'no such index [pages] and [require_alias] is [true]' };
    receiver.answerNext({ status: 200, body: { items: [{ index: { status: 404, error } }] } });
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(SinkUnavailable);
    expect(receiver.exchanges.at(-1)?.query.get('require_alias')).toBe('true');
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow('the alias pages is gone');
    expect(receiver.settings()).toBeUndefined();
  });
});

it('no documents are returned to credentials that may only write, so that they are fetched for another sink', async () => {
  const { receiver, sink } = await started();
  receiver.answerNext({ status: 403 });
  expect(await sink.readDocuments(['http://a/'], stillWanted())).toEqual([]);
  for (const status of [403, 404]) {
    receiver.answerNext({ status });
    await sink.probe(stillWanted());
  }
  receiver.answerNext({ status: 500 });
  await expect(sink.probe(stillWanted())).rejects.toThrow(SinkUnavailable);
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

  it('stores what is filtered and counted in fields of its own, and single dates and numbers as such', async () => {
    const { receiver, sink } = await started('opensearch', { analysis: 'language' });
    const uri = 'https://docs.example:8443/a/b%20c/page.html?q=1';
    const metas = [
      { name: 'title', value: 'Reiher' },
      { name: 'language', value: 'de-AT' },
      { name: 'content_type', value: 'text/html' },
      { name: 'description', value: 'Vögel' },
      { name: 'lastmodifieddate', value: '2026-01-02T03:04:05.000Z', type: 'date' },
      { name: 'file_size', value: '37324', type: 'number' },
      { name: 'sizes', value: '1', type: 'number' },
      { name: 'sizes', value: '1e999', type: 'number' },
    ] as const;
    await sink.deliver(
      [
        addOrder(uri, { metas, text: 'Sie stehen.', headings: [{ level: 2, text: 'Stelzvögel', start: 0 }] }),
        addOrder('urn:x:1'),
      ],
      stillWanted(),
    );
    expect(receiver.documents.get(idOf(uri))).toMatchObject({
      host: 'docs.example:8443',
      path: ['/', '/a/', '/a/b%20c/'],
      language: 'de-AT',
      contentType: 'text/html',
      description: 'Vögel',
      lastModified: '2026-01-02T03:04:05.000Z',
      analyzed: { de: { title: 'Reiher', headings: ['Stelzvögel'], description: 'Vögel', text: 'Sie stehen.' } },
      dates: { lastmodifieddate: '2026-01-02T03:04:05.000Z' },
      numbers: { file_size: 37324, sizes: [1, '1e999'] },
    });
    const other = receiver.documents.get(idOf('urn:x:1'))!;
    expect(['host', 'path', 'language', 'analyzed', 'dates'].filter((name) => name in other)).toEqual([]);
  });

  it('leaves out the fields that an existing index uses for something else, and says so', async () => {
    const { receiver, sink } = await started();
    const object = { properties: { name: { type: 'keyword' } } };
    receiver.create({
      mappings: {
        properties: { uri: { type: 'keyword' }, host: object, lastModified: object, path: { type: 'text' } },
      },
    });
    expect(await sink.checkSchema(stillWanted())).toContain('uses host, lastModified for something else');
    const metas = [{ name: 'lastmodifieddate', value: '2026-01-02T03:04:05.000Z', type: 'date' }] as const;
    await sink.deliver([addOrder('http://a.example/b/', { metas })], stillWanted());
    const document = receiver.documents.get(idOf('http://a.example/b/'))!;
    expect(document).toMatchObject({ path: ['/', '/b/'], contentType: expect.any(String) });
    expect(['host', 'lastModified'].filter((name) => name in document)).toEqual([]);
    receiver.create({ mappings: { properties: { uri: { type: 'keyword' }, title: object } } });
    await expect(sink.checkSchema(stillWanted())).rejects.toThrow('`title` is mapped as object');
  });

  it('sends deletions to an index that another node has given the alias, a minute later at most', async () => {
    const { receiver, sink } = await started('elasticsearch', { alias: 'web' });
    await sink.deliver([addOrder('http://a.example/')], stillWanted());
    receiver.aliasIndexes.clear();
    receiver.aliasIndexes.add('web-1');
    await sink.deliver([deleteOrder('http://a.example/')], stillWanted());
    expect(receiver.deletedElsewhere).toEqual([]);
    const later = Date.now() + 61_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(later);
    onTestFinished(() => clock.mockRestore());
    await sink.deliver([deleteOrder('http://a.example/')], stillWanted());
    expect(receiver.deletedElsewhere).toEqual(['web-1']);
    const deliver = (status: number, type: string) => {
      const items = [{ delete: { status: 200 } }, { delete: { status, error: { type, reason: 'no' } } }];
      receiver.answerNext({ status: 200, body: { items } });
      return sink.deliver([deleteOrder('http://a.example/')], stillWanted());
    };
    expect(await deliver(404, 'index_not_found_exception')).toEqual([{ state: 'acknowledged' }]);
    await expect(deliver(403, 'cluster_block_exception')).rejects.toThrow(SinkUnavailable);
  });

  it('warns of a name that stands for several indexes, such as an alias that was rolled over', async () => {
    const { receiver, sink } = await started();
    const facts = { settings: { index: { uuid: 'u' } }, mappings: {} };
    receiver.answerNext({ status: 200, body: { 'pages-1': facts, 'pages-2': facts } });
    expect(await sink.checkSchema(stillWanted())).toContain('pages stands for 2 indexes: a document that changes');
    expect((await sink.checkSchema(stillWanted())) ?? '').not.toContain('stands for');
  });

  it('says that the index cannot be watched if the credentials may not read it', async () => {
    const { receiver, sink } = await started();
    receiver.answerNext({ status: 403, body: { error: 'security_exception' } });
    expect(await sink.checkSchema(stillWanted())).toContain('view_index_metadata');
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
    receiver.answerNext({ status: 200, body: { items: [{ index: { status: 409, error } }] } });
    receiver.answerNext({ status: 413 });
    expect(await sink.deliver([addOrder('http://b/')], stillWanted())).toMatchObject([{ state: 'refused' }]);
  });

  it.each(['cluster_block_exception', 'security_exception', 'index_closed_exception', 'invalid_index_name_exception'])(
    'does not blame the document for an error of the index: %s',
    async (type) => {
      const { receiver, sink } = await started();
      await sink.deliver([addOrder('http://a/')], stillWanted());
      const error = { type, reason: 'index [pages] blocked: disk usage exceeded flood-stage' };
      receiver.answerNext({ status: 200, body: { errors: true, items: [{ index: { status: 403, error } }] } });
      await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow(/flood-stage/);
    },
  );

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
    const answer = (...items: object[]) => {
      receiver.answerNext({ status: 200, body: { items } });
      return sink.deliver([deleteOrder('http://a/')], stillWanted());
    };
    await expect(answer()).rejects.toThrow(/0 bulk results were returned for 1 orders/);
    const done = { delete: { status: 200 } };
    await expect(answer(done, done)).rejects.toThrow(/2 bulk results were returned for 1 orders/);
    await expect(answer({ delete: {} })).rejects.toThrow(SinkUnavailable);
    expect(await answer({ index: { status: 404 } })).toMatchObject([{ state: 'refused' }]);
    const gone = { type: 'index_not_found_exception', reason: 'no such index' };
    await expect(answer({ delete: { status: 404, error: gone } })).rejects.toThrow(/no such index/);
  });
});

describe('the mapping', () => {
  it.each(DIALECTS)('of %s is the one that is documented', async (type) => {
    const mapping = createDefaultMapping(getDialect(type), 'language');
    await expect(`${JSON.stringify(mapping, null, 2)}\n`).toMatchFileSnapshot(`../../../docs/mappings/${type}.json`);
  });

  it('of an index that was created with an earlier one is named with the fields that it lacks', async () => {
    const { receiver, sink } = await started();
    const wanted = createDefaultMapping(getDialect('elasticsearch')).properties;
    const { host: _host, title: _title, ...properties } = wanted;
    receiver.create({ mappings: { properties: { ...properties, title: { type: 'text' } } } });
    expect(await sink.checkSchema(stillWanted())).toContain(
      'lacks host, title.keyword, title.completion: documents are',
    );
    receiver.create({ mappings: { properties: wanted } });
    expect(await sink.checkSchema(stillWanted())).toBeUndefined();
  });
});
