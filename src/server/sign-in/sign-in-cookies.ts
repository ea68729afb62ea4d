/** The two cookies of a sign-in: neither can be read by a script, and neither is sent for another site. */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_LENGTH } from './console-sessions.js';
import type { PendingSignIn } from './openid-provider.js';

const SESSION_COOKIE = 'crawlway_session';
const PENDING_COOKIE = 'crawlway_sign_in';
const PENDING_MAX_AGE_S = 600;

/** With the prefix, neither another host of the domain nor a page without TLS can set the cookie (RFC 6265bis). */
const buildCookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name);

const parseCookies = ({ headers }: FastifyRequest): Record<string, string | undefined> =>
  headers.cookie === undefined ? {} : parseCookie(headers.cookie);

/** An empty value is that of a session that has ended. */
export const readSessionToken = (request: FastifyRequest, secure: boolean): string | undefined =>
  parseCookies(request)[buildCookieName(SESSION_COOKIE, secure)] || undefined;

/** The sign-in that this browser has started; undefined if there is none or the cookie is not valid. */
export function readPendingSignIn(request: FastifyRequest, secure: boolean): PendingSignIn | undefined {
  try {
    const text = parseCookies(request)[buildCookieName(PENDING_COOKIE, secure)] ?? '';
    const { state, nonce, verifier, to } = JSON.parse(Buffer.from(text, 'base64url').toString()) as PendingSignIn;
    return [state, nonce, verifier, to].every((value) => typeof value === 'string')
      ? { state, nonce, verifier, to }
      : undefined;
  } catch {
    return undefined;
  }
}

/** SameSite is lax because the provider, which is another site, sends the browser back here. */
export const setPendingCookie = (reply: FastifyReply, pending: PendingSignIn, secure: boolean): void =>
  setCookie(
    reply,
    buildCookieName(PENDING_COOKIE, secure),
    Buffer.from(JSON.stringify(pending)).toString('base64url'),
    {
      secure,
      sameSite: 'lax',
      maxAge: PENDING_MAX_AGE_S,
    },
  );

export const clearPendingCookie = (reply: FastifyReply, secure: boolean): void =>
  setCookie(reply, buildCookieName(PENDING_COOKIE, secure), '', { secure, sameSite: 'lax', maxAge: 0 });

/** SameSite is strict because the console makes calls only from its own pages. */
export const setSessionCookie = (reply: FastifyReply, token: string, secure: boolean): void =>
  setCookie(reply, buildCookieName(SESSION_COOKIE, secure), token, {
    secure,
    sameSite: 'strict',
    maxAge: SESSION_LENGTH / 1000,
  });

export const clearSessionCookie = (reply: FastifyReply, secure: boolean): void =>
  setCookie(reply, buildCookieName(SESSION_COOKIE, secure), '', { secure, sameSite: 'strict', maxAge: 0 });

function setCookie(
  reply: FastifyReply,
  name: string,
  value: string,
  options: { readonly secure: boolean; readonly sameSite: 'lax' | 'strict'; readonly maxAge: number },
): void {
  const text = stringifySetCookie({ name, value, path: '/', httpOnly: true, ...options });
  reply.raw.appendHeader('set-cookie', text);
}

/**
 * Browsers send a cookie with any request that they can be made to send, so it is only accepted if the request comes
 * from a page of this server. Browsers without Sec-Fetch-Site name the page in Origin if the call could change
 * something.
 */
export function isSameOriginRequest({ method, headers }: FastifyRequest): boolean {
  const fetchSite = headers['sec-fetch-site'];
  const isRead = method === 'GET' || method === 'HEAD';
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || (fetchSite === 'none' && isRead);
  return isRead || (headers.origin !== undefined && URL.parse(headers.origin)?.host === headers.host);
}
