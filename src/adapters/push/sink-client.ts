import type { ClientRequest } from 'node:http';
import type { Readable } from 'node:stream';
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import type { SinkSettings } from '../../domain/crawl/sink-definition.js';
import { describeConnectionFault } from '../../domain/fetch/connection-faults.js';
import type { OptionValues } from '../../domain/options.js';
import type { HTTP_OPTIONS } from '../../domain/push/sink-types.js';
import { Secret } from '../../domain/secret.js';
import { decodePercent } from '../../domain/url/decode-percent.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { type AwsOptions, type AwsSigner, createAwsSigner } from './aws-signer.js';
import { type Agents, checkLiteralHost, createAgents } from './endpoint.js';
import type { SinkRequest } from './sink-request.js';

export type { SinkRequest } from './sink-request.js';

export interface SinkResponse {
  readonly status: number;
  readonly body: string;
  /** Milliseconds to wait according to a Retry-After header. */
  readonly retryAfterMs?: number;
}

export const isSuccess = (response: { readonly status: number }): boolean =>
  response.status >= 200 && response.status < 300;

/** The beginning of a web page, which a proxy or a login sends with a good status in place of the answer of a sink. */
const WEB_PAGE =
  /^(?:\s|<\?xml[^>]*>|<!--(?:[^-]|-(?!->))*-->)*<(?:!doctype\s+html|html|head|body|meta|title|script|style|h1)\b/i;
const MAX_PAGE_HEAD = 4_096;

/** Maximum size of a response that is read as a whole. The largest ones are pages of entries. */
const MAX_RESPONSE_BYTES = 64 << 20;
const MAX_QUOTE_LENGTH = 500;
/** As much of a response as is read for a quote. */
const MAX_QUOTED_LENGTH = 65_536;

/**
 * HTTP client for one sink: keeps connections alive, follows no redirects, uses no proxy from the environment, limits
 * the total time and the response size, and checks addresses when connecting. Every response is returned, whatever its
 * status; SinkUnavailable is thrown only if there is none.
 */
export class SinkClient {
  private readonly baseUrl: URL;
  private readonly agents: Agents;
  private readonly httpClient: AxiosInstance;
  private readonly signer: AwsSigner | undefined;
  private readonly authorization: Secret | undefined;

  constructor(
    private readonly definition: HttpSinkDefinition,
    basePath = '',
    /** Scheme of an Authorization header that contains an API key. */
    keyScheme: 'Bearer' | 'ApiKey' = 'Bearer',
  ) {
    this.baseUrl = new URL(definition.url);
    if (basePath) this.baseUrl.pathname = `${this.baseUrl.pathname.replace(/(?<!\/)\/+$/, '')}${basePath}`;
    const { concurrency, options } = definition;
    this.agents = createAgents({ ...definition, fingerprint: options.fingerprint }, concurrency + 1); // one more for a listing
    this.httpClient = axios.create({
      ...this.agents,
      proxy: false,
      maxRedirects: 0,
      maxBodyLength: Number.POSITIVE_INFINITY,
      validateStatus: null,
      headers: { 'user-agent': 'Crawlway' },
      transformRequest: [(data) => data],
      transformResponse: [(data) => data],
    });
    this.signer = createAwsSigner(options);
    this.authorization = createAuthorizationHeader(definition.options, this.baseUrl, keyScheme);
    this.baseUrl.username = '';
    this.baseUrl.password = '';
  }

  async request(request: SinkRequest, signal: AbortSignal): Promise<SinkResponse> {
    const timeoutSignal = AbortSignal.timeout(this.definition.timeout);
    const response: AxiosResponse<string> = await this.send(request, AbortSignal.any([signal, timeoutSignal]), 'text');
    // A server may respond before it has read the whole request.
    if ((response.request as ClientRequest | undefined)?.writableFinished) request.onBodySent?.();
    return {
      status: response.status,
      body: response.data ?? '',
      retryAfterMs: parseRetryAfter(findHeader(response, 'retry-after'), Date.now()),
    };
  }

  /**
   * Returns the response body as a stream, with no overall timeout; used for listings. Throws SinkUnavailable unless the
   * request succeeds.
   */
  async stream(request: SinkRequest, signal: AbortSignal): Promise<Readable> {
    const response: AxiosResponse<Readable> = await this.send(request, signal, 'stream');
    if (isSuccess(response)) return response.data;
    response.data.destroy();
    throw this.toUnavailable({ status: response.status, body: '' });
  }

  /** Creates the error for a response that concerns the whole sink instead of an individual order. */
  toUnavailable(response: SinkResponse): SinkUnavailable {
    const hint = HINTS[response.status] ?? (response.status >= 300 && response.status < 400 ? HINTS[300] : undefined);
    const quote = response.body.slice(0, MAX_QUOTED_LENGTH).replace(/\s+/g, ' ').trim().slice(0, MAX_QUOTE_LENGTH);
    const details = [`status ${response.status}`, hint, quote].filter((text) => text).join(': ');
    return new SinkUnavailable(`${this.displayName}: ${details}`, response.retryAfterMs);
  }

  /** @throws SinkUnavailable if the response is a web page, which no sink sends */
  checkNoWebPage({ body }: SinkResponse): void {
    if (WEB_PAGE.test(body.slice(0, MAX_PAGE_HEAD)))
      throw new SinkUnavailable(`${this.displayName}: it returned a web page: check its URL and any proxy`);
  }

  async close(): Promise<void> {
    this.agents.httpAgent.destroy();
    this.agents.httpsAgent.destroy();
  }

  /** Maximum milliseconds for one request, or without data in a listing. */
  get timeout(): number {
    return this.definition.timeout;
  }

  /** Identifies the sink in messages, without credentials. */
  get displayName(): string {
    return `sink ${this.definition.name} at ${this.baseUrl.origin}`;
  }

  /** A server may close a connection at any time: a request that finds its connection closed is sent over another one. */
  private async send(request: SinkRequest, signal: AbortSignal, responseType: 'text' | 'stream') {
    for (;;)
      try {
        return await this.sendOnce(request, signal, responseType);
      } catch (error) {
        if (!hasFoundConnectionClosed(error))
          throw new SinkUnavailable(`${this.displayName}: ${this.describeFailure(error, signal)}`);
      }
  }

  private async sendOnce(request: SinkRequest, signal: AbortSignal, responseType: 'text' | 'stream') {
    checkLiteralHost(this.baseUrl, this.definition.allowedAddresses);
    const { method, query, body: data } = request;
    const address = this.buildUrl(request.path);
    const headers = this.signer ? await this.signer.sign(address, request) : this.buildHeaders(request);
    // axios takes ten times as long for it.
    const url = query ? `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(query)}` : address;
    // A listing is read in pieces, so its size is not limited and the timeout applies only until the response begins.
    const limits =
      responseType === 'stream'
        ? { timeout: this.timeout, maxContentLength: -1 }
        : { maxContentLength: MAX_RESPONSE_BYTES };
    return this.httpClient.request({ method, url, headers, data, signal, responseType, ...limits });
  }

  private buildHeaders(request: SinkRequest): SinkRequest['headers'] {
    if (!this.authorization) return request.headers;
    return { ...request.headers, authorization: this.authorization.reveal() };
  }

  private buildUrl(path: string): string {
    return path === ''
      ? this.baseUrl.href
      : `${this.baseUrl.origin}${this.baseUrl.pathname.replace(/\/$/, '')}/${path}`;
  }

  private describeFailure(error: unknown, signal: AbortSignal): string {
    if (signal.aborted) {
      const timedOut = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
      return timedOut ? `no response within ${this.timeout} ms` : 'the delivery was stopped';
    }
    if (!(error instanceof Error)) return String(error);
    const { code } = error as { code?: string };
    return describeConnectionFault(error) ?? (error.message || code || error.name);
  }
}

export interface HttpSinkDefinition extends SinkSettings {
  readonly options: OptionValues<typeof HTTP_OPTIONS> & AwsOptions;
}

const HINTS: Readonly<Record<number, string>> = {
  300: 'redirects are not followed when pushing; specify the final URL',
  401: "login and password (or key) are missing or wrong in the sink's configuration",
  403: "the sink's credentials do not allow this",
  404: 'there is nothing at this path; check the URL and the name of the connector or index',
  405: 'the server does not accept pushes at this path; check the URL',
  429: 'the sink is overloaded',
};

function createAuthorizationHeader(
  options: HttpSinkDefinition['options'],
  url: URL,
  keyScheme: string,
): Secret | undefined {
  if (options.awsRegion) return undefined; // requests are signed
  if (options.apiKey) return new Secret(`${keyScheme} ${options.apiKey.reveal()}`);
  const login = options.login ?? decodePercent(url.username);
  if (!login) return undefined;
  const password = options.password?.reveal() ?? decodePercent(url.password);
  return new Secret(`Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`);
}

function hasFoundConnectionClosed(error: unknown): boolean {
  const { code = '', request } = error as { code?: string; request?: ClientRequest };
  return request?.reusedSocket === true && ['ECONNRESET', 'EPIPE'].includes(code);
}

const findHeader = (response: AxiosResponse, name: string): string | undefined => {
  const value = response.headers[name];
  return typeof value === 'string' ? value : undefined;
};

const MAX_WAIT_MS = 86_400_000;

/**
 * Parses a Retry-After header, which is a number of seconds or a date (RFC 9110, section 10.2.3). Returns the
 * milliseconds to wait, at most a day; undefined if it names no time after `now`, in milliseconds since the epoch: a sink
 * that is asked again at once would be asked a thousand times a second.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (!header) return undefined;
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return waitMs > 0 ? Math.min(waitMs, MAX_WAIT_MS) : undefined;
}

/** @throws SinkUnavailable if the response has no number under this name, as that of a proxy */
export const readCount = ({ body }: SinkResponse, name: string): number => {
  const digits = new RegExp(`"${name}":\\s*(\\d+)`).exec(body)?.[1];
  if (digits === undefined) throw new SinkUnavailable(`the response to a count has no ${name}`);
  return Number(digits);
};
