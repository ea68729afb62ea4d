/** Pages made by scripts, rendered by a real browser. Left out where there is no Chromium. */
import { globSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, itUnless, noBrowser, notLinux } from '../support/left-out.js';
import { type RenderingWorldOptions, renderingWorld } from './rendering-world.js';
import { publishShop, textOf } from './script-made-site.js';

/** Processes that one has started, and theirs. */
function* descendants(pid: number): Generator<number> {
  for (const file of globSync(`/proc/${pid}/task/*/children`)) {
    for (const child of readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number)) {
      yield child;
      yield* descendants(child);
    }
  }
}

const environmentOf = (pid: number): string => readFileSync(`/proc/${pid}/environ`, 'utf8');

const HTML = { 'content-type': 'text/html' };

let site: FakeSite;
let world: CrawlWorld;

const start = (options: Partial<RenderingWorldOptions> = {}): Promise<CrawlWorld> =>
  renderingWorld({ crawler: `<Root url="${site.url('/')}"/>`, ...options });

beforeEach(async () => {
  site = await FakeSite.start();
  publishShop(site);
});

afterEach(async () => {
  await world.close();
  await site.close();
});

describeUnless(noBrowser, 'a site that needs rendering', () => {
  it('is crawled with its text, links, titles, shadow roots and frames', async () => {
    world = await start();
    await world.untilIdle();
    const pushed = world.pushed();
    for (const id of [1, 2, 3, 9])
      expect(pushed.get(site.url(`/product/${id}`))).toMatchObject({ text: expect.stringContaining(textOf(id)) });
    expect(pushed.get(site.url('/'))!.text).toMatch(/Catalogue.*Shadowstock 42 pieces.*Frameword inside/s);
    // It is found by its script, and is the start page once more.
    expect(await world.state(site.url('/catalogue'))).toMatchObject({ reason: 'exact-duplicate' });
    const metas = pushed.get(site.url('/product/1'))!.metas;
    expect(metas).toEqual(
      expect.arrayContaining([
        { name: 'title', value: 'Product 1' },
        { name: 'render', value: 'browser' },
      ]),
    );
    expect(await world.state(site.url('/product/1'))).toMatchObject({ status: 'indexed', reason: 'indexed' });
    const asked = site.requests.map(({ path }) => path);
    expect(asked.filter((path) => path === '/product/1')).toHaveLength(1);
    expect(asked.filter((path) => path === '/preact.js')).toHaveLength(1);
    expect(asked).not.toContain('/huge.png');
    expect(asked).not.toContain('/style.css');
  });

  it('shows in frames what others may see, whose texts stay theirs where access rights are known', async () => {
    site.set('/', {
      headers: HTML,
      body: `<h1>Portal</h1><div id=l></div><iframe src="/hr/pay"></iframe><iframe srcdoc="<p>Written here"></iframe><script>l.innerHTML = 'Welcome to the portal. '.repeat(9);</script>`,
    });
    site.set('/hr/pay', { headers: HTML, body: '<title>Pay</title><p>The salaries of all.' });
    const rule = (path: string, allow: string) => `<cw:AclRule url="${site.url(path)}" allow="${allow}"/>`;
    world = await renderingWorld({
      attributes: 'render="always"',
      crawler: `<Root url="${site.url('/')}"/><cw:Acl>${rule('/', 'everyone')}${rule('/hr/', 'hr')}</cw:Acl>`,
    });
    await world.untilIdle();
    const { text } = world.pushed().get(site.url('/'))!;
    expect(text).toMatch(/Welcome.*Written here/s);
    expect(text).not.toContain('salaries');
    expect(world.pushed().get(site.url('/hr/pay'))!.text).toContain('salaries');
  });

  it('is read whole if its scripts wait for an image or a font that is not loaded', async () => {
    const waiting = (events: string, element: string) =>
      `<h1>Wait</h1><div id=l></div><script>${element}; ${events
        .split(' ')
        .map((name) => `e.${name} = `)
        .join('')} () => { l.innerHTML = 'The text that comes after the ${events}. '.repeat(9) };</script>`;
    site.set('/load', { headers: HTML, body: waiting('onload', "const e = new Image(); e.src = '/a.png'") });
    site.set('/error', {
      headers: HTML,
      body: waiting('onerror', "const e = document.createElement('video'); e.src = '/a.mp4'"),
    });
    world = await start({ crawler: ['/load', '/error'].map((path) => `<Root url="${site.url(path)}"/>`).join('') });
    await world.untilIdle();
    for (const event of ['load', 'error'])
      expect(world.pushed().get(site.url(`/${event}`))?.text).toContain(`comes after the on${event}`);
    expect(site.fetched).not.toContain('/a.png');
    expect(site.fetched).not.toContain('/a.mp4');
  });

  it('may redirect by script again and again, without harm to the pages after it', async () => {
    const paths = Array.from({ length: 10 }, (_, index) => index);
    for (const index of paths) {
      const move = `<div id=root></div><script>setInterval(() => location.replace('/to/${index}'), 10)</script>`;
      site.set(`/move/${index}`, { headers: HTML, body: move });
      site.set(`/to/${index}`, {
        headers: HTML,
        body: `<div id=root></div><script>root.innerHTML = 'Arrived at ${index}. '.repeat(9)</script>`,
      });
    }
    world = await start({ crawler: paths.map((index) => `<Root url="${site.url(`/move/${index}`)}"/>`).join('') });
    await world.untilIdle();
    for (const index of paths) {
      expect(await world.state(site.url(`/move/${index}`))).toMatchObject({ status: 'redirected', visits: 1 });
      expect(await world.state(site.url(`/to/${index}`))).toMatchObject({ reason: 'indexed', visits: 1 });
    }
  });

  it('is rendered by rule, with steps; navigation by script is a redirect; other pages are read as sent', async () => {
    world = await start({
      attributes: 'render="never"',
      crawler: `<Root url="${site.url('/more')}"/><Root url="${site.url('/old')}" site="false"/><Root url="${site.url('/product/1')}"/>
        <Rules><Rule><Path value="/more"/><Render mode="always" readyWhen=".more" steps="click .more; wait 0.1"/></Rule>
        <Rule><Path value="/old"/><Render mode="always"/></Rule></Rules>`,
    });
    await world.untilIdle();
    expect(world.pushed().get(site.url('/more'))).toMatchObject({ text: `More\n${textOf(7)}` });
    expect(await world.state(site.url('/old'))).toMatchObject({ status: 'redirected' });
    expect(await world.state(site.url('/product/1'))).toMatchObject({ reason: 'needs-rendering' });
    expect(site.fetched).not.toContain('/api/product/1');
  });

  it('is read as sent when its embedded data has the text and its scripts add nothing', async () => {
    const text = 'The lighthouse stood on the rock for five years, until a storm took it and its builder. '.repeat(4);
    const data = JSON.stringify({ props: { article: { body: text.trim() } } });
    const body = `<title>Light</title><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${data}</script><script src="/gone.js"></script>`;
    site.set('/light', { headers: { 'content-type': 'text/html' }, body });
    world = await start({ crawler: `<Root url="${site.url('/light')}"/>` });
    await world.untilIdle();
    expect(site.fetched).toContain('/gone.js');
    const { text: read, metas } = world.pushed().get(site.url('/light'))!;
    expect(read).toContain('The lighthouse stood on the rock');
    expect(metas).toContainEqual({ name: 'render', value: 'plain' });
  });

  it('is plain: of its pattern three pages are rendered, and none of those fetched at the same time', async () => {
    const articles = Array.from({ length: 20 }, (_, number) => `/articles/${number + 1}`);
    site.page('/', articles);
    for (const path of articles) site.page(path, [], `The whole text of ${path}.`);
    world = await start({
      attributes: 'render="auto" nthreads="20" aggressive="true" throttleTimeMS="0" nearDuplicateDetector="false"',
      crawler: `<Root url="${site.url('/')}"/>`,
    });
    await world.untilIdle();
    const documents = articles.map((path) => world.pushed().get(site.url(path)));
    expect(documents).toEqual(articles.map((path) => expect.objectContaining({ text: `The whole text of ${path}.` })));
    const rendered = documents.filter((document) => document!.metas.some(({ value }) => value === 'browser'));
    expect(rendered).toHaveLength(3);
    expect(site.fetched.filter((path) => articles.includes(path))).toHaveLength(articles.length);
  });

  itUnless(notLinux, 'is run in processes without the environment of the server', async () => {
    vi.stubEnv('CRAWLWAY_API_KEYS', 'ada:admin:PlAnTeD');
    vi.stubEnv('SOME_PASSWORD', 'PlAnTeD');
    onTestFinished(() => void vi.unstubAllEnvs());
    let environments = '';
    site.set('/api/product/1', () => {
      environments += [...descendants(process.pid)].map(environmentOf).join('');
      return { body: '{}' };
    });
    world = await start();
    await world.untilIdle();
    expect(environments).toContain('PATH=');
    expect(environments).not.toContain('PlAnTeD');
  });

  it('is previewed as sent and as rendered, with a screenshot; nothing is stored', async () => {
    world = await start({ attributes: 'render="never"', crawler: '' });
    const page = await world.engine.explanations.viewPage('test', site.url('/'), true);
    expect(page).toMatchObject({ outcome: 'document', title: 'Shop' });
    expect(page.rendering!.comparison).toMatchObject({
      sent: { title: 'Shop', text: '', textLength: 0, links: 0 },
      added: expect.arrayContaining([expect.stringContaining('Shadowstock 42 pieces')]),
    });
    const scripted = page.links.filter(({ onlyRendered }) => onlyRendered).map(({ url }) => url);
    expect(scripted).toContain(site.url('/product/1'));
    expect(Buffer.from(page.rendering!.picture!, 'base64').subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    expect(await world.state(site.url('/'))).toBeUndefined();
    const plain = await world.engine.explanations.viewPage('test', site.url('/'));
    expect(plain.rendering).toBeUndefined();
    expect(plain.links).toEqual([]);
  });

  it('is rendered as an operator decides, whatever was learned, also after learning restarts', async () => {
    const host = `127.0.0.1:${site.port}`;
    world = await start({ crawler: `<Root url="${site.url('/product/1')}" site="false"/>` });
    await world.engine.hosts.overruleRendering(host, site.url('/product/1'), 'never');
    await world.untilIdle();
    await world.engine.maintenance.refresh('test', { url: site.url('/product/1') });
    await world.untilIdle();
    expect(await world.state(site.url('/product/1'))).toMatchObject({ reason: 'needs-rendering' });
    await world.engine.hosts.overruleRendering(host, '/product/N', 'always');
    await world.engine.maintenance.refresh('test', { url: site.url('/product/1') });
    await world.untilIdle();
    expect(world.pushed().get(site.url('/product/1'))).toMatchObject({ text: expect.stringContaining(textOf(1)) });
    expect(await world.engine.hosts.viewRendering(host)).toContainEqual(
      expect.objectContaining({ pattern: '/product/N', override: 'always' }),
    );
    await world.engine.hosts.overruleRendering(host, '/product/N', undefined);
    const [learned] = await world.engine.hosts.viewRendering(host);
    expect(learned).toMatchObject({ pattern: '/product/N', override: undefined });
    await expect(world.engine.hosts.overruleRendering(host, 'product', 'never')).rejects.toThrow('neither a pattern');
  });

  it('reads from other servers what CORS allows, without credentials, and sends them only what a form could send', async () => {
    const wiki = await FakeSite.start('127.0.0.2');
    onTestFinished(() => wiki.close());
    const text = { 'content-type': 'text/plain' };
    wiki.set('/secret', { headers: text, body: 'SECRET of the wiki' });
    wiki.set('/public', { headers: { ...text, 'access-control-allow-origin': '*' }, body: 'PUBLIC data' });
    wiki.set('/act', ({ method }) => ({ status: method === 'OPTIONS' ? 403 : 200 }));
    wiki.set('/agreed', ({ method, headers }) => ({
      headers: {
        ...text,
        'access-control-allow-origin': headers.origin!,
        'access-control-allow-headers': 'Content-Type',
      },
      body: method === 'POST' ? 'AGREED to it' : '',
    }));
    site.set('/jump', { status: 302, headers: { location: wiki.url('/secret') } });
    site.set('/own', ({ headers }) => ({ headers: text, body: headers.authorization ? 'OWN data' : '' }));
    site.set('/', { headers: { 'content-type': 'text/html' }, body: readingPage(wiki.url('')) });
    world = await start({
      crawler: `<Root url="${site.url('/')}"/>`,
      fetcher: loginsAt(site, wiki),
      renderer: 'readyWhen="#done" postHosts="127.0.0.2"',
    });
    await world.untilIdle();
    const read = world.pushed().get(site.url('/'))!.text;
    for (const word of ['PUBLIC', 'AGREED', 'OWN', 'done']) expect(read).toContain(word);
    expect(read).not.toContain('SECRET');
    expect(wiki.fetched).toEqual(expect.arrayContaining(['/act', '/agreed', '/public', '/secret']));
    expect(wiki.requests.filter(({ path }) => path === '/act')).toHaveLength(1);
    expect(wiki.requests.filter(({ path, headers }) => path !== '/robots.txt' && headers.authorization)).toEqual([]);
    const [counted] = (await world.engine.getMetrics()).rendering;
    expect(counted!.refused).toMatchObject({ 'other-origin': 4 });
  });
});

const loginsAt = (...sites: readonly FakeSite[]): string =>
  sites.map((each) => `<cw:Credential url="${each.url('/')}" user="crawler" password="PlAnTeD"/>`).join('');

/** Its script asks another server in all the ways that there are. */
const readingPage = (other: string): string => `<html><title>Reader</title><div id=root></div><script>
  const show = (what) => document.body.append(what + ' ');
  const read = (url, options) => fetch(url, options).then((answer) => answer.text()).then(show, () => undefined);
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const framed = new Promise((done) => {
    const frame = Object.assign(document.createElement('iframe'), { src: '/jump' });
    frame.onload = frame.onerror = () => { try { show(frame.contentDocument.body.textContent); } catch {} done(); };
    document.body.append(frame);
  });
  const other = '${other}';
  Promise.all([read('/own'), read(other + '/secret'), read(other + '/public'), read('/jump'), read(other + '/act', json), read(other + '/agreed', json), framed])
    .then(() => document.body.insertAdjacentHTML('beforeend', '<p id=done>done'));
</script></html>`;
