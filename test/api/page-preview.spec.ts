import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start({ crawler: '<Root url="SITE/" followLinks="false"/>' });
  await world.caughtUp();
  world.site
    .set('/robots.txt', { body: 'User-agent: *\nDisallow: /secret/\nDisallow: /print\n' })
    .page('/new/', ['/new/a.html', '/print/a.html', 'https://elsewhere.example/', '/new/a.zip'])
    .set('/moved', { status: 301, headers: { location: '/new/' } })
    .page('/secret/a.html');
});
afterAll(() => world.stop());

/** The configuration in force with one crawler more. */
const draft = (crawler = '<Root url="SITE/new/" site="true"/>'): string =>
  world
    .configuration()
    .replace(
      '</CrawlConfig>',
      `<Crawler name="new" throttleTimeMS="0" aggressive="true">${crawler.replaceAll('SITE', world.site.origin)}<cw:PushTo sink="main"/></Crawler></CrawlConfig>`,
    );

const look = (url: string, body = draft(), crawler = 'new') =>
  world.send('POST', `config/look?crawler=${crawler}&url=${encodeURIComponent(url)}`, body, {
    'content-type': 'application/xml',
  });

it('a page is previewed with a draft configuration, and nothing is stored', async () => {
  const before = await world.etag();
  const { status, body } = await look(world.site.url('/new/'));
  expect(status).toBe(200);
  expect(body).toMatchObject({ outcome: 'document', status: 200, robots: { state: 'allowed', agent: 'crawlway' } });
  const links = Object.fromEntries(
    body.links.map((link: { url: string; robots?: object; explanation: { verdict: object } }) => [
      link.url.replace(world.site.origin, ''),
      { ...link.explanation.verdict, robots: link.robots },
    ]),
  );
  expect(links).toMatchObject({
    '/new/a.html': { accepted: true, robots: { state: 'allowed' } },
    '/print/a.html': { robots: { state: 'disallowed', line: 3, rule: 'Disallow: /print' } },
    'https://elsewhere.example/': { accepted: false, reason: 'outside-site' },
  });
  expect(links['https://elsewhere.example/']).toHaveProperty('robots', undefined);
  expect(await world.etag()).toBe(before);
  expect((await world.get(`crawlers/test/url?url=${encodeURIComponent(world.site.url('/new/'))}`)).status).toBe(404);
  expect((await world.get('crawlers')).body.items.map(({ name }: { name: string }) => name)).toEqual(['test']);
});

it('a page that robots.txt forbids is not fetched, and the line is shown', async () => {
  const { body } = await look(world.site.url('/secret/a.html'));
  expect(body).toMatchObject({ outcome: 'robots-disallowed', detail: 'line 2: Disallow: /secret/', links: [] });
  expect(world.site.fetched).not.toContain('/secret/a.html');
  const own = draft('<Root url="SITE/"/>').replace('name="new"', 'name="new" ignoreRobotsTxt="true"');
  expect((await look(world.site.url('/secret/a.html'), own)).body).toMatchObject({
    outcome: 'document',
    robots: { state: 'ignored' },
  });
});

it('the target of a redirect is shown', async () => {
  const { body } = await look(world.site.url('/moved'), draft('<Root url="SITE/" site="true"/>'));
  expect(body).toMatchObject({ outcome: 'redirect', target: world.site.url('/new/') });
});

it('URLs that cannot be previewed are refused with the reason', async () => {
  expect((await look(world.site.url('/'), draft(), 'nobody')).status).toBe(404);
  expect((await look('nonsense://')).status).toBe(422);
  const wrong = await look(world.site.url('/'), draft().replace('</CrawlConfig>', ''));
  expect(wrong).toMatchObject({ status: 422, body: { errors: expect.arrayContaining([expect.anything()]) } });
  expect(await look('http://127.0.0.1:9/')).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('http://127.0.0.1:9 cannot be reached') },
  });
});
