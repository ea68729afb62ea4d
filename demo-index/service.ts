import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createCssResponse,
  createHtmlResponse,
  createJsonResponse,
  createTextResponse,
  createXmlResponse,
  type ResponseData,
  sendResponse,
} from './answer.js';
import { runCommand } from './papi/commands.js';
import { COMMAND_PATH } from './papi/names.js';
import { buildRefusalXml, Refusal } from './papi/refusal.js';
import { renderSearchPage, STYLE, STYLE_PATH } from './search/page.js';
import {
  MAX_FILTERS,
  MAX_HITS,
  MAX_QUERY_LENGTH,
  MAX_START,
  type MetaFilter,
  Search,
  type SearchRequest,
} from './search/search.js';
import type { IndexStore } from './store/store.js';

export interface Login {
  readonly login?: string;
  readonly password?: string;
}

const DEFAULT_COUNT = 10;

/** Responds to every HTTP request to the index: Push API commands, the search page, and search and status calls. */
export class IndexService {
  private readonly store: IndexStore;
  private readonly search: Search;
  private readonly authorization: Buffer | undefined;

  constructor(store: IndexStore, { login, password }: Login) {
    this.store = store;
    this.search = new Search(store.database);
    this.authorization = login
      ? computeDigest(`Basic ${Buffer.from(`${login}:${password ?? ''}`).toString('base64')}`)
      : undefined;
  }

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await sendResponse(response, await this.handle(request));
    } catch (error) {
      await sendFailure(request, response, error);
    }
  }

  private async handle(request: IncomingMessage): Promise<ResponseData> {
    if (!this.isAuthorized(request)) throw new Refusal('the login or the password is missing or wrong', 401);
    if (!this.authorization) requireLocalHost(request);
    requireSameSite(request);
    const url = parseTargetUrl(request);
    const [, connector, command] = COMMAND_PATH.exec(url.pathname) ?? [];
    if (connector === undefined || command === undefined) return this.handleReadRequest(url, request);
    requireNoOrigin(request);
    const target = { connector: decodeConnectorName(connector), command, query: url.searchParams };
    return runCommand(this.store, target, request);
  }

  private handleReadRequest(url: URL, request: IncomingMessage): ResponseData {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal(`${url.pathname} requires GET`, 405);
    switch (url.pathname) {
      case '/':
        return createHtmlResponse(renderSearchPage(this.search.run({ ...parseSearchRequest(url), filters: [] })));
      case STYLE_PATH:
        return createCssResponse(STYLE);
      case '/search':
        return createJsonResponse(this.search.run(parseSearchRequest(url)));
      case '/status':
        return createJsonResponse(this.getStatus());
      default:
        return createTextResponse('Not found\n', 404);
    }
  }

  private getStatus() {
    const { store } = this;
    return {
      documents: store.countDocuments(),
      session: store.session,
      lastCheckpoint: store.getLastCheckpoint() ?? null,
    };
  }

  private isAuthorized(request: IncomingMessage): boolean {
    return (
      !this.authorization || timingSafeEqual(this.authorization, computeDigest(request.headers.authorization ?? ''))
    );
  }
}

const computeDigest = (value: string): Buffer => createHash('sha256').update(value).digest();

function parseTargetUrl(request: IncomingMessage): URL {
  try {
    return new URL(request.url ?? '/', 'http://index');
  } catch {
    throw new Refusal('the request target is not a path');
  }
}

const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Without a login, everyone on this machine may read, but a web page whose host name points to this address (DNS
 * rebinding) must not.
 */
function requireLocalHost({ headers: { host } }: IncomingMessage): void {
  if (host !== undefined && !LOCAL_HOST.test(host))
    throw new Refusal('the index has no login, so it only accepts requests addressed to names of this machine', 403);
}

/** A browser states which site caused the request. A link to the search page may be followed from anywhere. */
function requireSameSite({ headers }: IncomingMessage): void {
  const fetchSite = headers['sec-fetch-site'];
  if (
    fetchSite === undefined ||
    fetchSite === 'same-origin' ||
    fetchSite === 'none' ||
    headers['sec-fetch-mode'] === 'navigate'
  )
    return;
  throw new Refusal('another site caused the browser to send the request', 403);
}

/** A web page open in a browser on this machine must not be able to write to an index that needs no login. */
function requireNoOrigin(request: IncomingMessage): void {
  if (request.headers.origin !== undefined)
    throw new Refusal('commands must not have an Origin header, which only web pages send');
}

function decodeConnectorName(connector: string): string {
  try {
    return decodeURIComponent(connector);
  } catch {
    throw new Refusal(`the connector name ${connector} is not URL-encoded UTF-8`);
  }
}

function parseSearchRequest(url: URL): SearchRequest {
  return {
    query: (url.searchParams.get('q') ?? '').trim().slice(0, MAX_QUERY_LENGTH),
    start: parseWholeNumber(url, 'start', { fallback: 0, min: 0, max: MAX_START }),
    count: parseWholeNumber(url, 'count', { fallback: DEFAULT_COUNT, min: 1, max: MAX_HITS }),
    filters: parseMetaFilters(url),
  };
}

/**
 * Parses `meta.author=Ada` and ranges such as `meta.date_created.from=2024-01` and `meta.date_created.to=2024-06-30`; a
 * range may be open on one side.
 */
function parseMetaFilters({ searchParams }: URL): MetaFilter[] {
  const filters = new Map<string, MetaFilter>();
  for (const [parameter, value] of searchParams) {
    const [, meta = '', end] = /^meta\.(.+?)(?:\.(from|to))?$/s.exec(parameter) ?? [];
    if (meta === '') continue;
    const range = filters.get(meta) ?? { meta, from: '', to: LAST_CODE_POINT };
    // An upper end like 2024 includes values that begin with it.
    if (end !== 'to') filters.set(meta, { ...range, from: value, ...(end === 'from' ? {} : { to: value }) });
    else filters.set(meta, { ...range, to: `${value}${LAST_CODE_POINT}` });
    if (filters.size > MAX_FILTERS) throw new Refusal(`a search may filter by at most ${MAX_FILTERS} metas`);
  }
  return [...filters.values()];
}

/** Nothing in a meta sorts after this. */
const LAST_CODE_POINT = '\u{10ffff}';

function parseWholeNumber(url: URL, name: string, range: { fallback: number; min: number; max: number }): number {
  const value = url.searchParams.get(name);
  if (value === null || value === '') return range.fallback;
  if (!/^\d{1,9}$/.test(value) || Number(value) < range.min || Number(value) > range.max)
    throw new Refusal(`${name} must be a whole number from ${range.min} to ${range.max}`);
  return Number(value);
}

async function sendFailure(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
  if (response.headersSent) {
    response.destroy(); // The interrupted response must not look complete.
    return;
  }
  const status = error instanceof Refusal ? error.status : 500;
  const message = error instanceof Error ? error.message : String(error);
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="index", charset="UTF-8"');
  // The rest of the body is not needed, so the connection is closed after the response.
  if (!request.complete) response.setHeader('connection', 'close');
  request.resume();
  await sendResponse(response, createXmlResponse(buildRefusalXml(status, message), status));
}
