/** How-tos whose engines are processes of others: what `npm test` leaves out of the how-tos in docs/. */
import { Admin, Consumer, stringDeserializers } from '@platformatic/kafka';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { runHowTo } from '../docs/how-to.js';
import { FakeSite } from '../support/fake-site.js';
import { findFreePort } from '../support/free-port.js';
import { describeUnless } from '../support/left-out.js';
import { type EngineProcess, engineIsMissing, startEngine } from './support/engine-process.js';
import { type SearchEngine, searchEngineIsMissing, startSearchEngine } from './support/search-engine.js';

const START_MS = 900_000;

async function startSite(): Promise<FakeSite> {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  return site.page('/', ['/a.html'], 'Herons were wading.').page('/a.html');
}

const noSearch = searchEngineIsMissing('opensearch');

describeUnless(noSearch, 'OpenSearch', () => {
  let engine: SearchEngine;
  beforeAll(async () => {
    engine = await startSearchEngine('opensearch');
  }, START_MS);
  afterAll(() => engine?.close());

  it('OpenSearch with a mapping of your own', async () => {
    const site = await startSite();
    const addresses = { 'https://www.example.com': site.origin, 'https://search.example.com:9200': engine.url };
    const { crawl } = await runHowTo('OpenSearch with a mapping of your own', addresses);
    await engine.call('POST', 'web-1/_refresh');
    // "heron" finds "Herons" by the analyzer of the mapping alone, under the alias.
    const found = await engine.call('POST', 'web/_search', { query: { match: { text: 'heron' } } });
    expect(found).toMatchObject({ hits: { hits: [{ _source: { uri: site.url('/') } }] } });
    const mapping = await engine.call('GET', 'web-1/_mapping');
    expect(mapping).toMatchObject({ 'web-1': { mappings: { properties: { text: { analyzer: 'english' } } } } });
    const { server } = crawl;
    expect(await server.engine.backfills.pushAgain('search')).toHaveLength(1);
  });
});

const noKafka = engineIsMissing();

describeUnless(noKafka, 'Kafka', () => {
  let engine: EngineProcess;
  beforeAll(async () => {
    const controller = await findFreePort();
    engine = await startEngine({ engine: 'kafka', main: 'KafkaEngine' }, (port, folder) => [
      String(port),
      String(controller),
      folder,
    ]);
  }, START_MS);
  afterAll(() => engine?.close());

  it('Kafka', async () => {
    const broker = `127.0.0.1:${engine.port}`;
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [broker] });
    await admin.createTopics({ topics: ['pages'], partitions: 2, replicas: 1 });
    await admin.close();
    const site = await startSite();
    const addresses = {
      'https://www.example.com': site.origin,
      'broker-1.example.com:9092,broker-2.example.com:9092': broker,
    };
    await runHowTo('Kafka', addresses);
    const consumer = new Consumer({
      groupId: 'reader',
      clientId: 'test',
      bootstrapBrokers: [broker],
      deserializers: stringDeserializers,
    });
    const keys: string[] = [];
    for await (const { key } of await consumer.consume({ topics: ['pages'], mode: 'earliest' })) {
      if (keys.push(key ?? '') === 2) break;
    }
    await consumer.close(true);
    expect(keys.sort()).toEqual([site.url('/'), site.url('/a.html')]);
  });
});
