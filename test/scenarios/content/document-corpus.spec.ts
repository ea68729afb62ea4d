/** Documents of every format, from the link to the hit in the bundled index. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DEFAULT_DOCUMENT_LIMITS,
  DocumentProcesses,
} from '../../../src/adapters/parsers/documents/document-processes.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { type PublishedDocument, publishDocuments } from '../../support/document-site.js';
import { FakeSite } from '../../support/fake-site.js';

const ENTRY = new URL('../../../dist/program/documents.process.js', import.meta.url);

describe('documents of every format', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let processes: DocumentProcesses;
  let documents: PublishedDocument[];

  beforeEach(async () => {
    site = await FakeSite.start();
    documents = publishDocuments(site);
    processes = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, ENTRY);
    world = await CrawlWorld.start({
      crawler: `<Root url="${site.url('/')}" site="true"/>`,
      extractors: [processes],
    });
    await world.untilIdle();
  });

  afterEach(async () => {
    processes.close();
    await world.close();
    await site.close();
  });

  const hits = async (query: Record<string, string>): Promise<string[]> => {
    const parameters = new URLSearchParams({ count: '100', ...query });
    const answer = (await (await fetch(`${world.index!.url}/search?${parameters}`)).json()) as {
      hits: { uri: string }[];
    };
    return answer.hits.map(({ uri }) => uri);
  };

  it('are found by their text, author and dates, and the pages they link to are crawled', async () => {
    expect(documents).toHaveLength(70);
    for (const { url, word, author, hasAuthor, date, dateMeta } of documents) {
      expect(await hits({ q: word }), url).toEqual([url]);
      const day = date.slice(0, 10);
      const before = new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
      const inRange = { [`meta.${dateMeta}.from`]: day, [`meta.${dateMeta}.to`]: day };
      expect(await hits(inRange), url).toContain(url);
      expect(await hits({ q: word, [`meta.${dateMeta}.to`]: before }), url).toEqual([]);
      if (!hasAuthor) continue;
      const name = /\.(?:eml|msg)$/.test(url) ? `${author} <ada@example.org>` : author;
      expect(await hits({ q: word, 'meta.author': name }), url).toEqual([url]);
      expect(await hits({ q: word, 'meta.author': 'Somebody Else' }), url).toEqual([]);
    }
    const linked = documents.flatMap((document) => document.linked ?? []);
    expect(linked.length).toBeGreaterThan(40);
    expect(await world.indexed()).toEqual(expect.arrayContaining(linked));
  });
});
