/** One page under several addresses of its site is one document. */
import { describe, expect, it } from 'vitest';
import { days, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakePage } from '../../support/fake-site.js';
import { crawl, refusals, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html' };
const page = (title: string, body: string, links: readonly string[] = []): FakePage => ({
  headers: HTML,
  body: `<title>${title}</title><body>${body} ${links.map((link) => `<a href="${link}"></a>`).join('')}`,
});
const LONG = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
const AGES = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';

describe('pages with the text of another one', () => {
  const spellings = [
    '/index.html',
    '/?utm_source=news',
    '/docs',
    '/docs/',
    '/DOCS/',
    '/docs/?sort=name',
    '/docs/index.php',
  ];
  const start = async (more = '') => {
    const site = await startSite();
    for (const path of ['/', ...spellings.slice(0, 2)]) site.set(path, page('Home', 'Welcome', spellings));
    for (const path of spellings.slice(2)) site.set(path, page('Docs', 'How to'));
    const world = await crawl({ attributes: AGES, crawler: `<Root url="${site.url('/')}"/>${more}` });
    return { site, world };
  };

  it('are one document with it, as is another spelling of its address, and name the one that is kept', async () => {
    const { site, world } = await start();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/docs')]);
    // None is asked again while the document that is kept is on its way into the index.
    expect(site.fetched.filter((path) => path !== '/robots.txt')).toHaveLength(spellings.length + 1);
    expect(await world.state(site.url('/DOCS/'))).toMatchObject({
      status: 'visited',
      reason: 'exact-duplicate',
      canonical: site.url('/docs'),
    });
    const { headline } = await world.engine.explanations.explain('test', site.url('/index.html'));
    expect(headline.text).toContain(`its text is that of ${site.url('/')}.`);
    await world.pass(days(3));
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/docs')]);
  });

  it('are documents of their own with exactDuplicates="false"', async () => {
    const { world } = await start('<cw:LeaveOut exactDuplicates="false"/>');
    expect(await world.indexed()).toHaveLength(spellings.length + 1);
  });

  it('take its place at once when it goes, and come back when its text changes', async () => {
    const { site, world } = await start();
    site.remove('/docs').set('/DOCS/', page('Docs', 'Another page by now'));
    await world.engine.maintenance.refresh('test', { url: site.url('/docs') });
    await world.pass(minutes(10));
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/DOCS/'), expect.stringMatching(/\/docs\/[^/]*$/)]);
    site.set('/', page('Home', 'New', spellings));
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.pass(minutes(1));
    expect(await world.indexed()).toContain(site.url('/index.html'));
  });

  it.each([
    ['is cleared', (world: CrawlWorld) => world.engine.maintenance.clear('test', { like: '%/docs' })],
    [
      'is excluded by a changed rule',
      (world: CrawlWorld, root: string) => {
        const rule = '<Rules><Rule><ar:Atom field="path" kind="exact" value="/docs"/><Ignore/></Rule></Rules>';
        return world.reconfigure({ attributes: AGES, crawler: `<Root url="${root}"/>${rule}` });
      },
    ],
  ])('take its place at once when it %s', async (_how, remove) => {
    const { site, world } = await start();
    await remove(world, site.url('/'));
    await world.pass(minutes(10));
    expect(await world.indexed()).toEqual([site.url('/'), expect.stringMatching(/\/docs\//i)]);
  });

  it('take its place at once, however many addresses redirect to it', async () => {
    const site = await startSite();
    const links = Array.from({ length: 110 }, (_, i) => [`/a${i}`, `/b${i}`, `/old${i}`]).flat();
    site.set('/', page('Home', 'Welcome', ['/docs', ...links, '/DOCS/']));
    for (const path of links)
      site.set(path, path.startsWith('/old') ? { status: 301, headers: { location: '/docs' } } : page(path, path));
    for (const path of ['/docs', '/DOCS/']) site.set(path, page('Docs', 'How to'));
    const world = await crawl({ attributes: AGES, crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toContain(site.url('/docs'));
    expect(await world.indexed()).not.toContain(site.url('/DOCS/'));
    site.remove('/docs');
    await world.engine.maintenance.refresh('test', { url: site.url('/docs') });
    await world.pass(minutes(10));
    expect(await world.indexed()).toContain(site.url('/DOCS/'));
  });

  it('take its place even if its deletion is held', async () => {
    const { site, world } = await start('<cw:DeletionGuard maxDeletions="0" maxShare="0"/>');
    site.remove('/docs');
    await world.engine.maintenance.refresh('test', { url: site.url('/docs') });
    await world.pass(minutes(10));
    expect((await world.engine.orders.listHeldDeletions()).length).toBe(1);
    const spelled = (await world.indexed()).filter((url) => /docs/i.test(url));
    expect(spelled).toEqual(expect.arrayContaining([site.url('/docs')]));
    expect(spelled).toHaveLength(2);
  });

  it('are found on www. and the bare host, http and https, and not on other hosts', async () => {
    const site = await startSite('127.0.0.1', 'site.example');
    const other = await startSite('127.0.0.1', 'other.example');
    const www = `http://www.site.example:${site.port}`;
    for (const one of [site, other])
      one.set('/', page('Home', LONG, [`${www}/`, other.url('/'), '/a', '/print'])).set('/a', page('A', LONG));
    site.set('/print', page('A', LONG));
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/>`,
      names: { 'site.example': '127.0.0.1', 'www.site.example': '127.0.0.1', 'other.example': '127.0.0.1' },
    });
    const [first] = (await world.indexed()).filter((url) => [site.url('/a'), site.url('/print')].includes(url));
    expect(first).toBeDefined();
    expect(await world.indexed()).toEqual([other.url('/'), other.url('/a'), site.url('/'), first!].sort());
  });

  it('are documents of their own if they have another title, or no text', async () => {
    const site = await startSite();
    site.set('/a', page('A heron', 'Photo')).set('/b', page('A lake', 'Photo'));
    site.set('/c', page('', '')).set('/d', page('', '')).page('/', ['/a', '/b', '/c', '/d']);
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toHaveLength(5);
  });

  it('are found after a restart, and an index that has them twice loses the later one', async () => {
    const { site, world } = await start('<cw:LeaveOut exactDuplicates="false"/>');
    expect(await world.indexed()).toHaveLength(spellings.length + 1);
    await world.reconfigure({ attributes: AGES, crawler: `<Root url="${site.url('/')}"/>` });
    await world.pass(days(3));
    expect(await world.indexed()).toHaveLength(3); // /docs/?sort=name differs in its query
  });
});

describe('a site that answers every address with one page', () => {
  const trap = async (links: readonly string[], body = 'Welcome') => {
    const site = await startSite();
    site.set('/robots.txt', { status: 404 });
    site.elsewhere(() => page('Site', body, links));
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    return { site, world };
  };

  it.each([
    ['four relative links', ['about_us/', 'contact/', 'products/', 'news/']],
    ['ten relative links', Array.from({ length: 10 }, (_, index) => `${'abcdefghij'[index]}x/`)],
    ['one link', ['more/']],
  ])('ends within a few dozen requests: %s', async (_, links) => {
    const { site, world } = await trap(links);
    expect(await world.indexed()).toEqual([site.url('/')]);
    expect(site.requests.length).toBeLessThan(links.length > 4 ? 60 : 45);
    if (links.length > 1) expect(Object.keys(await refusals(world))).toContain('trap-repeated-text');
  });

  it('ends, also with ids in its paths', async () => {
    const site = await startSite();
    let session = 0;
    const names = ['a', 'b', 'c', 'd', 'e'];
    site.elsewhere((path) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return names.includes(name)
        ? page(
            name,
            `Page ${name}`,
            names.map((one) => `/s${++session}x/${one}`),
          )
        : undefined;
    });
    site.set('/', page('Home', 'Home', ['/s0x/a']));
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toHaveLength(1 + names.length);
    expect(site.requests.length).toBeLessThan(100);
  });

  it('does not affect pages with texts of their own: an archive, and pages below a copy of the home page', async () => {
    const site = await startSite();
    const count = 120;
    for (let index = 0; index < count; index++)
      site.set(`/archive/${index}`, page('Archive', `Article ${index}`, [`/archive/${index + 1}`]));
    site.set('/', page('Home', LONG, ['/archive/0', '/copy/']));
    site.set('/copy/', page('Home', LONG, ['/copy/0']));
    for (let index = 0; index < 60; index++)
      site.set(`/copy/${index}`, page('Home', index % 10 === 9 ? `Own ${index}` : LONG, [`/copy/${index + 1}`]));
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toHaveLength(1 + count + 6);
  });
});
