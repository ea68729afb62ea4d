import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';

const PAGE = `<title>A</title><nav>Home News</nav><main><h1>Storm</h1><p class="by">Ada</p><p>It will rain.</p>
<aside>Subscribe</aside></main><footer>Imprint</footer>`;

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start({
    keys: 'ops:operate:0123456789abcdef,eve:operate:fedcba9876543210,ann:read:0011223344556677',
    crawler:
      '<Root url="SITE/" followLinks="false"/><cw:Content name="forum"/><cw:Content><cw:Exclude select="nav"/></cw:Content>',
  });
});
afterAll(() => world.stop());

const KEYS = { ops: '0123456789abcdef', eve: 'fedcba9876543210', ann: '0011223344556677' };
const fetches = (path: string): number => world.site.requests.filter((one) => one.path === path).length;
const attempt = (path: string, content: string, more: object = {}, who: keyof typeof KEYS = 'ops') =>
  world.send(
    'POST',
    'crawlers/test/page/trial',
    { url: world.site.url(path), content, ...more },
    {
      authorization: `Bearer ${KEYS[who]}`,
    },
  );

it('a content definition is tried on a page that is fetched once', async () => {
  world.site.set('/storm.html', { body: PAGE, headers: { 'content-type': 'text/html' } });
  const first = await attempt('/storm.html', '<cw:Content/>');
  expect(first).toMatchObject({
    status: 200,
    body: { outcome: 'document', status: 200, content: '', problems: [], title: 'A' },
  });
  const { body } = await attempt(
    '/storm.html',
    '<cw:Content><cw:Include select="main"/><cw:Include select=".none"/><cw:Exclude select="aside"/>' +
      '<cw:Field name="by" select=".by"/><cw:Output chunks="800"/></cw:Content>',
  );
  expect(body.reading.text).toBe('Storm\nAda\nIt will rain.');
  expect(body.reading.metas).toContainEqual(expect.objectContaining({ name: 'by', value: 'Ada' }));
  expect(body.reading.chunks[0].text).toContain('It will rain.');
  expect(body.reading.look).toEqual({
    marked: [
      { text: 'Home News ', cut: true },
      { text: 'Storm Ada It will rain. ', cut: false },
      { text: 'Subscribe Imprint', cut: true },
    ],
    matches: { include: [1, 0], exclude: [1] },
  });
  expect(fetches('/storm.html')).toBe(1);
  const history = `crawlers/test/url?url=${encodeURIComponent(world.site.url('/storm.html'))}`;
  expect((await world.get(history, { authorization: `Bearer ${KEYS.ann}` })).status).toBe(404);
});

it('the page is fetched again when asked for, and for another key', async () => {
  world.site.set('/news.html', { body: '<p>old</p>', headers: { 'content-type': 'text/html' } });
  await attempt('/news.html', '<Content main="true"/>');
  world.site.set('/news.html', { body: '<p>new</p>', headers: { 'content-type': 'text/html' } });
  const text = async (...call: [object?, (keyof typeof KEYS)?]) =>
    (await attempt('/news.html', '<Content main="true"/>', ...call)).body.reading.text;
  expect(await text()).toBe('old');
  expect(await text({}, 'eve')).toBe('new');
  expect(await text()).toBe('old');
  expect(await text({ fresh: true })).toBe('new');
  expect(fetches('/news.html')).toBe(3);
});

it('mistakes are reported with their places, and without secrets', async () => {
  const wrong = (content: string) => attempt('/storm.html', content).then(({ body }) => body);
  const selector = await wrong('<cw:Content>\n  <cw:Exclude select="div["/>\n</cw:Content>');
  expect(selector).not.toHaveProperty('reading');
  expect(selector.problems).toEqual([
    expect.objectContaining({ severity: 'error', code: 'bad-value', line: 2, column: 15 }),
  ]);
  expect((await wrong('<cw:Content><cw:Field name="x" select="a" match="(a"/></cw:Content>')).problems).toHaveLength(1);
  expect((await wrong('<cw:Content>')).problems[0].code).toBe('xml-not-well-formed');
  expect((await wrong('<cw:Sink/>')).problems[0].code).toBe('wrong-root');
  process.env['CRAWLWAY_SECRET_TRIAL'] = 'planted';
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as a configuration has it
  const variable = await wrong('<cw:Content><cw:Include select="${CRAWLWAY_SECRET_TRIAL}"/></cw:Content>');
  delete process.env['CRAWLWAY_SECRET_TRIAL'];
  expect(variable.problems.length).toBeGreaterThan(0);
  expect(JSON.stringify(variable)).not.toContain('planted');
});

it('a trial needs the right to fetch pages, and is bounded', async () => {
  expect((await attempt('/storm.html', '<Content/>', {}, 'ann')).status).toBe(403);
  expect((await attempt('/storm.html', `<Content>${' '.repeat(30_000)}</Content>`)).status).toBe(400);
  expect((await attempt('/gone.html', '<Content/>')).body).toMatchObject({ outcome: 'http-404', status: 404 });
});
