/**
 * What the requests of a rendered page may do: robots.txt, and what a page may read from other servers and send to them
 * (Fetch standard, CORS protocol). The library that intercepts the browser's requests lets pages read all responses and
 * send whatever they like, so both are decided here, before the browser gets a response.
 */
import type { Request } from 'playwright-core';
import { BoundedMap } from '../../domain/bounded-map.js';
import {
  createRobotsPolicy,
  isStale,
  mayFetch,
  ROBOTS_MAX_REDIRECTS,
  type RobotsPolicy,
} from '../../domain/robots/robots-policy.js';
import { ROBOTS_SIZE_LIMIT } from '../../domain/robots/robots-txt.js';
import { type Instant, instant } from '../../domain/time/units.js';
import type { Fetcher, FetchRequest, RequestSession } from '../../engine/ports/fetcher.js';
import type { GuestResponse } from './guest-cache.js';

const MAX_ORIGINS = 1_000;

/** Policies are cached by origin, separately from those of the hosts that the crawl visits. */
export class GuestRobots {
  private readonly policies = new BoundedMap<string, Promise<RobotsPolicy>>(MAX_ORIGINS);

  constructor(private readonly fetcher: Pick<Fetcher, 'fetch'>) {}

  async isAllowed(
    url: URL,
    fetcher: string,
    agent: string,
    asPage: Pick<FetchRequest, 'anonymous' | 'publicOnly'>,
  ): Promise<boolean> {
    const key = `${fetcher} ${asPage.publicOnly ? 'public ' : ''}${asPage.anonymous ? 'anonymous ' : ''}${url.origin}`;
    const cachedPolicy = await this.policies.get(key);
    const now = instant(Date.now());
    if (cachedPolicy && !isStale(cachedPolicy, now)) return mayFetch(cachedPolicy, agent, url.pathname + url.search);
    const pending = this.fetchPolicy(
      new URL('/robots.txt', url).href,
      { fetcher, ...asPage },
      { now, previous: cachedPolicy },
    );
    this.policies.set(key, pending);
    return mayFetch(await pending, agent, url.pathname + url.search);
  }

  private async fetchPolicy(
    firstUrl: string,
    request: Pick<FetchRequest, 'fetcher' | 'anonymous' | 'publicOnly'>,
    { now, previous }: { now: Instant; previous: RobotsPolicy | undefined },
  ): Promise<RobotsPolicy> {
    let url = firstUrl;
    for (let hop = 0; ; hop++) {
      const outcome = await this.fetcher.fetch({ ...request, url, maxSize: ROBOTS_SIZE_LIMIT, truncate: true });
      const isRedirect = outcome.kind === 'response' && outcome.status >= 300 && outcome.status < 400;
      const target = isRedirect ? URL.parse(outcome.headers['location'] ?? '', url) : undefined;
      if (!target || hop === ROBOTS_MAX_REDIRECTS) return createRobotsPolicy(outcome, now, previous);
      url = target.href;
    }
  }
}

/** Media types of bodies that any form can send. */
const FORM_MEDIA_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i;
/** Request headers that a script may send only if the server agrees. */
const CONSENT_HEADERS = ['content-type', 'authorization', 'x-requested-with'] as const;

/** Whether the page or frame that made a request may read the response, given the origins of both. */
const mayReadResponse = ({ headers }: GuestResponse, pageOrigin: string, serverOrigin: string): boolean =>
  pageOrigin === serverOrigin || allowsOrigin(headers, pageOrigin);

const allowsOrigin = (headers: GuestResponse['headers'], pageOrigin: string): boolean =>
  ['*', pageOrigin].includes(headers['access-control-allow-origin']?.trim() ?? '');

/**
 * Returns the names of the headers that require a preflight before a POST to another origin; empty if none is needed.
 */
export function findHeadersToPreflight(headers: Readonly<Record<string, string>>): readonly string[] {
  return CONSENT_HEADERS.filter((name) => {
    const value = headers[name];
    return value !== undefined && (name !== 'content-type' || !FORM_MEDIA_TYPES.test(value.trim()));
  });
}

/** Whether the response to OPTIONS allows the page to send a POST with these headers. */
export function allowsPost({ status, headers }: GuestResponse, pageOrigin: string, names: readonly string[]): boolean {
  const allowedHeaders = (headers['access-control-allow-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const isListed = (name: string): boolean =>
    allowedHeaders.includes(name) || (name !== 'authorization' && allowedHeaders.includes('*'));
  return status >= 200 && status < 300 && allowsOrigin(headers, pageOrigin) && names.every(isListed);
}

/**
 * Origin of the page or frame that makes the request. A request without one goes to its own server, or nothing reads
 * the response.
 */
export const getRequestOrigin = (request: Request, url: URL): string => request.headers()['origin'] ?? url.origin;

/** The page may use its login on its own server, but must not use its visitor's logins on other servers. */
export const isSameOrigin = (request: Request, url: URL, page: string): boolean => {
  const pageOrigin = URL.parse(page)?.origin;
  return url.origin === pageOrigin && getRequestOrigin(request, url) === pageOrigin;
};

/** The browser does not know where redirects led: it attributes the response to the first server. */
export function canUseResponse(
  request: Request,
  { first, last, answer: response }: { readonly first: URL; readonly last: URL; readonly answer: GuestResponse },
): boolean {
  const type = request.resourceType();
  if (type === 'script' || type === 'stylesheet') return true; // pages cannot read their text
  if (type === 'document') return first.origin === last.origin;
  return mayReadResponse(response, getRequestOrigin(request, first), last.origin);
}

/** Returns the session for further requests to the page's site. A digest authorization is valid for one URL only. */
export function createSubresourceSession(
  session: RequestSession | undefined,
  cookies: string | undefined,
): RequestSession | undefined {
  if (!session) return cookies === undefined ? undefined : { cookies };
  const { headers, login, certificate, ntlm } = session;
  const isForOneUrl = /^digest\b/i.test(headers?.['authorization'] ?? '');
  return { cookies: cookies ?? session.cookies, headers: isForOneUrl ? undefined : headers, login, certificate, ntlm };
}

/** Headers of the browser's requests that can change the response; all others are dropped. */
const FORWARDED_HEADERS = [
  'accept',
  'accept-language',
  'content-type',
  'referer',
  'origin',
  'x-requested-with',
  'authorization',
];

export function selectForwardedHeaders(request: Request): Record<string, string> {
  const requestHeaders = request.headers();
  return Object.fromEntries(
    FORWARDED_HEADERS.flatMap((name): [string, string][] =>
      requestHeaders[name] === undefined ? [] : [[name, requestHeaders[name]]],
    ),
  );
}
