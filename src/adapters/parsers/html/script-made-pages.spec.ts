import { describe, expect, it } from 'vitest';
import type { Extraction, SyncExtractor } from '../../../engine/ports/content-extractor.js';
import { builtInExtractors } from '../extractors.js';

const html = builtInExtractors()[0] as SyncExtractor;
const context = { url: 'http://a/', contentType: 'text/html; charset=utf-8', maxLinks: 1_000, maxTextLength: 100_000 };
const read = (page: string): Extraction => html.extract(Buffer.from(page), 'text/html', context) as Extraction;

const shell = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title>${head}</head><body>${body}</body></html>`;
const SENTENCE = 'Reed beds clean the water of a whole village without any machine, and herons come for the frogs. ';
const PARAGRAPHS = SENTENCE.repeat(8);

const MADE_BY_SCRIPTS: Record<string, string> = {
  'Create React App': shell(
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
    '<script defer src="/static/js/main.8d3f.js"></script>',
  ),
  'Vite and Vue': shell(
    '<div id="app"></div>',
    '<script type="module" crossorigin src="/assets/index-4f.js"></script>',
  ),
  'Vue CLI': shell(
    "<noscript><strong>We're sorry but shop doesn't work properly without JavaScript enabled.</strong></noscript><div id=app></div><script src=/js/app.js></script>",
  ),
  Angular: shell('<app-root></app-root><script src="main.js" type="module"></script>'),
  'Next.js, client only': shell(
    '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{}},"page":"/"}</script><script src="/_next/static/main.js"></script>',
  ),
  'Nuxt, client only': shell('<div id="__nuxt"></div><script type="module" src="/_nuxt/entry.js"></script>'),
  Gatsby: shell('<div id="___gatsby"></div><script src="/app.js"></script>'),
  Flutter: shell('<script src="flutter_bootstrap.js" async></script>'),
  Svelte: shell('<div id="svelte"></div><script type="module">import("/_app/start.js")</script>'),
  'a root that says it loads': shell('<div id="app" class="x">Loading…</div><script src="/bundle.js"></script>'),
  'no known root': shell('<div class="mount"></div><script src="/a.js"></script><script src="/b.js"></script>'),
  'a script that sends visitors on': shell('<script>window.location.href = "/home";</script>'),
};

const BRINGS_ITS_CONTENT: Record<string, string> = {
  'text beside a root': shell(`<div id="root"></div><p>${PARAGRAPHS}</p><script src="/x.js"></script>`),
  'a root that the server filled': shell(`<div id="app"><p>${SENTENCE}</p></div><script src="/x.js"></script>`),
  'a list of links': shell(
    `${[1, 2, 3, 4, 5].map((n) => `<a href="/${n}">${n}</a>`).join(' ')}<noscript>JavaScript is off.</noscript><script src="/x.js"></script>`,
  ),
  'little text and no script': shell('<p>It works!</p>'),
  'little text and a counter': shell(`<p>${SENTENCE}</p><script src="//counter.example/c.js"></script>`),
  frames:
    '<html><frameset><frame src="a.html"></frameset><noscript>needs JavaScript</noscript><script src="x.js"></script></html>',
  'an empty page': '',
  'a page of data blocks': shell('<p>Hello.</p><script type="application/ld+json">{"@type":"Thing"}</script>'),
};

describe('pages made by scripts', () => {
  it.each(Object.keys(MADE_BY_SCRIPTS))('are told: %s', (name) => {
    expect(read(MADE_BY_SCRIPTS[name]!).needsRendering).toMatch(/\d+ bytes of text/);
  });

  it.each(Object.keys(BRINGS_ITS_CONTENT))('are not taken for %s', (name) => {
    expect(read(BRINGS_ITS_CONTENT[name]!).needsRendering).toBeUndefined();
  });
});

describe('content that a page brings as data', () => {
  const withData = (script: string): Extraction =>
    read(shell(`<div id="__next"></div>${script}<script src="/_next/static/main.js"></script>`));
  const article = {
    title: 'Reed beds',
    html: `<p>${PARAGRAPHS}</p>`,
    theme: 'dark mode for all of us',
    slug: 'reed-beds',
  };

  it.each([
    [
      'Next.js',
      `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { pageProps: { article } } })}</script>`,
    ],
    [
      'JSON-LD',
      `<script type="application/ld+json">${JSON.stringify({ '@type': 'Article', headline: 'Reed beds', articleBody: PARAGRAPHS })}</script>`,
    ],
    ['a script', `<script>window.__STATE__ = ${JSON.stringify({ article })};</script>`],
  ])('is its text: %s', (_, script) => {
    const { text, needsRendering } = withData(script);
    expect(needsRendering).toBeUndefined();
    expect(text).toBe(`Reed beds ${PARAGRAPHS.trim()}`);
  });

  it.each([
    ['is too little', { article: { title: 'Reed beds' } }],
    ['are messages of the program', { messages: { a: PARAGRAPHS } }],
    [
      'are addresses and classes',
      { a: `https://a/${'x'.repeat(400)}`, b: 'flex-row md:items-center px-4 py-2 '.repeat(20) },
    ],
  ])('counts for nothing when it %s', (_, data) => {
    const { text, needsRendering } = withData(`<script type="application/json">${JSON.stringify(data)}</script>`);
    expect(needsRendering).toBeDefined();
    expect(text).toBe('');
  });

  it('is read in bounded time, however deep or long it is', () => {
    const deep = `<script type="application/json">${'['.repeat(100_000)}${']'.repeat(100_000)}</script>`;
    const open = '<script type="application/json">{"a":'.repeat(20_000);
    for (const data of [deep, open, '<div id="root"'.repeat(50_000), '<noscript>'.repeat(50_000)])
      expect(withData(data).text.length).toBeLessThan(100);
  });
});
