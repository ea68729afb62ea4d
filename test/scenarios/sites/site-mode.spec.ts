import { describe, expect, it } from 'vitest';
import { days } from '../../../src/domain/time/units.js';
import { crawl, refusals, start, startSite } from '../../support/scenario.js';

const DAILY = 'smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400"';
const HTML = { 'content-type': 'text/html' };
const NAMES = {
  'foo.com': '127.0.0.1',
  'www.foo.com': '127.0.0.1',
  'bar.com': '127.0.0.2',
  'www.bar.com': '127.0.0.2',
};

describe('a configuration with only a Root', () => {
  const ALONE = 'defaultAccept="false"';

  it('crawls its site, and nothing else', async () => {
    const site = await startSite('127.0.0.1', 'foo.com');
    const other = await startSite('127.0.0.2', 'bar.com');
    site
      .page('/', ['/a', other.url('/')])
      .page('/a', ['/b'])
      .page('/b');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, attributes: ALONE, names: NAMES });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a'), site.url('/b')]);
    expect(other.requests).toEqual([]);
    expect(await refusals(world)).toEqual({ 'outside-site': [other.url('/')] });
  });

  it('treats a submitted root alike, and leaves one that is submitted without its site to the rules', async () => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a');
    const world = await start({ crawler: '', attributes: ALONE });
    const [alone] = await world.engine.roots.submit('test', [{ url: site.url('/'), site: false }]);
    expect(alone).toMatchObject({ outcome: 'rejected' });
    await world.engine.roots.submit('test', [{ url: site.url('/') }]);
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  });

  it('keeps the site of the second of two roots when the first is removed', async () => {
    const site = await startSite();
    site.page('/', ['/docs/', '/x']).page('/docs/', ['/docs/a']).page('/docs/a').page('/x');
    const docs = `<Root url="${site.url('/docs/')}"/>`;
    const attributes = `${ALONE} deletionGuard="false"`;
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${docs}`, attributes });
    expect(await world.indexed()).toHaveLength(4);
    await world.reconfigure({ crawler: docs, attributes });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/docs/'), site.url('/docs/a')]);
  });
});

describe('site mode of a root', () => {
  it('http://foo.com/bar: URLs that begin with it', async () => {
    const site = await startSite();
    site.page('/bar', ['/bar/a', '/barn', '/other', '/bar?q']).page('/bar/a', ['/']).page('/barn');
    await crawl({ crawler: `<Root url="${site.url('/bar')}" site="true"/>` });
    expect(site.fetched).toEqual(['/bar', '/bar/a', '/bar?q', '/barn']);
  });

  it('http://foo.com: foo.com and www.foo.com, and no other host', async () => {
    const site = await startSite('127.0.0.1', 'foo.com');
    const other = await startSite('127.0.0.2', 'bar.com');
    const www = (path: string): string => site.url(path).replace('foo.com', 'www.foo.com');
    site.page('/', ['/a', www('/b'), other.url('/c')]);
    const world = await crawl({ crawler: `<Root url="${site.origin}" site="true"/>`, names: NAMES });
    expect(site.fetched).toEqual(['/', '/a', '/b']);
    expect(other.requests).toEqual([]);
    expect(await refusals(world)).toEqual({ 'outside-site': [other.url('/c')] });
  });

  it.each(['HTTP', 'meta refresh'])(
    'if the home page redirects to another site by %s, that site becomes the one crawled',
    async (way) => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const other = await startSite('127.0.0.2', 'bar.com');
      const target = other.url('/').replace('bar.com', 'www.bar.com');
      if (way === 'HTTP') site.set('/', { status: 302, headers: { location: target } });
      else
        site.set('/', {
          headers: HTML,
          body: `<meta http-equiv="refresh" content="0; url=${target}"><title>moved</title>`,
        });
      other
        .page('/', ['/a', site.url('/old'), 'http://elsewhere.example/'])
        .page('/a', ['/b'])
        .page('/b');
      const attributes = 'followMoves="any"';
      const world = await crawl({ crawler: `<Root url="${site.origin}" site="true"/>`, names: NAMES, attributes });
      expect(other.fetched).toEqual(['/', '/a', '/b']);
      expect(site.fetched).toEqual(['/']);
      expect(await world.state(target)).toMatchObject({ status: 'indexed', discoveredVia: 'redirect' });
      // It is remembered: a change of the configuration, and the next refresh, stay on the new site.
      await world.reconfigure({ crawler: `<Root url="${site.origin}" site="true"/><cw:LinkRules/>`, attributes });
      await world.pass(days(8));
      expect(await world.indexed()).toHaveLength(3);
      expect(
        (await world.engine.explanations.explain('test', site.url('/old'), target)).explanation.verdict.reason,
      ).toBe('outside-site');
    },
  );

  it.each(['HTTP', 'meta refresh'])(
    'a home page that leads to another site for a while, by %s, costs no document of its own site',
    async (way) => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const other = await startSite('127.0.0.2', 'bar.com');
      site.page('/', ['/a', '/b']).page('/a').page('/b');
      other.page('/campaign', ['/more']).page('/more');
      const crawler = `<Root url="${site.origin}" site="true"/>`;
      const attributes = `${DAILY} followMoves="any"`;
      const world = await crawl({ crawler, attributes, names: NAMES });
      const target = other.url('/campaign');
      if (way === 'HTTP') site.set('/', { status: 302, headers: { location: target } });
      else site.set('/', { headers: HTML, body: `<meta http-equiv="refresh" content="0; url=${target}">` });
      await world.pass(days(2));
      site.page('/a', ['/found-meanwhile']).page('/found-meanwhile');
      await world.pass(days(2));
      const kept = [site.url('/a'), site.url('/b'), target, other.url('/more')].sort();
      expect(await world.indexed()).toEqual(kept);

      site.page('/', ['/a', '/b', '/c']).page('/c');
      await world.pass(days(5));
      const paths = ['/', '/a', '/b', '/c', '/found-meanwhile'];
      expect(await world.indexed()).toEqual(paths.map((path) => site.url(path)));
      await world.reconfigure({ crawler: `${crawler}<cw:LinkRules/>`, attributes });
      await world.untilIdle();
      expect(await world.indexed()).toHaveLength(paths.length);
    },
  );

  it.each(['the configuration', 'the submitted roots'])(
    'holds on when its root is taken out of %s, and explain says so',
    async (place) => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const other = await startSite('127.0.0.2', 'bar.com');
      const links = [other.url('/')];
      site.page('/', ['/a']).page('/a', links).page('/b');
      other.page('/');
      const configured = place === 'the configuration' ? `<Root url="${site.url('/')}" site="true"/>` : '';
      const crawler = `<Root url="${site.url('/b')}" site="false"/>`;
      const world = await crawl({ crawler: configured + crawler, names: NAMES });
      if (configured === '') await world.engine.roots.submit('test', [{ url: site.url('/'), site: true }]);
      await world.untilIdle();
      expect(await refusals(world)).toEqual({ 'outside-site': links });

      if (configured === '') await world.engine.roots.remove('test', site.url('/'));
      else await world.reconfigure({ crawler });
      site.page('/a', links, 'Now with news.');
      await world.pass(days(8));
      expect(await world.state(other.url('/'))).toBeUndefined();
      const { explanation } = await world.engine.explanations.explain('test', other.url('/'), site.url('/a'));
      expect(explanation.verdict).toMatchObject({ accepted: false, reason: 'outside-site' });
    },
  );

  it.each(['at once', 'later'])(
    'what lies on the site of another root is that root’s when the site of the first one is narrowed: %s',
    async (when) => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const other = await startSite('127.0.0.2', 'bar.com');
      site.page('/', ['/a', other.url('/')]).page('/a');
      other.page('/', ['/b']).page('/b', ['/c']).page('/c');
      const world = await crawl({
        crawler: `<Root url="${site.url('/')}" site="false"/>`,
        attributes: DAILY,
        names: NAMES,
      });
      const documents = await world.indexed();
      expect(documents).toHaveLength(5);
      const narrowed = `<Root url="${site.url('/')}" site="true"/>`;
      const both = `${narrowed}<Root url="${other.url('/')}" site="true"/>`;
      for (const crawler of when === 'later' ? [narrowed, both] : [both]) {
        const changed = { crawler, attributes: DAILY };
        for await (const { done, crawlers } of world.engine.preview(world.definition(changed)))
          if (done) expect(crawlers[0]?.documentsDeleted.count).toBe(crawler === narrowed ? 3 : 0);
        await world.reconfigure(changed);
        await world.pass(days(2));
        expect(await world.indexed()).toHaveLength(crawler === narrowed ? 2 : 5);
      }
      expect(await world.state(other.url('/c'))).toMatchObject({ status: 'indexed', root: other.url('/') });
    },
  );

  it.each([
    ['two roots of one host', '/docs/', '/blog/', '/blog/a'],
    ['the www name of the second root', 'http://other.test/', '/', 'http://www.foo.com:$/a'],
    ['a root without site mode behind one with it', '/docs/', 'http://bar.com/', '/a', 'site="false"'],
  ])(
    'explains a URL that is not known yet by the root that will lead to it: %s',
    async (_of, one, two, what, mode = 'site="true"') => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const at = (place: string): string => new URL(place.replace('$', String(site.port)), site.url('/')).href;
      const target = at(what);
      site
        .page(new URL(at(two)).pathname, [target])
        .page('/docs/')
        .page(new URL(target).pathname);
      const bar = mode === 'site="false"' ? await startSite('127.0.0.2', 'bar.com') : undefined;
      bar?.page('/', [target]);
      const second = bar ? bar.url('/') : at(two);
      const crawler = `<Root url="${at(one)}" site="true"/><Root url="${second}" ${mode}/>`;
      const world = await start({ crawler, names: NAMES });
      const before = (await world.engine.explanations.explain('test', target)).explanation.verdict.accepted;
      await world.untilIdle();
      expect(await world.indexed()).toContain(target);
      expect(before).toBe(true);
    },
  );

  it('redirects of other pages off the site are not followed; those within it are', async () => {
    const site = await startSite('127.0.0.1', 'foo.com');
    const other = await startSite('127.0.0.2', 'bar.com');
    site.page('/', ['/out', '/in']).page('/new');
    site.set('/out', { status: 301, headers: { location: other.url('/') } });
    site.set('/in', { status: 301, headers: { location: '/new' } });
    const world = await crawl({ crawler: `<Root url="${site.origin}" site="true"/>`, names: NAMES });
    expect(other.requests).toEqual([]);
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/new')]);
    const [visit] = (await world.engine.explanations.getUrlHistory('test', site.url('/out'))).visits;
    expect(visit?.detail).toBe(`to ${other.url('/')} (outside-site)`);
  });
});
