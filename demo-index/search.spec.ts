import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../test/support/temporary-directory.js';
import type { SearchResult } from './search/search.js';
import { startIndex } from './server.js';

interface Pushed {
  readonly uri: string;
  readonly bytes?: string | Uint8Array<ArrayBuffer>;
  readonly type?: string;
  readonly encoding?: string;
  readonly title?: string;
  readonly metas?: Readonly<Record<string, string>>;
}

async function indexWith(...pushed: Pushed[]): Promise<string> {
  const index = await startIndex({ file: join(temporaryDirectory(), 'index.sqlite'), port: 0, host: '127.0.0.1' });
  onTestFinished(() => index.close());
  const form = new FormData();
  pushed.forEach(({ uri, bytes, type, encoding, title, metas = {} }, key) => {
    form.append(`PAPI_${key}:uri`, uri);
    if (title) form.append(`PAPI_${key}:meta:title`, title);
    for (const [name, value] of Object.entries(metas)) form.append(`PAPI_${key}:meta:${name}`, value);
    if (encoding) form.append(`PAPI_${key}:part_directive:master:encoding`, encoding);
    if (bytes) form.append(`PAPI_${key}:part_bytes:master`, new Blob([bytes], { type: type ?? 'text/html' }), 'f');
  });
  await fetch(`${index.url}/papi/4/connectors/docs/add_documents`, { method: 'POST', body: form });
  return index.url;
}

const search = async (url: string, query: string): Promise<SearchResult> =>
  (await (await fetch(`${url}/search?${new URLSearchParams({ q: query })}`)).json()) as SearchResult;

const found = async (url: string, query: string) => (await search(url, query)).hits.map(({ uri }) => uri);

describe('search', () => {
  it('finds the words of an HTML page, its title, its address and the titles of metas', async () => {
    const url = await indexWith(
      { uri: 'http://a/marsh', bytes: '<title>Herons</title><body>They <b>st</b>and still.<p>For hours.' },
      { uri: 'http://b/', bytes: '<title>Other</title>', title: 'The Meta Title' },
    );
    for (const query of ['herons', 'stand', 'hours', 'marsh', '"stand still"', 'HOURS herons']) {
      expect(await found(url, query)).toEqual(['http://a/marsh']);
    }
    expect((await search(url, 'meta')).hits[0]?.title).toBe('The Meta Title');
  });

  it('does not find scripts and styles', async () => {
    const url = await indexWith({
      uri: 'http://a/',
      bytes: '<style>crimson{}</style><script>var azure</script><p>plain',
    });
    expect(await found(url, 'crimson')).toEqual([]);
    expect(await found(url, 'azure')).toEqual([]);
    expect(await found(url, 'plain')).toEqual(['http://a/']);
  });

  it('decodes bytes in the encoding that the connector names, and ignores accents', async () => {
    const latin = new Uint8Array([...'<p>caf'].map((c) => c.charCodeAt(0)).concat(0xe9));
    const url = await indexWith({ uri: 'http://a/', bytes: latin, encoding: 'windows-1252' });
    expect(await found(url, 'café')).toEqual(['http://a/']);
    expect(await found(url, 'cafe')).toEqual(['http://a/']);
  });

  it('searches plain text and ignores binary content', async () => {
    const url = await indexWith(
      { uri: 'http://a/', bytes: 'a <b> is a letter', type: 'text/plain' },
      { uri: 'http://c/', bytes: 'letter', type: 'application/pdf' },
    );
    expect(await found(url, 'letter')).toEqual(['http://a/']);
  });

  it('pages through the hits and counts them all', async () => {
    const url = await indexWith(...Array.from({ length: 25 }, (_, i) => ({ uri: `http://a/${i}`, bytes: '<p>heron' })));
    const page = async (start: number): Promise<SearchResult> =>
      (await (await fetch(`${url}/search?q=heron&start=${start}&count=10`)).json()) as SearchResult;
    const pages = [await page(0), await page(10), await page(20)];
    expect(pages.map(({ total, hits }) => [total, hits.length])).toEqual([
      [25, 10],
      [25, 10],
      [25, 5],
    ]);
    expect(new Set(pages.flatMap(({ hits }) => hits.map(({ uri }) => uri))).size).toBe(25);
  });

  it('marks the words that matched in the snippet', async () => {
    const url = await indexWith({ uri: 'http://a/', bytes: '<p>two herons stand' });
    expect((await search(url, 'herons')).hits[0]?.snippet).toEqual([
      { text: 'two ', match: false },
      { text: 'herons', match: true },
      { text: ' stand', match: false },
    ]);
  });

  it('finds by the value of a meta, in any case of letters, and by a range of it', async () => {
    const url = await indexWith(
      { uri: 'http://a/', title: 'heron', metas: { author: 'Ada Wing', date_created: '2024-01-31T12:00:00Z' } },
      { uri: 'http://b/', title: 'heron', metas: { author: 'Bo Reed', date_created: '2024-03-01T00:00:00Z' } },
      { uri: 'http://c/', title: 'otter', metas: { author: 'Bo Reed' } },
    );
    const uris = async (query: string): Promise<string[]> => {
      const { hits, total } = (await (await fetch(`${url}/search?${query}`)).json()) as SearchResult;
      expect(total).toBe(hits.length);
      return hits.map(({ uri }) => uri).sort();
    };
    expect(await uris('meta.author=bo+reed')).toEqual(['http://b/', 'http://c/']);
    expect(await uris('q=heron&meta.Author=Bo+Reed')).toEqual(['http://b/']);
    expect(await uris('meta.date_created.from=2024-02')).toEqual(['http://b/']);
    expect(await uris('meta.date_created.to=2024-01-31')).toEqual(['http://a/']);
    expect(await uris('meta.date_created.from=2024-01-31&meta.date_created.to=2024')).toHaveLength(2);
    expect(await uris("meta.author='+OR+1")).toEqual([]);
    const many = Array.from({ length: 6 }, (_, i) => `meta.m${i}=1`).join('&');
    expect((await fetch(`${url}/search?${many}`)).status).toBe(400);
  });

  it.each(['start=-1', 'start=x', 'count=0', 'count=101', 'count=1e1'])('refuses %s', async (query) => {
    const url = await indexWith();
    expect((await fetch(`${url}/search?q=a&${query}`)).status).toBe(400);
  });
});

describe('the search page', () => {
  const hostile = '"><img src=x onerror=alert(1)><mark>';

  it('escapes everything that comes from documents and users', async () => {
    const text = `<p>heron ${hostile.replaceAll('<', '&lt;')}`;
    const url = await indexWith({ uri: `http://a/${hostile}`, bytes: text, title: hostile });
    const page = await (await fetch(`${url}/?${new URLSearchParams({ q: `heron ${hostile}` })}`)).text();
    const listed = await (await fetch(`${url}/?q=heron`)).text();
    const matched = await (await fetch(`${url}/?${new URLSearchParams({ q: '"heron img"' })}`)).text();
    expect(listed).toContain('<mark>heron</mark>');
    expect(matched).toContain('<mark>heron &quot;&gt;&lt;img</mark>');
    for (const markup of [page, listed, matched]) expect(markup).not.toMatch(/<img|<mark>"|"><img/);
  });

  it('links to http and https URLs only', async () => {
    const url = await indexWith({ uri: 'javascript:alert(1)', title: 'heron' }, { uri: 'https://a/', title: 'heron' });
    const page = await (await fetch(`${url}/?q=heron`)).text();
    expect(page).not.toContain('href="javascript');
    expect(page).toContain('href="https://a/"');
  });

  it('runs no script and loads nothing from elsewhere', async () => {
    const url = await indexWith({ uri: 'http://a/', title: 'heron' });
    const answer = await fetch(`${url}/?q=heron`);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(await answer.text()).not.toMatch(/<script|<style|style=|onclick/);
    expect((await fetch(`${url}/search.css`)).headers.get('content-type')).toContain('text/css');
  });

  it('leads to the next and the previous page', async () => {
    const url = await indexWith(...Array.from({ length: 25 }, (_, i) => ({ uri: `http://a/${i}`, title: 'heron' })));
    const page = await (await fetch(`${url}/?q=heron&start=10`)).text();
    expect(page).toContain('href="/?q=heron&amp;start=0&amp;count=10"');
    expect(page).toContain('href="/?q=heron&amp;start=20&amp;count=10"');
  });
});
