/**
 * Serves every request of the browser with the crawl's own fetcher, its address guard, credentials and limits, and only
 * requests on which a page's content can depend. The browser itself has no network access.
 */
import type { Request, Route } from 'playwright-core';
import type { FetcherDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import { milliseconds } from '../../domain/time/units.js';
import type { Fetcher, FetchRequest, RequestSession } from '../../engine/ports/fetcher.js';
import { type GuestAnswer, GuestCache } from './guest-cache.js';
import { allowsPost, findHeadersToPreflight, mayReadResponse } from './guest-origins.js';
import { GuestRobots } from './guest-robots.js';

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
  | 'failed'
  | 'navigation';

/** The page that makes the requests, and what is known about them. */
export interface Guest {
  readonly url: string;
  readonly request: FetchRequest;
  /** The response for the main document. */
  readonly answer: GuestAnswer;
  readonly agent: string;
  readonly obeysRobots: 'none' | 'documents' | 'all';
  readonly signal: AbortSignal;
  /** True if style sheets are fetched because a picture of the page was requested. */
  readonly styled: boolean;
  /** Value of the Cookie header that the browser would send to a URL. */
  cookies(url: string): Promise<string | undefined>;
  /** Called when the page navigates somewhere else. */
  onNavigate(url: string): void;
  /** Number of requests in flight. */
  inFlight: number;
  /** Counts signs of network activity: requests that begin and end, and messages. */
  activity: number;
  answered: boolean;
  requests: number;
  /** How many of those went to the page's own host because the cache could not answer them. */
  ownRequests: number;
  bytes: number;
  readonly refused: Map<Refusal, number>;
}

const NOT_FETCHED = new Set([
  'image',
  'media',
  'font',
  'texttrack',
  'eventsource',
  'websocket',
  'manifest',
  'ping',
  'other',
]);
const MOST_REQUESTS = 250;
export const MOST_BYTES = 40 * 1024 * 1024;
const MOST_REDIRECTS = 5;
const MOST_AT_ONCE_PER_HOST = 6;
const LONGEST_REST_MS = 600_000;
/** Only those of the browser's own headers that change the response. */
const PASSED_ON = [
  'accept',
  'accept-language',
  'content-type',
  'referer',
  'origin',
  'x-requested-with',
  'authorization',
];
/** Headers that describe the connection, or a body that has been decoded since. */
const NOT_PASSED_BACK =
  /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive|trailer|strict-transport-security|alt-svc|link|refresh|content-security-policy(?:-report-only)?|nel|report-to)$/;

type Answered = GuestAnswer | { readonly refused: Refusal };

export class GuestRequests {
  private readonly cache = new GuestCache();
  private readonly robots: GuestRobots;
  private readonly agents: ReadonlyMap<string, string>;
  private readonly asking = new Map<string, { count: number; readonly waiting: (() => void)[] }>();
  /** Hosts that asked crawlers to slow down (429, 503), and the time until which they rest. */
  private readonly resting = new Map<string, number>();
  /** Requests in flight for shared scripts: if many pages need a script, only the first page requests it. */
  private readonly shared = new Map<string, Promise<Answered>>();

  constructor(
    private readonly fetcher: Fetcher,
    fetchers: readonly FetcherDefinition[],
    private readonly blockedHosts: readonly string[],
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
    if (!guest) return abortRoute(route);
    if (isMainNavigation(request)) return this.serveDocument(route, request, guest);
    guest.inFlight++;
    guest.activity++;
    try {
      const answered = await this.getResponse(request, guest);
      if ('refused' in answered) {
        guest.refused.set(answered.refused, (guest.refused.get(answered.refused) ?? 0) + 1);
        await abortRoute(route);
      } else await fulfillRoute(route, answered);
    } catch {
      await abortRoute(route);
    } finally {
      guest.inFlight--;
      guest.activity++;
    }
  }

  /** The document itself has already been fetched; navigation to anything else is refused. */
  private async serveDocument(route: Route, request: Request, guest: Guest): Promise<void> {
    const url = request.url();
    if (!guest.answered && stripHash(url) === stripHash(guest.url)) {
      guest.answered = true;
      await fulfillRoute(route, guest.answer);
      return;
    }
    await abortRoute(route);
    guest.refused.set('navigation', (guest.refused.get('navigation') ?? 0) + 1);
    if (stripHash(url) !== stripHash(guest.url)) guest.onNavigate(url);
  }

  private async getResponse(request: Request, guest: Guest): Promise<Answered> {
    const type = request.resourceType();
    const url = URL.parse(request.url());
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return { refused: 'scheme' };
    if (NOT_FETCHED.has(type)) return { refused: 'kind' };
    if (type === 'stylesheet' && !guest.styled) return EMPTY_STYLES;
    const method = request.method();
    if (method !== 'GET' && method !== 'POST') return { refused: 'method' };
    if (matchesHost(url.hostname, this.blockedHosts)) return { refused: 'blocked-host' };
    if (++guest.requests > MOST_REQUESTS || guest.bytes > MOST_BYTES) return { refused: 'limit' };
    const isScript = type === 'script' || type === 'stylesheet';
    if (method === 'POST' && !(await this.mayPost(request, url, guest))) return { refused: 'other-origin' };
    if (method === 'GET' && type !== 'document') return this.fetchShared(request, url, guest, isScript);
    return this.fetchWithRedirects(request, url, guest);
  }

  /** Why the page may not open a WebSocket whose handshake goes to that URL; undefined if it may. */
  async findSocketRefusal(url: URL, guest: Guest): Promise<Refusal | undefined> {
    if (matchesHost(url.hostname, this.blockedHosts)) return 'blocked-host';
    if (++guest.requests > MOST_REQUESTS || guest.bytes > MOST_BYTES) return 'limit';
    const asksRobots = guest.obeysRobots === 'all';
    if (asksRobots && !(await this.robots.isAllowed(url, guest.request.fetcher, guest.agent))) return 'robots';
    if ((this.resting.get(url.host) ?? 0) > Date.now()) return 'host-rests';
    if (url.host === URL.parse(guest.url)?.host) guest.ownRequests++;
    return undefined;
  }

  private async fetchShared(request: Request, url: URL, guest: Guest, isScript: boolean): Promise<Answered> {
    const { fetcher, session } = guest.request;
    const reader = isScript ? '' : requestOrigin(request, url);
    const key = `${fetcher} ${session?.cookies ?? ''} ${session?.login ?? ''} ${reader} ${request.headers()['accept'] ?? ''} ${stripHash(url.href)}`;
    const known = this.cache.get(key) ?? (isScript ? await this.shared.get(key) : undefined);
    if (known && !('refused' in known)) return known;
    const asked = this.fetchWithRedirects(request, url, guest);
    if (isScript) {
      this.shared.set(key, asked);
      asked.finally(() => this.shared.delete(key)).catch(() => undefined);
    }
    const answered = await asked;
    if (!('refused' in answered)) this.cache.set(key, answered, isScript);
    return answered;
  }

  private async fetchWithRedirects(request: Request, first: URL, guest: Guest): Promise<Answered> {
    const type = request.resourceType();
    const asksRobots = guest.obeysRobots === 'all' || (guest.obeysRobots === 'documents' && type === 'document');
    let url = first;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      if (asksRobots && !(await this.robots.isAllowed(url, guest.request.fetcher, guest.agent)))
        return { refused: 'robots' };
      if ((this.resting.get(url.host) ?? 0) > Date.now()) return { refused: 'host-rests' };
      const outcome = await this.withHostSlot(url.host, () => this.send(request, url, guest, hop > 0));
      if (outcome.kind === 'failure')
        return {
          refused:
            outcome.code === 'address-forbidden' ? 'address' : outcome.code === 'body-too-large' ? 'limit' : 'failed',
        };
      this.recordRetryAfter(url.host, outcome);
      guest.bytes += outcome.body.byteLength;
      const location = outcome.status >= 300 && outcome.status < 400 ? outcome.headers['location'] : undefined;
      const target = location === undefined ? undefined : URL.parse(location, url.href);
      if (!target) {
        const { status, headers, body } = outcome;
        const answer = { status, headers, body };
        return canUseResponse(request, { first, last: url, answer }) ? answer : { refused: 'other-origin' };
      }
      url = target;
    }
    return { refused: 'limit' };
  }

  private async send(request: Request, url: URL, guest: Guest, redirected: boolean): Promise<FetchOutcome> {
    if (url.host === URL.parse(guest.url)?.host) guest.ownRequests++;
    const { fetcher, userAgent, proxy, connectTimeout, readTimeout, totalTimeout, credentials, headers } =
      guest.request;
    const sameOrigin = isSameOrigin(request, url, guest);
    const passed = selectForwardedHeaders(request);
    const asker = requestOrigin(request, URL.parse(request.url()) ?? url);
    // A server that is reached through a redirect also learns the origin of the request.
    if (asker !== url.origin) passed['origin'] = asker;
    const body = redirected ? null : request.postDataBuffer();
    const cookies = request.resourceType() === 'script' ? undefined : await guest.cookies(url.href);
    return this.fetcher.fetch(
      {
        url: url.href,
        fetcher,
        ...(body && request.method() === 'POST' ? { method: 'POST' as const, body } : {}),
        headers: sameOrigin ? { ...passed, ...headers } : passed,
        session: sameOrigin
          ? createSubresourceSession(guest.request.session, cookies)
          : cookies === undefined
            ? undefined
            : { cookies },
        credentials: sameOrigin ? credentials : undefined,
        anonymous: !sameOrigin,
        userAgent,
        proxy,
        connectTimeout,
        readTimeout,
        totalTimeout: totalTimeout ?? milliseconds(15_000),
      },
      guest.signal,
    );
  }

  /** Forms can be sent to any server; anything else needs the server's prior consent, or is not sent. */
  private async mayPost(request: Request, url: URL, guest: Guest): Promise<boolean> {
    const asker = requestOrigin(request, url);
    const names = findHeadersToPreflight(selectForwardedHeaders(request));
    if (asker === url.origin || names.length === 0) return true;
    const { fetcher, userAgent, proxy } = guest.request;
    const outcome = await this.withHostSlot(url.host, () =>
      this.fetcher.fetch(
        {
          url: url.href,
          fetcher,
          method: 'OPTIONS',
          headers: {
            origin: asker,
            'access-control-request-method': 'POST',
            'access-control-request-headers': names.join(','),
          },
          anonymous: true,
          userAgent,
          proxy,
          totalTimeout: milliseconds(15_000),
        },
        guest.signal,
      ),
    );
    return outcome.kind === 'response' && allowsPost(outcome, asker, names);
  }

  /** Limits the concurrent requests to one host to what a single browser makes, however many pages need it. */
  private async withHostSlot<T>(host: string, work: () => Promise<T>): Promise<T> {
    const slot = this.asking.get(host) ?? { count: 0, waiting: [] };
    this.asking.set(host, slot);
    if (slot.count >= MOST_AT_ONCE_PER_HOST) await new Promise<void>((resolve) => slot.waiting.push(resolve));
    else slot.count++;
    try {
      return await work();
    } finally {
      const next = slot.waiting.shift();
      if (next) next();
      else if (--slot.count === 0) this.asking.delete(host);
    }
  }

  private recordRetryAfter(host: string, { status, headers }: GuestAnswer): void {
    if (status !== 429 && status !== 503) return;
    const seconds = Number(headers['retry-after']);
    if (this.resting.size > 1_000) this.resting.clear();
    this.resting.set(host, Date.now() + Math.min(LONGEST_REST_MS, seconds > 0 ? seconds * 1000 : 30_000));
  }
}

/**
 * Origin of the page or frame that makes the request. A request without one goes to its own server, or nothing reads
 * the response.
 */
const requestOrigin = (request: Request, url: URL): string => request.headers()['origin'] ?? url.origin;

/** The page may use its login on its own server, but must not use its visitor's logins on other servers. */
const isSameOrigin = (request: Request, url: URL, guest: Guest): boolean => {
  const page = URL.parse(guest.url)?.origin;
  return url.origin === page && requestOrigin(request, url) === page;
};

function selectForwardedHeaders(request: Request): Record<string, string> {
  const own = request.headers();
  return Object.fromEntries(
    PASSED_ON.flatMap((name): [string, string][] => (own[name] === undefined ? [] : [[name, own[name]]])),
  );
}

/** The browser does not know where redirects led: it attributes the response to the first server. */
function canUseResponse(
  request: Request,
  { first, last, answer }: { readonly first: URL; readonly last: URL; readonly answer: GuestAnswer },
): boolean {
  const type = request.resourceType();
  if (type === 'script' || type === 'stylesheet') return true; // nothing reads their text
  if (type === 'document') return first.origin === last.origin;
  return mayReadResponse(answer, requestOrigin(request, first), last.origin);
}

/** What the page's session adds to further requests to its site. A digest authorization is valid for one URL only. */
function createSubresourceSession(
  session: RequestSession | undefined,
  cookies: string | undefined,
): RequestSession | undefined {
  if (!session) return cookies === undefined ? undefined : { cookies };
  const { headers, login, certificate, ntlm } = session;
  const isForOneUrl = /^digest\b/i.test(headers?.['authorization'] ?? '');
  return { cookies: cookies ?? session.cookies, headers: isForOneUrl ? undefined : headers, login, certificate, ntlm };
}

export const matchesHost = (hostname: string, hosts: readonly string[]): boolean =>
  hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));

const EMPTY_STYLES: GuestAnswer = { status: 200, headers: { 'content-type': 'text/css' }, body: new Uint8Array(0) };

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

async function fulfillRoute(route: Route, { status, headers, body }: GuestAnswer): Promise<void> {
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_BACK.test(name)));
  await route
    .fulfill({ status, headers: passed, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) })
    .catch(() => undefined);
}

async function abortRoute(route: Route): Promise<void> {
  await route.abort('blockedbyclient').catch(() => undefined);
}
