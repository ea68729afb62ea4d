import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld, type Problem } from './api-world.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
});
afterAll(() => world.stop());

const roots = 'crawlers/test/roots';
const pointers = (problem: Problem): (string | undefined)[] => (problem.errors ?? []).map(({ pointer }) => pointer);
const base64url = (text: string): string => Buffer.from(text).toString('base64url');

describe('a list in pages', () => {
  const submit = (path: string) => world.send('POST', roots, { url: world.site.url(path) });
  const takeBack = (path: string) => world.send('DELETE', `${roots}?url=${encodeURIComponent(world.site.url(path))}`);
  const pageOf = (next?: string) =>
    world.get(`${roots}?limit=1${next === undefined ? '' : `&cursor=${next}`}`).then(({ status, body }) => ({
      status,
      path: body.items?.[0] && new URL(body.items[0].url).pathname,
      next: body.next as string,
    }));

  it('of roots shows each root once, however many and however similar they are', async () => {
    const long = `/${'long/'.repeat(1000)}`;
    for (const path of [`${long}b`, '/r2', `${long}a`, '/r1']) expect((await submit(path)).status).toBe(201);
    const seen: string[] = [];
    for (let next: string | undefined; next !== null; ) {
      const page = await pageOf(next);
      expect(page.status).toBe(200);
      seen.push(page.path);
      next = page.next;
    }
    expect(seen).toHaveLength(5);
    expect(seen[0]).toBe('/');
    expect(seen.slice(1, 3).sort()).toEqual([`${long}a`, `${long}b`]);
    expect(seen.slice(3)).toEqual(['/r1', '/r2']);
    for (const path of seen.slice(1)) expect((await takeBack(path)).status).toBe(204);
  });

  it('of roots resumes at the right place when the root of the cursor was removed', async () => {
    for (const path of ['/r1', '/r2', '/r3']) await submit(path);
    const second = await pageOf((await pageOf()).next);
    expect(second.path).toBe('/r1');
    await takeBack('/r1');
    const third = await pageOf(second.next);
    expect(third.path).toBe('/r2');
    await takeBack('/r3');
    expect(await pageOf(third.next)).toMatchObject({ status: 200, path: undefined, next: null });
    await takeBack('/r2');
  });

  it('refuses a cursor that the server has not issued', async () => {
    const folders = `hosts/127.0.0.1%3A${world.site.port}/folders?crawler=test`;
    for (const list of ['audit?', 'config/versions?', 'orders?', 'crawlers/test/urls?', `${roots}?`, `${folders}&`]) {
      expect((await world.get(`${list}cursor=`)).status, 'an empty one is the first page').toBe(200);
      for (const cursor of ['!!!', `${base64url('5')}=`]) {
        const { status, body } = await world.get<Problem>(`${list}cursor=${encodeURIComponent(cursor)}`);
        expect([status, ...pointers(body)], `${list}${cursor}`).toEqual([422, '?cursor']);
      }
    }
    for (const list of ['audit?', 'config/versions?', 'orders?', 'crawlers/test/urls?', `${folders}&`]) {
      for (const position of ['-1', ' 5 ', '0x10', '1e3', '1.5', '05', '9'.repeat(20)]) {
        expect((await world.get(`${list}cursor=${base64url(position)}`)).status, `${list}${position}`).toBe(422);
      }
    }
    expect((await world.get(`hosts?crawler=test&cursor=${base64url('a\0')}`)).status).toBe(422);
  });
});

describe('a number in a URL', () => {
  it('is written in digits, in the query and in the path', async () => {
    for (const limit of ['0x10', '1e2', ' 5', '5.0', '', '0', '1001']) {
      const { status, body } = await world.get<Problem>(`orders?limit=${encodeURIComponent(limit)}`);
      expect([status, ...pointers(body)], limit).toEqual(expect.arrayContaining([400, '?limit']));
    }
    expect((await world.get('orders?limit=10')).status).toBe(200);
    for (const index of ['%20', '0x0', '1e0', '+0', '-0']) {
      expect((await world.get(`config/crawlers/test/rules/${index}`)).status, index).toBe(400);
      expect((await world.get(`config/versions/${index}`)).status, index).toBe(400);
      expect((await world.send('POST', `orders/${index}/retry`)).status, index).toBe(400);
    }
    expect((await world.get('config/crawlers/test/rules/0')).status).toBe(200);
  });
});

describe('a time in a query', () => {
  it('must be a date with time and zone', async () => {
    const asked = (moment: string) =>
      world.get<Problem>(`crawlers/test/urls?visitedBefore=${encodeURIComponent(moment)}`);
    for (const moment of ['2026-W10', '2026-001', '2026-03-01', '2026-02-30T00:00:00Z', '2026-03-01T08:00:00', '']) {
      const { status, body } = await asked(moment);
      expect([status, ...pointers(body)], moment).toEqual([400, '?visitedBefore']);
    }
    for (const moment of ['9999-03-01T08:00:00Z', '9999-03-01T08:00:00.123+01:00']) {
      expect((await asked(moment)).body).toMatchObject({ items: expect.arrayContaining([expect.anything()]) });
    }
  });
});
