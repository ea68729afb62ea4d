/** Documents of every format in a real index, and the formats of old that a real Tika server reads. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from '../../src/adapters/parsers/documents/document-processes.js';
import type { OrderRecord } from '../../src/adapters/push/order-record.js';
import { DOCUMENT_EXTENSIONS } from '../../src/domain/content/document-types.js';
import { CrawlWorld } from '../support/crawl-world.js';
import { factsOf, type PublishedDocument, publishDocuments } from '../support/document-site.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, itUnless } from '../support/left-out.js';
import { ServedCrawl } from '../support/served-crawl.js';
import { type EngineProcess, engineIsMissing, startEngine } from './support/engine-process.js';
import { LEGACY_EXTENSIONS, OFFICE_EXTENSIONS, officeDocuments, officeIsMissing } from './support/office.js';
import { type SearchEngine, searchEngineIsMissing, startSearchEngine } from './support/search-engine.js';

const START_MS = 900_000;
const ENTRY = new URL('../../dist/program/documents.process.js', import.meta.url);

async function startSite(): Promise<FakeSite> {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  return site;
}

/** Numbers from here on are of documents that LibreOffice writes. */
const FIRST_OF_OFFICE = 100;

/** A document of each extension beside what is on the site, linked from `/office`. */
async function publishOffice(site: FakeSite, extensions: readonly string[], types: ReadonlyMap<string, string>) {
  const numberOf = (extension: string): number => FIRST_OF_OFFICE + extensions.indexOf(extension);
  const made = await officeDocuments(extensions, (extension) => factsOf(site, numberOf(extension)));
  site.page(
    '/office',
    [...made.keys()].map((extension) => `/office.${extension}`),
  );
  return [...made].map(([extension, body]): PublishedDocument => {
    const facts = factsOf(site, numberOf(extension));
    const path = `/office.${extension}`;
    site.set(path, { headers: { 'content-type': types.get(extension)! }, body });
    site.page(new URL(facts.link).pathname);
    return { ...facts, path, url: site.url(path), dateMeta: 'date_created', hasAuthor: true, linked: facts.link };
  });
}

const noSearch = searchEngineIsMissing('opensearch');
const noOffice = officeIsMissing();

describeUnless(noSearch, 'documents in OpenSearch', () => {
  let engine: SearchEngine;
  beforeAll(async () => {
    engine = await startSearchEngine('opensearch');
  }, START_MS);
  afterAll(() => engine?.close());

  async function areFound(site: FakeSite, documents: readonly PublishedDocument[]): Promise<void> {
    const index = `documents-${process.pid}-${site.port}`;
    const processes = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, ENTRY);
    onTestFinished(() => processes.close());
    const world = await CrawlWorld.start({
      crawler: `<Crawler name="test" nthreads="8" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
        <Root url="${site.url('/')}" site="true"/><cw:PushTo sink="search"/></Crawler>`,
      more: `<cw:Sink name="search" type="opensearch" url="${engine.url}" index="${index}"/>`,
      index: 'none',
      extractors: [processes],
    });
    onTestFinished(() => world.close());
    await world.untilIdle();
    await engine.call('POST', `${index}/_refresh`);
    const found = async (...must: object[]): Promise<string[]> => {
      const { hits } = (await engine.call('POST', `${index}/_search`, { size: 200, query: { bool: { must } } })) as {
        hits: { hits: { _source: { uri: string } }[] };
      };
      return hits.hits.map(({ _source }) => _source.uri);
    };
    // PDF and EPUB of LibreOffice have the time of their export, and nothing of the document's own.
    for (const { url, word, author, hasAuthor, date, dateMeta } of documents) {
      const byWord = { match: { text: word } };
      const range = (gte: string, lt: string) => ({ range: { [`dates.${dateMeta}`]: { gte, lt } } });
      expect(await found(byWord), url).toEqual([url]);
      if (!/\/office\.(?:pdf|epub)$/.test(url)) expect(await found(range(date, `${date}||+1h`)), url).toContain(url);
      expect(await found(byWord, range(`${date}||-1d`, date)), url).toEqual([]);
      if (!hasAuthor) continue;
      const name = /\.(?:eml|msg)$/.test(url) ? `${author} <ada@example.org>` : author;
      expect(await found(byWord, { term: { 'metas.author': name } }), url).toEqual([url]);
    }
    const linked = await found({ terms: { uri: documents.flatMap((document) => document.linked ?? []) } });
    expect(linked).toHaveLength(documents.filter((document) => document.linked !== undefined).length);
  }

  it('sixty documents of every format are found by text, author and dates, with the pages they link to', async () => {
    const site = await startSite();
    await areFound(site, publishDocuments(site));
  });

  itUnless(noOffice, 'documents written by LibreOffice are found, too', async () => {
    const site = await startSite();
    const documents = await publishOffice(site, OFFICE_EXTENSIONS, DOCUMENT_EXTENSIONS);
    site.page('/', ['/office']);
    await areFound(site, documents);
  });
});

const noTika = engineIsMissing() ?? noOffice;
const LEGACY_TYPES = new Map([
  ['doc', 'application/msword'],
  ['xls', 'application/vnd.ms-excel'],
  ['ppt', 'application/vnd.ms-powerpoint'],
]);

describeUnless(noTika, 'a Tika server', () => {
  let engine: EngineProcess;
  beforeAll(async () => {
    engine = await startEngine({ engine: 'tika', main: 'TikaEngine' }, (port) => [String(port)]);
  }, START_MS);
  afterAll(() => engine?.close());

  const crawl = async (site: FakeSite) =>
    ServedCrawl.start(`<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
      <Crawler name="test" nthreads="4" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false"><Root url="${site.url('/')}" site="true"/><cw:PushTo sink="file"/></Crawler>
      <cw:Fetcher name="default"/><cw:Extractor type="tika" url="http://127.0.0.1:${engine.port}"/>
      <cw:Sink name="file" type="file" url="orders.jsonl"/></CrawlConfig>`);

  it('reads DOC, XLS and PPT: text, title, author, date, and the links, which are crawled', async () => {
    const site = await startSite();
    const documents = await publishOffice(site, LEGACY_EXTENSIONS, LEGACY_TYPES);
    site.page('/', ['/office']);
    const orders = await documentsOf(await crawl(site));
    for (const { url, word, title, author, date, linked } of documents) {
      const document = orders.get(url)!;
      expect(document.text, url).toContain(word);
      const metas = new Map(document.metas.map(({ name, value }) => [name, value]));
      expect(Object.fromEntries(metas), url).toMatchObject({ title, author, date_created: date });
      expect([...orders.keys()]).toContain(linked);
    }
  });

  it('says that a document is damaged, and reads the next one', async () => {
    const site = await startSite();
    const [document] = await publishOffice(site, ['doc'], LEGACY_TYPES);
    const broken = { headers: { 'content-type': 'application/msword' } };
    const body = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(5_000, 7)]);
    site.set('/broken.doc', { ...broken, body }).page('/', ['/broken.doc', '/office']);
    const crawled = await crawl(site);
    const orders = await documentsOf(crawled);
    expect(orders.get(document!.url)?.text).toContain(document!.word);
    expect(orders.get(site.url('/broken.doc'))?.text).toBe('');
    const { unread } = await crawled.server.engine.getMetrics();
    expect(unread).toEqual([{ crawler: 'test', reason: 'extract-corrupt', count: 1 }]);
  });
});

async function documentsOf(crawl: ServedCrawl): Promise<Map<string, OrderRecord['document'] & object>> {
  await crawl.caughtUp();
  return new Map(crawl.orders().flatMap(({ uri, document }) => (document ? [[uri, document]] : [])));
}
