import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { SolrSink } from '../../src/adapters/push/solr.js';
import { readIndexUrls } from '../../src/cli/index-urls.js';
import type { OrderAnswer, PushOrder } from '../../src/domain/push/order.js';
import { SinkUnavailable } from '../../src/engine/ports/sink.js';
import { describeUnless } from '../support/left-out.js';
import { addOrder, heldBy, sinkDefinition, stillWanted } from '../support/push-orders.js';
import { type EngineProcess, engineIsMissing, startEngine } from './support/engine-process.js';
import { takesOrdersOfOneUri } from './support/orders-of-one-uri.js';

const missing = engineIsMissing();
const START_MS = 900_000;

const states = (answers: readonly OrderAnswer[]) => answers.map(({ state }) => state);
const numbered = (count: number, first = 0): PushOrder[] =>
  Array.from({ length: count }, (_, i) => addOrder(`http://site.test/${first + i}`, { stamp: `s${first + i}` }));

describeUnless(missing, 'Solr', () => {
  let engine: EngineProcess;

  beforeAll(async () => {
    engine = await startEngine({ engine: 'solr', main: 'SolrEngine', template: 'home' }, (port, folder) => [
      String(port),
      folder,
    ]);
  }, START_MS);
  afterAll(() => engine?.close());
  beforeEach(() => call('update?commit=true', { delete: { query: '*:*' } }));

  const url = () => `http://127.0.0.1:${engine.port}/solr`;
  async function call(path: string, body?: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${url()}/documents/${path}`, init)).json();
  }
  const opened = () => {
    const sink = new SolrSink(sinkDefinition({ type: 'solr', url: url(), options: { index: 'documents' } }));
    onTestFinished(() => sink.close());
    return sink;
  };

  it('lists the URLs of all its documents, to prove an import', async () => {
    const count = 12_345;
    await call(
      'update?commit=true',
      Array.from({ length: count }, (_, i) => ({ id: `http://site.test/${i}` })),
    );
    const urls = new Set<string>();
    for await (const found of readIndexUrls(`${url()}/documents`, 'url')) urls.add(found);
    expect(urls.size).toBe(count);
    await expect(readIndexUrls(`${url()}/missing`, 'url').next()).rejects.toThrow('answered with status 404');
  });

  it('finds a document by its text and a meta, and returns it unchanged', async () => {
    const metas = [
      { name: 'title', value: 'Herons' },
      { name: 'dc.creator', value: 'one' },
      { name: 'dc.creator', value: 'two' },
    ];
    const forms = {
      headings: [{ level: 2, text: 'Reeds', start: 0 }],
      markdown: '## Reeds',
      chunks: [
        { text: 'They wait', path: [], start: 0, end: 9 },
        { text: 'in the reeds.', path: ['Herons', 'Reeds'], start: 10, end: 23 },
      ],
    };
    const order = addOrder('http://site.test/a', { metas, text: 'They wait in the reeds.', ...forms });
    const sink = opened();
    await sink.deliver([order], stillWanted());
    expect(await heldBy(sink)).toEqual(['http://site.test/a a1b2c3']);
    for (const query of ['text_t:reeds', 'meta_dc_creator_txt:two'])
      expect(await call(`select?q=${query}`)).toMatchObject({ response: { docs: [{ id: order.uri }] } });
    const [kept] = await sink.readDocuments([order.uri, 'http://site.test/never'], stillWanted());
    if (order.kind !== 'add') throw new Error('no document');
    const { master, ...rest } = order.document;
    expect(kept).toEqual({ crawler: 'docs', document: { ...rest, master: { ...master, bytes: new Uint8Array() } } });
  });

  it("lists another program's documents apart from its own, and removes them", async () => {
    const others = [
      { id: 'http://site.test/1' },
      { id: 'record 7', url_s: 'http://site.test/2' },
      { id: 'http://site.test/3' },
    ];
    await call('update?commit=true', others);
    const sink = opened();
    expect(await sink.isEmpty(stillWanted())).toBe(true);
    await sink.deliver(numbered(2), stillWanted()); // takes the place of /1
    const list = async () => {
      const found: { id: string; uri: string }[] = [];
      for await (const document of sink.foreign.list('url_s', stillWanted())) found.push(document);
      return found;
    };
    const third = { id: 'http://site.test/3', uri: 'http://site.test/3' };
    expect(await list()).toEqual([third, { id: 'record 7', uri: 'http://site.test/2' }]);
    const uris = ['http://site.test/0', 'http://site.test/1', 'http://site.test/3', 'http://site.test/9'];
    expect(await sink.foreign.findOwn(uris, stillWanted())).toEqual(new Set(uris.slice(0, 2)));
    expect(await sink.foreign.findOwn(uris.slice(2, 3), stillWanted())).toEqual(new Set());
    expect(await sink.isEmpty(stillWanted())).toBe(false);
    await sink.foreign.remove(['record 7'], stillWanted());
    expect(await list()).toEqual([third]);
    expect(await heldBy(sink)).toEqual(['http://site.test/0 s0', 'http://site.test/1 s1']);
  });

  it('applies the orders of one URI in order, and repeated orders do no harm', async () => {
    await takesOrdersOfOneUri(opened());
  });

  it("refuses the one document that conflicts with the schema, with the engine's message, and accepts the others", async () => {
    const sized = (size: string) => ({ metas: [{ name: 'size', value: size }] });
    const orders = [
      addOrder('http://site.test/1', sized('1')),
      addOrder('http://site.test/two', sized('two')),
      addOrder('http://site.test/3', sized('3')),
    ];
    const sink = opened();
    const answers = await sink.deliver(orders, stillWanted());
    expect(states(answers)).toEqual(['acknowledged', 'refused', 'acknowledged']);
    expect(answers[1]).toMatchObject({ message: expect.stringMatching(/site\.test\/two.*two/) });
    expect(await heldBy(sink)).toHaveLength(2);
  });

  it('lists all of 3,000 documents', async () => {
    const sink = opened();
    for (let first = 0; first < 3_000; first += 1_000) await sink.deliver(numbered(1_000, first), stillWanted());
    expect(await heldBy(sink)).toEqual(
      numbered(3_000)
        .map(({ uri }, i) => `${uri} s${i}`)
        .sort(),
    );
  });

  it(
    'loses nothing of what it acknowledged when it is killed in the middle of a batch',
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
      const failure = deliver(numbered(500, 500)).catch((error: unknown) => error);
      await engine.kill();
      expect([undefined, SinkUnavailable]).toContain(((await failure) as Error | undefined)?.constructor);
      await expect(deliver(numbered(1, 1_000))).rejects.toThrow(SinkUnavailable);
      await engine.restart();
      const held = new Set((await heldBy(sink)).map((line) => line.split(' ')[0]));
      expect(acknowledged.filter((uri) => !held.has(uri))).toEqual([]);
      await deliver(numbered(1_001));
      expect(await heldBy(sink)).toHaveLength(1_001);
    },
    START_MS,
  );
});
