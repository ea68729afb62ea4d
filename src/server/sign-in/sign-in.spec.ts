import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { readOidcOptions } from './oidc-options.js';
import { SignIn } from './sign-in.js';
import { isSameOriginRequest, readSessionToken, setSessionCookie } from './sign-in-cookies.js';

const of = (method: string, headers: Record<string, string>) =>
  ({ method, headers: { host: 'crawl.example', ...headers } }) as unknown as FastifyRequest;

it.each([
  [true, 'POST', { 'sec-fetch-site': 'same-origin' }],
  [false, 'GET', { 'sec-fetch-site': 'same-site' }],
  [false, 'GET', { 'sec-fetch-site': 'cross-site', origin: 'https://crawl.example' }],
  [true, 'GET', { 'sec-fetch-site': 'none' }],
  [true, 'HEAD', { 'sec-fetch-site': 'none' }],
  [false, 'POST', { 'sec-fetch-site': 'none' }],
  [true, 'GET', {}],
  [true, 'HEAD', {}],
  [false, 'POST', {}],
  [true, 'POST', { origin: 'https://crawl.example' }],
  [false, 'POST', { origin: 'https://evil.example' }],
  [false, 'POST', { origin: 'null' }],
])('whether a page of this server sent the cookie: %s for %s %j', (expected, method, headers) =>
  expect(isSameOriginRequest(of(method, headers as Record<string, string>))).toBe(expected),
);

it('over TLS, the cookie of a session has a name that only this host can set, and lasts eight hours', () => {
  const cookies: string[] = [];
  const reply = { raw: { appendHeader: (_: string, value: string) => cookies.push(value) } } as unknown as FastifyReply;
  setSessionCookie(reply, 'abc', true);
  const [cookie = ''] = cookies;
  expect(cookie.split('; ').sort()).toEqual([
    'HttpOnly',
    'Max-Age=28800',
    'Path=/',
    'SameSite=Strict',
    'Secure',
    '__Host-crawlway_session=abc',
  ]);
  expect(readSessionToken(of('GET', { cookie: cookie.split(';')[0]! }), true)).toBe('abc');
  expect(readSessionToken(of('GET', { cookie: 'crawlway_session=abc' }), true)).toBeUndefined();
});

it('the provider sends browsers back to the public URL, also below a path', () => {
  const environment = { ISSUER: 'https://id.example', CLIENT_ID: 'crawlway', ROLES: '*:read' };
  const options = readOidcOptions(
    Object.fromEntries(Object.entries(environment).map(([name, value]) => [`CRAWLWAY_OIDC_${name}`, value])),
  )!;
  const back = (publicUrl?: string) =>
    new SignIn(options, new ManualClock(), {} as never, publicUrl ? new URL(publicUrl) : undefined).createCallbackUrl(
      of('GET', {}),
    ).href;
  expect(back('https://a.example/crawl/')).toBe('https://a.example/crawl/auth/callback');
  expect(back('https://a.example/crawl')).toBe('https://a.example/crawl/auth/callback');
  expect(back()).toBe('http://crawl.example/auth/callback');
});
