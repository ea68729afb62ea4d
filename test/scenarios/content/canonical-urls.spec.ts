import { describe, expect, it } from 'vitest';
import { days, hours, seconds } from '../../../src/domain/time/units.js';
import type { FakePage } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
describe('a canonical link', () => {
  it.each(['link element', 'HTTP header'])(
    'rel=canonical (%s): the canonical URL is crawled and indexed instead',
    async (way) => {
      const site = await startSite();
      site.page('/', ['/a?session=1']).page('/a');
      const header: Record<string, string> = way === 'HTTP header' ? { link: '</a>; rel="canonical"' } : {};
      const body = way === 'HTTP header' ? '<title>a</title>' : '<link rel="canonical" href="/a"><title>a</title>';
      site.set('/a?session=1', { headers: { ...HTML, ...header }, body });
      const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
      expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
      expect(await world.state(site.url('/a?session=1'))).toMatchObject({
        status: 'visited',
        reason: 'canonical-elsewhere',
      });
    },
  );

  it.each([
    ['an empty one under a base', '<base href="/"><link rel="canonical" href="">'],
    ['one in a template that names two', '<link rel="canonical" href="/"><link rel="canonical" href="/a">'],
  ])('rel=canonical: %s removes no page', async (_, head) => {
    const site = await startSite();
    site.page('/', ['/a', '/b']);
    for (const path of ['/a', '/b']) site.set(path, { headers: HTML, body: `${head}<title>${path}</title>` });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toEqual(['/', '/a', '/b'].map((path) => site.url(path)));
  });

  it('a canonical URL that the policy rejects is ignored', async () => {
    const site = await startSite();
    site
      .page('/', ['/a'])
      .set('/a', { headers: HTML, body: '<link rel="canonical" href="http://elsewhere.example/a"><title>a</title>' });
    const rules = '<Rules><Rule><ar:Domain val="elsewhere.example"/><Ignore/></Rule></Rules>';
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${rules}` });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  });
});

describe('a page that names another URL as its canonical one', () => {
  const attributes = 'nearDuplicateDetector="true" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';
  const naming = (canonical: string, text = 'Words.') => ({
    headers: { ...HTML, etag: '"1"' },
    body: `<link rel="canonical" href="${canonical}"><title>t</title><p>${text}</p>`,
  });
  const crawled = async (paths: readonly string[], page?: FakePage) => {
    const site = await startSite();
    site.page('/', paths);
    for (const path of paths) page ? site.set(path, page) : site.page(path);
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, attributes });
    const urls = (...wanted: string[]) => wanted.map((path) => site.url(path)).sort();
    expect(await world.indexed()).toEqual(urls('/', ...paths));
    return { site, world, urls };
  };

  it.each([
    ['redirects back to it', { status: 301, headers: { location: '/a' } }],
    ['is gone', { status: 404 }],
    ['does not want to be indexed', { headers: HTML, body: '<meta name="robots" content="noindex"><title>x</title>' }],
    ['names a third one', naming('/', 'Other words.')],
  ])('stays in the index when that one %s', async (_what, answer) => {
    const { site, world, urls } = await crawled(['/a']);
    site.set('/a', naming('/other')).set('/other', answer);
    for (let day = 0; day < 5; day++) {
      await world.pass(days(1));
      expect(await world.indexed()).toEqual(urls('/', '/a'));
    }
    // It is asked for whole: when that one stands one day, an unchanged page has to give way too.
    expect((await world.state(site.url('/a')))?.etag).toBeUndefined();
  });

  it('is indexed in the same crawl when that one turns out not to be a document', async () => {
    const site = await startSite();
    const slips = ['/p0', '/p1', '/p2'];
    site
      .page('/', [...slips, '/a', '/b'])
      .set('/a', naming('/gone', 'One.'))
      .set('/b', naming('/noindex', 'Two.'));
    site.set('/noindex', { headers: HTML, body: '<meta name="robots" content="noindex"><title>x</title>' });
    for (const path of slips) {
      site.set(path, naming(`${path}/`, `Words of ${path}.`));
      site.set(`${path}/`, { status: 301, headers: { location: path } });
    }
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, attributes });
    expect(await world.indexed()).toEqual(['/', '/a', '/b', ...slips].map((path) => site.url(path)));
    expect((await world.state(site.url('/a')))?.canonical).toBeUndefined();
  });

  it('that names the first one in turn: one of the two stays, also when both are visited at once', async () => {
    const { site, world, urls } = await crawled(['/a', '/b']);
    site.set('/a', naming('/b', 'One.')).set('/b', naming('/a', 'Two.'));
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(seconds(1));
    const [stays] = (await world.indexed()).filter((url) => url !== site.url('/'));
    for (let day = 0; day < 5; day++) {
      await world.pass(days(1));
      expect(await world.indexed()).toEqual([...urls('/'), stays]);
    }
  });

  it('is deleted when that one is indexed, also with the same text, and returns when that one is gone', async () => {
    const text = Array.from({ length: 300 }, (_, n) => `heron ${n}`).join(' ');
    const plain = { headers: HTML, body: `<title>t</title><p>${text}</p>` };
    const { site, world, urls } = await crawled(['/a'], plain);
    site.set('/a', naming('/other', text)).set('/other', plain);
    for (let hour = 0; hour < 72; hour += 6) {
      await world.pass(hours(6));
      expect((await world.indexed()).length).toBeGreaterThan(1);
    }
    expect(await world.indexed()).toEqual(urls('/', '/other'));
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'visited', reason: 'canonical-elsewhere' });
    site.remove('/other');
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(urls('/', '/a'));
  });
});
