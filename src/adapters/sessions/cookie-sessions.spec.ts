import { expect, it } from 'vitest';
import { CookieSessions } from './cookie-sessions.js';

const URL_A = 'https://www.a.example/shop/';

it('a session sends cookies where they belong, and nowhere else', async () => {
  const session = new CookieSessions().open('a');
  expect(session.getCookies(URL_A)).toBeUndefined();
  expect(
    await session.storeCookies(URL_A, 'id=1; Path=/; Secure\nbasket=x; Path=/shop\nall=y; Path=/; Domain=a.example'),
  ).toBe(true);
  expect(session.getCookies(URL_A)).toBe('basket=x; id=1; all=y');
  expect(session.getCookies('http://www.a.example/')).toBe('all=y');
  expect(session.getCookies('https://b.a.example/')).toBe('all=y');
  expect(session.getCookies('https://www.b.example/')).toBeUndefined();
  expect(await session.storeCookies(URL_A, 'id=1; Path=/; Secure')).toBe(false);
  expect(await session.storeCookies(URL_A, 'id=; Max-Age=0; Path=/; Secure')).toBe(true);
});

it.each([
  ['for a public suffix', 'id=1; Domain=co.uk', 'https://a.co.uk/'],
  ['for another site', 'id=1; Domain=b.example', URL_A],
  ['of more than 4 kB', `id=${'1'.repeat(5_000)}`, URL_A],
  ['that is none', '\u0000;;=', URL_A],
])('a cookie %s is passed over', async (_name, cookie, url) => {
  const session = new CookieSessions().open('a');
  expect(await session.storeCookies(url, cookie)).toBe(false);
  expect(session.getCookies(url)).toBeUndefined();
});

it('a session with endless cookies stays small', async () => {
  const session = new CookieSessions().open('a');
  for (let i = 0; i < 300; i++) await session.storeCookies(URL_A, `c${i}=${'x'.repeat(100)}`);
  expect(session.getCookies(URL_A)!.split(';')).toHaveLength(200);
});

it('sessions are separate, and one that was not used for long is forgotten', async () => {
  const store = new CookieSessions();
  await store.open('a').storeCookies(URL_A, 'id=1');
  expect(store.open('b').getCookies(URL_A)).toBeUndefined();
  expect(store.open('a').getCookies(URL_A)).toBe('id=1');
  for (let i = 0; i < 10_000; i++) store.open(`other ${i}`);
  expect(store.open('a').getCookies(URL_A)).toBeUndefined();
});
