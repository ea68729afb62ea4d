import { describe, expect, it } from 'vitest';
import type { Extraction, SyncExtractor } from '../../../engine/ports/content-extractor.js';
import { createBuiltInExtractors } from '../extractors.js';

const html = createBuiltInExtractors()[0] as SyncExtractor;
const context = { url: 'http://a/', contentType: 'text/html; charset=utf-8', maxLinks: 1_000, maxTextLength: 100_000 };
const read = (page: string): Extraction => html.extract(Buffer.from(page), 'text/html', context) as Extraction;

const shell = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title>${head}</head><body>${body}</body></html>`;
const SENTENCE = 'Reed beds clean the water of a whole village without any machine, and herons come for the frogs. ';
const PARAGRAPHS = SENTENCE.repeat(8);

const NAVIGATION = `<ul>${[1, 2, 3, 4, 5].map((n) => `<li><a href="/part/${n}">Part ${n}</a></li>`).join('')}</ul>`;

const MADE_BY_SCRIPTS: Record<string, string> = {
  'a heading and a frame, without any script': shell('<h1>Handbook</h1><iframe src="/content.html"></iframe>'),
  'messages of a web socket': shell(
    '<ul id="o"></ul><script>new WebSocket("wss://a/").onmessage = (event) => o.append(event.data)</script>',
  ),
  'a frame that a script fills': shell(
    '<script>const f = document.createElement("iframe"); f.srcdoc = "<p>words</p>"; document.body.append(f)</script>',
  ),
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
  Quasar: shell('<div id="q-app"></div>', '<script type="module" crossorigin src="/assets/index-1f.js"></script>'),
  Elm: shell(
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/elm.js"></script>',
  ),
  Ember: shell('<script src="/assets/vendor.js"></script><script src="/assets/shop.js"></script>'),
  Expo: shell(
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/_expo/static/js/web/index.js" defer></script>',
  ),
  Lit: shell('<shop-element><h1>Shop</h1></shop-element>', '<script type="module" src="/src/shop.js"></script>'),
  docsify: shell('<div id="app">Please wait...</div><script src="//cdn.example/docsify.min.js"></script>'),
  'Swagger UI': shell('<div id="swagger-ui"></div><script src="./swagger-ui-bundle.js"></script>'),
  Storybook: shell(
    '<div id="root"></div><script type="module">import "./sb-manager/globals-runtime.js"; import "./sb-manager/runtime.js";</script>',
  ),
  SAPUI5: shell(
    '<div data-sap-ui-component data-name="shop"></div>',
    '<script id="sap-ui-bootstrap" src="resources/sap-ui-core.js" data-sap-ui-async="true"></script>',
  ),
  'Google Web Toolkit': shell(
    `<iframe src="javascript:''" id="__gwt_historyFrame" tabindex="-1"></iframe>`,
    '<script src="shop/shop.nocache.js"></script>',
  ),
  'a root that says it loads': shell('<div id="app" class="x">Loading…</div><script src="/bundle.js"></script>'),
  'no known root': shell('<div class="mount"></div><script src="/a.js"></script><script src="/b.js"></script>'),
  'a root in which a picture turns (Blazor)': shell(
    '<div id="app"><svg class="loading-progress"><circle r="40%"/></svg></div><div id="blazor-error-ui">An unhandled error has occurred. <a href="">Reload</a></div><script src="_framework/blazor.webassembly.js"></script>',
  ),
  'routes behind a # (Backbone)': shell(
    '<h1>Shop</h1><a href="#/all">All</a> <a href="#/sold">Sold</a> <a href="javascript:add()">Add</a><script src="app.js"></script>',
  ),
  'the frame of a page that Next.js has exported': shell(
    '<header><a href="https://shop.example/">beta</a></header><script src="/_next/static/chunks/main-app-12.js" async></script>',
  ),
  AngularJS: shell(
    `${NAVIGATION}<div ng-view></div><script src="/angular.js"></script>`.replace('<ul', '<ul ng-controller="Nav"'),
  ),
  'Vue in the page': shell(
    `${NAVIGATION}<ul id="shop"><li v-for="product in products">{{ product.name }}</li></ul><script src="/vue.js"></script>`,
  ),
  Knockout: shell(
    `${NAVIGATION}<ul data-bind="foreach: products"><li data-bind="text: name"></li></ul><script src="/ko.js"></script>`,
  ),
  'Alpine.js': shell(
    `${NAVIGATION}<div x-data="shop"><template x-for="one in all"><p x-text="one"></p></template></div><script src="/alpine.js"></script>`,
  ),
  htmx: shell(`${NAVIGATION}<div hx-get="/products" hx-trigger="load"></div><script src="/htmx.js"></script>`),
  'templates for Underscore': shell(
    `${NAVIGATION}<ul id="list"></ul><script type="text/template" id="item"><li><%- name %></li></script><script src="/a.js"></script>`,
  ),
  SvelteKit: shell(
    '<div style="display: contents"><script>{ Promise.all([import("/_app/immutable/entry/start.C3.js")]).then(([kit]) => kit.start()); }</script></div>',
  ),
  'a module that is written into the page': shell(
    '<script type="module">import { start } from "/shop.js"; start();</script>',
  ),
  'an application within the page': shell(
    `<div class="report"></div><script type="module">${'render({ node: 1 });'.repeat(1_500)}</script>`,
  ),
  'a script that sends visitors on': shell('<script>window.location.href = "/home";</script>'),
};

const BRINGS_ITS_CONTENT: Record<string, string> = {
  'text beside a root': shell(`<div id="root"></div><p>${PARAGRAPHS}</p><script src="/x.js"></script>`),
  'a root that the server filled': shell(`<div id="app"><p>${SENTENCE}</p></div><script src="/x.js"></script>`),
  'a list of links': shell(
    `${[1, 2, 3, 4, 5].map((n) => `<a href="/${n}">${n}</a>`).join(' ')}<noscript>JavaScript is off.</noscript><script src="/x.js"></script>`,
  ),
  'little text and no script': shell('<p>It works!</p>'),
  'directives that it writes about': shell(
    `<p>${SENTENCE}Use <code>&lt;li ng-repeat="x in y" v-for="x in y"&gt;</code>.</p><script src="/x.js"></script>`,
  ),
  'a menu that scripts open': shell(
    `<div x-data="{ open: false }"><button @click="open = true">Menu</button><p x-show="open">${SENTENCE}</p></div><script src="/x.js"></script>`,
  ),
  'a module beside links': shell(`${NAVIGATION}<script type="module" src="/search.js"></script>`),
  'places in a page of text': shell(`<p>${SENTENCE}</p><a href="#top">top</a><script src="/x.js"></script>`),
  'a counter of visitors in the page': shell(
    `<img src="/photo.jpg" alt="A heron"><script>${'count(1);'.repeat(200)}</script>`,
  ),
  'little text and a counter': shell(`<p>${SENTENCE}</p><script src="//counter.example/c.js"></script>`),
  frames:
    '<html><frameset><frame src="a.html"></frameset><noscript>needs JavaScript</noscript><script src="x.js"></script></html>',
  'an empty page': '',
  'a page of data blocks': shell('<p>Hello.</p><script type="application/ld+json">{"@type":"Thing"}</script>'),
};

describe('pages that need rendering', () => {
  it.each(Object.keys(MADE_BY_SCRIPTS))('are recognized: %s', (name) => {
    expect(read(MADE_BY_SCRIPTS[name]!).needsRendering).toMatch(/\d+ bytes of text/);
  });

  it.each(Object.keys(BRINGS_ITS_CONTENT))('do not include %s', (name) => {
    expect(read(BRINGS_ITS_CONTENT[name]!).needsRendering).toBeUndefined();
  });
});

describe('content that a page embeds as data', () => {
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
  ])('is ignored when it %s', (_, data) => {
    const { text, needsRendering } = withData(`<script type="application/json">${JSON.stringify(data)}</script>`);
    expect(needsRendering).toBeDefined();
    expect(text).toBe('');
  });

  it('is read in bounded time, however deep or long it is', () => {
    const deep = `<script type="application/json">${'['.repeat(100_000)}${']'.repeat(100_000)}</script>`;
    const open = '<script type="application/json">{"a":'.repeat(20_000);
    const directives = `<p ${'data-bind = "'.repeat(40_000)}${'<p data-bind'.repeat(40_000)}${' '.repeat(100_000)}`;
    const imports = `<script>${'import '.repeat(70_000)}</script>`;
    for (const data of [deep, open, directives, imports, '<div id="root"'.repeat(50_000), '<noscript>'.repeat(50_000)])
      expect(withData(data).text.length).toBeLessThan(100);
  });
});
