/**
 * Answers the browser's requests through the crawl's own fetcher, with its address guard, credentials and limits, and
 * refuses requests that cannot affect a page's content. The browser itself has no network access.
 */
import type { Request, Route } from 'playwright-core';
import { BoundedMap } from '../../domain/bounded-map.js';
import type { FetcherDefinition, RendererDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import { isPublicAddress } from '../../domain/net/address.js';
import { milliseconds } from '../../domain/time/units.js';
import type { Fetcher, FetchRequest } from '../../engine/ports/fetcher.js';
import type { ForeignKind, ForeignRequests } from './foreign-requests.js';
import { GuestCache, type GuestResponse } from './guest-cache.js';
import {
  allowsPost,
  canUseResponse,
  createSubresourceSession,
  findHeadersToPreflight,
  GuestRobots,
  getRequestOrigin,
  isSameOrigin,
  selectForwardedHeaders,
} from './guest-permissions.js';

/** Why a page's request was not made. */
export type Refusal =
  | 'kind'
  | 'scheme'
  | 'method'
  | 'blocked-host'
  | 'robots'
  | 'other-origin'
  | 'address'
  | 'limit'
  | 'host-rests'
  | 'crawl-space'
  | 'failed'
  | 'navigation';

/** The page that makes the requests, and what is known about them. */
export interface Guest {
  readonly url: string;
  readonly request: FetchRequest;
  /** The response for the main document. */
  readonly response: GuestResponse;
  readonly robotsAgent: string;
  readonly robotsScope: 'none' | 'documents' | 'all';
  readonly signal: AbortSignal;
  /** True if style sheets are fetched because a picture of the page was requested. */
  readonly wantsStyles: boolean;
  /** Value of the Cookie header that the browser would send to a URL. */
  getCookies(url: string): Promise<string | undefined>;
  onNavigate(url: string): void;
  /** Responds to requests for the page itself; absent if it is served from `response`. */
  onDocument?(route: Route, request: Request): Promise<void>;
  inFlight: number;
  /** Counts signs of network activity: requests that begin and end, and messages. */
  activityCount: number;
  isDocumentServed: boolean;
  requestCount: number;
  /** How many of those went to the page's own host because the cache could not answer them. */
  ownRequestCount: number;
  byteCount: number;
  readonly refusalCounts: Map<Refusal, number>;
}

const REFUSED_TYPES = new Set(['media', 'font', 'texttrack', 'eventsource', 'websocket', 'manifest', 'ping', 'other']);
const MAX_REQUESTS = 250;
export const MAX_BYTES = 40 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const MAX_CONCURRENT_PER_HOST = 6;
const MAX_REST_MS = 600_000;
const MAX_RESTING_HOSTS = 10_000;
/** Headers that describe the connection, or a body that has been decoded since. */
const DROPPED_RESPONSE_HEADERS =
  /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive|trailer|strict-transport-security|alt-svc|link|refresh|content-security-policy-report-only|nel|report-to)$/;

type GuestResult = GuestResponse | { readonly refused: Refusal };

export class GuestRequests {
  private readonly cache = new GuestCache();
  private readonly robots: GuestRobots;
  private readonly agents: ReadonlyMap<string, string>;
  private readonly hostSlots = new Map<string, { count: number; readonly waiters: (() => void)[] }>();
  /**
   * Hosts that asked crawlers to slow down (429, 503), and the time until which they rest. What pages of other sites
   * have caused applies to such pages only.
   */
  private readonly restingUntil = new BoundedMap<string, number>(MAX_RESTING_HOSTS);
  /** Requests in flight for shared scripts: if many pages need a script, only the first page requests it. */
  private readonly pendingScripts = new Map<string, Promise<GuestResult>>();

  constructor(
    private readonly fetcher: Fetcher,
    fetchers: readonly FetcherDefinition[],
    private readonly hosts: Pick<RendererDefinition, 'blockedHosts' | 'postHosts'>,
    private readonly foreign: ForeignRequests,
  ) {
    this.robots = new GuestRobots(fetcher);
    this.agents = new Map(fetchers.map(({ name, robotsAgent }) => [name, robotsAgent]));
  }

  getRobotsAgent(fetcher: string): string {
    return this.agents.get(fetcher) ?? '*';
  }

  /** Never rejects: a page that has been closed in the meantime needs no response. */
  async handle(route: Route, guest: Guest | undefined): Promise<void> {
    const request = route.request();
    if (isMainNavigation(request)) return this.serveNavigation(route, request, guest);
    if (!guest) return abortRoute(route);
    guest.inFlight++;
    guest.activityCount++;
    try {
      const result = await this.getResponse(request, guest);
      if ('refused' in result) {
        guest.refusalCounts.set(result.refused, (guest.refusalCounts.get(result.refused) ?? 0) + 1);
        await abortRoute(route);
      } else await fulfillRoute(route, result);
    } catch {
      await abortRoute(route);
    } finally {
      guest.inFlight--;
      guest.activityCount++;
    }
  }

  private serveNavigation(route: Route, request: Request, guest: Guest | undefined): Promise<void> {
    if (!guest) return abortNavigation(route);
    return guest.onDocument?.(route, request) ?? this.serveDocument(route, request, guest);
  }

  /** The document itself has already been fetched; navigation to anything else is refused. */
  private async serveDocument(route: Route, request: Request, guest: Guest): Promise<void> {
    const url = request.url();
    if (!guest.isDocumentServed && stripHash(url) === stripHash(guest.url)) {
      guest.isDocumentServed = true;
      await fulfillRoute(route, guest.response);
      return;
    }
    await abortNavigation(route);
    // Before the document is there, only scripts of the tab's previous page can navigate.
    if (!guest.isDocumentServed) return;
    guest.refusalCounts.set('navigation', (guest.refusalCounts.get('navigation') ?? 0) + 1);
    if (stripHash(url) !== stripHash(guest.url)) guest.onNavigate(url);
  }

  private async getResponse(request: Request, guest: Guest): Promise<GuestResult> {
    const type = request.resourceType();
    const url = URL.parse(request.url());
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return { refused: 'scheme' };
    if (type === 'image') return EMPTY_IMAGE;
    if (REFUSED_TYPES.has(type)) return { refused: 'kind' };
    if (type === 'stylesheet' && !guest.wantsStyles) return EMPTY_STYLES;
    const method = request.method();
    if (method !== 'GET' && method !== 'POST') return { refused: 'method' };
    if (matchesHost(url.hostname, this.hosts.blockedHosts)) return { refused: 'blocked-host' };
    if (++guest.requestCount > MAX_REQUESTS || guest.byteCount > MAX_BYTES) return { refused: 'limit' };
    const isScript = type === 'script' || type === 'stylesheet';
    if (method === 'POST' && !(await this.mayPost(request, url, guest))) return { refused: 'other-origin' };
    if (method === 'GET' && type !== 'document') return this.fetchShared(request, url, guest, isScript);
    return this.fetchWithRedirects(request, url, guest);
  }

  /** Counts the request and returns why the page may not open a WebSocket to the URL; undefined if it may. */
  async admitSocket(url: URL, guest: Guest): Promise<Refusal | undefined> {
    if (matchesHost(url.hostname, this.hosts.blockedHosts)) return 'blocked-host';
    if (++guest.requestCount > MAX_REQUESTS || guest.byteCount > MAX_BYTES) return 'limit';
    const refusal = await this.findHostRefusal(url, guest, { checksRobots: guest.robotsScope === 'all', kind: 'data' });
    if (refusal) return refusal;
    if (url.host === URL.parse(guest.url)?.host) guest.ownRequestCount++;
    return undefined;
  }

  /** Why the page may send nothing to the host of the URL now; undefined if it may. */
  private async findHostRefusal(
    url: URL,
    guest: Guest,
    { checksRobots, kind }: { readonly checksRobots: boolean; readonly kind: ForeignKind },
  ): Promise<Refusal | undefined> {
    const isForeign = await this.foreign.isForeign(getHostname(guest), url.hostname);
    const now = Date.now();
    const rests = isForeign ? [url.host, toForeignKey(url.host)] : [url.host];
    if (rests.some((key) => (this.restingUntil.get(key) ?? 0) > now)) return 'host-rests';
    const refusal = isForeign ? await this.foreign.admit(getHostname(guest), url, kind) : undefined;
    if (refusal) return refusal;
    const { fetcher } = guest.request;
    const asPage = { anonymous: isForeign, publicOnly: isPublicPage(guest) };
    if (checksRobots && !(await this.robots.isAllowed(url, fetcher, guest.robotsAgent, asPage))) return 'robots';
    return undefined;
  }

  private async getRestKey(url: URL, guest: Guest): Promise<string> {
    return (await this.foreign.isForeign(getHostname(guest), url.hostname)) ? toForeignKey(url.host) : url.host;
  }

  private async fetchShared(request: Request, url: URL, guest: Guest, isScript: boolean): Promise<GuestResult> {
    const { fetcher, session } = guest.request;
    const { accept = '', 'accept-language': language = '' } = request.headers();
    const key = JSON.stringify([
      fetcher,
      session?.cookies,
      session?.login,
      getRequestOrigin(request, url),
      accept,
      language,
      stripHash(url.href),
    ]);
    const sharedResult = this.cache.get(key) ?? (isScript ? await this.pendingScripts.get(key) : undefined);
    if (sharedResult && !('refused' in sharedResult)) return sharedResult;
    const pending = this.fetchWithRedirects(request, url, guest);
    if (isScript) {
      this.pendingScripts.set(key, pending);
      pending.finally(() => this.pendingScripts.delete(key)).catch(() => undefined);
    }
    const result = await pending;
    if (!('refused' in result)) this.cache.set(key, result, isScript);
    return result;
  }

  private async fetchWithRedirects(request: Request, firstUrl: URL, guest: Guest): Promise<GuestResult> {
    const type = request.resourceType();
    const checksRobots = guest.robotsScope === 'all' || (guest.robotsScope === 'documents' && type === 'document');
    const kind = type === 'script' || type === 'stylesheet' ? 'scripts' : 'data';
    let url = firstUrl;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const refused = await this.findHostRefusal(url, guest, { checksRobots, kind });
      if (refused) return { refused };
      const outcome = await this.withHostSlot(url.host, () => this.send(request, url, guest, hop > 0));
      if (outcome.kind === 'failure')
        return {
          refused:
            outcome.code === 'address-forbidden' ? 'address' : outcome.code === 'body-too-large' ? 'limit' : 'failed',
        };
      this.recordRetryAfter(await this.getRestKey(url, guest), outcome);
      guest.byteCount += outcome.body.byteLength;
      const location = outcome.status >= 300 && outcome.status < 400 ? outcome.headers['location'] : undefined;
      const target = location === undefined ? undefined : URL.parse(location, url.href);
      if (!target) {
        const { status, headers, body } = outcome;
        const response = { status, headers, body };
        return canUseResponse(request, { first: firstUrl, last: url, answer: response })
          ? response
          : { refused: 'other-origin' };
      }
      url = target;
    }
    return { refused: 'limit' };
  }

  private async send(request: Request, url: URL, guest: Guest, redirected: boolean): Promise<FetchOutcome> {
    if (url.host === URL.parse(guest.url)?.host) guest.ownRequestCount++;
    const { fetcher, userAgent, proxy, connectTimeout, readTimeout, totalTimeout, credentials, headers } =
      guest.request;
    const sameOrigin = isSameOrigin(request, url, guest.url);
    const forwardedHeaders = selectForwardedHeaders(request);
    const origin = getRequestOrigin(request, URL.parse(request.url()) ?? url);
    // A server that is reached through a redirect also learns the origin of the request.
    if (origin !== url.origin) forwardedHeaders['origin'] = origin;
    const body = redirected ? null : request.postDataBuffer();
    const cookies = request.resourceType() === 'script' ? undefined : await guest.getCookies(url.href);
    return this.fetcher.fetch(
      {
        url: url.href,
        fetcher,
        ...(body && request.method() === 'POST' ? { method: 'POST' as const, body } : {}),
        headers: sameOrigin ? { ...forwardedHeaders, ...headers } : forwardedHeaders,
        session: sameOrigin
          ? createSubresourceSession(guest.request.session, cookies)
          : cookies === undefined
            ? undefined
            : { cookies },
        credentials: sameOrigin ? credentials : undefined,
        anonymous: !sameOrigin,
        publicOnly: isPublicPage(guest),
        userAgent,
        proxy,
        connectTimeout,
        readTimeout,
        totalTimeout: totalTimeout ?? milliseconds(15_000),
      },
      guest.signal,
    );
  }

  /**
   * Forms can be sent to any server of the page's registrable domain; to others, if the operator allows it. Anything
   * else needs the server's prior consent as well.
   */
  private async mayPost(request: Request, url: URL, guest: Guest): Promise<boolean> {
    const isForeign = await this.foreign.isForeign(getHostname(guest), url.hostname);
    if (isForeign && !matchesHost(url.hostname, this.hosts.postHosts)) return false;
    const origin = getRequestOrigin(request, url);
    const names = findHeadersToPreflight(selectForwardedHeaders(request));
    if (origin === url.origin || names.length === 0) return true;
    const { fetcher, userAgent, proxy } = guest.request;
    const outcome = await this.withHostSlot(url.host, () =>
      this.fetcher.fetch(
        {
          url: url.href,
          fetcher,
          method: 'OPTIONS',
          headers: {
            origin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': names.join(','),
          },
          anonymous: true,
          publicOnly: isPublicPage(guest),
          userAgent,
          proxy,
          totalTimeout: milliseconds(15_000),
        },
        guest.signal,
      ),
    );
    return outcome.kind === 'response' && allowsPost(outcome, origin, names);
  }

  /** Limits the concurrent requests to one host to what a single browser makes, however many pages need it. */
  private async withHostSlot<T>(host: string, work: () => Promise<T>): Promise<T> {
    const slot = this.hostSlots.get(host) ?? { count: 0, waiters: [] };
    this.hostSlots.set(host, slot);
    if (slot.count >= MAX_CONCURRENT_PER_HOST) await new Promise<void>((resolve) => slot.waiters.push(resolve));
    else slot.count++;
    try {
      return await work();
    } finally {
      const next = slot.waiters.shift();
      if (next) next();
      else if (--slot.count === 0) this.hostSlots.delete(host);
    }
  }

  private recordRetryAfter(key: string, { status, headers }: GuestResponse): void {
    if (status !== 429 && status !== 503) return;
    const seconds = Number(headers['retry-after']);
    this.restingUntil.set(key, Date.now() + Math.min(MAX_REST_MS, seconds > 0 ? seconds * 1000 : 30_000));
  }
}

const getHostname = ({ url }: Guest): string => URL.parse(url)?.hostname ?? '';
const toForeignKey = (host: string): string => `~${host}`;

/** A page from a public server reaches nothing that is not public, whatever name it uses. */
export const isPublicPage = ({ request }: Pick<Guest, 'request'>): boolean =>
  isPublicAddress(request.render?.page.address ?? '');

export const matchesHost = (hostname: string, hosts: readonly string[]): boolean =>
  hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));

/** Scripts may wait for the `load` event of an image; this one is transparent, with one pixel. */
const EMPTY_IMAGE: GuestResponse = {
  status: 200,
  headers: { 'content-type': 'image/gif', 'access-control-allow-origin': '*' },
  body: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
};

const EMPTY_STYLES: GuestResponse = { status: 200, headers: { 'content-type': 'text/css' }, body: new Uint8Array(0) };

function isMainNavigation(request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame().parentFrame() === null;
  } catch {
    return true; // the frame does not exist yet: a new window
  }
}

export const stripHash = (url: string): string => {
  const hash = url.indexOf('#');
  return hash < 0 ? url : url.slice(0, hash);
};

export async function fulfillRoute(route: Route, { status, headers, body }: GuestResponse): Promise<void> {
  const forwardedHeaders = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !DROPPED_RESPONSE_HEADERS.test(name)),
  );
  await route
    .fulfill({ status, headers: forwardedHeaders, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) })
    .catch(() => undefined);
}

async function abortRoute(route: Route): Promise<void> {
  await route.abort('blockedbyclient').catch(() => undefined);
}

/** Unlike a blocked navigation, an aborted one does not put an error page in the tab, which would disturb the next page. */
export async function abortNavigation(route: Route): Promise<void> {
  await route.abort('aborted').catch(() => undefined);
}
