/** Calls the API of the running server. */

import { once } from 'node:events';
import { basename } from 'node:path';
import { Secret } from '../domain/secret.js';
import { UsageError } from '../server/options.js';

export interface ServerOption {
  readonly server?: string;
}

export interface ClientResponse<T> {
  readonly status: number;
  readonly body: T;
}

interface RequestText {
  readonly type: string;
  readonly text: string;
}

interface ProblemDetail {
  readonly detail: string;
  readonly pointer?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

interface ProblemBody {
  readonly detail?: string;
  readonly errors?: readonly ProblemDetail[];
}

export const toJsonBody = (value: unknown): RequestText => ({ type: 'application/json', text: JSON.stringify(value) });

/** The query of a call, without what is undefined. An empty value stays: an option that is empty by mistake must not mean all. */
export function toQuery(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/** Long enough for a busy server, short enough for a waiting user. */
const TIMEOUT_MS = 60_000;

export class ServerClient {
  readonly url: string;

  constructor({ server }: ServerOption, env: NodeJS.ProcessEnv = process.env) {
    const host = env['CRAWLWAY_HOST'] || '127.0.0.1';
    const urlHost = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    const url = server ?? `http://${urlHost}:${env['CRAWLWAY_PORT'] || '8740'}`;
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw new UsageError(`${url} is not a server address: it must have the form http://HOST:PORT`);
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.key = env['CRAWLWAY_API_KEY'] ? new Secret(env['CRAWLWAY_API_KEY']) : undefined;
  }

  private readonly key: Secret | undefined;

  /** How the user calls a file of the configuration, whose path on the server says nothing here. */
  nameFile: (file: string) => string = (file) => basename(file);

  /** @throws UsageError with the server's own message if it refuses the call, or if no server responds */
  async call<T>(method: string, path: string, body?: RequestText, headers?: Record<string, string>): Promise<T> {
    const response = await this.request<T>(method, path, body, headers);
    this.requireSuccess(response);
    return response.body;
  }

  private requireSuccess(response: ClientResponse<unknown>): void {
    if (response.status === 401) throw new UsageError(this.createKeyHint());
    if (response.status >= 400) throw new UsageError(formatProblem(response, this.nameFile));
  }

  /** Fetches a text that is not JSON, such as a configuration. */
  async getText(path: string): Promise<{ readonly text: string; readonly etag: string | null }> {
    const response = await this.send('GET', path, '*/*');
    const text = await response.text();
    if (!response.ok) this.requireSuccess({ status: response.status, body: this.parseBody(text, response.status) });
    return { text, etag: response.headers.get('etag') };
  }

  /** Writes a file of any size to the stream as it arrives. */
  async pipeTo(path: string, stream: NodeJS.WritableStream): Promise<void> {
    const controller = new AbortController();
    const timeout = setTimeout(() => controller.abort(new DOMException('', 'TimeoutError')), TIMEOUT_MS);
    const response = await this.send('GET', path, '*/*', undefined, {}, controller.signal).finally(() =>
      clearTimeout(timeout),
    );
    if (!response.ok)
      this.requireSuccess({
        status: response.status,
        body: this.parseBody(await response.text(), response.status),
      });
    for await (const part of response.body ?? []) if (!stream.write(part)) await once(stream, 'drain');
  }

  async request<T>(
    method: string,
    path: string,
    body?: RequestText,
    headers?: Record<string, string>,
  ): Promise<ClientResponse<T>> {
    const response = await this.send(method, path, 'application/json', body, headers);
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : this.parseBody(text, response.status)) as T };
  }

  private send(
    method: string,
    path: string,
    accept: string,
    body?: RequestText,
    headers: Record<string, string> = {},
    signal: AbortSignal = AbortSignal.timeout(TIMEOUT_MS),
  ): Promise<Response> {
    const allHeaders: Record<string, string> = { accept, ...headers };
    if (this.key) allHeaders['authorization'] = `Bearer ${this.key.reveal()}`;
    if (body) allHeaders['content-type'] = body.type;
    return fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: allHeaders,
      body: body?.text,
      signal,
    }).catch((error: Error) => {
      if (error.name === 'TimeoutError') {
        throw new UsageError(
          `the server at ${this.url} did not respond within ${TIMEOUT_MS / 1000} s; it may still be working on the request`,
        );
      }
      throw new UsageError(
        `no server is responding at ${this.url} (${describeCause(error)}): start one with crawlway serve, or specify its address with --server`,
      );
    });
  }

  /** Fetches a list in one call: a short one, such as the crawlers, or the first page, whose rest `more` shows. */
  async list<T>(path: string, more?: string): Promise<readonly T[]> {
    const body = await this.call<{ items?: readonly T[]; next?: string | null } | undefined>('GET', path);
    if (!Array.isArray(body?.items)) throw this.createNotCrawlwayError(200);
    if (more && body.next) process.stderr.write(`these are the first ${body.items.length}; ${more}\n`);
    return body.items;
  }

  /** Fetches all pages of a paginated list. */
  async listAll<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = toQuery({ limit: 1000, cursor: cursor || undefined });
      const page: { items?: T[]; next?: string | null } = await this.call('GET', `${path}${query}`);
      if (!Array.isArray(page?.items)) throw this.createNotCrawlwayError(200);
      items.push(...page.items);
      cursor = page.next ?? null;
    }
    return items;
  }

  async isReachable(): Promise<boolean> {
    const signal = AbortSignal.timeout(2_000);
    return fetch(`${this.url}/health/live`, { signal }).then(
      (response) => response.ok,
      () => false,
    );
  }

  /** Returns the given name, or the name of the only crawler. */
  async resolveCrawler(name: string | undefined): Promise<string> {
    if (name !== undefined) return name;
    const names = await this.listCrawlerNames();
    if (names.length === 1) return names[0]!;
    if (names.length === 0) throw new UsageError(`the server at ${this.url} has no crawlers yet`);
    throw new UsageError(`there are several crawlers: choose one with --crawler (${names.join(', ')})`);
  }

  /** Returns the given name, or the names of all crawlers. */
  async resolveCrawlers(name: string | undefined): Promise<string[]> {
    if (name !== undefined) return [name];
    const names = await this.listCrawlerNames();
    if (names.length === 0) throw new UsageError(`the server at ${this.url} has no crawlers yet`);
    return names;
  }

  async listCrawlerNames(): Promise<string[]> {
    return (await this.list<{ name: string }>('/crawlers')).map(({ name }) => name);
  }

  private createKeyHint(): string {
    const keySource = "one of the keys in the server's CRAWLWAY_API_KEYS (the part after the second colon)";
    return this.key
      ? `the server at ${this.url} does not recognize the key in CRAWLWAY_API_KEY: set it to ${keySource}`
      : `the server at ${this.url} requires a key: set CRAWLWAY_API_KEY to ${keySource}`;
  }

  /** Parses a response; one that is not JSON does not come from Crawlway. */
  private parseBody(text: string, status: number): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.createNotCrawlwayError(status);
    }
  }

  private createNotCrawlwayError(status: number): UsageError {
    return new UsageError(
      `the server at ${this.url} (which responded with ${status}) is not a Crawlway server; specify one with --server`,
    );
  }
}

const describeCause = (error: Error): string => (error.cause as { code?: string } | undefined)?.code ?? error.message;

function formatProblem({ status, body }: ClientResponse<unknown>, nameFile: (file: string) => string): string {
  const { detail, errors = [] } = (body ?? {}) as ProblemBody;
  const errorLines = errors.map((error) => `\n  ${formatDetailPlace(error, nameFile)}${error.detail}`);
  // The errors are listed below.
  const reason = (detail ?? 'it gave no reason').replace('confirm=true', '--yes').replace(/[;:] `errors` [^.;]*/, '');
  return `the server refused the request (${status}): ${reason}${errorLines.join('')}`;
}

/** Field of the body, or a place in a configuration. */
function formatDetailPlace({ pointer, file, line, column }: ProblemDetail, nameFile: (file: string) => string): string {
  if (pointer) return `${pointer}: `;
  return file === undefined ? '' : `${nameFile(file)}:${line}:${column} `;
}
