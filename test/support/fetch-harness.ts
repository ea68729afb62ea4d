/** A fetcher and raw servers for the duration of one test. */
import { onTestFinished } from 'vitest';
import { HttpFetcher, type HttpFetcherOptions } from '../../src/adapters/http/http-fetcher.js';
import type { FetcherDefinition } from '../../src/domain/crawl/fetcher-definition.js';
import type { FetchOutcome } from '../../src/domain/fetch/outcome.js';
import type { FetchRequest } from '../../src/engine/ports/fetcher.js';
import { fetcherDefinition } from './fetcher-definition.js';
import { type RawServer, type RawServerOptions, type Respond, rawServer } from './raw-server.js';

export function testFetcher(parts: Partial<FetcherDefinition> = {}, options: HttpFetcherOptions = {}): HttpFetcher {
  const fetcher = new HttpFetcher([fetcherDefinition(parts)], options);
  onTestFinished(() => fetcher.close());
  return fetcher;
}

export async function testServer(
  respond: Respond,
  options: RawServerOptions = {},
): Promise<RawServer & { readonly url: string }> {
  const server = await rawServer(respond, options);
  onTestFinished(() => server.close());
  return Object.assign(server, { url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${server.port}` });
}

/** One GET with its own fetcher. */
export const get = (
  url: string,
  request: Partial<FetchRequest> = {},
  parts: Partial<FetcherDefinition> = {},
): Promise<FetchOutcome> => testFetcher(parts).fetch({ url, fetcher: 'default', ...request });

/** `200 text` or `failure code`, for short comparisons. */
export const inShort = (outcome: FetchOutcome): string =>
  outcome.kind === 'response'
    ? `${outcome.status} ${Buffer.from(outcome.body).toString('latin1')}`.trim()
    : `failure ${outcome.code}`;
