/** What answers well in a first crawl and is nobody's document: listings of folders, error and login pages. */
import { describe, expect, it } from 'vitest';
import { hours } from '../../../src/domain/time/units.js';
import type { FakePage } from '../../support/fake-site.js';
import { crawl, refusals, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html' };
const page = (title: string, body: string): FakePage => ({
  headers: HTML,
  body: `<title>${title}</title><body>${body}`,
});
const redirect = (location: string): FakePage => ({ status: 302, headers: { location } });

describe('listings of folders', () => {
  const sorted = ['?C=N;O=D', '?C=M;O=A', '?C=S;O=A', '?C=D;O=A'];
  const listing = (path: string, names: readonly string[]): FakePage =>
    page(`Index of ${path}`, [...sorted, ...names].map((name) => `<a href="${name}">${name}</a>`).join(' '));

  it('are read for their links, without those that sort them', async () => {
    const site = await startSite();
    for (const sort of ['', ...sorted]) {
      site.set(`/pub/${sort}`, listing('/pub', ['deep/', 'a.html', 'b.html']));
      site.set(`/pub/deep/${sort}`, listing('/pub/deep', ['/pub/', 'c.html']));
    }
    for (const path of ['/pub/a.html', '/pub/b.html', '/pub/deep/c.html']) site.page(path);
    site.page('/', ['/pub/']);
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ crawler });
    const files = ['/', '/pub/a.html', '/pub/b.html', '/pub/deep/c.html'].map((path) => site.url(path));
    expect(await world.indexed()).toEqual(files);
    expect(await world.state(site.url('/pub/'))).toMatchObject({ status: 'visited', reason: 'directory-listing' });
    expect(site.fetched.filter((path) => path.includes('?'))).toEqual([]);
    expect(Object.keys(await refusals(world))).toEqual(['directory-listing']);
    await world.reconfigure({ crawler: `${crawler}<cw:LeaveOut directoryListings="false"/>` });
    await world.pass(hours(24 * 8));
    expect(await world.indexed()).toEqual(
      expect.arrayContaining([...files, site.url('/pub/'), site.url('/pub/deep/')]),
    );
  });
});

describe('pages to which only redirects lead', () => {
  it.each([
    ['/404?from=', 'Nothing here'],
    ['/errors/not-found.html?url=', 'Sorry'],
    ['/error?path=', 'Page not found'],
    ['/login?next=', 'Members only'],
  ])('are no documents: %s', async (target, text) => {
    const site = await startSite();
    site.elsewhere((path) => (path.startsWith(target) ? page('A page', text) : undefined));
    for (const path of ['/a', '/b']) site.set(path, redirect(`${target}${path}`));
    site.page('/', ['/a', '/b', '/c']).page('/c');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/c')]);
    const explanation = await world.engine.explanations.explain('test', site.url(`${target}/a`));
    expect(explanation.headline).toMatchObject({ fate: 'not-in-index', reason: 'not-linked' });
    site.page('/', ['/a', '/b', '/c', `${target}/a`], 'News');
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.untilIdle();
    expect(await world.indexed()).toContain(site.url(`${target}/a`));
  });

  it('are documents if they are other pages, or linked under an address that redirects', async () => {
    const site = await startSite();
    site.set('/old', redirect('/new')).set('/docs/login', redirect('/docs/login/')).set('/article', redirect('/512'));
    site.set('/guide', redirect('/docs/sso/')).set('/codes', redirect('/docs/errors'));
    const targets = ['/new', '/docs/login/', '/512', '/docs/sso/', '/docs/errors'];
    for (const path of targets) site.page(path);
    site.page('/', ['/old', '/docs/login', '/article', '/guide', '/codes']);
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toEqual(['/', ...targets].map((path) => site.url(path)).sort());
  });

  it('are documents with unlinked="false"', async () => {
    const site = await startSite();
    site.set('/404?from=/a', page('Not found', 'Not found')).set('/a', redirect('/404?from=/a')).page('/', ['/a']);
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}"/><cw:SoftErrors probe="false"/><cw:LeaveOut unlinked="false"/>`,
    });
    expect(await world.indexed()).toContain(site.url('/404?from=/a'));
  });
});

describe('the page to which a request for /sitemap.xml is redirected', () => {
  const start = async (target: string, answer: FakePage) => {
    const site = await startSite();
    site.set('/sitemap.xml', redirect(target)).set(target, answer).page('/', ['/a']).page('/a').page('/register');
    const world = await crawl({ attributes: 'crawlSitemaps="true"', crawler: `<Root url="${site.url('/')}"/>` });
    return { site, world };
  };

  it('is no document, and its links lead nowhere, until a page links to it', async () => {
    const { site, world } = await start('/welcome', page('Welcome', '<a href="/register">Register</a>'));
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
    expect(site.fetched).not.toContain('/register');
    site.page('/', ['/a', '/welcome'], 'News');
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.untilIdle();
    expect(await world.indexed()).toEqual(['/', '/a', '/register', '/welcome'].map((path) => site.url(path)));
  });

  it('is read if it is a sitemap', async () => {
    const { site, world } = await start('/sitemap_index.xml', (request) => ({
      headers: { 'content-type': 'application/xml' },
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://${request.headers.host}/register</loc></url></urlset>`,
    }));
    expect(await world.indexed()).toEqual(['/', '/a', '/register'].map((path) => site.url(path)));
  });
});
