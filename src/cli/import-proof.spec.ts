import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { convert } from '../../import/index.js';
import { createOriginal } from '../../import/original/index.js';
import { findUrls, formatProof, prove } from './import-proof.js';
import { readIndexUrls } from './index-urls.js';

const SITE = 'https://www.example.com';

async function* stream(...urls: string[]): AsyncGenerator<string> {
  yield* urls;
}

it('differences are grouped by the rules that decide, and say whether the report has a line about them', async () => {
  const files = [
    { name: 'seed.txt', text: `${SITE}/\n` },
    { name: 'regex-urlfilter.txt', text: `-(?=.*draft).*\n-\\.zip$\n+^${SITE}/` },
  ];
  const { xml, copies, report } = convert('nutch', files);
  const paths = ['/', '/a', '/a', '/draft', '/draft/2', '/x.zip', '/x.jpg'];
  const imported = { xml, copies, lines: report.lines, file: 'nutch.xml' };
  const proof = await prove(createOriginal('nutch', files), imported, stream(...paths.map((path) => SITE + path)));
  expect(proof).toMatchObject({ urls: 6, same: 3 });
  expect(proof.differences).toEqual([
    {
      direction: 'in',
      count: 2,
      original: 'regex-urlfilter.txt:1 -(?=.*draft).*',
      imported: expect.stringMatching(/^accepted \(line \d+\)$/),
      reported: expect.stringContaining('lookaround'),
      samples: [`${SITE}/draft`, `${SITE}/draft/2`],
    },
    {
      direction: 'out',
      count: 1,
      original: `regex-urlfilter.txt:3 +^${SITE}/`,
      imported: expect.stringContaining('extension-ignored'),
      reported: expect.stringContaining('links to images'),
      samples: [`${SITE}/x.jpg`],
    },
  ]);
  const text = formatProof(proof);
  expect(text).toMatch(/^3 of 6 URLs get the same verdict\./);
  expect(text).toContain('2 newly in');
  // A configuration that lost a rule without a word is found out.
  const broken = { ...imported, lines: [], xml: xml.replace('value=".zip"', 'value=".tar"') };
  const found = await prove(
    createOriginal('nutch', files),
    broken,
    stream(`${SITE}/x.zip`, `${SITE}/b.tar`, `${SITE}/draft`),
  );
  expect(found.differences.map(({ reported }) => reported)).toContain(undefined);
});

it.each([
  ['https://a.test/x?y=1', ['https://a.test/x?y=1']],
  ['2026-01-01T00:00:00Z 200 1234 https://a.test/x LLR https://a.test/ text/html', ['https://a.test/x']],
  ['10.0.0.1 - - [01/Jan/2026] "GET /a?b=1 HTTP/1.1" 200 5 "https://ref.test/"', [`${SITE}/a?b=1`]],
  [
    '<url><loc> https://a.test/?a=1&amp;b=2 </loc></url><url><loc>https://a.test/2</loc></url>',
    ['https://a.test/?a=1&b=2', 'https://a.test/2'],
  ],
  ['<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">', []],
  ['# nothing', []],
  ['h - - [1/Jan/2026] "GET //wp-includes/wlwmanifest.xml HTTP/1.1" 404', [`${SITE}//wp-includes/wlwmanifest.xml`]],
  ['h - - [1/Jan/2026] "GET // HTTP/1.1" 200', [`${SITE}//`]],
])('the URLs of %j', (line, urls) => expect(findUrls(line, `${SITE}/`)).toEqual(urls));

async function collect(urls: AsyncIterable<string>): Promise<string[]> {
  const list: string[] = [];
  for await (const url of urls) list.push(url);
  return list;
}

async function withIndex<T>(
  answer: (url: string, body: string) => unknown,
  use: (origin: string) => Promise<T>,
): Promise<T> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const value = answer(request.url!, body);
      response.statusCode = value === undefined ? 404 : 200;
      response.end(JSON.stringify(value ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('the documents of a Solr core are listed by cursor, by their field or their id', async () => {
  const pages: Record<string, unknown> = {
    '*': { docs: [{ id: '1', url: [`${SITE}/1`] }, { id: `${SITE}/2` }], next: 'x' },
    x: { docs: [{ id: '3', url: `${SITE}/3` }], next: 'y' },
    y: { docs: [], next: 'y' },
  };
  const urls = await withIndex(
    (path) => {
      const query = new URL(path, SITE).searchParams;
      if (!path.startsWith('/solr/core/select')) return undefined;
      const page = pages[query.get('cursorMark') ?? ''] as { docs: unknown[]; next: string } | undefined;
      return { responseHeader: {}, response: { docs: page?.docs ?? [] }, nextCursorMark: page?.next };
    },
    (origin) => collect(readIndexUrls(`${origin}/solr/core`, 'url')),
  );
  expect(urls).toEqual([`${SITE}/1`, `${SITE}/2`, `${SITE}/3`]);
});

it('the documents of an index are listed by scroll', async () => {
  const urls = await withIndex(
    (path, body) => {
      if (path === '/web/_search?scroll=1m')
        return { _scroll_id: 's', hits: { hits: [{ _id: '1', _source: { link: `${SITE}/1` } }] } };
      if (path !== '/_search/scroll') return undefined;
      return { _scroll_id: 't', hits: { hits: body.includes('"s"') ? [{ _id: `${SITE}/2` }] : [] } };
    },
    (origin) => collect(readIndexUrls(`${origin}/web/`, 'link')),
  );
  expect(urls).toEqual([`${SITE}/1`, `${SITE}/2`]);
});

it('the key of a Solr core may have another name', async () => {
  const urls = await withIndex(
    (path) => {
      if (path === '/solr/core/schema/uniquekey?wt=json') return { uniqueKey: 'link' };
      const query = new URL(path, SITE).searchParams;
      if (!path.startsWith('/solr/core/select')) return undefined;
      const isFirst = query.get('cursorMark') === '*' && query.get('sort') === 'link asc';
      return { responseHeader: {}, response: { docs: isFirst ? [{ link: `${SITE}/1` }] : [] }, nextCursorMark: 'x' };
    },
    (origin) => collect(readIndexUrls(`${origin}/solr/core`, 'url')),
  );
  expect(urls).toEqual([`${SITE}/1`]);
});

it('what is no index is refused', async () => {
  await withIndex(
    () => undefined,
    (origin) => expect(collect(readIndexUrls(`${origin}/gone`, 'url'))).rejects.toThrow('answered with status 404'),
  );
  await expect(collect(readIndexUrls('solr', 'url'))).rejects.toThrow('is not the URL of an index');
});
