/** The query of docs/how-to-sinks.md on the documentation of a program that does not exist. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless } from '../support/left-out.js';
import { RELEASES, searchEngineIsMissing, startSearchEngine } from './support/search-engine.js';

/** Path, title, and the sections of the page: heading and text. */
const PAGES: readonly (readonly [string, string, ...(readonly [string, string][])])[] = [
  ['/sql/create-index', 'CREATE INDEX', ['Description', 'Constructs an index on the columns of a table.']],
  ['/sql/create-server', 'CREATE SERVER', ['Description', 'Defines a server that is reached over http or a socket.']],
  [
    '/sql/create-table',
    'CREATE TABLE',
    ['Description', 'Creates a table; each column may have a constraint or an index.'],
  ],
  ['/sql/vacuum', 'VACUUM', ['Description', 'Reclaims the space of deleted rows, and reads each index of a table.']],
  [
    '/indexes',
    'Indexes',
    ['Introduction', 'They let the server find rows faster. When to create an index is discussed here.'],
  ],
  ['/constraints', 'Constraints', ['Foreign Keys', 'A foreign key constraint refers to rows of another table.']],
  [
    '/window',
    'Window Functions',
    ['Introduction', 'A window function calculates across rows related to the current row.'],
  ],
  ['/connect', 'Database Connections', ['Connecting', 'How a program connects to the database over a socket.']],
  [
    '/structures',
    'Data Structures',
    ['More on Lists', 'A list has methods.'],
    [
      'List Comprehensions',
      'A list comprehension makes a list from a sequence. Comprehensions may be nested: a comprehension within a comprehension.',
    ],
  ],
  [
    '/c-api/list',
    'List Objects',
    ['Functions', 'A list object is a list of pointers; a list grows, and a list shrinks.'],
  ],
  ['/mailing-lists', 'Mailing Lists', ['Subscribing', 'Each list has an archive.']],
  ['/settings', 'List of Settings', ['Files', 'A list of all settings, and of the files that they are in.']],
  ['/errors', 'List of Errors', ['Codes', 'A list of all errors that the server reports.']],
  ['/asyncio-loop', 'Event Loop', ['The asyncio Event Loop', 'The event loop of asyncio runs tasks and callbacks.']],
  ['/asyncio-queue', 'Queues', ['Introduction', 'Queues of asyncio are not safe for threads.']],
  ['/csv', 'CSV File Reading and Writing', ['Contents', 'Reads rows of a file whose values are separated by commas.']],
  ['/files', 'Input and Output', ['Reading a File', 'How to open and read a text file, which is not a csv.']],
  ['/http', 'HTTP modules', ['Submodules', 'Modules for http: a client, a server, cookies.']],
  ['/http-server', 'HTTP Servers', ['Classes', 'A basic server that answers requests of browsers.']],
];

const QUERIES: readonly (readonly [string, string])[] = [
  ['create index', '/sql/create-index'],
  ['asyncio event loop', '/asyncio-loop'],
  ['vacuum', '/sql/vacuum'],
  ['window functions', '/window'],
  ['read csv file', '/csv'],
  ['foreign key constraints', '/constraints'],
  ['indexes', '/indexes'],
  ['connect to database', '/connect'],
  ['list comprehension', '/structures'],
  ['http server', '/http-server'],
];

const NAVIGATION = `<nav><ul>${PAGES.map(([path, title]) => `<li><a href="${path}">${title} (contents)</a></li>`).join('')}</ul></nav>`;

async function documentation(): Promise<FakeSite> {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  const page = (title: string, body: string) => ({
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<html lang="en"><title>${title}</title><body>${NAVIGATION}<main><h1>${title}</h1>${body}</main></body></html>`,
  });
  site.set('/', page('Contents', '<p>All of it.</p>'));
  for (const [path, title, ...sections] of PAGES)
    site.set(path, page(title, sections.map(([heading, text]) => `<h2>${heading}</h2><p>${text}</p>`).join('')));
  return site;
}

interface Hits {
  readonly hits: {
    readonly hits: { readonly _source: { readonly uri: string }; readonly highlight?: Record<string, string[]> }[];
  };
}

// The Elasticsearch of these tests lacks the module with the analyzers of languages.
for (const release of RELEASES.filter(({ type }) => type === 'opensearch'))
  describeUnless(
    searchEngineIsMissing(release.type, release),
    `the documented query, OpenSearch ${release.version}`,
    () => {
      it('has the right page first ten times, and highlights no navigation', async () => {
        const engine = await startSearchEngine(release.type, release);
        onTestFinished(() => engine.close());
        const site = await documentation();
        const howTo = readFileSync(join(PROJECT_ROOT, 'docs/how-to-sinks.md'), 'utf8').split('## Elasticsearch')[1]!;
        const [content] = /<cw:Content.*<\/cw:Content>/.exec(howTo)!;
        const [, query] = /```json\n([\s\S]*?)```/.exec(howTo)!;
        const index = `documented-${process.pid}`;
        const world = await CrawlWorld.start({
          crawler: `<Crawler name="test" nthreads="8" aggressive="true" throttleTimeMS="0" crawlSitemaps="false" storeTextOnly="true">
          <Root url="${site.url('/')}"/>${content}<cw:PushTo sink="search"/></Crawler>`,
          more: `<cw:Sink name="search" type="opensearch" url="${engine.url}" index="${index}" analysis="language"/>`,
          index: 'none',
        });
        onTestFinished(() => world.close());
        await world.untilIdle();
        await engine.call('POST', `${index}/_refresh`);
        const firstHits: [string, string][] = [];
        const highlights: string[] = [];
        for (const [words] of QUERIES) {
          const body = JSON.parse(query!.replaceAll('list comprehension', words)) as object;
          const { hits } = (await engine.call('POST', `${index}/_search`, body)) as unknown as Hits;
          firstHits.push([words, new URL(hits.hits[0]?._source.uri ?? 'none:/').pathname]);
          highlights.push(...hits.hits.flatMap(({ highlight }) => Object.values(highlight ?? {}).flat()));
        }
        expect(firstHits).toEqual(QUERIES);
        expect(highlights.length).toBeGreaterThan(QUERIES.length);
        expect(highlights.filter((text) => text.includes('(contents)'))).toEqual([]);
      }, 900_000);
    },
  );
