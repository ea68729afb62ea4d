/**
 * A client for the REST API of a Crawlway server, with types from the description that the server publishes
 * (openapi.yaml). It needs only `fetch`, so it works in Node.js and in browsers.
 *
 * ```ts
 * import { CrawlwayClient } from 'crawlway/client';
 * const crawlway = new CrawlwayClient({ server: 'http://127.0.0.1:8740', key: process.env.CRAWLWAY_API_KEY });
 * const { items } = await crawlway.call('GET /api/v1/crawlers');
 * ```
 */
import type { Calls } from './schema.js';

export { describeLimit, explainPause } from './describe-limit.js';
export type * from './schema.js';

/** Thrown if the server responds with a problem document (RFC 9457), or does not respond. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  constructor(
    /** HTTP status; 0 if there was no response. */
    readonly status: number,
    readonly detail: string,
    readonly errors: readonly ProblemError[] = [],
    /** Members in addition to the standard ones, e.g. `crawlers` for a change that requires confirmation. */
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
  }
}

/** One of the errors in a call. */
export interface ProblemError {
  readonly detail: string;
  /** Location of the error in the request body; `?name` for a query parameter. */
  readonly pointer?: string;
  readonly code?: string;
  readonly severity?: 'error' | 'warning';
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** The input of a call; values of `query` that are empty, null or undefined are left out. */
export interface CallOptions<Name extends keyof Calls> {
  readonly path?: Calls[Name]['path'];
  readonly query?: Calls[Name]['query'];
  readonly body?: Calls[Name]['body'];
  /** Version of the configuration on which a change is based, see `Answer.etag`. */
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
}

export interface Answer<T> {
  readonly value: T;
  /** Version of the configuration to which the response refers; empty if there is none. */
  readonly etag: string;
}

export interface ClientOptions {
  /** URL of the server, such as `http://127.0.0.1:8740`; default: the origin of the page. */
  readonly server?: string;
  /** API key, or a function that returns it and is called before each request. If absent, no key is sent. */
  readonly key?: string | (() => string | undefined);
  /** Function that sends the requests; default: the platform's `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Calls a server. Each call is identified by its method and path, as in openapi.yaml. */
export class CrawlwayClient {
  private readonly server: string;

  constructor(private readonly options: ClientOptions = {}) {
    this.server = (options.server ?? '').replace(/(?<!\/)\/+$/, '');
  }

  /** @throws ApiProblem if the server refuses the call or does not respond */
  async call<Name extends keyof Calls>(name: Name, options: CallOptions<Name> = {}): Promise<Calls[Name]['answer']> {
    return (await this.callForAnswer(name, options)).value;
  }

  /** Like `call`, but also returns the ETag of the response. */
  async callForAnswer<Name extends keyof Calls>(
    name: Name,
    options: CallOptions<Name> = {},
  ): Promise<Answer<Calls[Name]['answer']>> {
    const response = await this.send(name, options);
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const value = type.includes('json') ? parseJson(text) : text;
    if (!response.ok) throw toProblem(response, value);
    return { value: value as Calls[Name]['answer'], etag: response.headers.get('etag') ?? '' };
  }

  /** Headers that identify the caller, for requests that are sent by other means. */
  accessHeaders(): Record<string, string> {
    const { key } = this.options;
    const current = typeof key === 'function' ? key() : key;
    return current === undefined ? {} : { authorization: `Bearer ${current}` };
  }

  private async send<Name extends keyof Calls>(name: Name, options: CallOptions<Name>): Promise<Response> {
    const [method = 'GET', template = '/'] = name.split(' ');
    const { body, ifMatch, signal } = options;
    const headers = this.accessHeaders();
    if (ifMatch !== undefined) headers['if-match'] = ifMatch;
    if (body !== undefined)
      headers['content-type'] = typeof body === 'string' ? detectBodyType(body) : 'application/json';
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const request = this.options.fetch ?? fetch;
    try {
      const url = `${this.server}${buildAddress(template, options)}`;
      return await request(url, { method, headers, body: payload, signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiProblem(0, 'The server is not responding. Is it running?');
    }
  }
}

const detectBodyType = (body: string): string => (body.trimStart().startsWith('<') ? 'application/xml' : 'text/plain');

function buildAddress(template: string, { path, query }: { path?: object; query?: object }): string {
  const values = new Map(Object.entries(path ?? {}));
  const filled = template.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(values.get(name))));
  const search = queryText(query ?? {});
  return search ? `${filled}?${search}` : filled;
}

/** Builds a query string. Empty values are left out, because an empty form field does not filter. */
export function queryText(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '' && value !== null);
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
}

/** Reads the problem from a response whose status is not 2xx and whose body has not been read yet. */
export const problemIn = async (response: Response): Promise<ApiProblem> =>
  toProblem(response, parseJson(await response.text()));

function toProblem(response: Response, value: unknown): ApiProblem {
  const { detail, errors, type, title, status, instance, ...members } = (value ?? {}) as Record<string, unknown>;
  const message =
    typeof detail === 'string' ? detail : `The server responded with ${response.status} ${response.statusText}.`;
  return new ApiProblem(response.status, message, Array.isArray(errors) ? errors : [], members);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
