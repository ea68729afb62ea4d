/**
 * Applications of the frameworks that people use, built here as their developers build them: every route that a person can reach by
 * links is in the index with its text. Left out where there is no Chromium.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CrawlWorld } from '../support/crawl-world.js';
import { type FakeAnswer, FakeSite } from '../support/fake-site.js';
import { describeUnless, noBrowser } from '../support/left-out.js';
import { htmlPage, json, publishScripts, serverPart } from './applications/build.js';
import { sentence } from './applications/sentences.js';
import { renderingWorld } from './rendering-world.js';

const PRODUCTS = [1, 2, 3];
const KEEPS_ROUTES = '<cw:Canonicalization steps="keep-hash-routes"/>';

let site: FakeSite;
let world: CrawlWorld;

/** What the site answers with for the data of its pages. */
function publishProducts(application: string): void {
  site.set('/api/products', json(PRODUCTS.map((id) => ({ id, name: `Product ${id}` }))));
  for (const id of PRODUCTS)
    site.set(`/api/product/${id}`, json({ name: `Product ${id}`, text: sentence(application, `product-${id}`) }));
}

/** The same page for every route, as servers of applications do. */
const publishShell = (root: string): void => {
  const shell = htmlPage(root);
  site.otherwise((request) => (request.url?.startsWith('/api/') ? { status: 404 } : shell));
};

const root = (): string => `<Root url="${site.url('/')}"/>`;
const textOf = (path: string): string | undefined => world.pushed().get(site.url(path))?.text;

beforeEach(async () => {
  site = await FakeSite.start();
});

afterEach(async () => {
  await world.close();
  await site.close();
});

describeUnless(noBrowser, 'an application', () => {
  it('of React, with routes, lazy parts and data', async () => {
    await publishScripts(site, 'react/main.jsx');
    publishShell('<div id="root"></div>');
    publishProducts('react');
    world = await renderingWorld({ crawler: root() });
    await world.untilIdle();
    expect(textOf('/')).toContain(sentence('react', 'start'));
    expect(textOf('/guide')).toContain(sentence('react', 'guide'));
    expect(textOf('/guide/care')).toContain(sentence('react', 'care'));
    for (const id of PRODUCTS) expect(textOf(`/product/${id}`)).toContain(sentence('react', `product-${id}`));
    expect(world.pushed().get(site.url('/product/2'))!.metas).toContainEqual({ name: 'title', value: 'Product 2' });
    // The parts are fetched once for all pages.
    const scripts = site.requests.map(({ path }) => path).filter((path) => path.startsWith('/scripts/'));
    expect(new Set(scripts).size).toBe(scripts.length);
  });

  it('of Vue whose routes are fragments: each is a page of its own', async () => {
    await publishScripts(site, 'vue/main.js');
    publishShell('<div id="root" data-routes="hash"></div>');
    publishProducts('vue');
    world = await renderingWorld({ crawler: `${root()}${KEEPS_ROUTES}` });
    await world.untilIdle();
    expect(textOf('/')).toContain(sentence('vue', 'start'));
    expect(textOf('/#/guide')).toContain(sentence('vue', 'guide'));
    expect(textOf('/#/guide/care')).toContain(sentence('vue', 'care'));
    for (const id of PRODUCTS) expect(textOf(`/#/product/${id}`)).toContain(sentence('vue', `product-${id}`));
    expect(world.pushed().size).toBe(3 + PRODUCTS.length);
    expect(site.requests.map(({ path }) => path).join()).not.toContain('#');
  });

  it('of Svelte with a list that grows on scrolling', async () => {
    const stories = Array.from({ length: 24 }, (_, index) => index + 1);
    await publishScripts(site, 'svelte/main.js');
    publishShell('<div id="root"></div>');
    for (let page = 0; page <= 3; page++)
      site.set(
        `/api/stories/${page}`,
        json(stories.slice(page * 8, page * 8 + 8).map((id) => ({ id, name: `Story ${id}` }))),
      );
    for (const id of stories)
      site.set(`/api/story/${id}`, json({ name: `Story ${id}`, text: sentence('svelte', `story-${id}`) }));
    world = await renderingWorld({
      attributes: 'render="never"',
      crawler: `${root()}<Rules>
        <Rule><Path value="/"/><Render mode="always" steps="scroll 6"/></Rule>
        <Rule><Path value="/story/*"/><Render mode="always"/></Rule></Rules>`,
    });
    await world.untilIdle();
    for (const id of stories) expect(textOf(`/story/${id}`)).toContain(sentence('svelte', `story-${id}`));
  });

  it('of Angular', async () => {
    await publishScripts(site, 'angular/main.js');
    publishShell('<base href="/"><app-root></app-root>');
    publishProducts('angular');
    world = await renderingWorld({ crawler: root() });
    await world.untilIdle();
    expect(textOf('/')).toContain(sentence('angular', 'start'));
    expect(textOf('/guide')).toContain(sentence('angular', 'guide'));
    expect(textOf('/guide/care')).toContain(sentence('angular', 'care'));
    for (const id of PRODUCTS) expect(textOf(`/product/${id}`)).toContain(sentence('angular', `product-${id}`));
  });

  it('that is rendered on its server needs no browser, which is learned', async () => {
    const { pageOf } = await serverPart<{ pageOf: (path: string) => string }>('server-made/server.jsx');
    const articles = [1, 2, 3, 4, 5, 6].map((id) => `/article/${id}`);
    await publishScripts(site, 'server-made/main.jsx');
    for (const path of ['/', ...articles]) site.set(path, htmlPage(`<div id="root">${pageOf(path)}</div>`));
    world = await renderingWorld({ crawler: root() });
    await world.untilIdle();
    expect(textOf('/')).toContain(sentence('server-made', 'start'));
    for (const path of articles)
      expect(textOf(path)).toContain(sentence('server-made', `article-${path.slice('/article/'.length)}`));
    const [learned] = await world.engine.hosts.viewRendering(`127.0.0.1:${site.port}`);
    expect(learned).toMatchObject({ pattern: '/article/N', choice: 'plain', worthwhile: 0 });
  });

  it('behind a login shows the crawler what it shows members, with scripts and data', async () => {
    await publishScripts(site, 'react/main.jsx');
    const shell = htmlPage('<div id="root"></div>');
    const isMember = (cookie: string | undefined): boolean => cookie?.includes('sid=member') === true;
    const form = '<form method="post" action="/login"><input name="user"><input name="pass" type="password"></form>';
    site.otherwise(({ headers, url }) =>
      isMember(headers.cookie)
        ? url?.startsWith('/api/')
          ? { status: 404 }
          : shell
        : { status: 302, headers: { location: '/login' } },
    );
    const login: FakeAnswer = { headers: { 'content-type': 'text/html' }, body: `<title>Login</title>${form}` };
    const entered: FakeAnswer = { status: 302, headers: { location: '/', 'set-cookie': 'sid=member; Path=/' } };
    site.set('/login', ({ method }) => (method === 'POST' ? entered : login));
    const data = (answer: ReturnType<typeof json>) => (request: { headers: { cookie?: string } }) =>
      isMember(request.headers.cookie) ? answer : { status: 401 };
    site.set('/api/products', data(json([{ id: 1, name: 'Product 1' }])));
    site.set('/api/product/1', data(json({ name: 'Product 1', text: sentence('react', 'members') })));
    world = await renderingWorld({
      crawler: root(),
      fetcher: `<cw:Login name="members" type="form" insecure="true" url="${site.url('/')}" page="${site.url('/login')}" user="robot" password="right"/>`,
    });
    await world.untilIdle();
    expect(textOf('/product/1')).toContain(sentence('react', 'members'));
  });
});
