import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { hours, minutes } from '../../../src/domain/time/units.js';
import { html } from '../../support/fake-site.js';
import { crawl, start, startSite } from '../../support/scenario.js';

const PAGES = ['/', '/a', '/b', '/c'];
const page = (path: string) => ({
  headers: { 'content-type': 'text/html' },
  body: html(path, path === '/' ? PAGES.slice(1) : []),
});

const fetcher = (logins: string): string =>
  `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${logins}</cw:Fetcher>`;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A server with Digest, SHA-256, each of whose nonces is good for two requests. */
function digestServer() {
  let nonce = 1;
  let uses = 0;
  const counted: string[] = [];
  const check = ({ headers, url }: IncomingMessage): boolean => {
    const field = (name: string) => new RegExp(`\\b${name}="?([^",]*)`).exec(headers.authorization ?? '')?.[1] ?? '';
    const secret = hash('robot:members:right');
    const wanted = hash(`${secret}:n${nonce}:${field('nc')}:${field('cnonce')}:auth:${hash(`GET:${url}`)}`);
    if (field('response') !== wanted) return false;
    counted.push(`${nonce} ${Number.parseInt(field('nc'), 16)}`);
    return true;
  };
  const isFromBefore = ({ headers }: IncomingMessage): boolean =>
    /\bnonce="n(\d+)/.test(headers.authorization ?? '') && !headers.authorization?.includes(`nonce="n${nonce}"`);
  return {
    counted,
    answer: (path: string) => (request: IncomingMessage) => {
      if (uses < 2 && check(request)) {
        uses++;
        return page(path);
      }
      const stale = uses >= 2 || isFromBefore(request);
      if (uses >= 2) {
        nonce++;
        uses = 0;
      }
      const challenge = `Digest realm="members", qop="auth", algorithm=SHA-256, nonce="n${nonce}", stale=${stale}`;
      return { status: 401, headers: { 'www-authenticate': challenge } };
    },
  };
}

it('a site with Digest is crawled completely, although its nonces expire', async () => {
  const site = await startSite();
  const server = digestServer();
  for (const path of PAGES) site.set(path, server.answer(path));
  const login = `<cw:Login name="m" type="digest" insecure="true" url="${site.url('/')}" user="robot" password="right"/>`;
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, more: fetcher(login) });
  expect(await world.indexed()).toEqual(PAGES.map((path) => site.url(path)));
  expect(new Set(server.counted).size).toBe(server.counted.length);
  expect(world.engine.logins.list()).toMatchObject([{ state: 'logged-in', refused: 0 }]);
});

it('a token is requested once, and again before it expires', async () => {
  const site = await startSite();
  let tokens = 0;
  let asked = '';
  site.set('/token', ({ headers }) => {
    asked = headers.authorization ?? '';
    tokens++;
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ access_token: `t${tokens}`, expires_in: 600 }),
    };
  });
  for (const path of PAGES)
    site.set(path, ({ headers }) => (headers.authorization === `Bearer t${tokens}` ? page(path) : { status: 401 }));
  const client = 'clientId="crawl er" clientSecret="p:ss"';
  const login = `<cw:Login name="api" type="oauth2" insecure="true" url="${site.url('/')}" tokenUrl="${site.url('/token')}" ${client}/>`;
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, more: fetcher(login) });
  expect(await world.indexed()).toEqual(PAGES.map((path) => site.url(path)));
  expect([tokens, asked]).toEqual([1, `Basic ${Buffer.from('crawl%20er:p%3Ass').toString('base64')}`]);
  await world.pass(hours(1));
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.untilIdle();
  expect(await world.state(site.url('/a'))).toMatchObject({ status: 'indexed' });
  expect(tokens).toBe(2);
});

it.each([20, 2])(
  'a token that lasts %i seconds opens pages, although it is asked for again and again',
  async (lifetime) => {
    const site = await startSite();
    let tokens = 0;
    site.set('/token', () => {
      tokens++;
      return {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ access_token: `t${tokens}`, expires_in: lifetime }),
      };
    });
    for (const path of PAGES)
      site.set(path, ({ headers }) => (headers.authorization === `Bearer t${tokens}` ? page(path) : { status: 401 }));
    const login = `<cw:Login name="api" type="oauth2" insecure="true" url="${site.url('/')}" tokenUrl="${site.url('/token')}" clientId="c" clientSecret="s"/>`;
    const world = await start({
      attributes: 'aggressive="false" throttleTimeMS="2500"',
      crawler: `<Root url="${site.url('/')}"/>`,
      more: fetcher(login),
    });
    await world.pass(minutes(5));
    expect(await world.indexed()).toEqual(PAGES.map((path) => site.url(path)));
    expect(tokens).toBeLessThanOrEqual(PAGES.length + 1);
  },
);

it('a server that requires another kind of login is reported with the right kind', async () => {
  const site = await startSite();
  site.set('/', { status: 401, headers: { 'www-authenticate': 'Negotiate, NTLM' } });
  const login = `<cw:Login name="m" type="basic" insecure="true" url="${site.url('/')}" user="robot" password="right"/>`;
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, more: fetcher(login) });
  expect(world.engine.logins.list()).toMatchObject([
    {
      state: 'failing',
      failure: 'changed',
      detail: expect.stringContaining('offers negotiate, ntlm, but this login supports only basic'),
    },
  ]);
  expect(await world.state(site.url('/'))).toMatchObject({ status: 'error', reason: 'login-failed' });
});
