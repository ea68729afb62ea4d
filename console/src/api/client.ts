/**
 * The one door to the REST API: typed by the description that the server publishes, with the API key of this browser tab.
 */
import type { Calls } from './schema.js';

const KEY = 'crawlway-key';

/** A problem document (RFC 9457), or a server that did not answer. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  constructor(
    /** 0: no answer at all. */
    readonly status: number,
    readonly detail: string,
    readonly errors: readonly ProblemError[] = [],
    /** Members beside the standard ones, e.g. `crawlers` of a change that wants confirmation. */
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
  }
}

export interface ProblemError {
  readonly detail: string;
  /** Of a query parameter: `?name`. */
  readonly pointer?: string;
  readonly code?: string;
  readonly severity?: 'error' | 'warning';
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface CallOptions<Name extends keyof Calls> {
  readonly path?: Calls[Name]['path'];
  readonly query?: Calls[Name]['query'];
  readonly body?: Calls[Name]['body'];
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
  /** Goes on when the page is left; the body may have 64 KiB. */
  readonly keepalive?: true;
}

export interface Answer<T> {
  readonly value: T;
  /** Version of the configuration that the answer speaks of. */
  readonly etag: string;
}

export const hasKey = (): boolean => sessionStorage.getItem(KEY) !== null;

export function setKey(key: string | undefined): void {
  if (key === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, key);
}

export const accessHeaders = (): Record<string, string> => {
  const key = sessionStorage.getItem(KEY);
  return key === null ? {} : { authorization: `Bearer ${key}` };
};

/** @throws ApiProblem */
export async function call<Name extends keyof Calls>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<Calls[Name]['answer']> {
  return (await callForAnswer(name, options)).value;
}

/** As call, with the ETag of the answer. */
export async function callForAnswer<Name extends keyof Calls>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<Answer<Calls[Name]['answer']>> {
  const response = await send(name, options);
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const value = type.includes('json') ? parsed(text) : text;
  // The session is asked again whenever a key is wanted: its own refusal must not ask for another round.
  if (response.status === 401 && name !== 'GET /api/v1/session') dispatchEvent(new Event('crawlway:key-wanted'));
  if (!response.ok) throw problemOf(response, value);
  return { value: value as Calls[Name]['answer'], etag: response.headers.get('etag') ?? '' };
}

/** Saves what the server answers as a file of this browser. @throws ApiProblem */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: accessHeaders() }).catch(() => {
    throw new ApiProblem(0, 'The server does not answer. Is it running?');
  });
  if (!response.ok) throw problemOf(response, parsed(await response.text()));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function send<Name extends keyof Calls>(name: Name, options: CallOptions<Name>): Promise<Response> {
  const [method = 'GET', template = '/'] = name.split(' ');
  const { body, ifMatch, signal, keepalive } = options;
  const headers = accessHeaders();
  if (ifMatch !== undefined) headers['if-match'] = ifMatch;
  if (body !== undefined) headers['content-type'] = typeof body === 'string' ? bodyType(body) : 'application/json';
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  try {
    return await fetch(address(template, options), { method, headers, body: payload, signal, keepalive });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiProblem(0, 'The server does not answer. Is it running?');
  }
}

const bodyType = (body: string): string => (body.trimStart().startsWith('<') ? 'application/xml' : 'text/plain');

function address(template: string, { path, query }: { path?: object; query?: object }): string {
  const values = new Map(Object.entries(path ?? {}));
  const filled = template.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(values.get(name))));
  const search = queryText(query ?? {});
  return search ? `${filled}?${search}` : filled;
}

/** Empty values are left out: an empty field of a form is no filter. */
export function queryText(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '' && value !== null);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

function problemOf(response: Response, value: unknown): ApiProblem {
  const { detail, errors, type, title, status, instance, ...members } = (value ?? {}) as Record<string, unknown>;
  const words = typeof detail === 'string' ? detail : `The server answered ${response.status} ${response.statusText}.`;
  return new ApiProblem(response.status, words, Array.isArray(errors) ? errors : [], members);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
