import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
});
afterAll(() => world.stop());

const like = (pattern: string): string => encodeURIComponent(`${world.site.origin}${pattern}`);

describe('the calls that change what is crawled', () => {
  it('return 201 for a new root, 200 for a known one, 422 with the reasons for one that the policy rejects', async () => {
    world.site.page('/island/', ['/island/1.html']).page('/island/1.html');
    const url = world.site.url('/island/');
    const first = await world.send('POST', 'crawlers/test/roots', { url, metas: [{ name: 'team', value: 'search' }] });
    expect([first.status, first.body.url]).toEqual([201, url]);
    await world.caughtUp(6);
    expect((await world.send('POST', 'crawlers/test/roots', { url })).status).toBe(200);
    const rejected = await world.send('POST', 'crawlers/test/roots', { url: 'ftp://files.example/' });
    expect(rejected.status).toBe(422);
    expect(rejected.headers.get('content-type')).toContain('application/problem+json');
    expect(rejected.body.errors[0].detail).not.toBe('');
    const roots = (await world.get('crawlers/test/roots')).body.items;
    expect(roots.map((root: { url: string; origin: string }) => [new URL(root.url).pathname, root.origin])).toEqual(
      expect.arrayContaining([
        ['/', 'configuration'],
        ['/island/', 'submitted'],
      ]),
    );
    expect((await world.send('DELETE', `crawlers/test/roots?url=${encodeURIComponent(url)}`)).status).toBe(204);
    const left = (await world.get('crawlers/test/roots')).body.items.map((root: { url: string }) => root.url);
    expect(left).not.toContain(url);
  });

  it.each(['acl_allow', 'ACL_Deny'])('refuse a root that says by a meta who may see documents: %s', async (name) => {
    const metas = [{ name, value: 'everyone' }];
    const { status, body } = await world.send('POST', 'crawlers/test/roots', { url: world.site.url('/hr/'), metas });
    expect([status, body.errors?.[0].pointer]).toEqual([400, '/metas/0/name']);
  });

  it('refuse a root with a misspelt or mistyped field, naming it', async () => {
    const { status, body } = await world.send('POST', 'crawlers/test/roots', {
      url: 'https://a.example/',
      sites: true,
      priority: 9,
    });
    expect(status).toBe(400);
    expect(body.errors.map((error: { pointer: string }) => error.pointer).sort()).toEqual(['/priority', '/sites']);
  });

  it('accept a URL list and return the result of each line', async () => {
    world.site.page('/one.html').page('/two.html');
    const list = `# ours\n${world.site.url('/one.html')}\n${world.site.url('/a.html')}\n\nnews:no\\ \nftp://no.example/\nmailto:ann@example.com\n`;
    const { status, body } = await world.send('POST', 'crawlers/test/roots/list', list);
    expect(status).toBe(200);
    expect(body).toMatchObject({ new: 1, known: 1, rejected: 3 });
    const rejections = body.rejections.map(({ line, url }: { line: number; url: string }) => [line, url]);
    expect(rejections).toEqual([
      [5, expect.stringContaining('news:no')],
      [6, expect.stringContaining('ftp://no.example/')],
      [7, 'mailto:ann@example.com'],
    ]);
  });

  it('clear by pattern only with confirmation, and return the number first', async () => {
    world.site.page('/old/', ['/old/1.html', '/old/2.html']).page('/old/1.html').page('/old/2.html');
    const { indexed } = await world.caughtUp();
    await world.send('POST', 'crawlers/test/roots', { url: world.site.url('/old/') });
    await world.caughtUp(indexed + 3);
    const asked = await world.send('DELETE', `crawlers/test/urls?like=${like('/old/%.html')}`);
    expect([asked.status, asked.body.count]).toEqual([409, 2]);
    expect((await world.get('crawlers/test')).body.indexed).toBe(indexed + 3);
    const none = await world.send('DELETE', 'crawlers/test/urls?like=old*');
    expect(none.body).toMatchObject({ count: 0, detail: expect.stringContaining('write %old%') });
    const stars = await world.send('DELETE', `crawlers/test/urls?like=${like('/old/*.html')}`);
    expect(stars.body.count).toBe(2);
    const done = await world.send('DELETE', `crawlers/test/urls?like=${like('/old/%.html')}&confirm=true`);
    expect([done.status, done.body.count]).toEqual([200, 2]);
    await world.caughtUp(indexed + 1);
    expect((await world.send('DELETE', 'crawlers/test/urls?confirm=true')).status).toBe(422);
    const nobody = await world.send('DELETE', 'crawlers/test/urls?status=indexed&host=elsewhere&confirm=true');
    expect([nobody.status, nobody.body.count]).toEqual([200, 0]);
    expect(world.pushed.filter((order) => order.startsWith('delete')).sort()).toEqual([
      'delete /old/1.html',
      'delete /old/2.html',
    ]);
  });

  it('refresh one URL or a pattern now', async () => {
    world.site.forgetRequests();
    const one = await world.send('POST', 'crawlers/test/refresh', { url: world.site.url('/a.html') });
    expect([one.status, one.body.count]).toEqual([200, 1]);
    const many = await world.send('POST', 'crawlers/test/refresh', { like: `${world.site.origin}/%.html` });
    expect(many.body.count).toBeGreaterThanOrEqual(3);
    const failed = await world.send('POST', 'crawlers/test/refresh', { reason: 'http-404', host: 'elsewhere' });
    expect([failed.status, failed.body.count]).toEqual([200, 0]);
    const filtered = await world.send('POST', 'crawlers/test/refresh', { status: 'indexed', indexed: false });
    expect([filtered.status, filtered.body.count]).toEqual([200, 0]);
    for (const body of [{}, { url: 'x', like: 'y' }, { url: 'x', reason: 'http-404' }, { prefix: '' }])
      expect((await world.send('POST', 'crawlers/test/refresh', body)).status).toBe(422);
    const unknown = await world.send('POST', 'crawlers/test/refresh', { url: 'https://never.example/' });
    expect(unknown.status).toBe(404);
  });

  it('forget errors, and report how many; a root is visited again', async () => {
    await world.send('POST', 'crawlers/test/roots', { url: world.site.url('/gone.html') });
    await world.caughtUp();
    world.site.forgetRequests();
    const { status, body } = await world.send('DELETE', 'crawlers/test/errors');
    expect(status).toBe(200);
    expect(body.count).toBeGreaterThan(0);
    await expect.poll(() => world.site.fetched).toContain('/gone.html');
  });

  it('export the pending file and import it again', async () => {
    await world.send('POST', 'crawlers/test/roots', { url: world.site.url('/broken.html') });
    await world.caughtUp();
    const file = await world.get('crawlers/test/pending');
    expect(file.headers.get('content-type')).toContain('text/plain');
    const lines = file.text.trimEnd().split('\n');
    expect(lines).toEqual([...lines].sort());
    expect(lines.find((line) => line.includes('/a.html'))).toMatch(/ test \d{10}$/);
    expect(lines.find((line) => line.includes('/broken.html'))).toMatch(/ test 2$/);
    const more = `${file.text}${world.site.url('/later.html')} test 0\nnonsense\n`;
    const { status, body } = await world.send('PUT', 'crawlers/test/pending', more);
    expect(status).toBe(200);
    expect(body).toMatchObject({ imported: 1, known: lines.length });
    expect(body.problems).toHaveLength(1);
  });

  it('show the ledger of orders, newest first, with filters', async () => {
    const { body } = await world.get('orders?limit=3');
    const ids = body.items.map((order: { id: number }) => order.id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(body.next).not.toBeNull();
    const rest = await world.get(`orders?limit=3&cursor=${body.next}`);
    expect(rest.body.items[0].id).toBeLessThan(ids[2]);
    expect((await world.get(`orders?uri=${like('/a.html')}`)).body.items).toHaveLength(1);
    expect((await world.get('orders?state=refused')).body.items).toEqual([]);
    expect((await world.get('orders?cursor=bm9wZQ')).status).toBe(422);
    expect((await world.send('POST', 'orders/999999/retry')).status).toBe(404);
    expect((await world.send('POST', 'orders/x/retry')).status).toBe(400);
    expect((await world.get('held-deletions')).body.items).toEqual([]);
    for (const decision of ['release', 'drop?reason=http-404'])
      expect(await world.send('POST', `held-deletions/unknown.example/${decision}`)).toMatchObject({
        status: 404,
        body: { detail: expect.stringContaining('The guards hold nothing for that host') },
      });
    expect((await world.get('sinks')).body.items[0]).toMatchObject({ name: 'main', type: 'file', state: 'ready' });
  });
});
