import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { days, hours, minutes, seconds } from '../../../src/domain/time/units.js';
import { CrawlWorld, type WorldOptions } from '../../support/crawl-world.js';
import { FakeSite, html, type SeenRequest } from '../../support/fake-site.js';

const conditions = (inside: string): string => `<cw:Conditions>${inside}</cw:Conditions>`;
const onPath = (path: string, name: string, value: string): string =>
  conditions(`<cw:apply-for field="path" value="${path}"><cw:option name="${name}" value="${value}"/></cw:apply-for>`);

describe('an option that a condition sets applies to its URLs only', () => {
  let site: FakeSite;
  let world: CrawlWorld;

  beforeEach(async () => {
    site = await FakeSite.start();
    site.page('/', ['/special', '/plain']).page('/special').page('/plain');
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  const crawl = async (inside: string, options: Partial<WorldOptions> = {}): Promise<void> => {
    world = await CrawlWorld.start({ crawler: `<Root url="${site.url('/')}"/>${inside}`, ...options });
    await world.untilIdle(minutes(5));
  };
  const asked = (path: string): SeenRequest | undefined => site.requests.find((request) => request.path === path);
  const stateOf = (path: string) => world.state(site.url(path));

  it('user-agent', async () => {
    await crawl(onPath('/special', 'user-agent', 'Special/2.0'));
    expect(asked('/special')?.headers['user-agent']).toBe('Special/2.0');
    expect(asked('/plain')?.headers['user-agent']).toBe('Crawlway/0.1');
  });

  it('header: each name is separate, the last value of one wins', async () => {
    const inside = `<cw:option name="header" value="X-One: global"/><cw:option name="header" value="X-Two: global"/>
      <cw:apply-for field="path" value="/special"><cw:option name="header" value="X-Two: special"/></cw:apply-for>`;
    await crawl(conditions(inside));
    expect(asked('/special')?.headers).toMatchObject({ 'x-one': 'global', 'x-two': 'special' });
    expect(asked('/plain')?.headers).toMatchObject({ 'x-one': 'global', 'x-two': 'global' });
  });

  it('credentials', async () => {
    await crawl(onPath('/special', 'credentials', 'ann:secret'));
    expect(asked('/special')?.headers.authorization).toBe(`Basic ${btoa('ann:secret')}`);
    expect(asked('/plain')?.headers.authorization).toBeUndefined();
  });

  it('fetcher: its user agent, headers and robots.txt group apply, and no request is made by the other one', async () => {
    site.set('/robots.txt', { body: 'User-agent: special\nDisallow: /special/no\n\nUser-agent: *\nAllow: /' });
    site.page('/', ['/special/yes', '/special/no', '/plain']).page('/special/yes').page('/special/no');
    await crawl(onPath('/special/*', 'fetcher', 'special'), {
      attributes: 'ignoreRobotsTxt="false"',
      more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
        <cw:Fetcher name="special" userAgent="Special/2.0" robotsAgent="special"><cw:AllowAddress cidr="127.0.0.0/8"/>
        <cw:Header name="X-One" value="special"/></cw:Fetcher>`,
    });
    expect(asked('/special/yes')?.headers).toMatchObject({ 'user-agent': 'Special/2.0', 'x-one': 'special' });
    expect(asked('/plain')?.headers['user-agent']).toBe('Crawlway/0.1');
    expect(await stateOf('/special/no')).toMatchObject({ reason: 'robots-disallowed' });
    expect(site.fetched).toEqual(['/', '/plain', '/special/yes']);
  });

  it('proxy', async () => {
    const proxy = await FakeSite.start('127.0.0.2');
    try {
      proxy.set(site.url('/special'), { headers: { 'content-type': 'text/html' }, body: html('by proxy', []) });
      await crawl(onPath('/special', 'proxy', proxy.origin));
      expect(proxy.fetched).toEqual([site.url('/special')]);
      expect(site.fetched).toEqual(['/', '/plain']);
      expect(await stateOf('/special')).toMatchObject({ status: 'indexed', title: 'by proxy' });
    } finally {
      await proxy.close();
    }
  });

  it('proxy, user-agent and header apply to robots.txt, without which nothing of a host is requested; credentials do not', async () => {
    const proxy = await FakeSite.start('127.0.0.2');
    try {
      const [inner, other] = ['http://inner.example', 'http://other.example'];
      proxy
        .page(
          `${inner}/`,
          ['/yes', '/no'].map((path) => inner + path),
        )
        .page(`${inner}/yes`);
      proxy.set(`${inner}/robots.txt`, { status: 301, headers: { location: `${other}/robots.txt` } });
      proxy.set(`${other}/robots.txt`, { body: 'User-agent: *\nDisallow: /no' });
      const set = (name: string, value: string) => `<cw:option name="${name}" value="${value}"/>`;
      const options = `${set('proxy', proxy.origin)}${set('user-agent', 'Special/2.0')}${set('header', 'X-Key: abc')}${set('credentials', 'ann:secret')}`;
      world = await CrawlWorld.start({
        crawler: `<Root url="${inner}/"/>${conditions(`<cw:apply-for field="host" value="inner.example">${options}</cw:apply-for>`)}`,
        names: {},
      });
      await world.untilIdle();
      expect(await world.indexed()).toEqual([`${inner}/`, `${inner}/yes`]);
      expect((await world.state(`${inner}/no`))?.reason).toBe('robots-disallowed');
      const headersOf = (url: string) => proxy.requests.find(({ path }) => path === url)?.headers;
      expect(headersOf(`${inner}/robots.txt`)).toMatchObject({ 'user-agent': 'Special/2.0', 'x-key': 'abc' });
      expect(headersOf(`${inner}/robots.txt`)).not.toHaveProperty('authorization');
      expect(headersOf(`${inner}/`)).toHaveProperty('authorization');
      expect(headersOf(`${other}/robots.txt`)).not.toHaveProperty('x-key');
    } finally {
      await proxy.close();
    }
  });

  it('max-size-bytes: a longer document is an error, not truncated', async () => {
    site.page('/special', [], 'x'.repeat(5000)).page('/plain', [], 'y'.repeat(5000));
    await crawl(onPath('/special', 'max-size-bytes', '4096'));
    expect(await stateOf('/special')).toMatchObject({ status: 'error', reason: 'body-too-large' });
    expect(await stateOf('/plain')).toMatchObject({ status: 'indexed' });
  });

  it('max-hops: links further away are refused', async () => {
    site.page('/special', ['/special/far']).page('/plain', ['/plain/far']).page('/special/far').page('/plain/far');
    await crawl(onPath('/special*', 'max-hops', '1'));
    expect(site.fetched).toEqual(['/', '/plain', '/plain/far', '/special']);
    expect(await world.engine.urls.listRefusedLinks('test')).toMatchObject([
      { reason: 'condition-max-hops', count: 1 },
    ]);
  });

  it('max-hops: a page on which links were refused is read again when it is submitted, and they are followed', async () => {
    site.page('/special', ['/special/far']).page('/special/far', ['/special/farther']);
    await crawl(onPath('/special*', 'max-hops', '1'));
    await world.pass(minutes(1));
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.untilIdle();
    await world.engine.roots.submit('test', [{ url: site.url('/special') }]);
    await world.untilIdle();
    expect(site.fetched).toEqual(['/', '/plain', '/special', '/special/far']);
  });

  it('obey-robots off: robots.txt and robots meta elements of those URLs are ignored', async () => {
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /special\nDisallow: /plain\n' });
    site.set('/special', {
      headers: { 'content-type': 'text/html' },
      body: '<html><head><title>s</title><meta name="robots" content="noindex, nofollow"></head><a href="/more">more</a></html>',
    });
    site.page('/more');
    await crawl(onPath('/special', 'obey-robots', 'false'));
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/more'), site.url('/special')]);
    expect(await stateOf('/plain')).toMatchObject({ status: 'excluded', reason: 'robots-disallowed' });
  });

  it('obey-robots on, in a crawler that ignores robots.txt', async () => {
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /\n' });
    await crawl(onPath('/special', 'obey-robots', 'true'), { attributes: 'ignoreRobotsTxt="true"' });
    expect(site.fetched).toEqual(['/', '/plain']);
    expect(await stateOf('/special')).toMatchObject({ status: 'excluded', reason: 'robots-disallowed' });
  });

  it('read-timeout-ms: how long the site may be silent', async () => {
    site.set('/special', () => undefined);
    await crawl(`${onPath('/special', 'read-timeout-ms', '50')}<cw:ErrorPolicy retryDelayS="3600"/>`);
    expect(await stateOf('/special')).toMatchObject({ status: 'error', reason: 'read-timeout' });
    expect(await stateOf('/plain')).toMatchObject({ status: 'indexed' });
  });

  it('total-timeout-ms: how long one document may take although data keep arriving', async () => {
    site.set('/special', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const drip = setInterval(() => response.write('<p>more</p>'), 10);
      response.on('close', () => clearInterval(drip));
    });
    await crawl(`${onPath('/special', 'total-timeout-ms', '150')}<cw:ErrorPolicy retryDelayS="3600"/>`);
    expect(await stateOf('/special')).toMatchObject({ status: 'error', reason: 'read-timeout' });
  });

  it('throttle-ms: the pause after a URL, for the next one of its host', async () => {
    site.page('/', ['/special/1', '/special/2', '/special/3']).page('/special/1').page('/special/2').page('/special/3');
    await crawl(onPath('/special*', 'throttle-ms', '60000'), { attributes: 'aggressive="false" nthreads="1"' });
    expect(site.fetched).toEqual(['/', '/special/1', '/special/2', '/special/3']);
    const times = await Promise.all([1, 2, 3].map(async (n) => (await stateOf(`/special/${n}`))!.lastVisitAt!));
    times.sort((a, b) => a - b);
    expect(times[1]! - times[0]!).toBe(60_000);
    expect(times[2]! - times[1]!).toBe(60_000);
  });

  it('concurrency-per-host: how many requests to the host are made at once', async () => {
    let open = 0;
    let most = 0;
    const paths = Array.from({ length: 12 }, (_, i) => `/page${i}`);
    site.page('/', paths);
    for (const path of paths) {
      site.set(path, (_request, response) => {
        most = Math.max(most, ++open);
        setTimeout(() => {
          open--;
          response.writeHead(200, { 'content-type': 'text/html' });
          response.end(html(path, []));
        }, 20);
        return undefined;
      });
    }
    await crawl(conditions('<cw:option name="concurrency-per-host" value="3"/>'), {
      attributes: 'aggressive="false" throttleTimeMS="0" nthreads="8"',
    });
    expect(site.fetched).toHaveLength(13);
    expect(most).toBe(3);
  });

  it('near-duplicate-detector', async () => {
    const text =
      'The same long text about enterprise search, told twice in the same words, to be found only once. '.repeat(20);
    const twin = (path: string) => ({
      headers: { 'content-type': 'text/html' },
      body: `<title>t</title>${text} ${path}<a href="${path}"></a>`,
    });
    site.page('/', ['/first'], 'The start page.').set('/first', twin('/first'));
    await crawl(onPath('/special', 'near-duplicate-detector', 'false'), { attributes: 'nearDuplicateDetector="true"' });
    site.page('/', ['/special', '/plain'], 'The start page with more links.');
    site.set('/special', twin('/special')).set('/plain', twin('/plain'));
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.untilIdle();
    expect(await stateOf('/plain')).toMatchObject({ status: 'visited', reason: 'near-duplicate' });
    expect(await stateOf('/special')).toMatchObject({ status: 'indexed' });
  });

  it('refresh-minimum-age-s and refresh-maximum-age-s: when the document is visited again', async () => {
    const inside = `<cw:apply-for field="path" value="/special"><cw:option name="refresh-minimum-age-s" value="600"/><cw:option name="refresh-maximum-age-s" value="600"/></cw:apply-for>`;
    await crawl(conditions(inside));
    site.forgetRequests();
    await world.pass(minutes(11));
    expect(site.fetched).toEqual(['/special']);
  });

  it('error-expiry-s: when a URL in error is tried again', async () => {
    site.remove('/special').remove('/plain');
    await crawl(onPath('/special', 'error-expiry-s', '300'), {
      attributes: 'smartRefreshMinAgeS="604800" smartRefreshMaxAgeS="604800"',
    });
    site.forgetRequests();
    site.page('/special').page('/plain');
    await world.pass(seconds(290));
    expect(site.fetched).toEqual([]);
    await world.pass(seconds(20));
    expect(site.fetched).toEqual(['/special']);
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/special')]);
    await world.pass(hours(1));
    await world.pass(days(7));
    expect(await world.indexed()).toContain(site.url('/plain'));
  });
});
