import type { ClientRequest } from 'node:http';
import type { Readable } from 'node:stream';
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import { describeConnectionFault } from '../../domain/fetch/connection-faults.js';
import type { SinkType } from '../../domain/push/sink-types.js';
import { Secret } from '../../domain/secret.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { type AwsSigner, createAwsSigner } from './aws-signer.js';
import { type Agents, checkLiteralHost, createAgents } from './endpoint.js';
import { parseRetryAfter } from './retry-after.js';
import type { SinkRequest } from './sink-request.js';

export type { SinkRequest } from './sink-request.js';

export interface SinkAnswer {
  readonly status: number;
  readonly body: string;
  /** Milliseconds that a Retry-After header asks for. */
  readonly retryAfterMs?: number;
}

export const isSuccess = (answer: { readonly status: number }): boolean => answer.status >= 200 && answer.status < 300;

/** Maximum bytes of a response that is read as a whole; the largest ones are pages of entries. */
const LARGEST_ANSWER = 64 << 20;
const LONGEST_QUOTE = 500;

/**
 * HTTP client for one sink: keeps connections alive, follows no redirects, uses no proxy from the environment, limits
 * the total time and the response size, and vets addresses when connecting. Every response is returned as a value; only
 * the lack of one throws SinkUnavailable.
 */
export class SinkClient {
  private readonly base: URL;
  private readonly agents: Agents;
  private readonly http: AxiosInstance;
  private readonly signer: AwsSigner | undefined;
  private readonly authorization: Secret | undefined;

  constructor(
    private readonly definition: HttpSinkDefinition,
    basePath = '',
    /** Scheme of the Authorization header that carries an API key. */
    keyScheme: 'Bearer' | 'ApiKey' = 'Bearer',
  ) {
    this.base = new URL(definition.url);
    if (basePath) this.base.pathname = `${this.base.pathname.replace(/(?<!\/)\/+$/, '')}${basePath}`;
    const { concurrency, options } = definition;
    this.agents = createAgents({ ...definition, fingerprint: options.fingerprint }, concurrency + 1); // one more for a listing
    this.http = axios.create({
      ...this.agents,
      proxy: false,
      maxRedirects: 0,
      maxBodyLength: Number.POSITIVE_INFINITY,
      validateStatus: null,
      headers: { 'user-agent': 'Crawlway' },
      transformRequest: [(data) => data],
      transformResponse: [(data) => data],
    });
    this.signer = createAwsSigner(definition);
    this.authorization = createAuthorizationHeader(definition.options, this.base, keyScheme);
    this.base.username = '';
    this.base.password = '';
  }

  async request(request: SinkRequest, signal: AbortSignal): Promise<SinkAnswer> {
    const deadline = AbortSignal.timeout(this.definition.timeout);
    const response: AxiosResponse<string> = await this.send(request, AbortSignal.any([signal, deadline]), 'text');
    // A server may respond before it has read the whole request.
    if ((response.request as ClientRequest | undefined)?.writableFinished) request.bodySent?.();
    return {
      status: response.status,
      body: response.data ?? '',
      retryAfterMs: parseRetryAfter(findHeader(response, 'retry-after'), Date.now()),
    };
  }

  /**
   * Returns the response body as a stream without a total deadline, for listings. Throws SinkUnavailable unless the
   * request succeeds.
   */
  async stream(request: SinkRequest, signal: AbortSignal): Promise<Readable> {
    const response: AxiosResponse<Readable> = await this.send(request, signal, 'stream');
    if (isSuccess(response)) return response.data;
    response.data.destroy();
    throw this.toUnavailable({ status: response.status, body: '' });
  }

  /** Creates the error for a response that does not concern an individual order. */
  toUnavailable(answer: SinkAnswer): SinkUnavailable {
    const hint = HINTS[answer.status] ?? (answer.status >= 300 && answer.status < 400 ? HINTS[300] : undefined);
    const quote = answer.body.replace(/\s+/g, ' ').trim().slice(0, LONGEST_QUOTE);
    const words = [`status ${answer.status}`, hint, quote].filter((text) => text).join(': ');
    return new SinkUnavailable(`${this.displayName}: ${words}`, answer.retryAfterMs);
  }

  async close(): Promise<void> {
    this.agents.httpAgent.destroy();
    this.agents.httpsAgent.destroy();
  }

  /** Maximum milliseconds for one request, or of silence in a listing. */
  get timeout(): number {
    return this.definition.timeout;
  }

  /** Names the sink in messages, without credentials. */
  get displayName(): string {
    return `sink ${this.definition.name} at ${this.base.origin}`;
  }

  private async send(request: SinkRequest, signal: AbortSignal, responseType: 'text' | 'stream') {
    try {
      checkLiteralHost(this.base, this.definition.allowedAddresses);
      const { method, query, body: data } = request;
      const url = this.buildUrl(request.path);
      const headers = this.signer ? await this.signer.sign(url, request) : this.buildHeaders(request);
      // A listing is read piece by piece, so any size is allowed, and only its beginning must arrive in time.
      const bounds =
        responseType === 'stream'
          ? { timeout: this.timeout, maxContentLength: -1 }
          : { maxContentLength: LARGEST_ANSWER };
      const config = { method, url, params: query, headers, data, signal, responseType, ...bounds };
      return await this.http.request(config);
    } catch (error) {
      throw new SinkUnavailable(`${this.displayName}: ${this.describeFailure(error, signal)}`);
    }
  }

  private buildHeaders(request: SinkRequest): SinkRequest['headers'] {
    if (!this.authorization) return request.headers;
    return { ...request.headers, authorization: this.authorization.reveal() };
  }

  private buildUrl(path: string): string {
    return path === '' ? this.base.href : `${this.base.origin}${this.base.pathname.replace(/\/$/, '')}/${path}`;
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

export type HttpSinkDefinition = SinkDefinitionOf<
  Exclude<SinkType, 'file' | 'kafka' | 'plugin' | 'postgresql' | 'warc'>
>;

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
  if ('awsRegion' in options && options.awsRegion) return undefined; // requests are signed
  if (options.apiKey) return new Secret(`${keyScheme} ${options.apiKey.reveal()}`);
  const login = options.login ?? decodeURIComponent(url.username);
  if (!login) return undefined;
  const password = options.password?.reveal() ?? decodeURIComponent(url.password);
  return new Secret(`Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`);
}

const findHeader = (response: AxiosResponse, name: string): string | undefined => {
  const value = response.headers[name];
  return typeof value === 'string' ? value : undefined;
};
