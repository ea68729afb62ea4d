import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { ElasticsearchSink } from '../../src/adapters/push/elasticsearch.js';
import { getDialect } from '../../src/adapters/push/elasticsearch-schema.js';
import { readIndexUrls } from '../../src/cli/index-urls.js';
import type { SinkSettings } from '../../src/domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../src/domain/push/order.js';
import type { SinkOptions } from '../../src/domain/push/sink-types.js';
import { instant, minutes } from '../../src/domain/time/units.js';
import { SinkUnavailable } from '../../src/engine/ports/sink.js';
import { authority, type Identity } from '../support/certificates.js';
import { describeUnless } from '../support/left-out.js';
import { addOrder, deleteOrder, heldBy, sinkDefinition, stillWanted } from '../support/push-orders.js';
import { takesOrdersOfOneUri } from './support/orders-of-one-uri.js';
import {
  givenUrl,
  RELEASES,
  type Release,
  type SearchEngine,
  type SearchEngineType,
  searchEngineIsMissing,
  startSearchEngine,
} from './support/search-engine.js';

const START_MS = 900_000;

async function listForeign({ foreign }: ElasticsearchSink): Promise<{ id: string; uri: string }[]> {
  const documents: { id: string; uri: string }[] = [];
  for await (const document of foreign!.list('page.url', stillWanted())) documents.push(document);
  return documents;
}

for (const release of RELEASES) {
  const { type, version } = release;
  const missing = searchEngineIsMissing(type, release);
  describeUnless(missing, `${getDialect(type).product} ${version}`, () => contract(release));
}

function contract(release: Release): void {
  const { type } = release;
  let engine: SearchEngine;
  let index: string;
  let tests = 0;

  beforeAll(async () => {
    engine = await startSearchEngine(type, release);
  }, START_MS);
  afterAll(() => engine?.close());
  beforeEach(() => {
    index = `crawlway-test-${process.pid}-${++tests}`;
    // One by one: Elasticsearch deletes none by a pattern.
    onTestFinished(async () => {
      for (const name of Object.keys(await engine.call('GET', `${index}*`))) await engine.call('DELETE', name);
    });
  });

  const opened = (options: Partial<SinkOptions[SearchEngineType]> = {}, settings: Partial<SinkSettings> = {}) => {
    const definition = { type, url: engine.url, options: { index, ...options }, ...settings } as const;
    const sink = new ElasticsearchSink(sinkDefinition(definition));
    onTestFinished(() => sink.close());
    return sink;
  };
  const titled = (title: string) => ({ metas: [{ name: 'title', value: title }] });
  const states = (answers: readonly OrderAnswer[]) => answers.map(({ state }) => state);
  const numbered = (count: number, first = 0) =>
    Array.from({ length: count }, (_, i) => addOrder(`http://site.test/${first + i}`, { stamp: `s${first + i}` }));

  async function found(query: object): Promise<string[]> {
    await engine.call('POST', `${index}/_refresh`);
    const { hits } = (await engine.call('POST', `${index}/_search`, { query })) as {
      hits: { hits: { _source: { uri: string } }[] };
    };
    return hits.hits.map((hit) => hit._source.uri).sort();
  }

  it('lists the URLs of more documents than a search returns, by index and alias, to prove an import', async () => {
    const count = 12_345;
    const documents = Array.from({ length: count }, (_, i) => `{"index":{}}\n{"link":"http://site.test/${i}"}\n`);
    const headers = { 'content-type': 'application/x-ndjson' };
    await fetch(`${engine.url}/${index}/_bulk?refresh=true`, { method: 'POST', headers, body: documents.join('') });
    await engine.call('PUT', `${index}/_alias/alias-of-${index}`);
    for (const name of [index, `alias-of-${index}`]) {
      const urls = new Set<string>();
      for await (const url of readIndexUrls(`${engine.url}/${name}`, 'link')) urls.add(url);
      expect(urls.size).toBe(count);
      expect(urls).toContain('http://site.test/12344');
    }
    await engine.call('PUT', `${index}-empty`);
    expect(await readIndexUrls(`${engine.url}/${index}-empty`, 'link').next()).toMatchObject({ done: true });
    const missing = readIndexUrls(`${engine.url}/${index}-missing`, 'link').next();
    await expect(missing).rejects.toThrow('answered with status 404: there is no such index');
  });

  it('finds a document by its text, its title and a meta, as mapped', async () => {
    const metas = [
      { name: 'title', value: 'Herons of the estuary' },
      { name: 'author', value: 'Ada Byron' },
    ];
    const answers = await opened().deliver(
      [addOrder('http://site.test/a', { metas, text: 'They wait in the reeds.' }), addOrder('http://site.test/b')],
      stillWanted(),
    );
    expect(states(answers)).toEqual(['acknowledged', 'acknowledged']);
    expect(await found({ match: { text: 'reeds' } })).toEqual(['http://site.test/a']);
    expect(await found({ match: { title: 'estuary' } })).toEqual(['http://site.test/a']);
    expect(await found({ term: { 'metas.author': 'Ada Byron' } })).toEqual(['http://site.test/a']);
  });

  it('has facets, sorted and completed titles, and finds words of addresses and other forms of words', async () => {
    // The Elasticsearch of these tests lacks the module with the analyzers of languages.
    const analysis = type === 'opensearch' ? 'language' : undefined;
    const page = (uri: string, title: string, language: string, text: string) =>
      addOrder(uri, {
        metas: [
          { name: 'title', value: title },
          { name: 'language', value: language },
          { name: 'content_type', value: 'text/html' },
          { name: 'description', value: `A page about ${title}` },
          { name: 'file_size', value: '37324', type: 'number' },
          { name: 'lastmodifieddate', value: '2026-01-02T03:04:05.000Z', type: 'date' },
        ],
        text,
      });
    const answers = await opened({ analysis }).deliver(
      [
        page('http://a.test/docs/sql-vacuum.html', 'Vacuum', 'en', 'Indexes and list comprehensions.'),
        page('http://a.test/docs/x/heron', 'Herons', 'en-GB', 'They stand.'),
        page('http://b.test/', 'Häuser', 'de', 'Viele Häuser.'),
        page('http://b.test/odd', `${'long '.repeat(1_500)}\u001f\u0000`, 'tlh', ''),
        page('http://b.test/empty', '', '', ''),
      ],
      stillWanted(),
    );
    expect(answers).toEqual(Array(5).fill({ state: 'acknowledged' }));
    const inflected = async (query: object) => found({ match: query });
    const ofAnalysis = (...uris: string[]): string[] => (analysis ? uris : []);
    expect(await inflected({ 'analyzed.en.text': 'index comprehension' })).toEqual(
      ofAnalysis('http://a.test/docs/sql-vacuum.html'),
    );
    expect(await inflected({ 'analyzed.de.title': 'Haus' })).toEqual(ofAnalysis('http://b.test/'));
    expect(await found({ match: { 'uri.words': 'vacuum' } })).toEqual(['http://a.test/docs/sql-vacuum.html']);
    expect(await found({ match: { description: 'herons' } })).toEqual(['http://a.test/docs/x/heron']);
    expect(await found({ match_bool_prefix: { 'title.completion': 'her' } })).toEqual(['http://a.test/docs/x/heron']);
    expect(await found({ term: { path: '/docs/' } })).toHaveLength(2);
    expect(await found({ range: { 'numbers.file_size': { gt: 37_323 } } })).toHaveLength(5);
    const facets = Object.fromEntries(
      ['host', 'language', 'contentType'].map((field) => [field, { terms: { field, min_doc_count: 1 } }]),
    );
    const { aggregations, hits } = (await engine.call('POST', `${index}/_search`, {
      aggs: facets,
      size: 2,
      sort: [{ 'title.keyword': 'asc' }],
      query: { prefix: { 'title.keyword': 'H' } },
    })) as {
      aggregations: Record<string, { buckets: { key: string; doc_count: number }[] }>;
      hits: { hits: { _source: { title: string } }[] };
    };
    expect(hits.hits.map((hit) => hit._source.title)).toEqual(['Herons', 'Häuser']);
    expect(aggregations['host']!.buckets.map(({ key }) => key).sort()).toEqual(['a.test', 'b.test']);
    expect(aggregations['language']!.buckets.map(({ key }) => key).sort()).toEqual(['de', 'en-GB']);
    expect(aggregations['contentType']!.buckets).toMatchObject([{ key: 'text/html', doc_count: 2 }]);
  });

  it('applies the orders of one URI in order, and repeated orders do no harm', async () => {
    await takesOrdersOfOneUri(opened());
  });

  it("refuses the one document that conflicts with the mapping, with the engine's message, and accepts the others", async () => {
    await engine.call('PUT', index, {
      mappings: { properties: { uri: { type: 'keyword' }, stamp: { type: 'keyword' }, title: { type: 'integer' } } },
    });
    const orders = [
      addOrder('http://site.test/1', titled('1')),
      addOrder('http://site.test/two', titled('two')),
      addOrder('http://site.test/3', titled('3')),
    ];
    const answers = await opened().deliver(orders, stillWanted());
    expect(states(answers)).toEqual(['acknowledged', 'refused', 'acknowledged']);
    expect(answers[1]).toMatchObject({ message: expect.stringMatching(/(mapper|document)_parsing_exception.*"two"/) });
  });

  it('keeps orders for later while a full disk has made the index read-only, and delivers after the repair', async () => {
    const sink = opened();
    await sink.deliver(numbered(2), stillWanted());
    await engine.call('PUT', `${index}/_settings`, { 'index.blocks.read_only_allow_delete': true });
    const delivery = sink.deliver([addOrder('http://site.test/later')], stillWanted());
    await expect(delivery).rejects.toThrow(SinkUnavailable);
    await expect(delivery).rejects.toThrow(/cluster_block_exception/);
    await engine.call('PUT', `${index}/_settings`, { 'index.blocks.read_only_allow_delete': null });
    expect(states(await sink.deliver([addOrder('http://site.test/later')], stillWanted()))).toEqual(['acknowledged']);
    expect(await heldBy(sink)).toHaveLength(3);
  });

  it('writes through an alias, and does not change its index settings', async () => {
    await engine.call('PUT', `${index}-v1`, {
      aliases: { [index]: { is_write_index: true } },
      mappings: { dynamic: false, properties: { uri: { type: 'keyword' }, stamp: { type: 'keyword' } } },
    });
    const sink = opened();
    await sink.deliver([addOrder('http://site.test/a', { stamp: 'one' })], stillWanted());
    expect(await heldBy(sink)).toEqual(['http://site.test/a one']);
    const made = (await engine.call('GET', `${index}-v1`)) as Record<string, { mappings: { properties: object } }>;
    expect(Object.keys(made[`${index}-v1`]!.mappings.properties)).toEqual(['stamp', 'uri']);
  });

  it('leaves an alias on the index in use, which gets deletions, until it is moved in one step', async () => {
    const alias = `${index}-alias`;
    const old = new ElasticsearchSink(
      sinkDefinition({ type, url: engine.url, options: { index: `${index}-old`, alias } }),
    );
    onTestFinished(() => old.close());
    const uris = ['http://site.test/a', 'http://site.test/b'];
    await old.deliver(
      uris.map((uri) => addOrder(uri)),
      stillWanted(),
    );
    const sink = opened({ alias });
    await sink.deliver(
      uris.map((uri) => addOrder(uri)),
      stillWanted(),
    );
    await sink.deliver([deleteOrder('http://site.test/a')], stillWanted());
    expect(await sink.alias!.read(stillWanted())).toEqual([`${index}-old`]);
    expect(await heldBy(old)).toEqual(['http://site.test/b a1b2c3']);
    await sink.alias!.move([index], stillWanted());
    expect(await sink.alias!.read(stillWanted())).toEqual([index]);
    await sink.deliver([deleteOrder('http://site.test/b')], stillWanted());
    expect(await heldBy(old)).toEqual(['http://site.test/b a1b2c3']);
  });

  it("lists another program's documents, says which of them it has, and removes them alone", async () => {
    const sink = opened();
    await sink.deliver([addOrder('http://site.test/a')], stillWanted());
    for (let i = 0; i < 3; i++)
      await engine.call('PUT', `${index}/_doc/old-${i}?refresh=true`, { page: { url: `http://site.test/${i}` } });
    expect(await sink.checkSchema(stillWanted())).toContain('It holds 3 documents of another program');
    const found = await listForeign(sink);
    expect(found.map(({ id, uri }) => `${id} ${uri}`).sort()).toEqual(
      [0, 1, 2].map((i) => `old-${i} http://site.test/${i}`),
    );
    const own = await sink.foreign!.findOwn(['http://site.test/a', 'http://site.test/0'], stillWanted());
    expect([...own]).toEqual(['http://site.test/a']);
    await sink.foreign!.remove(['old-0', 'old-2'], stillWanted());
    await engine.call('POST', `${index}/_refresh`);
    const rest = await listForeign(sink);
    expect(rest.map(({ id }) => id)).toEqual(['old-1']);
    expect(await heldBy(sink)).toEqual(['http://site.test/a a1b2c3']);
    expect(await sink.identify(stillWanted())).toHaveLength(1);
  });

  it('passes documents through its ingest pipeline', async () => {
    const pipeline = `${index}-pipeline`;
    expect(await engine.call('PUT', `_ingest/pipeline/${pipeline}`, { processors: [{ drop: {} }] })).toMatchObject({
      acknowledged: true,
    });
    const dropped = await opened({ pipeline }).deliver([addOrder('http://site.test/a')], stillWanted());
    expect(states(dropped)).toEqual(['acknowledged']);
    await opened().deliver([addOrder('http://site.test/b')], stillWanted());
    expect(await found({ match_all: {} })).toEqual(['http://site.test/b']);
    await engine.call('DELETE', `_ingest/pipeline/${pipeline}`);
  });

  it('creates a missing index from its template, under its alias, and routes each host to one shard', async () => {
    const template = JSON.stringify({
      settings: { number_of_shards: 3 },
      mappings: { properties: { team: { type: 'keyword' } } },
    });
    const alias = `${index}-all`;
    const sink = opened({ template, alias, routing: 'host' });
    const orders = ['a', 'b', 'c'].flatMap((host) =>
      [1, 2, 3].map((page) => addOrder(`http://${host}.test/${page}`, { stamp: 's' })),
    );
    await sink.deliver(orders, stillWanted());
    await engine.call('POST', `${index}/_refresh`);
    const made = (await engine.call('GET', index))[index] as {
      aliases: object;
      mappings: { properties: Record<string, { type: string }> };
      settings: { index: { number_of_shards: string } };
    };
    expect(made.settings.index.number_of_shards).toBe('3');
    expect(Object.keys(made.aliases)).toEqual([alias]);
    expect(made.mappings.properties).toMatchObject({ team: { type: 'keyword' }, uri: { type: 'keyword' } });
    const { hits } = (await engine.call('GET', `${alias}/_search?size=9`)) as {
      hits: { hits: { _routing: string }[] };
    };
    expect(hits.hits.map(({ _routing }) => _routing).sort()).toEqual([...'aaabbbccc'].map((host) => `${host}.test`));
    expect(await sink.readDocuments(['http://b.test/2', 'http://b.test/9'], stillWanted())).toMatchObject([
      { document: { uri: 'http://b.test/2', stamp: 's' } },
    ]);
    await sink.deliver([deleteOrder('http://b.test/2')], stillWanted());
    expect(await heldBy(sink)).toHaveLength(8);
    expect(await engine.call('DELETE', `_index_template/crawlway-${index}`)).toMatchObject({ acknowledged: true });
  });

  it('keeps a newer document when an older order arrives late, with external versions', async () => {
    const sink = opened({ versions: 'external' });
    const at = (time: number, stamp: string): PushOrder => ({
      ...addOrder('http://site.test/a', { stamp }),
      decidedAt: instant(time),
    });
    await sink.deliver([at(2_000, 'new')], stillWanted());
    expect(states(await sink.deliver([at(1_000, 'old')], stillWanted()))).toEqual(['acknowledged']);
    expect(await heldBy(sink)).toEqual(['http://site.test/a new']);
  });

  it('is trusted over TLS with its own authority only', async () => {
    const own = authority('own authority');
    const url = await tlsBefore(engine.url, own.issue(['127.0.0.1']));
    const trusting = (cert: string) => opened({}, { url, tls: { certificateAuthorities: [cert] } });
    const order = addOrder('http://site.test/a', { stamp: 'one' });
    await expect(trusting(authority('somebody else').cert).deliver([order], stillWanted())).rejects.toThrow(
      SinkUnavailable,
    );
    expect(states(await trusting(own.cert).deliver([order], stillWanted()))).toEqual(['acknowledged']);
    expect(await heldBy(opened())).toEqual(['http://site.test/a one']);
  });

  it(
    'lists all of 100,000 documents',
    async () => {
      // Longer than by default: the engine merges on the same two cores.
      const sink = opened({}, { timeout: minutes(5) });
      const batches = Array.from({ length: 100 }, (_, batch) => numbered(1_000, batch * 1_000));
      const deliverAll = async (): Promise<void> => {
        for (let batch = batches.pop(); batch; batch = batches.pop()) {
          const answers = await sink.deliver(batch, stillWanted());
          expect(new Set(states(answers))).toEqual(new Set(['acknowledged']));
        }
      };
      await Promise.all([deliverAll(), deliverAll()]);
      const held = await heldBy(sink);
      expect(held).toHaveLength(100_000);
      expect(new Set(held).size).toBe(100_000);
    },
    START_MS,
  );

  describeUnless(givenUrl(type) && 'it is not a server of the tests', 'a server that this test may restart', () => {
    it(
      'loses nothing of what it acknowledged when it is killed between batches',
      async () => {
        const sink = opened();
        const acknowledged: string[] = [];
        const deliver = async (orders: readonly PushOrder[]) => {
          const answers = await sink.deliver(orders, stillWanted());
          orders.forEach(({ uri }, i) => {
            if (answers[i]?.state === 'acknowledged') acknowledged.push(uri);
          });
        };
        await deliver(numbered(500));
        const inFlight = deliver(numbered(500, 500)).catch((error: unknown) => error);
        await engine.process?.kill();
        // It may have been whole before the engine died.
        expect((await inFlight) ?? new SinkUnavailable('')).toBeInstanceOf(SinkUnavailable);
        await expect(deliver(numbered(1, 1_000))).rejects.toThrow(SinkUnavailable);
        await engine.process?.restart();
        await engine.call('GET', `_cluster/health/${index}?wait_for_status=yellow&timeout=60s`);
        const held = new Set((await heldBy(sink)).map((line) => line.split(' ')[0]));
        expect(acknowledged.filter((uri) => !held.has(uri))).toEqual([]);
        await deliver(numbered(1_001));
        expect(await heldBy(sink)).toHaveLength(1_001);
      },
      START_MS,
    );

    it(
      'waits when the engine returns 429, and delivers when it accepts orders again',
      async () => {
        await engine.process?.restart({ 'indexing_pressure.memory.limit': '64kb' });
        const sink = opened();
        const large = addOrder('http://site.test/large', { text: 'reeds '.repeat(20_000) });
        const delivery = sink.deliver([large], stillWanted());
        await expect(delivery).rejects.toThrow(SinkUnavailable);
        await expect(delivery).rejects.toThrow(/rejected/);
        await engine.process?.restart();
        await engine.call('GET', `_cluster/health/${index}?wait_for_status=yellow&timeout=60s`);
        expect(states(await sink.deliver([large], stillWanted()))).toEqual(['acknowledged']);
      },
      START_MS,
    );
  });
}

/** An address that speaks TLS and passes everything on. */
async function tlsBefore(url: string, identity: Identity): Promise<string> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer(identity, (socket) => {
    const further = connect(Number(port), hostname);
    for (const [from, to] of [
      [socket, further],
      [further, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).pipe(to);
    }
  }).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => {});
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
